/* test_node_forward.c - what another node says to a leader, and a leader to us.
 *
 * Whoever it is, and whatever it says: it is refused, or it does no harm.
 */
#include "node/node_answer.h"
#include "unit/node/member_fixture.h"

#define STRANGER 9

/* ---- at the leader ---- */

static void open_leader(void)
{
    mx_open(1);
    mx_lead();
}

/* A node forwards a command as its own, its first. */
static enum status forward(struct lock_command command)
{
    struct buffer body = {0};
    struct buffer bytes = {0};
    command.head = (struct lock_command_head){
        .origin = {STRANGER, 3}, .number = 1, .first_unanswered = 1};
    /* Encoding would refuse the origin of a leader's own command. */
    if (lock_command_encode(&command, &bytes) != STATUS_OK) {
        const struct lock_command_head head = command.head;
        command.head = (struct lock_command_head){0};
        ck_assert_int_eq(lock_command_encode(&command, &bytes), STATUS_OK);
        bytes.data[18] = (uint8_t)head.origin.node;
        bytes.data[26] = (uint8_t)head.origin.boot;
        bytes.data[34] = (uint8_t)head.number;
        bytes.data[42] = (uint8_t)head.first_unanswered;
    }
    buffer_u8(&body, MX_TAG_WRITE);
    buffer_append(&body, buffer_view(&bytes));
    const struct peer_message message = {
        .kind = PEER_FORWARD,
        .from = STRANGER,
        .to = 1,
        .forward = {.origin = {STRANGER, 3},
                    .number = 1,
                    .first_unanswered = 1,
                    .body = buffer_view(&body)}};
    const enum status status = mx_hear_status(&message);
    mx_run();
    buffer_close(&bytes);
    buffer_close(&body);
    return status;
}

START_TEST(a_command_of_another_node_is_carried_out)
{
    const struct lock_command command = {.kind = LOCK_COMMAND_ADD,
                                         .add = {0, bytes_of_text("n"), 7}};
    ck_assert_int_eq(forward(command), STATUS_OK);

    ck_assert_int_eq(mx.sent.head.kind, PEER_FORWARD_REPLY);
    ck_assert_uint_eq(mx.sent.head.to, STRANGER);
    ck_assert_int_eq(mx.sent.message.forward_reply.reply_class,
                     PEER_REPLY_DONE);
}
END_TEST

/* It waits for the end of what it proposed: there is none of this. */
START_TEST(what_a_leader_proposes_by_itself_is_not_taken_from_others)
{
    const struct bytes key = bytes_of_text("key");
    const struct lock_command commands[] = {
        {.kind = LOCK_COMMAND_TICK},
        {.kind = LOCK_COMMAND_EXPIRE, .expire = {key, 1, 0}},
        {.kind = LOCK_COMMAND_UNDELAY, .undelay = {key, 1}},
        {.kind = LOCK_COMMAND_ORPHANS, .orphans = {STRANGER, 3, 1}},
        {.kind = LOCK_COMMAND_SWEEP, .sweep = {0, key, 1}},
    };
    for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
        const raft_index_t last = raft_last_index(node_raft(mx.node));
        ck_assert_int_eq(forward(commands[i]), STATUS_BAD_VALUE);
        ck_assert_uint_eq(raft_last_index(node_raft(mx.node)), last);
    }
}
END_TEST

/* ---- at the origin ---- */

static void open_led(void)
{
    mx_open(3);
    mx_run();
    mx_follow(2, 1);
}

static enum status ask(uint64_t id, const struct command_plan *plan)
{
    const enum status status = node_ask(mx.node, id, plan, mx.now);
    mx_run();
    return status;
}

static void ask_write(uint64_t id, struct lock_command command)
{
    const struct command_plan plan = {
        .kind = COMMAND_PLAN_WRITE, .wait_ms = TIME_NEVER, .write = command};
    ck_assert_int_eq(ask(id, &plan), STATUS_OK);
}

static void ask_acquire(uint64_t id)
{
    ask_write(id, (struct lock_command){.kind = LOCK_COMMAND_ACQUIRE,
                                        .acquire = {.key = bytes_of_text("k"),
                                                    .owner = bytes_of_text("o"),
                                                    .mode = LOCK_EXCLUSIVE,
                                                    .ttl_ms = 5000,
                                                    .may_queue = true}});
}

