/* test_net_peers.c - frames cross, links come back, strangers cannot push.
 *
 * Two nodes in one process: node 1 has a link to node 2, which listens. What
 * node 2 has heard is in heard.
 */
#include "net/net_peers.h"

#include "base/limits.h"
#include "lib/peer_sample.h"
#include "net/net_greeting.h"
#include "unit/net/net_fixture.h"

/* As many as net_peers.c takes. */
#define SOURCES_MAX (4 * LIMIT_MEMBERS)
#define PROOF_MS 5000

static struct net_peers one;
static struct net_peers two;
static struct buffer frame; /* from 1 to 2 */
static struct buffer heard;
static enum status verdict; /* of node 2 about frames */
static unsigned heard_count;
static unsigned lost_count; /* at node 2 */
static unsigned gone_count; /* of node 2, at node 1 */
static unsigned lines;

static enum status take_frame(void *context, struct bytes bytes)
{
    if (context == &two) {
        buffer_append(&heard, bytes);
        heard_count++;
    }
    return verdict;
}

static void take_loss(void *context, raft_id_t id)
{
    ck_assert_uint_ne(id, 0);
    if (context == &two) {
        lost_count++;
    }
}

static void take_end(void *context, raft_id_t id)
{
    ck_assert_ptr_eq(context, &one);
    ck_assert_uint_eq(id, 2);
    gone_count++;
}

static void take_line(void *context, const char *text)
{
    ck_assert_uint_gt(strlen(text), 0);
    if (context == &two) {
        lines++;
    }
}

static void turn(time_ms_t now)
{
    (void)net_peers_turn(&one, now);
    (void)net_peers_turn(&two, now);
}

static void open_two(uint16_t port)
{
    const struct net_address address = nx_loopback(port);
    const struct net_peers_owner owner = {.context = &two,
                                          .frame = take_frame,
                                          .lost = take_loss,
                                          .line = take_line};
    ck_assert_int_eq(net_peers_open(&two, &nx.loop, &address, &owner),
                     STATUS_OK);
}

static struct net_address address_of_two(void)
{
    return nx_bound(two.listeners[0].fd);
}

/* Node 2 knows node 1 too, so that it is no stranger; nobody is there. */
static void introduce(void)
{
    const struct net_address nowhere = nx_loopback(1);
    const struct net_address address = address_of_two();
    net_peers_set(&two, 1, &nowhere);
    net_peers_set(&one, 2, &address);
}

static void setup(void)
{
    nx_setup();
    heard_count = 0;
    lost_count = 0;
    gone_count = 0;
    lines = 0;
    verdict = STATUS_OK;
    const struct net_peers_owner owner = {.context = &one,
                                          .frame = take_frame,
                                          .lost = take_loss,
                                          .gone = take_end,
                                          .line = take_line};
    const struct net_address any = nx_loopback(0);
    ck_assert_int_eq(net_peers_open(&one, &nx.loop, &any, &owner), STATUS_OK);
    open_two(0);
    nx.turn = turn;
    struct peer_sample sample;
    const struct peer_identity identity = peer_sample_identity();
    peer_sample_plain(&sample, PEER_APPEND);
    ck_assert_int_eq(peer_frame_encode(&identity, &sample.message, &frame),
                     STATUS_OK);
}

static void teardown(void)
{
    net_peers_close(&one);
    net_peers_close(&two);
    buffer_close(&frame);
    buffer_close(&heard);
    nx_teardown();
}

/* From node 1, over a connection that the test has in hand. */
static void say(int fd, struct bytes bytes)
{
    ck_assert_int_eq(send(fd, bytes.data, bytes.count, MSG_NOSIGNAL),
                     (ssize_t)bytes.count);
}

