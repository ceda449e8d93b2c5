/* test_node_request.c - who is refused when too much is under way. */
#include "node/node_answer.h"
#include "unit/node/member_fixture.h"

#define ASKS_MAX 10 /* as the fixture has it */

static uint64_t last_ask;
static uint64_t last_write;

static void open_led(void)
{
    last_ask = 0;
    last_write = 0;
    mx_open(3);
    mx_run();
    mx_follow(2, 1);
}

static void ask(const struct command_plan *plan)
{
    last_ask++;
    last_write += plan->kind == COMMAND_PLAN_WRITE ? 1 : 0;
    ck_assert_int_eq(node_ask(mx.node, last_ask, plan, mx.now), STATUS_OK);
    mx_run();
}

static void acquire(bool may_queue)
{
    ask(&(struct command_plan){
        .kind = COMMAND_PLAN_WRITE,
        .wait_ms = TIME_NEVER,
        .write = {.kind = LOCK_COMMAND_ACQUIRE,
                  .acquire = {.key = bytes_of_text("key"),
                              .owner = bytes_of_text("owner"),
                              .mode = LOCK_EXCLUSIVE,
                              .ttl_ms = 5000,
                              .may_queue = may_queue}}});
}

static void release(void)
{
    ask(&(struct command_plan){
        .kind = COMMAND_PLAN_WRITE,
        .write = {.kind = LOCK_COMMAND_RELEASE,
                  .release = {.key = bytes_of_text("key"),
                              .owner = bytes_of_text("owner"),
                              .token = 5}}});
}

static void look(void)
{
    ask(&(struct command_plan){
        .kind = COMMAND_PLAN_READ,
        .read = {.kind = COMMAND_QUERY_LOCK, .text = bytes_of_text("key")}});
}

/* The leader put a write into the queue. */
static void queue(uint64_t number)
{
    struct buffer body = {0};
    buffer_u8(&body, MX_TAG_WRITE);
    node_answer_encode(
        &(struct lock_answer){.result = LOCK_QUEUED, .ticket = 100 + number},
        &body);
    const struct peer_message message = {
        .kind = PEER_FORWARD_REPLY,
        .from = 2,
        .to = 1,
        .forward_reply = {.origin = {.node = 1, .boot = 7},
                          .number = number,
                          .reply_class = PEER_REPLY_DONE,
                          .body = buffer_view(&body)}};
    mx_hear(&message);
    mx_run();
    buffer_close(&body);
}

static void expect_refused(bool refused)
{
    const size_t before = refused ? mx.replies_count - 1 : mx.replies_count;
    ck_assert_uint_eq(mx.replied, refused ? last_ask : 0);
    if (refused) {
        ck_assert_int_eq(mx.reply.reply_class, NODE_NOT_DONE);
        ck_assert_int_eq(mx.reply.reason, NODE_REASON_BUSY);
    }
    mx.replies_count = before;
    mx.replied = 0;
}

START_TEST(who_waits_keeps_nobody_from_giving_back)
{
    for (size_t i = 0; i < ASKS_MAX; i++) {
        acquire(true);
        queue(last_write);
    }
    ck_assert_uint_eq(node_count(mx.node).waiting, ASKS_MAX);
    expect_refused(false);

    acquire(true);
    expect_refused(true);
    for (size_t i = 0; i < ASKS_MAX; i++) {
        acquire(false);
        expect_refused(false);
    }
    acquire(false);
    expect_refused(true);
    release();
    expect_refused(false);
    look();
    expect_refused(false);
}
END_TEST

/* All waits may end at once: each is then under way, with its abandon. */
START_TEST(waits_that_end_keep_nobody_from_giving_back)
{
    for (size_t i = 0; i < ASKS_MAX; i++) {
        acquire(true);
        queue(last_write);
    }
    for (uint64_t i = 1; i <= ASKS_MAX; i++) {
        ck_assert(node_unblock(mx.node, i, mx.now));
    }
    mx_run();
    ck_assert_uint_eq(node_count(mx.node).asks, 2 * ASKS_MAX);
    ck_assert_uint_eq(node_count(mx.node).waiting, 0);

    acquire(true);
    expect_refused(true);
    release();
    expect_refused(false);
}
END_TEST

START_TEST(there_is_an_end_to_everything)
{
    for (size_t i = 0; i < NODE_ASKS_PLACES * ASKS_MAX; i++) {
        release();
        expect_refused(false);
    }
    release();
    expect_refused(true);
    look();
    expect_refused(true);
    acquire(true);
    expect_refused(true);
}
END_TEST

static Suite *suite(void)
{
    Suite *result = suite_create("node_request");
    TCase *led = tcase_create("led");
    tcase_add_checked_fixture(led, open_led, mx_close);
    tcase_add_test(led, who_waits_keeps_nobody_from_giving_back);
    tcase_add_test(led, waits_that_end_keep_nobody_from_giving_back);
    tcase_add_test(led, there_is_an_end_to_everything);
    suite_add_tcase(result, led);
    return result;
}

int main(void)
{
    return check_run(suite());
}