static void ask_renew(uint64_t id)
{
    const struct command_plan plan = {.kind = COMMAND_PLAN_RENEW,
                                      .renew = {.key = bytes_of_text("k"),
                                                .owner = bytes_of_text("o"),
                                                .token = 1,
                                                .ttl_ms = 5000}};
    ck_assert_int_eq(ask(id, &plan), STATUS_OK);
}

/* What somebody says that the leader says. */
static enum status hear_reply(uint64_t number, enum peer_reply_class class,
                              struct bytes body)
{
    const struct peer_message message = {
        .kind = PEER_FORWARD_REPLY,
        .from = STRANGER,
        .to = 1,
        .forward_reply = {.origin = {.node = 1, .boot = 7},
                          .number = number,
                          .reply_class = class,
                          .body = body}};
    const enum status status = mx_hear_status(&message);
    mx_run();
    return status;
}

static enum status hear_answer(uint64_t number, enum lock_result result)
{
    struct buffer body = {0};
    const struct lock_answer answer = {.result = result, .ticket = 9};
    buffer_u8(&body, MX_TAG_WRITE);
    node_answer_encode(&answer, &body);
    const enum status status =
        hear_reply(number, PEER_REPLY_DONE, buffer_view(&body));
    buffer_close(&body);
    return status;
}

static void expect_no_claim(uint64_t number)
{
    const size_t asks = node_count(mx.node).asks;
    ck_assert_int_eq(hear_answer(number, LOCK_QUEUED), STATUS_BAD_VALUE);
    ck_assert_int_eq(hear_answer(number, LOCK_GRANTED), STATUS_BAD_VALUE);
    ck_assert_uint_eq(node_count(mx.node).asks, asks);
    ck_assert_uint_eq(node_count(mx.node).waiting, 0);
    ck_assert_uint_eq(mx.replies_count, 0);
}

START_TEST(who_asks_for_no_lock_is_neither_queued_nor_granted)
{
    const struct bytes key = bytes_of_text("k");
    const struct bytes owner = bytes_of_text("o");
    const struct lock_command commands[] = {
        {.kind = LOCK_COMMAND_RELEASE, .release = {key, owner, 1}},
        {.kind = LOCK_COMMAND_RENEW, .renew = {key, owner, 1, 5000}},
        {.kind = LOCK_COMMAND_CANCEL, .cancel = {key, owner, 0}},
        {.kind = LOCK_COMMAND_BREAK, .break_ = {key, 0}},
        {.kind = LOCK_COMMAND_ADD, .add = {0, key, 1}},
    };
    for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
        ask_write(i + 1, commands[i]);
        expect_no_claim(i + 1);
    }
}
END_TEST

/* An abandon of this node's own is no acquire that nobody waits for. */
START_TEST(what_abandons_is_neither_queued_nor_granted)
{
    ask_acquire(1);
    ck_assert_int_eq(hear_answer(1, LOCK_QUEUED), STATUS_OK);
    node_drop(mx.node, 1, mx.now);
    mx_run();

    expect_no_claim(2);
}
END_TEST

/* Somebody took our number for an acquire, and it was committed. */
START_TEST(what_is_applied_under_our_number_is_no_grant_either)
{
    struct buffer bytes = {0};
    struct lock_command command = {
        .kind = LOCK_COMMAND_ACQUIRE,
        .head = {.origin = {1, 7}, .number = 1, .first_unanswered = 1},
        .acquire = {.key = bytes_of_text("k"),
                    .owner = bytes_of_text("o"),
                    .mode = LOCK_EXCLUSIVE,
                    .ttl_ms = 5000}};
    ck_assert_int_eq(lock_command_encode(&command, &bytes), STATUS_OK);
    ask_write(1, (struct lock_command){.kind = LOCK_COMMAND_ADD,
                                       .add = {0, bytes_of_text("n"), 1}});
    mx_append((struct raft_entry){
        .term = 1, .kind = RAFT_ENTRY_COMMAND, .payload = buffer_view(&bytes)});
    buffer_close(&bytes);

    ck_assert_uint_eq(node_applied_index(mx.node), 1);
    ck_assert_uint_eq(mx.replies_count, 0);
    ck_assert_uint_eq(node_count(mx.node).asks, 1);
}
END_TEST