START_TEST(frames_arrive_whole_and_in_order)
{
    introduce();
    NX_UNTIL(net_peers_linked(&one, 2));

    struct buffer expected = {0};
    for (uint8_t i = 0; i < 100; i++) {
        frame.data[16] = i; /* in the cluster's id, which is not looked at */
        net_peers_send(&one, 2, buffer_view(&frame));
        buffer_append(&expected, buffer_view(&frame));
    }
    NX_UNTIL(heard_count == 100);

    ck_assert(bytes_equal(buffer_view(&heard), buffer_view(&expected)));
    buffer_close(&expected);
}
END_TEST

START_TEST(a_frame_may_come_byte_by_byte)
{
    const struct net_address address = address_of_two();
    const int fd = nx_dial(&address);
    for (size_t i = 0; i + 1 < frame.count; i++) {
        say(fd, bytes_of(frame.data + i, 1));
        nx_settle();
    }
    ck_assert_uint_eq(heard_count, 0);
    say(fd, bytes_of(frame.data + frame.count - 1, 1));

    NX_UNTIL(heard_count == 1);

    ck_assert(bytes_equal(buffer_view(&heard), buffer_view(&frame)));
    (void)close(fd);
    NX_UNTIL(two.sources_count == 0);
    ck_assert_uint_eq(lost_count, 1);
}
END_TEST

START_TEST(what_nobody_can_get_is_dropped)
{
    net_peers_send(&one, 9, buffer_view(&frame));
    introduce();
    net_peers_send(&one, 2, buffer_view(&frame)); /* not connected yet */
    NX_UNTIL(net_peers_linked(&one, 2));
    nx_settle();
    ck_assert_uint_eq(heard_count, 0);

    one.queue_bytes_max = 3 * frame.count;
    for (size_t i = 0; i < 10; i++) {
        net_peers_send(&one, 2, buffer_view(&frame));
    }
    NX_UNTIL(heard_count == 3);
    nx_settle();
    ck_assert_uint_eq(heard_count, 3);
}
END_TEST

START_TEST(what_is_only_offered_leaves_room_for_the_rest)
{
    introduce();
    NX_UNTIL(net_peers_linked(&one, 2));
    one.queue_bytes_max = 10 * frame.count;
    one.offer_bytes_max = 3 * frame.count;

    for (size_t i = 0; i < 20; i++) {
        net_peers_offer(&one, 2, buffer_view(&frame));
    }
    for (size_t i = 0; i < 4; i++) {
        net_peers_send(&one, 2, buffer_view(&frame));
    }
    net_peers_offer(&one, 2, buffer_view(&frame));

    NX_UNTIL(heard_count == 7);
    nx_settle();
    ck_assert_uint_eq(heard_count, 7);
}
END_TEST

START_TEST(a_link_that_broke_is_made_again)
{
    introduce();
    NX_UNTIL(net_peers_linked(&one, 2));
    const struct net_address address = address_of_two();
    const uint16_t port =
        ntohs(((const struct sockaddr_in *)&address.storage)->sin_port);

    net_peers_close(&two);
    NX_UNTIL(!net_peers_linked(&one, 2));
    open_two(port);
    NX_UNTIL(net_peers_linked(&one, 2));

    net_peers_send(&one, 2, buffer_view(&frame));
    NX_UNTIL(heard_count == 1);
}
END_TEST

START_TEST(who_refuses_and_is_not_heard_is_gone)
{
    introduce();
    NX_UNTIL(net_peers_linked(&one, 2));
    ck_assert_uint_eq(gone_count, 0);

    net_peers_close(&two);

    NX_UNTIL(gone_count >= 2); /* said again at every try */
}
END_TEST

START_TEST(who_refuses_and_is_heard_is_not_gone)
{
    introduce();
    NX_UNTIL(net_peers_linked(&one, 2));
    const struct net_address address = nx_bound(one.listeners[0].fd);
    const int fd = nx_dial(&address); /* it may be node 2's */
    NX_UNTIL(one.sources_count == 1);

    net_peers_close(&two);
    NX_UNTIL(!net_peers_linked(&one, 2));
    nx.ahead_ms += 10000;
    nx_settle();
    nx.ahead_ms += 10000;
    nx_settle();
    ck_assert_uint_eq(gone_count, 0);

    (void)close(fd);
    NX_UNTIL(gone_count >= 1);
}
END_TEST

