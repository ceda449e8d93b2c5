/* bench_link.c - one connection, and the replies that come by it.
 *
 * hiredis' reader cuts the replies out of the stream. Its functions for making
 * objects only note what the reply was: nothing is allocated for it.
 *
 * A connection that breaks is made again a little later, to the next address.
 */
#include "bench_load.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/un.h>
#include <unistd.h>

#define BENCH_READ_BYTES (64 * 1024)
#define BENCH_RECONNECT_NS UINT64_C(10000000)

#if HIREDIS_MAJOR >= 1
typedef size_t bench_elements_t;
#else
typedef int bench_elements_t;
#endif

static void bench_link_established(struct bench_link *link);
static void bench_link_read(struct bench_link *link);
static bool bench_link_replies(struct bench_link *link, uint64_t now);
static void bench_link_broke(struct bench_link *link, int error);
static void bench_link_watch(struct bench_link *link, int operation,
                             unsigned events);

/* ---- replies ---- */

static struct bench_reply *bench_link_note(const redisReadTask *task, int type)
{
    static struct bench_reply inner; /* of an array: nobody looks */
    struct bench_reply *reply = task->parent == NULL ? task->privdata : &inner;
    reply->type = type;
    reply->count = 0;
    return reply;
}

static void *bench_link_string(const redisReadTask *task, char *text,
                               size_t count)
{
    struct bench_reply *reply = bench_link_note(task, task->type);
    reply->count = count < sizeof(reply->text) ? count : sizeof(reply->text);
    memcpy(reply->text, text, reply->count);
    return reply;
}

static void *bench_link_array(const redisReadTask *task, bench_elements_t count)
{
    (void)count;
    return bench_link_note(task, REDIS_REPLY_ARRAY);
}

static void *bench_link_integer(const redisReadTask *task, long long value)
{
    struct bench_reply *reply = bench_link_note(task, REDIS_REPLY_INTEGER);
    reply->integer = value;
    return reply;
}

static void *bench_link_nil(const redisReadTask *task)
{
    return bench_link_note(task, REDIS_REPLY_NIL);
}

static void bench_link_forget(void *reply)
{
    (void)reply;
}

static redisReplyObjectFunctions reply_functions = {
    .createString = bench_link_string,
    .createArray = bench_link_array,
    .createInteger = bench_link_integer,
    .createNil = bench_link_nil,
    .freeObject = bench_link_forget,
};

/* ---- open, close ---- */

bool bench_link_resolve(struct bench_load *load)
{
    const struct bench_options *options = load->options;
    for (size_t i = 0; i < options->addresses_count; i++) {
        const struct bench_address *address = &options->addresses[i];
        if (address->port == 0) {
            struct sockaddr_un *path = (struct sockaddr_un *)&load->sockets[i];
            path->sun_family = AF_UNIX;
            (void)snprintf(path->sun_path, sizeof(path->sun_path), "%.*s",
                           (int)sizeof(path->sun_path) - 1, address->host);
            load->socket_bytes[i] = sizeof(*path);
            continue;
        }
        char digits[8];
        struct addrinfo *found = NULL;
        const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
        (void)snprintf(digits, sizeof(digits), "%u", (unsigned)address->port);
        const int error = getaddrinfo(address->host, digits, &hints, &found);
        if (error != 0) {
            (void)fprintf(stderr, "holdfast-bench: %s: %s\n", address->host,
                          gai_strerror(error));
            return false;
        }
        memcpy(&load->sockets[i], found->ai_addr, found->ai_addrlen);
        load->socket_bytes[i] = found->ai_addrlen;
        freeaddrinfo(found);
    }
    return true;
}

void bench_link_init(struct bench_load *load, struct bench_link *link,
                     size_t number)
{
    const size_t lanes_count = load->options->pipeline;
    *link = (struct bench_link){
        .load = load,
        .fd = -1,
        .address = number % load->options->addresses_count,
        .lanes = calloc(lanes_count, sizeof(link->lanes[0])),
        .asked = calloc(lanes_count, sizeof(struct bench_lane *)),
    };
    if (link->lanes == NULL || link->asked == NULL) {
        abort();
    }
    load->links_down++;
    for (size_t i = 0; i < lanes_count; i++) {
        struct bench_lane *lane = &link->lanes[i];
        lane->link = link;
        lane->number = number * lanes_count + i;
        lane->owner_count =
            (size_t)snprintf(lane->owner, sizeof(lane->owner), "bench-%d-%zu",
                             (int)getpid(), lane->number);
    }
}

void bench_link_close(struct bench_link *link)
{
    if (link->fd >= 0) {
        (void)close(link->fd);
        redisReaderFree(link->reader);
    }
    bench_text_close(&link->out);
    free(link->lanes);
    free(link->asked);
}