/* A checkpoint is asked of this node alone, under a number of a question. */
START_TEST(a_checkpoint_is_not_sent_back)
{
    const struct command_plan plan = {.kind = COMMAND_PLAN_SNAPSHOT};
    const uint8_t tag = MX_TAG_READ;
    mx_append((struct raft_entry){.term = 1, .kind = RAFT_ENTRY_NOOP});
    ck_assert_int_eq(ask(1, &plan), STATUS_OK);
    ck_assert_int_eq(hear_reply(1, PEER_REPLY_NOT_DONE, bytes_of(&tag, 1)),
                     STATUS_OK);
    mx.sent.head.kind = 0;
    mx_wait(MX_ELECTION_MS / 4);

    ck_assert_int_ne(mx.sent.head.kind, PEER_FORWARD);
    ck_assert_uint_eq(node_count(mx.node).asks, 1);
}
END_TEST

START_TEST(a_change_is_not_sent_back_as_a_question)
{
    const uint8_t tag = MX_TAG_READ;
    mx_ask(1, COMMAND_CHANGE_REMOVE, 3, "");
    mx_run();
    ck_assert_uint_eq(mx.changes_count, 1);
    ck_assert_int_eq(hear_reply(1, PEER_REPLY_NOT_DONE, bytes_of(&tag, 1)),
                     STATUS_OK);
    mx_wait(MX_ELECTION_MS / 4);

    ck_assert_uint_eq(mx.changes_count, 1);
}
END_TEST

/* It was never sent: it is said to be not done. */
START_TEST(what_there_is_no_room_for_is_not_answered_by_others)
{
    struct buffer body = {0};
    const struct lock_answer answer = {.result = LOCK_RENEWED};
    const uint64_t places = NODE_ASKS_PLACES * MX_ASKS_MAX;
    for (uint64_t id = 1; id <= places; id++) {
        ask_renew(id);
    }
    const struct command_plan plan = {.kind = COMMAND_PLAN_RENEW,
                                      .renew = {.key = bytes_of_text("k"),
                                                .owner = bytes_of_text("o"),
                                                .token = 1,
                                                .ttl_ms = 5000}};
    ck_assert_int_eq(node_ask(mx.node, places + 1, &plan, mx.now), STATUS_OK);
    buffer_u8(&body, MX_TAG_RENEW);
    buffer_u8(&body, 1); /* the log must know */
    node_answer_encode(&answer, &body);
    ck_assert_int_eq(
        hear_reply(places + 1, PEER_REPLY_DONE, buffer_view(&body)), STATUS_OK);
    buffer_close(&body);

    ck_assert_uint_eq(mx.commands_count, 0);
    ck_assert_uint_eq(mx.replied, places + 1);
    ck_assert_int_eq(mx.reply.reply_class, NODE_NOT_DONE);
}
END_TEST

static Suite *suite(void)
{
    Suite *result = suite_create("node_forward");
    TCase *leader = tcase_create("leader");
    tcase_add_checked_fixture(leader, open_leader, mx_close);
    tcase_add_test(leader, a_command_of_another_node_is_carried_out);
    tcase_add_test(leader,
                   what_a_leader_proposes_by_itself_is_not_taken_from_others);
    suite_add_tcase(result, leader);
    TCase *origin = tcase_create("origin");
    tcase_add_checked_fixture(origin, open_led, mx_close);
    tcase_add_test(origin, who_asks_for_no_lock_is_neither_queued_nor_granted);
    tcase_add_test(origin, what_abandons_is_neither_queued_nor_granted);
    tcase_add_test(origin, what_is_applied_under_our_number_is_no_grant_either);
    tcase_add_test(origin, a_checkpoint_is_not_sent_back);
    tcase_add_test(origin, a_change_is_not_sent_back_as_a_question);
    tcase_add_test(origin, what_there_is_no_room_for_is_not_answered_by_others);
    suite_add_tcase(result, origin);
    return result;
}

int main(void)
{
    return check_run(suite());
}
