/* test_net_stream.c - bytes in as they come, bytes out at the end of a turn.
 *
 * The stream has one end of a pair of sockets, the test the other.
 */
#include "net/net_stream.h"

#include <netinet/tcp.h>

#include "unit/net/net_fixture.h"

#define LARGE_BYTES ((size_t)8 * 1024 * 1024)

/* When the owner closes its stream by itself. */
enum moment {
    NEVER,
    RECEIVED,
    CONNECTED,
    DRAINED,
    CLOSED
};

static struct net_stream stream;
static int other;           /* the test's end */
static struct buffer input; /* what the stream has received */
static size_t room_wanted;  /* offered at a time; 0: nothing */
static unsigned receipts;   /* calls with bytes */
static unsigned connections;
static unsigned drains;
static unsigned ends;
static enum moment close_in;

static void close_if(enum moment moment)
{
    if (close_in == moment) {
        net_stream_close(&stream);
    }
}

static void connected(void *context)
{
    (void)context;
    connections++;
    close_if(CONNECTED);
}

static uint8_t *reserve(void *context, size_t *room)
{
    (void)context;
    ck_assert(!stream.over);
    *room = room_wanted;
    return buffer_reserve(&input, room_wanted);
}

static void received(void *context, size_t count)
{
    (void)context;
    ck_assert_uint_le(count, room_wanted);
    buffer_advance(&input, count);
    receipts += count > 0 ? 1 : 0;
    close_if(RECEIVED);
}

static void drained(void *context)
{
    (void)context;
    drains++;
    close_if(DRAINED);
}

static void closed(void *context)
{
    (void)context;
    ends++;
    close_if(CLOSED);
}

static const struct net_stream_owner owner = {
    .connected = connected,
    .reserve = reserve,
    .received = received,
    .drained = drained,
    .closed = closed,
};

static void setup(void)
{
    int pair[2];
    nx_setup();
    room_wanted = 1000;
    receipts = 0;
    connections = 0;
    drains = 0;
    ends = 0;
    close_in = NEVER;
    ck_assert_int_eq(socketpair(AF_UNIX,
                                SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
                                pair),
                     0);
    other = pair[1];
    ck_assert_int_eq(net_stream_open(&stream, &nx.loop, pair[0], &owner),
                     STATUS_OK);
}

static void teardown(void)
{
    net_stream_close(&stream);
    buffer_close(&input);
    if (other >= 0) {
        (void)close(other);
    }
    nx_teardown();
}

static void say(const char *text)
{
    ck_assert_int_eq(send(other, text, strlen(text), MSG_NOSIGNAL),
                     (ssize_t)strlen(text));
}

static void hang_up(void)
{
    (void)close(other);
    other = -1;
}

/* Bytes that tell where they belong. */
static void write_large(void)
{
    struct buffer *out = net_stream_out(&stream);
    uint8_t *bytes = buffer_reserve(out, LARGE_BYTES);
    for (size_t i = 0; i < LARGE_BYTES; i++) {
        bytes[i] = (uint8_t)(i * 31 + i / 4096);
    }
    buffer_advance(out, LARGE_BYTES);
}

/* Take what is there for the test; false if it is not the right part. */
static bool read_large(size_t *at)
{
    static uint8_t bytes[100000];
    const ssize_t count = recv(other, bytes, sizeof(bytes), 0);
    for (ssize_t i = 0; i < count; i++, (*at)++) {
        if (bytes[i] != (uint8_t)(*at * 31 + *at / 4096)) {
            return false;
        }
    }
    return true;
}

/* ---- in ---- */

START_TEST(what_the_other_side_says_is_received)
{
    say("hello ");
    NX_UNTIL(input.count == 6);
    say("world");
    NX_UNTIL(input.count == 11);

    ck_assert(bytes_equal(buffer_view(&input), bytes_of_text("hello world")));
    ck_assert_uint_eq(stream.in_bytes, 11);
}
END_TEST

