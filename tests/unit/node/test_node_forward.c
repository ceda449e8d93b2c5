/* test_node_forward.c - what another node says to a leader, and a leader to us.
 *
 * Whoever it is, and whatever it says: it is refused, or it does no harm.
 */
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

static Suite *suite(void)
{
    Suite *result = suite_create("node_forward");
    TCase *leader = tcase_create("leader");
    tcase_add_checked_fixture(leader, open_leader, mx_close);
    tcase_add_test(leader, a_command_of_another_node_is_carried_out);
    tcase_add_test(leader,
                   what_a_leader_proposes_by_itself_is_not_taken_from_others);
    suite_add_tcase(result, leader);
    return result;
}

int main(void)
{
    return check_run(suite());
}