START_TEST(a_peer_that_is_removed_is_no_longer_reached)
{
    introduce();
    NX_UNTIL(net_peers_linked(&one, 2));
    NX_UNTIL(two.sources_count == 1);

    net_peers_remove(&one, 2);

    ck_assert(!net_peers_linked(&one, 2));
    NX_UNTIL(two.sources_count == 0);
}
END_TEST

START_TEST(who_sends_no_frames_is_closed)
{
    const struct net_address address = address_of_two();
    const int garbage = nx_dial(&address);
    const int refused = nx_dial(&address);
    uint8_t bytes[PEER_FRAME_HEAD_BYTES] = "GET / HTTP/1.1";

    say(garbage, bytes_of(bytes, sizeof(bytes)));
    NX_UNTIL(nx_is_over(garbage));
    verdict = STATUS_BAD_CLUSTER;
    say(refused, buffer_view(&frame));
    NX_UNTIL(nx_is_over(refused));

    ck_assert_uint_eq(two.sources_count, 0);
    ck_assert_uint_eq(lost_count, 0);
    ck_assert_uint_eq(lines, 2);
    (void)close(garbage);
    (void)close(refused);
}
END_TEST

/* As two followers do. */
START_TEST(few_may_say_nothing_for_long)
{
    const struct net_address address = address_of_two();
    const int silent = nx_dial(&address);
    NX_UNTIL(two.sources_count == 1);

    nx.ahead_ms += 1000 * PROOF_MS;
    nx_settle();

    ck_assert(!nx_is_over(silent));
    (void)close(silent);
}
END_TEST

START_TEST(of_many_those_are_closed_who_say_nothing_for_long)
{
    const struct net_address address = address_of_two();
    int silent[LIMIT_MEMBERS];
    for (size_t i = 0; i < LIMIT_MEMBERS; i++) {
        silent[i] = nx_dial(&address);
    }
    const int good = nx_dial(&address);
    say(silent[0], bytes_of(frame.data, frame.count - 1));
    say(good, buffer_view(&frame));
    NX_UNTIL(two.sources_count == LIMIT_MEMBERS + 1 && heard_count == 1);
    ck_assert_uint_le(net_peers_turn(&two, nx_now()), nx_now() + PROOF_MS);

    nx.ahead_ms += PROOF_MS + 1;
    NX_UNTIL(two.sources_count == 1);

    for (size_t i = 0; i < LIMIT_MEMBERS; i++) {
        ck_assert(nx_is_over(silent[i]));
        (void)close(silent[i]);
    }
    nx.ahead_ms += 1000 * PROOF_MS;
    nx_settle();
    ck_assert(!nx_is_over(good));
    (void)close(good);
}
END_TEST

START_TEST(many_who_say_nothing_do_not_keep_a_peer_out)
{
    const struct net_address address = address_of_two();
    int crowd[SOURCES_MAX + 10];
    introduce();
    const int early = nx_dial(&address);
    say(early, buffer_view(&frame));
    NX_UNTIL(heard_count == 1);
    for (size_t i = 0; i < SOURCES_MAX; i++) {
        crowd[i] = nx_dial(&address);
    }
    NX_UNTIL(nx_is_over(crowd[0])); /* the oldest goes first */

    const int late = nx_dial(&address);
    say(late, buffer_view(&frame));
    NX_UNTIL(heard_count == 2);
    for (size_t i = SOURCES_MAX; i < SOURCES_MAX + 10; i++) {
        crowd[i] = nx_dial(&address);
    }
    NX_UNTIL(nx_is_over(crowd[11])); /* 76 came, 64 have room */
    say(late, buffer_view(&frame));
    say(early, buffer_view(&frame));
    NX_UNTIL(heard_count == 4);

    ck_assert_uint_eq(two.sources_count, SOURCES_MAX);
    ck_assert(!nx_is_over(crowd[12]));
    for (size_t i = 0; i < SOURCES_MAX + 10; i++) {
        (void)close(crowd[i]);
    }
    (void)close(early);
    (void)close(late);
}
END_TEST