START_TEST(little_room_takes_several_reads)
{
    room_wanted = 3;
    say("0123456789");

    NX_UNTIL(input.count == 10);

    ck_assert_uint_eq(receipts, 4);
    ck_assert(bytes_equal(buffer_view(&input), bytes_of_text("0123456789")));
}
END_TEST

START_TEST(without_room_nothing_is_read)
{
    room_wanted = 0;
    say("later");
    nx_settle();
    ck_assert_uint_eq(receipts, 0);

    room_wanted = 100;
    NX_UNTIL(input.count == 5);
}
END_TEST

START_TEST(reading_stops_and_goes_on)
{
    net_stream_read(&stream, false);
    net_stream_read(&stream, false);
    say("later");
    nx_settle();
    ck_assert_uint_eq(input.count, 0);

    net_stream_read(&stream, true);
    NX_UNTIL(input.count == 5);
}
END_TEST

/* ---- out ---- */

START_TEST(what_is_written_leaves_with_the_flush)
{
    char bytes[100];
    buffer_append(net_stream_out(&stream), bytes_of_text("one "));
    buffer_append(net_stream_out(&stream), bytes_of_text("two"));
    nx_settle();
    ck_assert_int_eq(recv(other, bytes, sizeof(bytes), 0), -1);
    ck_assert_uint_eq(net_stream_waiting(&stream), 7);

    net_stream_flush(&stream);

    ck_assert_int_eq(recv(other, bytes, sizeof(bytes), 0), 7);
    ck_assert_int_eq(memcmp(bytes, "one two", 7), 0);
    ck_assert_uint_eq(net_stream_waiting(&stream), 0);
    ck_assert_uint_eq(stream.out_bytes, 7);
    nx_settle();
    ck_assert_uint_eq(drains, 0); /* nothing was left behind */
}
END_TEST

START_TEST(what_the_socket_does_not_take_leaves_as_there_is_room)
{
    size_t at = 0;
    write_large();
    net_stream_flush(&stream);
    const size_t first = net_stream_waiting(&stream);
    ck_assert_uint_gt(first, 0);
    nx_settle();
    ck_assert_uint_eq(net_stream_waiting(&stream), first);

    while (at < LARGE_BYTES) {
        ck_assert(read_large(&at));
        nx_turn();
        ck_assert_uint_le(LARGE_BYTES - at,
                          net_stream_waiting(&stream) + LARGE_BYTES - first);
    }

    NX_UNTIL(drains == 1);
    ck_assert_uint_eq(net_stream_waiting(&stream), 0);
    ck_assert_uint_eq(stream.out_bytes, LARGE_BYTES);
    /* A buffer that grew is given back. */
    ck_assert_uint_lt(net_stream_out(&stream)->capacity, LARGE_BYTES / 8);
}
END_TEST

START_TEST(a_stream_that_never_drains_does_not_keep_what_it_sent)
{
    size_t at = 0;
    write_large();
    net_stream_flush(&stream);
    for (size_t turns = 0; at < LARGE_BYTES * 3 / 4; turns++) {
        ck_assert_uint_lt(turns, 100000);
        ck_assert(read_large(&at));
        nx_turn();
    }
    ck_assert_uint_gt(net_stream_waiting(&stream), 0);
    ck_assert_uint_lt(net_stream_out(&stream)->count, LARGE_BYTES * 3 / 4);
}
END_TEST

/* ---- the end ---- */

START_TEST(the_end_comes_behind_the_last_bytes)
{
    say("last words");
    hang_up();

    NX_UNTIL(ends == 1);

    ck_assert(bytes_equal(buffer_view(&input), bytes_of_text("last words")));
    ck_assert(stream.over);
    nx_settle();
    ck_assert_uint_eq(ends, 1);
}
END_TEST