void bench_link_connect(struct bench_link *link, uint64_t now)
{
    struct bench_load *load = link->load;
    const struct sockaddr *to =
        (const struct sockaddr *)&load->sockets[link->address];
    const int one = 1;
    const int fd =
        socket(to->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    link->connect_at_ns = now + BENCH_RECONNECT_NS;
    if (fd < 0) {
        load->connect_errno = errno;
        return;
    }
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    link->fd = fd;
    link->reader = redisReaderCreateWithFunctions(&reply_functions);
    link->reader->privdata = &load->reply;
    link->connecting = true;
    load->links_down--;
    const int result = connect(fd, to, load->socket_bytes[link->address]);
    if (result < 0 && errno != EINPROGRESS) {
        bench_link_broke(link, errno);
        return;
    }
    bench_link_watch(link, EPOLL_CTL_ADD, EPOLLIN | EPOLLOUT);
}

/* ---- events ---- */

void bench_link_event(struct bench_link *link, unsigned events)
{
    if (link->fd < 0) {
        return; /* it broke earlier in this turn */
    }
    if (link->connecting) {
        int error = 0;
        socklen_t bytes = sizeof(error);
        (void)getsockopt(link->fd, SOL_SOCKET, SO_ERROR, &error, &bytes);
        if (error != 0) {
            bench_link_broke(link, error);
            return;
        }
        bench_link_established(link);
    }
    if ((events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0) {
        bench_link_read(link);
    }
    bench_link_flush(link);
}

static void bench_link_established(struct bench_link *link)
{
    struct bench_load *load = link->load;
    const char *password = load->options->password;
    const uint64_t now = bench_now_ns();
    link->connecting = false;
    link->writing = false;
    load->ever_connected = true;
    bench_link_watch(link, EPOLL_CTL_MOD, EPOLLIN);
    if (password != NULL) {
        const struct bench_values values = {.data = password,
                                            .data_count = strlen(password)};
        bench_template_write(load->auth, &values, &link->out);
        link->skip = 1;
    }
    for (size_t i = 0; i < load->options->pipeline; i++) {
        bench_lane_next(&link->lanes[i], now);
    }
}

static void bench_link_read(struct bench_link *link)
{
    static char bytes[BENCH_READ_BYTES];
    ssize_t got;
    do {
        got = read(link->fd, bytes, sizeof(bytes));
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
            return;
        }
        if (got <= 0) {
            bench_link_broke(link, got == 0 ? ECONNRESET : errno);
            return;
        }
        if (redisReaderFeed(link->reader, bytes, (size_t)got) != REDIS_OK ||
            !bench_link_replies(link, bench_now_ns())) {
            bench_link_broke(link, EPROTO);
            return;
        }
    } while ((size_t)got == sizeof(bytes));
}

/* False: what came is not RESP, or nobody asked for it. */
static bool bench_link_replies(struct bench_link *link, uint64_t now)
{
    struct bench_load *load = link->load;
    for (;;) {
        void *reply = NULL;
        if (redisReaderGetReply(link->reader, &reply) != REDIS_OK) {
            return false;
        }
        if (reply == NULL) {
            return true;
        }
        if (link->skip > 0) {
            link->skip--;
            if (load->reply.type == REDIS_REPLY_ERROR) {
                bench_stats_error(load->stats, load->reply.text,
                                  load->reply.count);
            }
            continue;
        }
        if (link->asked_count == 0) {
            return false;
        }
        struct bench_lane *lane = link->asked[link->asked_first];
        link->asked_first = (link->asked_first + 1) % load->options->pipeline;
        link->asked_count--;
        bench_lane_answered(lane, now);
    }
}

void bench_link_flush(struct bench_link *link)
{
    while (link->fd >= 0 && !link->connecting && link->sent < link->out.count) {
        const ssize_t sent = write(link->fd, link->out.data + link->sent,
                                   link->out.count - link->sent);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent < 0 && errno != EAGAIN) {
            bench_link_broke(link, errno);
            return;
        }
        if (sent < 0) {
            if (!link->writing) {
                link->writing = true;
                bench_link_watch(link, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
            }
            return;
        }
        link->sent += (size_t)sent;
    }
    if (link->fd >= 0 && !link->connecting) {
        link->sent = 0;
        link->out.count = 0;
        if (link->writing) {
            link->writing = false;
            bench_link_watch(link, EPOLL_CTL_MOD, EPOLLIN);
        }
    }
}

/* Whatever was asked is unknown now; begin anew elsewhere. */
static void bench_link_broke(struct bench_link *link, int error)
{
    struct bench_load *load = link->load;
    (void)close(link->fd);
    redisReaderFree(link->reader);
    link->fd = -1;
    link->reader = NULL;
    link->connecting = false;
    link->writing = false;
    link->out.count = 0;
    link->sent = 0;
    link->skip = 0;
    link->asked_count = 0;
    link->address = (link->address + 1) % load->options->addresses_count;
    link->connect_at_ns = bench_now_ns() + BENCH_RECONNECT_NS;
    load->links_down++;
    load->connect_errno = error;
    load->stats->breaks += load->counting ? 1 : 0;
    for (size_t i = 0; i < load->options->pipeline; i++) {
        bench_lane_reset(&link->lanes[i]);
    }
}

static void bench_link_watch(struct bench_link *link, int operation,
                             unsigned events)
{
    struct epoll_event event = {.events = events, .data = {.ptr = link}};
    if (epoll_ctl(link->load->epoll, operation, link->fd, &event) != 0) {
        abort();
    }
}