START_TEST(peers_alone_are_not_closed_for_a_newcomer)
{
    const struct net_address address = address_of_two();
    int crowd[SOURCES_MAX];
    introduce();
    for (size_t i = 0; i < SOURCES_MAX; i++) {
        crowd[i] = nx_dial(&address);
        say(crowd[i], buffer_view(&frame));
        NX_UNTIL(heard_count == i + 1);
    }

    const int newcomer = nx_dial(&address);
    NX_UNTIL(nx_is_over(newcomer));

    ck_assert_uint_eq(two.sources_count, SOURCES_MAX);
    for (size_t i = 0; i < SOURCES_MAX; i++) {
        ck_assert(!nx_is_over(crowd[i]));
        (void)close(crowd[i]);
    }
    (void)close(newcomer);
}
END_TEST

/* A connection on which node 1 greets node 2, which cannot reach it by a link,
 * and that has this much for it after node 1 has said something. */
static int greet_and_be_sent(size_t bytes_count)
{
    struct buffer hello = {0};
    struct buffer much = {0};
    const struct net_address address = address_of_two();
    two.owner.self = 2;
    two.owner.identity = peer_sample_identity();
    net_greeting_say(&two.owner.identity, 1, 2, &hello);
    const int fd = nx_dial(&address);
    say(fd, buffer_view(&hello));
    say(fd, buffer_view(&frame));
    NX_UNTIL(heard_count == 1);
    const uint64_t zeros[128] = {0};
    while (much.count < 1024 * 1024) {
        buffer_append(&much, bytes_of((const uint8_t *)zeros, sizeof(zeros)));
    }
    for (size_t count = 0; count < bytes_count; count += much.count) {
        net_peers_send(&two, 1, buffer_view(&much));
    }
    nx_settle();
    say(fd, buffer_view(&frame));
    buffer_close(&hello);
    buffer_close(&much);
    return fd;
}

/* More than the kernel takes is left unread. */
START_TEST(a_peer_without_a_link_may_be_sent_as_much_as_with_one)
{
    introduce();
    net_peers_remove(&one, 2);

    const int fd = greet_and_be_sent(15 * 1024 * 1024);

    NX_UNTIL(heard_count == 2);
    nx_settle();
    ck_assert_uint_eq(two.sources_count, 1);
    (void)close(fd);
}
END_TEST

START_TEST(who_is_no_peer_may_not_leave_much_unread)
{
    const int fd = greet_and_be_sent(15 * 1024 * 1024);

    NX_UNTIL(two.sources_count == 0);
    (void)close(fd);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("net_peers");
    TCase *tests = tcase_create("core");

    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, frames_arrive_whole_and_in_order);
    tcase_add_test(tests, a_frame_may_come_byte_by_byte);
    tcase_add_test(tests, what_nobody_can_get_is_dropped);
    tcase_add_test(tests, what_is_only_offered_leaves_room_for_the_rest);
    tcase_add_test(tests, a_link_that_broke_is_made_again);
    tcase_add_test(tests, who_refuses_and_is_not_heard_is_gone);
    tcase_add_test(tests, who_refuses_and_is_heard_is_not_gone);
    tcase_add_test(tests, a_peer_that_is_removed_is_no_longer_reached);
    tcase_add_test(tests, who_sends_no_frames_is_closed);
    tcase_add_test(tests, few_may_say_nothing_for_long);
    tcase_add_test(tests, of_many_those_are_closed_who_say_nothing_for_long);
    tcase_add_test(tests, many_who_say_nothing_do_not_keep_a_peer_out);
    tcase_add_test(tests, peers_alone_are_not_closed_for_a_newcomer);
    tcase_add_test(tests,
                   a_peer_without_a_link_may_be_sent_as_much_as_with_one);
    tcase_add_test(tests, who_is_no_peer_may_not_leave_much_unread);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}
