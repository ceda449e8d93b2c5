/* test_node_wait.c - how waits end, also where nobody waits any more. */
#include "node/node_answer.h"
#include "unit/node/member_fixture.h"

#define PATIENCE_MS 1000 /* as the fixture has it */
#define RESEND_MS 100

static void open_led(void)
{
    mx_open(3);
    mx_run();
    mx_follow(2, 1);
}

/* Time passes, and node 2 leads all along. */
static void wait_led(time_ms_t ms)
{
    for (time_ms_t passed = 0; passed < ms; passed += MX_ELECTION_MS / 4) {
        mx_wait(MX_ELECTION_MS / 4);
        mx_follow(2, 1);
    }
}

static void acquire(uint64_t ask)
{
    const struct command_plan plan = {
        .kind = COMMAND_PLAN_WRITE,
        .wait_ms = TIME_NEVER,
        .write = {.kind = LOCK_COMMAND_ACQUIRE,
                  .acquire = {.key = bytes_of_text("key"),
                              .owner = bytes_of_text("owner"),
                              .seq = 4,
                              .mode = LOCK_EXCLUSIVE,
                              .ttl_ms = 5000,
                              .may_queue = true}}};
    ck_assert_int_eq(node_ask(mx.node, ask, &plan, mx.now), STATUS_OK);
    mx_run();
}

