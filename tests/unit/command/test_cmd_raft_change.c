/* test_cmd_raft_change.c - RAFT.ADD, .PROMOTE, .REMOVE, .TRANSFER, .SNAPSHOT.
 */
#include "unit/command/call_fixture.h"

#define ID_ERROR                                                               \
    "-ERR id is not an integer or out of range: 1 to 9223372036854775807"
#define ADDRESS_ERROR "-ERR address must be host:port, or host:port@raft-port"

/* The plan of a line, which must make one. */
static const struct command_change *planned(const char *line)
{
    run(line);
    ck_assert_int_eq(verdict, COMMAND_PLANNED);
    ck_assert_int_eq(call.plan.kind, COMMAND_PLAN_CHANGE);
    return &call.plan.change;
}

START_TEST(a_member_is_added_to_vote_or_to_listen)
{
    const struct command_change *change = planned("RAFT.ADD 4 10.0.0.4:7001");
    ck_assert_int_eq(change->kind, COMMAND_CHANGE_ADD);
    ck_assert_uint_eq(change->id, 4);
    ck_assert(bytes_equal(change->address, bytes_of_text("10.0.0.4:7001")));
    change = planned("raft.add 5 h:1@2 learner");
    ck_assert_int_eq(change->kind, COMMAND_CHANGE_ADD_LEARNER);
    ck_assert(bytes_equal(change->address, bytes_of_text("h:1@2")));
}
END_TEST

START_TEST(other_changes_name_a_member)
{
    ck_assert_int_eq(planned("RAFT.PROMOTE 4")->kind, COMMAND_CHANGE_PROMOTE);
    ck_assert_uint_eq(call.plan.change.id, 4);
    ck_assert_int_eq(planned("RAFT.REMOVE 3")->kind, COMMAND_CHANGE_REMOVE);
    ck_assert_uint_eq(call.plan.change.id, 3);
    ck_assert_int_eq(planned("RAFT.TRANSFER 2")->kind, COMMAND_CHANGE_TRANSFER);
    ck_assert_uint_eq(call.plan.change.id, 2);
    ck_assert_int_eq(planned("RAFT.TRANSFER")->kind, COMMAND_CHANGE_TRANSFER);
    ck_assert_uint_eq(call.plan.change.id, 0);
}
END_TEST

START_TEST(what_is_no_change_says_why)
{
    CHECK_ERROR("RAFT.ADD 0 h:1", ID_ERROR);
    CHECK_ERROR("RAFT.ADD x h:1", ID_ERROR);
    CHECK_ERROR("RAFT.ADD 4 h", ADDRESS_ERROR);
    CHECK_ERROR("RAFT.ADD 4 h:0", ADDRESS_ERROR);
    CHECK_ERROR("RAFT.ADD 4 h:60000", ADDRESS_ERROR);
    CHECK_ERROR("RAFT.ADD 4 h:1 VOTER", "-ERR syntax error");
    CHECK_ERROR("RAFT.ADD 4 h:1 LEARNER NOW", "-ERR syntax error");
    CHECK_ERROR("RAFT.PROMOTE 0", ID_ERROR);
    CHECK_ERROR("RAFT.REMOVE -1", ID_ERROR);
    CHECK_ERROR("RAFT.TRANSFER 0", ID_ERROR);
    CHECK_ERROR("RAFT.TRANSFER 1 2", "-ERR syntax error");
}
END_TEST

START_TEST(a_checkpoint_tells_its_index)
{
    const struct command_outcome outcome = {.index = 1234};
    run("RAFT.SNAPSHOT");
    ck_assert_int_eq(verdict, COMMAND_PLANNED);
    ck_assert_int_eq(call.plan.kind, COMMAND_PLAN_SNAPSHOT);
    clear();
    command->finish(&call, &outcome);
    ck_assert(
        bytes_equal(buffer_view(&call_out), bytes_of_text("+OK 1234\r\n")));
}
END_TEST

START_TEST(a_change_that_is_done_is_ok)
{
    const struct command_outcome outcome = {.index = 1234};
    (void)planned("RAFT.REMOVE 3");
    clear();
    command->finish(&call, &outcome);
    ck_assert(bytes_equal(buffer_view(&call_out), bytes_of_text("+OK\r\n")));
}
END_TEST

static Suite *suite(void)
{
    Suite *suite_ = suite_create("cmd_raft_change");
    TCase *change = tcase_create("change");
    tcase_add_checked_fixture(change, setup, teardown);
    tcase_add_test(change, a_member_is_added_to_vote_or_to_listen);
    tcase_add_test(change, other_changes_name_a_member);
    tcase_add_test(change, what_is_no_change_says_why);
    tcase_add_test(change, a_checkpoint_tells_its_index);
    tcase_add_test(change, a_change_that_is_done_is_ok);
    suite_add_tcase(suite_, change);
    return suite_;
}

int main(void)
{
    return check_run(suite());
}