START_TEST(a_side_that_says_no_more_has_ended)
{
    say("bye");
    ck_assert_int_eq(shutdown(other, SHUT_WR), 0);

    NX_UNTIL(ends == 1);

    ck_assert_uint_eq(input.count, 3);
    buffer_append(net_stream_out(&stream), bytes_of_text("too late"));
    net_stream_flush(&stream);
    char byte;
    ck_assert_int_eq(recv(other, &byte, 1, 0), -1);
}
END_TEST

START_TEST(writing_to_nobody_is_the_end)
{
    net_stream_read(&stream, false);
    hang_up();
    buffer_append(net_stream_out(&stream), bytes_of_text("hello?"));

    net_stream_flush(&stream); /* and no signal */

    ck_assert_uint_eq(ends, 1);
    net_stream_flush(&stream);
    net_stream_read(&stream, true);
    nx_settle();
    ck_assert_uint_eq(ends, 1);
}
END_TEST

START_TEST(after_closing_nothing_is_called)
{
    say("hello");
    net_stream_close(&stream);
    net_stream_close(&stream);
    nx_settle();
    ck_assert_uint_eq(receipts, 0);
    ck_assert_uint_eq(ends, 0);
    ck_assert(nx_is_over(other));
}
END_TEST

START_TEST(it_may_be_closed_when_bytes_are_received)
{
    close_in = RECEIVED;
    room_wanted = 2;
    say("hello");
    NX_UNTIL(receipts == 1);
    nx_settle();
    ck_assert_uint_eq(receipts, 1);
    ck_assert_uint_eq(ends, 0);
}
END_TEST

START_TEST(it_may_be_closed_when_the_end_is_received)
{
    close_in = RECEIVED;
    hang_up();
    NX_UNTIL(stream.over);
    nx_settle();
    ck_assert_uint_eq(ends, 0);
}
END_TEST

START_TEST(it_may_be_closed_when_it_is_over)
{
    close_in = CLOSED;
    hang_up();
    NX_UNTIL(ends == 1);
    nx_settle();
    ck_assert_uint_eq(ends, 1);
}
END_TEST

START_TEST(it_may_be_closed_when_it_has_drained)
{
    size_t at = 0;
    close_in = DRAINED;
    write_large();
    net_stream_flush(&stream);
    while (drains == 0) {
        ck_assert(read_large(&at));
        nx_turn();
    }
    ck_assert(stream.over);
    nx_settle();
    ck_assert_uint_eq(ends, 0);
}
END_TEST

/* ---- connecting ---- */

static int listen_somewhere(struct net_address *where)
{
    const struct net_address any = nx_loopback(0);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(
        bind(fd, (const struct sockaddr *)&any.storage, any.length), 0);
    *where = nx_bound(fd);
    ck_assert_int_eq(listen(fd, 5), 0);
    return fd;
}

START_TEST(what_is_written_before_the_connection_stands_leaves_then)
{
    struct net_address where;
    char bytes[10];
    net_stream_close(&stream);
    const int listener = listen_somewhere(&where);
    ck_assert_int_eq(net_stream_connect(&stream, &nx.loop, &where, &owner),
                     STATUS_OK);
    buffer_append(net_stream_out(&stream), bytes_of_text("early"));
    net_stream_flush(&stream);
    ck_assert_uint_eq(net_stream_waiting(&stream), 5);

    NX_UNTIL(connections == 1 && net_stream_waiting(&stream) == 0);

    const int fd = accept(listener, NULL, NULL);
    ck_assert_int_eq(recv(fd, bytes, sizeof(bytes), 0), 5);
    ck_assert_int_eq(send(fd, "answer", 6, MSG_NOSIGNAL), 6);
    NX_UNTIL(input.count == 6);
    (void)close(fd);
    NX_UNTIL(ends == 1);
    (void)close(listener);
}
END_TEST

START_TEST(where_nobody_listens_is_the_end)
{
    struct net_address where;
    net_stream_close(&stream);
    const int listener = listen_somewhere(&where);
    (void)close(listener);

    ck_assert_int_eq(net_stream_connect(&stream, &nx.loop, &where, &owner),
                     STATUS_OK);
    NX_UNTIL(ends == 1);

    ck_assert_uint_eq(connections, 0);
}
END_TEST

