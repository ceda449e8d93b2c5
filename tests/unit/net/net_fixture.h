/* net_fixture.h - a loop that a test turns by hand, and sockets to hang on it.
 *
 * Real sockets on loopback, and no sleeping: NX_UNTIL() takes turns until
 * something is so, and fails the test after too many of them. A turn waits for
 * an event, or a moment if there is none. Helpers start with nx_.
 *
 * Time is the real clock and nx.ahead_ms, which a test may add to.
 */
#ifndef HOLDFAST_TESTS_NET_FIXTURE_H
#define HOLDFAST_TESTS_NET_FIXTURE_H

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "lib/check_runner.h"
#include "net/net_address.h"
#include "net/net_loop.h"

/* Turns before a test is given up: some 20 s in which nothing happens. */
#define NX_TURNS_MAX 2000
#define NX_TURN_MS 10

#define NX_UNTIL(condition)                                                    \
    do {                                                                       \
        size_t nx_turns = 0;                                                   \
        while (!(condition)) {                                                 \
            ck_assert_msg(nx_turns++ < NX_TURNS_MAX, "never: " #condition);    \
            nx_turn();                                                         \
        }                                                                      \
    } while (0)

struct nx {
    struct net_loop loop;
    struct event *moment;
    time_ms_t ahead_ms;
    void (*turn)(time_ms_t now); /* what the owner of the loop would do */
};

static struct nx nx;

static void nx_nothing(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    (void)what;
    (void)context;
}

static __attribute__((unused)) void nx_setup(void)
{
    memset(&nx, 0, sizeof(nx));
    ck_assert_int_eq(net_loop_init(&nx.loop), STATUS_OK);
    nx.moment = event_new(nx.loop.base, -1, 0, nx_nothing, NULL);
    ck_assert_ptr_nonnull(nx.moment);
}

static __attribute__((unused)) void nx_teardown(void)
{
    event_free(nx.moment);
    net_loop_close(&nx.loop);
}

static __attribute__((unused)) time_ms_t nx_now(void)
{
    return net_loop_now() + nx.ahead_ms;
}

static __attribute__((unused)) void nx_turn(void)
{
    const struct timeval moment = {.tv_usec = NX_TURN_MS * 1000};
    (void)event_add(nx.moment, &moment);
    ck_assert_int_ge(event_base_loop(nx.loop.base, EVLOOP_ONCE), 0);
    if (nx.turn != NULL) {
        nx.turn(nx_now());
    }
}

/* Let everything happen that is there to happen. */
static __attribute__((unused)) void nx_settle(void)
{
    for (size_t i = 0; i < 20; i++) {
        ck_assert_int_ge(
            event_base_loop(nx.loop.base, EVLOOP_ONCE | EVLOOP_NONBLOCK), 0);
        if (nx.turn != NULL) {
            nx.turn(nx_now());
        }
    }
}

static __attribute__((unused)) struct net_address nx_loopback(uint16_t port)
{
    struct net_address address;
    ck_assert_int_eq(net_address_of("127.0.0.1", port, &address), STATUS_OK);
    return address;
}

/* Where a socket that was bound to port 0 really listens. */
static __attribute__((unused)) struct net_address nx_bound(int fd)
{
    struct net_address address = {.length = sizeof(address.storage)};
    ck_assert_int_eq(
        getsockname(fd, (struct sockaddr *)&address.storage, &address.length),
        0);
    return address;
}

/* A connection as anybody could make it; blocking until it stands. */
static __attribute__((unused)) int nx_dial(const struct net_address *to)
{
    const int fd = socket(to->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(
        connect(fd, (const struct sockaddr *)&to->storage, to->length), 0);
    ck_assert_int_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    return fd;
}

/* Has the other side closed this one? Takes what it sent before. */
static __attribute__((unused)) bool nx_is_over(int fd)
{
    uint8_t bytes[4096];
    ssize_t count;
    do {
        count = recv(fd, bytes, sizeof(bytes), 0);
    } while (count > 0);
    return count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
}

#endif
