/* test_node_publish.c - messages reach every other node, in their order.
 *
 * Two nodes of a cluster of three that never ran a turn: node 1 publishes, its
 * frames are kept and handed to node 2 as the test likes.
 */
#include <string.h>

#include "lib/check_runner.h"
#include "lock/lock.h"
#include "node/node.h"

#define FRAMES_MAX 8

static struct node *sender;
static struct node *receiver;
static struct buffer frames[FRAMES_MAX]; /* to node 2 */
static size_t frames_count;
static size_t frames_to_three;
static struct buffer heard; /* every message, with a blank behind it */
static bool heard_shard;

static void keep_frame(void *context, raft_id_t to, struct bytes frame)
{
    (void)context;
    if (to == 2) {
        ck_assert_uint_lt(frames_count, FRAMES_MAX);
        buffer_append(&frames[frames_count], frame);
        frames_count++;
    } else {
        ck_assert_uint_eq(to, 3);
        frames_to_three++;
    }
}

static void hear(void *context, bool shard, struct bytes channel,
                 struct bytes message)
{
    (void)context;
    ck_assert(bytes_equal(channel, bytes_of_text("news")));
    heard_shard = shard;
    buffer_append(&heard, message);
    buffer_append(&heard, bytes_of_text(" "));
}

static struct node *make(raft_id_t self, uint64_t boot)
{
    struct raft_members members = {0};
    for (raft_id_t id = 1; id <= 3; id++) {
        ck_assert(raft_members_set(&members, id, RAFT_VOTER,
                                   bytes_of_text("127.0.0.1:7001")));
    }
    const struct node_settings settings = {
        .raft = {.election_ms = 100,
                 .heartbeat_ms = 20,
                 .window_entries = 16,
                 .window_bytes = 1024 * 1024,
                 .append_entries = 16,
                 .append_bytes = LIMIT_APPEND_BYTES,
                 .uncommitted_bytes = 1024 * 1024,
                 .log_bytes = LIMIT_LOG_BYTES},
        .asks_max = 10,
    };
    const struct node_start start = {
        .self = self,
        .boot = boot,
        .identity = {.cluster = "0123456789abcde", .incarnation = self},
        .boundary_members = &members,
        .seed = self,
    };
    const struct node_ports ports = {.offer = keep_frame, .published = hear};
    struct node *node = NULL;
    ck_assert_int_eq(node_new(&settings, &start,
                              lock_machine_new((struct table_seed){{1, 2}}),
                              &ports, &node),
                     STATUS_OK);
    return node;
}

static void setup(void)
{
    frames_count = 0;
    frames_to_three = 0;
    sender = make(1, 7);
    receiver = make(2, 7);
}

static void teardown(void)
{
    node_free(sender);
    node_free(receiver);
    for (size_t i = 0; i < FRAMES_MAX; i++) {
        buffer_close(&frames[i]);
    }
    buffer_close(&heard);
}

static void publish(const char *message)
{
    node_publish(sender, false, bytes_of_text("news"), bytes_of_text(message));
}

static void arrive(size_t place)
{
    ck_assert_int_eq(node_receive(receiver, buffer_view(&frames[place]), 0),
                     STATUS_OK);
}

static void expect_heard(const char *words)
{
    ck_assert_msg(bytes_equal(buffer_view(&heard), bytes_of_text(words)),
                  "heard %.*s", (int)heard.count, (const char *)heard.data);
}

START_TEST(every_other_member_is_told)
{
    publish("a");
    ck_assert_uint_eq(frames_count, 1);
    ck_assert_uint_eq(frames_to_three, 1);
    arrive(0);
    expect_heard("a ");
    ck_assert(!heard_shard);

    node_publish(sender, true, bytes_of_text("news"), bytes_of_text("b"));
    arrive(1);
    expect_heard("a b ");
    ck_assert(heard_shard);
}
END_TEST

START_TEST(what_was_overtaken_or_came_twice_is_dropped)
{
    publish("a");
    publish("b");
    publish("c");
    publish("d");
    arrive(1);
    arrive(0);
    arrive(1);
    arrive(3);
    arrive(2);
    expect_heard("b d ");
}
END_TEST

START_TEST(a_node_that_started_again_is_heard_from_its_first_on)
{
    publish("a");
    publish("b");
    arrive(0);
    node_free(sender);
    sender = make(1, 8);
    publish("new");
    arrive(2);
    arrive(1); /* of the earlier run */
    expect_heard("a new ");
}
END_TEST

START_TEST(what_is_too_long_goes_nowhere)
{
    static const uint8_t large[LIMIT_PUBLISH_BYTES];
    node_publish(sender, false, bytes_of_text("n"),
                 bytes_of(large, sizeof(large)));
    ck_assert_uint_eq(frames_count, 0);
    node_publish(sender, false, bytes_of_text("n"),
                 bytes_of(large, sizeof(large) - 1));
    ck_assert_uint_eq(frames_count, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("node_publish");
    TCase *tests = tcase_create("core");

    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, every_other_member_is_told);
    tcase_add_test(tests, what_was_overtaken_or_came_twice_is_dropped);
    tcase_add_test(tests, a_node_that_started_again_is_heard_from_its_first_on);
    tcase_add_test(tests, what_is_too_long_goes_nowhere);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}