/* The leader answers a write. */
static void answer(uint64_t number, enum lock_result result, uint64_t ticket)
{
    struct buffer body = {0};
    buffer_u8(&body, MX_TAG_WRITE);
    node_answer_encode(
        &(struct lock_answer){.result = result, .ticket = ticket}, &body);
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

/* What the leader was sent last. */
static struct lock_command sent(void)
{
    struct lock_command command;
    struct lock_command_room room = {0};
    ck_assert_int_eq(
        lock_command_decode(buffer_view(&mx.command), &room, &command),
        STATUS_OK);
    lock_command_room_close(&room);
    return command;
}

static void expect_abandon(uint64_t number, uint64_t ticket)
{
    const struct lock_command command = sent();
    ck_assert_int_eq(command.kind, LOCK_COMMAND_ABANDON);
    ck_assert_uint_eq(command.head.number, number);
    ck_assert_uint_eq(command.abandon.number, 1);
    ck_assert_uint_eq(command.abandon.ticket, ticket);
    ck_assert(bytes_equal(command.abandon.key, bytes_of_text("key")));
    ck_assert(bytes_equal(command.abandon.owner, bytes_of_text("owner")));
    ck_assert_uint_eq(command.abandon.seq, 4);
    ck_assert_int_eq(command.abandon.mode, LOCK_EXCLUSIVE);
}

START_TEST(what_is_waited_for_is_asked_for_again)
{
    acquire(1);
    wait_led(RESEND_MS);

    ck_assert_uint_eq(mx.commands_count, 2);
    ck_assert_int_eq(sent().kind, LOCK_COMMAND_ACQUIRE);
    ck_assert_uint_eq(sent().head.number, 1);
}
END_TEST

/* It would take over the claim of a client that asks elsewhere by now. */
START_TEST(what_nobody_waits_for_is_not_asked_for_again)
{
    acquire(1);
    node_drop(mx.node, 1, mx.now);
    wait_led(RESEND_MS);

    ck_assert_uint_eq(mx.commands_count, 2);
    expect_abandon(1, 0);
    ck_assert_uint_eq(mx.replies_count, 0);
}
END_TEST

START_TEST(what_was_said_to_be_unknown_is_not_asked_for_again)
{
    acquire(1);
    wait_led(PATIENCE_MS);
    ck_assert_uint_eq(mx.replies_count, 1);
    ck_assert_int_eq(mx.reply.reply_class, NODE_UNKNOWN);
    wait_led(RESEND_MS);

    expect_abandon(1, 0);
}
END_TEST

START_TEST(what_was_queued_for_nobody_is_abandoned)
{
    acquire(1);
    node_drop(mx.node, 1, mx.now);
    wait_led(RESEND_MS);
    answer(1, LOCK_QUEUED, 9);

    expect_abandon(2, 9);
    answer(2, LOCK_CANCELLED, 0);
    ck_assert_uint_eq(node_count(mx.node).asks, 0);
}
END_TEST

START_TEST(what_was_granted_for_nobody_is_abandoned)
{
    acquire(1);
    node_drop(mx.node, 1, mx.now);
    answer(1, LOCK_GRANTED, 9);

    expect_abandon(2, 9);
    answer(2, LOCK_RELEASED, 0);
    ck_assert_uint_eq(node_count(mx.node).asks, 0);
}
END_TEST

START_TEST(what_came_too_late_is_forgotten)
{
    acquire(1);
    node_drop(mx.node, 1, mx.now);
    wait_led(RESEND_MS);
    answer(1, LOCK_NOTHING, 0);

    ck_assert_uint_eq(node_count(mx.node).asks, 0);
    ck_assert_uint_eq(mx.commands_count, 2);
}
END_TEST

/* A later start of this node has asked: nothing of this one counts. */
START_TEST(what_is_outdated_is_forgotten)
{
    acquire(1);
    node_drop(mx.node, 1, mx.now);
    answer(1, LOCK_OUTDATED, 0);

    ck_assert_uint_eq(node_count(mx.node).asks, 0);
}
END_TEST

/* Whoever hears no must not hold the lock. */
START_TEST(no_is_said_when_the_wait_has_left_its_queue)
{
    acquire(1);
    answer(1, LOCK_QUEUED, 9);
    ck_assert_uint_eq(node_count(mx.node).waiting, 1);

    ck_assert(node_unblock(mx.node, 1, mx.now));
    mx_run();
    expect_abandon(2, 9);
    ck_assert_uint_eq(mx.replies_count, 0);
    answer(2, LOCK_CANCELLED, 0);

    ck_assert_uint_eq(mx.replies_count, 1);
    ck_assert_uint_eq(mx.replied, 1);
    ck_assert_int_eq(mx.reply.reply_class, NODE_DONE);
    ck_assert_int_eq(mx.reply.answer.result, LOCK_REFUSED);
}
END_TEST

START_TEST(a_grant_that_comes_too_late_is_not_told)
{
    acquire(1);
    answer(1, LOCK_QUEUED, 9);
    ck_assert(node_unblock(mx.node, 1, mx.now));
    mx_run();
    answer(1, LOCK_GRANTED, 9);

    ck_assert_uint_eq(mx.replies_count, 0);
    ck_assert(!node_unblock(mx.node, 1, mx.now));
}
END_TEST

START_TEST(a_wait_leaves_its_queue_when_its_client_goes)
{
    acquire(1);
    answer(1, LOCK_QUEUED, 9);
    node_drop(mx.node, 1, mx.now);
    mx_run();

    expect_abandon(2, 9);
    answer(2, LOCK_CANCELLED, 0);
    ck_assert_uint_eq(node_count(mx.node).asks, 0);
    ck_assert_uint_eq(mx.replies_count, 0);
}
END_TEST

/* Its client may use the id again at once. */
START_TEST(what_was_ended_and_dropped_ends_no_other_wait)
{
    acquire(1);
    answer(1, LOCK_QUEUED, 9);
    ck_assert(node_unblock(mx.node, 1, mx.now));
    node_drop(mx.node, 1, mx.now);
    mx_run();
    acquire(1);
    answer(3, LOCK_QUEUED, 11);
    answer(2, LOCK_CANCELLED, 0);

    ck_assert_uint_eq(mx.replies_count, 0);
    ck_assert_uint_eq(node_count(mx.node).waiting, 1);
}
END_TEST

static Suite *suite(void)
{
    Suite *result = suite_create("node_wait");
    TCase *led = tcase_create("led");
    tcase_add_checked_fixture(led, open_led, mx_close);
    tcase_add_test(led, what_is_waited_for_is_asked_for_again);
    tcase_add_test(led, what_nobody_waits_for_is_not_asked_for_again);
    tcase_add_test(led, what_was_said_to_be_unknown_is_not_asked_for_again);
    tcase_add_test(led, what_was_queued_for_nobody_is_abandoned);
    tcase_add_test(led, what_was_granted_for_nobody_is_abandoned);
    tcase_add_test(led, what_came_too_late_is_forgotten);
    tcase_add_test(led, what_is_outdated_is_forgotten);
    tcase_add_test(led, no_is_said_when_the_wait_has_left_its_queue);
    tcase_add_test(led, a_grant_that_comes_too_late_is_not_told);
    tcase_add_test(led, a_wait_leaves_its_queue_when_its_client_goes);
    tcase_add_test(led, what_was_ended_and_dropped_ends_no_other_wait);
    suite_add_tcase(result, led);
    return result;
}

int main(void)
{
    return check_run(suite());
}