START_TEST(it_may_be_closed_when_it_is_connected)
{
    struct net_address where;
    net_stream_close(&stream);
    const int listener = listen_somewhere(&where);
    close_in = CONNECTED;
    ck_assert_int_eq(net_stream_connect(&stream, &nx.loop, &where, &owner),
                     STATUS_OK);
    buffer_append(net_stream_out(&stream), bytes_of_text("never"));

    NX_UNTIL(connections == 1);
    nx_settle();

    ck_assert_uint_eq(drains, 0);
    ck_assert_uint_eq(ends, 0);
    (void)close(listener);
}
END_TEST

static int option_of(int level, int option)
{
    int value = -1;
    socklen_t length = sizeof(value);
    ck_assert_int_eq(getsockopt(stream.fd, level, option, &value, &length), 0);
    return value;
}

START_TEST(a_silent_other_side_is_asked_after)
{
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    net_stream_close(&stream);
    ck_assert_int_eq(net_stream_open(&stream, &nx.loop, fd, &owner), STATUS_OK);
    ck_assert_int_eq(option_of(SOL_SOCKET, SO_KEEPALIVE), 1);
    ck_assert_int_eq(option_of(IPPROTO_TCP, TCP_KEEPIDLE), 60);

    net_stream_keep_alive(&stream, 300);
    ck_assert_int_eq(option_of(SOL_SOCKET, SO_KEEPALIVE), 1);
    ck_assert_int_eq(option_of(IPPROTO_TCP, TCP_KEEPIDLE), 300);
    ck_assert_int_eq(option_of(IPPROTO_TCP, TCP_KEEPINTVL), 100);
    ck_assert_int_eq(option_of(IPPROTO_TCP, TCP_KEEPCNT), 3);

    net_stream_keep_alive(&stream, 1);
    ck_assert_int_eq(option_of(IPPROTO_TCP, TCP_KEEPINTVL), 1);
    net_stream_keep_alive(&stream, 0);
    ck_assert_int_eq(option_of(SOL_SOCKET, SO_KEEPALIVE), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("net_stream");
    TCase *in = tcase_create("in and out");
    TCase *end = tcase_create("the end");

    tcase_add_checked_fixture(in, setup, teardown);
    tcase_add_test(in, what_the_other_side_says_is_received);
    tcase_add_test(in, little_room_takes_several_reads);
    tcase_add_test(in, without_room_nothing_is_read);
    tcase_add_test(in, reading_stops_and_goes_on);
    tcase_add_test(in, what_is_written_leaves_with_the_flush);
    tcase_add_test(in, what_the_socket_does_not_take_leaves_as_there_is_room);
    tcase_add_test(in, a_stream_that_never_drains_does_not_keep_what_it_sent);
    tcase_add_test(in,
                   what_is_written_before_the_connection_stands_leaves_then);
    suite_add_tcase(suite, in);
    tcase_add_checked_fixture(end, setup, teardown);
    tcase_add_test(end, the_end_comes_behind_the_last_bytes);
    tcase_add_test(end, a_side_that_says_no_more_has_ended);
    tcase_add_test(end, writing_to_nobody_is_the_end);
    tcase_add_test(end, after_closing_nothing_is_called);
    tcase_add_test(end, it_may_be_closed_when_bytes_are_received);
    tcase_add_test(end, it_may_be_closed_when_the_end_is_received);
    tcase_add_test(end, it_may_be_closed_when_it_is_over);
    tcase_add_test(end, it_may_be_closed_when_it_has_drained);
    tcase_add_test(end, it_may_be_closed_when_it_is_connected);
    tcase_add_test(end, a_silent_other_side_is_asked_after);
    tcase_add_test(end, where_nobody_listens_is_the_end);
    suite_add_tcase(suite, end);
    return check_run(suite);
}
