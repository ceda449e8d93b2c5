/* test_raft_probation.c - empty disks: first starts and members taken in. */
#include "raft_fixture.h"

#include "raft/raft_probation.h"

#define DIRECTORY 11 /* of member 1 */
#define OTHER 77     /* of a member that lost its disk */

static void open_new(size_t voters_count)
{
    fx_plan(voters_count);
    fx.start.directory = DIRECTORY;
    fx.start.probation = true;
    fx_open();
}

/* A report of a member; directories of the members 1 to 3, 0: not known. */
static struct raft_message report(raft_id_t from, bool founded, uint64_t first,
                                  uint64_t second, uint64_t third)
{
    const uint64_t directories[] = {first, second, third};
    struct raft_message message = {
        .kind = RAFT_MESSAGE_FOUND, .from = from, .to = 1};
    message.found.founded = founded;
    message.found.members =
        founded ? 0 : raft_members_checksum(fx.start.boundary_members);
    for (size_t i = 0; i < 3; i++) {
        if (directories[i] != 0) {
            message.found.founders.list[message.found.founders.count++] =
                (struct raft_founder){.id = i + 1, .directory = directories[i]};
        }
    }
    return message;
}

static struct raft_message admitting(struct raft_message append,
                                     uint64_t directory, raft_index_t index)
{
    append.append.admit = directory;
    append.append.admit_index = index;
    return append;
}

static struct raft_message on_probation(struct raft_message reply,
                                        uint64_t directory)
{
    reply.append_reply.probation = directory;
    return reply;
}

/* ---- first start ---- */

START_TEST(a_new_member_tells_all_others_what_it_knows)
{
    open_new(3);
    fx_wait(0);
    fx_take();
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_FOUND, 0), 2);
    ck_assert_uint_eq(
        fx_now(RAFT_MESSAGE_FOUND, 2)->found.founders.list[0].directory,
        DIRECTORY);

    fx_receive(report(2, false, 0, 22, 0));
    fx_take();

    const struct raft_message *told = fx_now(RAFT_MESSAGE_FOUND, 3);
    ck_assert(!told->found.founded);
    ck_assert_uint_eq(told->found.founders.count, 2);
    ck_assert_uint_eq(told->found.founders.list[1].directory, 22);
}
END_TEST

START_TEST(it_neither_stands_nor_votes)
{
    open_new(3);
    fx_wait(3 * FX_ELECTION_MS);
    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    fx_receive(fx_pre_vote(2, 1, 0, 0));
    fx_receive(fx_vote(3, 1, 0, 0));
    fx_take();

    ck_assert(!fx_sent(RAFT_MESSAGE_VOTE_REPLY, 2)->vote_reply.granted);
    ck_assert(!fx_sent(RAFT_MESSAGE_VOTE_REPLY, 3)->vote_reply.granted);
    ck_assert_uint_eq(raft_vote(fx.raft), 0);
}
END_TEST

START_TEST(a_group_is_founded_when_all_say_the_same)
{
    open_new(3);
    fx_wait(0);
    fx_receive(report(2, false, DIRECTORY, 22, 33));
    fx_receive(report(3, false, DIRECTORY, 0, 33));
    ck_assert(raft_on_probation(fx.raft));

    fx_receive(report(3, false, DIRECTORY, 22, 33));
    fx_take();

    ck_assert(!raft_on_probation(fx.raft));
    ck_assert(fx.write.promise);
    ck_assert(!fx.write.probation);
    ck_assert(fx_after(RAFT_MESSAGE_FOUND, 2) != NULL);
    ck_assert(fx_after(RAFT_MESSAGE_FOUND, 3)->found.founded);
}
END_TEST

START_TEST(reports_of_different_disks_found_nothing)
{
    open_new(3);
    fx_receive(report(2, false, DIRECTORY, 22, 33));
    fx_receive(report(3, false, DIRECTORY, 23, 33)); /* 2 was wiped between */

    ck_assert(raft_on_probation(fx.raft));
}
END_TEST

START_TEST(who_was_given_other_first_members_is_not_listened_to)
{
    open_new(3);
    struct raft_message other = report(2, false, DIRECTORY, 22, 33);
    other.found.members++;
    fx_receive(other);
    fx_receive(report(3, false, DIRECTORY, 22, 33));

    ck_assert(raft_on_probation(fx.raft));
}
END_TEST

START_TEST(a_new_member_listens_before_it_says_so)
{
    fx.settings.found_ms = 500;
    open_new(3);
    fx_wait(499);
    fx_receive(report(2, false, DIRECTORY, 22, 33));
    fx_receive(report(3, false, DIRECTORY, 22, 33));
    fx_take();
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_FOUND, 0), 0);
    ck_assert(raft_on_probation(fx.raft));

    fx_wait(1);

    ck_assert(!raft_on_probation(fx.raft));
}
END_TEST

static void hear_a_candidate(void)
{
    fx_receive(fx_pre_vote(4, 8, 90, 7)); /* 4 came later, and lives on */
}

static void hear_a_first_member(void)
{
    fx_receive(fx_pre_vote(2, 8, 90, 7));
}

static void hear_a_greeting(void)
{
    struct raft_result result;
    raft_step(
        fx.raft,
        &(struct raft_event){.kind = RAFT_EVENT_GROUP_HEARD, .now = fx.now},
        &result);
}

static void hear_what_was_founded(void)
{
    fx_receive(report(2, true, DIRECTORY + 1, 22, 33)); /* the disk before */
}

static void (*const hear[])(void) = {
    hear_a_candidate,
    hear_a_first_member,
    hear_a_greeting,
    hear_what_was_founded,
};

#define HEAR_COUNT ((int)(sizeof(hear) / sizeof(hear[0])))

START_TEST(a_group_that_is_heard_is_not_founded_again)
{
    open_new(3);
    hear[_i]();
    fx_receive(report(2, false, DIRECTORY, 22, 33));
    fx_receive(report(3, false, DIRECTORY, 22, 33));

    ck_assert(raft_on_probation(fx.raft));
}
END_TEST

START_TEST(not_even_a_group_of_one)
{
    fx.settings.found_ms = 500;
    open_new(1);
    hear[_i]();
    fx_wait(1000);

    ck_assert(raft_on_probation(fx.raft));
}
END_TEST

START_TEST(who_hears_of_the_group_takes_its_report_back)
{
    open_new(3);
    fx_wait(0);
    fx_take();
    fx_receive(report(2, false, DIRECTORY, 22, 33));
    fx_take();
    ck_assert_uint_eq(fx_now(RAFT_MESSAGE_FOUND, 3)->found.founders.count, 2);

    hear[_i]();
    fx_take();

    const struct raft_message *told = fx_now(RAFT_MESSAGE_FOUND, 3);
    ck_assert_uint_eq(told->found.founders.count, 1);
    ck_assert_uint_eq(told->found.founders.list[0].directory, DIRECTORY);
}
END_TEST

/* Its word is about directories, and ours has promised nothing to anybody. */
START_TEST(who_was_founded_is_told_whatever_it_has_heard)
{
    open_new(3);
    hear[_i]();

    fx_receive(report(2, true, DIRECTORY, 22, 33));

    ck_assert(!raft_on_probation(fx.raft));
}
END_TEST

START_TEST(who_is_among_the_founders_takes_their_word)
{
    open_new(3);
    fx_receive(report(2, true, DIRECTORY + 1, 22, 33));
    ck_assert(raft_on_probation(fx.raft)); /* that was the disk before */

    fx_receive(report(2, true, DIRECTORY, 22, 33));

    ck_assert(!raft_on_probation(fx.raft));
}
END_TEST

START_TEST(a_founder_tells_whoever_was_founded_with_it)
{
    fx_plan(3);
    fx.start.directory = DIRECTORY;
    fx.start.founders = report(2, true, DIRECTORY, 22, 33).found.founders;
    fx_open();

    fx_receive(report(2, false, 0, 22, 0));
    fx_receive(report(3, false, 0, 0, 34)); /* lost its disk since */
    fx_take();

    ck_assert(fx_now(RAFT_MESSAGE_FOUND, 2)->found.founded);
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_FOUND, 3), 0);
}
END_TEST

START_TEST(a_group_of_one_is_founded_at_once)
{
    open_new(1);
    fx_wait(0);
    fx_settle();

    ck_assert(!raft_on_probation(fx.raft));
    fx_deadline();
    fx_settle();
    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
}
END_TEST

START_TEST(who_has_a_log_founds_nothing)
{
    open_new(3);
    fx_receive(fx_append(2, 1, 0, 0, "1", 0));
    fx_settle();
    fx_receive(report(2, false, DIRECTORY, 22, 33));
    fx_receive(report(3, false, DIRECTORY, 22, 33));
    fx_deadline();
    fx_take();

    ck_assert(raft_on_probation(fx.raft));
    ck_assert_uint_eq(fx_count(RAFT_MESSAGE_FOUND, 0), 0);
}
END_TEST

/* ---- taken in ---- */

START_TEST(every_answer_on_probation_says_so)
{
    open_new(3);
    fx_receive(fx_append(2, 1, 5, 1, "", 0));
    fx_settle();
    fx_receive(fx_append(2, 1, 5, 1, "", 0));
    fx_take();
    ck_assert_uint_eq(
        fx_sent(RAFT_MESSAGE_APPEND_REPLY, 2)->append_reply.probation,
        DIRECTORY);
    fx_receive(fx_chunk(2, 1, 5, 1, 0, 3, false));
    fx_take();

    ck_assert_uint_eq(
        fx_sent(RAFT_MESSAGE_SNAPSHOT_REPLY, 2)->snapshot_reply.probation,
        DIRECTORY);
}
END_TEST

START_TEST(with_the_entry_on_disk_probation_ends_and_the_vote_is_gone)
{
    open_new(3);
    fx_receive(admitting(fx_append(2, 1, 0, 0, "11", 2), DIRECTORY, 2));
    ck_assert(raft_on_probation(fx.raft)); /* not on disk yet */
    fx_settle();

    fx_receive(admitting(fx_append(2, 1, 2, 1, "", 2), DIRECTORY, 2));
    fx_take();

    ck_assert(!raft_on_probation(fx.raft));
    ck_assert_uint_eq(raft_vote(fx.raft), 2);
    ck_assert(fx.write.promise && !fx.write.probation);
    ck_assert_uint_eq(
        fx_after(RAFT_MESSAGE_APPEND_REPLY, 2)->append_reply.probation, 0);
}
END_TEST

START_TEST(an_entry_for_another_disk_or_not_here_yet_ends_nothing)
{
    open_new(3);
    fx_receive(fx_append(2, 1, 0, 0, "11", 1));
    fx_settle();

    fx_receive(admitting(fx_append(2, 1, 2, 1, "", 2), DIRECTORY + 1, 2));
    fx_receive(admitting(fx_append(2, 1, 2, 1, "", 3), DIRECTORY, 3));

    ck_assert(raft_on_probation(fx.raft));
}
END_TEST

START_TEST(a_leader_forgets_what_the_lost_disk_had)
{
    fx_reign(3);
    ck_assert_uint_eq(fx_peer(2)->match_index, 1);

    fx_receive(on_probation(fx_refuse(2, 1, 0, 0), OTHER));
    fx_take();

    ck_assert_uint_eq(fx_peer(2)->match_index, 0);
    ck_assert_uint_eq(fx_peer(2)->admit_index, 2);
    ck_assert_uint_eq(raft_last_index(fx.raft), 2);
    ck_assert_uint_eq(fx_now(RAFT_MESSAGE_APPEND, 2)->append.admit, 0);
}
END_TEST

START_TEST(who_is_on_probation_commits_nothing_and_confirms_nothing)
{
    fx_reign(3);
    fx_receive(on_probation(fx_refuse(2, 1, 0, 0), OTHER));
    const uint64_t round = fx_read();
    fx_settle();

    fx_receive(on_probation(fx_accept(2, 2), OTHER));
    fx_take();

    ck_assert_uint_eq(fx.commit, 1);
    ck_assert_uint_lt(fx.round, round);
    fx_receive(fx_accept(3, 2));
    fx_take();
    ck_assert_uint_eq(fx.commit, 2);
    ck_assert_uint_eq(fx.round, round);
    ck_assert_uint_eq(fx_now(RAFT_MESSAGE_APPEND, 2) == NULL, 1);
}
END_TEST

START_TEST(it_is_taken_in_with_an_entry_committed_without_it)
{
    fx_reign(3);
    fx_receive(on_probation(fx_refuse(2, 1, 0, 0), OTHER));
    fx_settle();
    fx_receive(on_probation(fx_accept(2, 2), OTHER));
    fx_receive(fx_accept(3, 2));
    fx_deadline();
    fx_take();
    ck_assert_uint_eq(fx_now(RAFT_MESSAGE_APPEND, 2)->append.admit, OTHER);
    ck_assert_uint_eq(fx_now(RAFT_MESSAGE_APPEND, 2)->append.admit_index, 2);
    ck_assert_uint_eq(fx_now(RAFT_MESSAGE_APPEND, 3)->append.admit, 0);

    fx_receive(fx_accept(2, 2));

    ck_assert_uint_eq(fx_peer(2)->probation, 0);
    ck_assert_uint_eq(fx_peer(2)->match_index, 2);
}
END_TEST

START_TEST(what_the_lost_disk_said_late_is_dropped)
{
    fx_reign(3);
    (void)fx_submit(1, 1);
    fx_settle();
    struct raft_message late = fx_accept(2, 2);
    fx_receive(on_probation(fx_refuse(2, 1, 0, 0), OTHER));
    fx_settle();

    fx_receive(late);

    ck_assert_uint_eq(fx_peer(2)->match_index, 0);
    ck_assert_uint_eq(fx_peer(2)->probation, OTHER);
    ck_assert_uint_eq(raft_commit(fx.raft), 1);
}
END_TEST

START_TEST(who_is_on_probation_keeps_no_leader_in_office)
{
    fx_reign(3);
    fx_receive(on_probation(fx_refuse(2, 1, 0, 0), OTHER));
    fx_settle();

    for (int i = 0; i < 3 * FX_ELECTION_MS / FX_HEARTBEAT_MS; i++) {
        fx_wait(FX_HEARTBEAT_MS);
        if (raft_role(fx.raft) == RAFT_LEADER) {
            fx_receive(on_probation(fx_accept(2, 2), OTHER));
            fx_settle();
        }
    }

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
}
END_TEST

START_TEST(nobody_on_probation_is_promoted_or_handed_the_office)
{
    fx_reign(3);
    fx_receive(on_probation(fx_refuse(2, 1, 0, 0), OTHER));
    fx_settle();

    ck_assert_int_eq(fx_transfer(2), RAFT_MEMBER_BEHIND);
    fx_receive(fx_accept(3, 2));
    ck_assert_int_eq(fx_change(RAFT_CHANGE_REMOVE, 3), RAFT_MEMBER_BEHIND);
    ck_assert_int_eq(fx_change(RAFT_CHANGE_REMOVE, 2), RAFT_TAKEN);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("raft_probation");
    TCase *first = tcase_create("first start");
    TCase *taken = tcase_create("taken in");

    tcase_add_checked_fixture(first, fx_setup, fx_teardown);
    tcase_add_test(first, a_new_member_tells_all_others_what_it_knows);
    tcase_add_test(first, it_neither_stands_nor_votes);
    tcase_add_test(first, a_group_is_founded_when_all_say_the_same);
    tcase_add_test(first, reports_of_different_disks_found_nothing);
    tcase_add_test(first, who_was_given_other_first_members_is_not_listened_to);
    tcase_add_test(first, a_new_member_listens_before_it_says_so);
    tcase_add_loop_test(first, a_group_that_is_heard_is_not_founded_again, 0,
                        HEAR_COUNT);
    tcase_add_loop_test(first, not_even_a_group_of_one, 0, HEAR_COUNT);
    tcase_add_loop_test(first, who_hears_of_the_group_takes_its_report_back, 0,
                        HEAR_COUNT);
    tcase_add_loop_test(first, who_was_founded_is_told_whatever_it_has_heard, 0,
                        HEAR_COUNT);
    tcase_add_test(first, who_is_among_the_founders_takes_their_word);
    tcase_add_test(first, a_founder_tells_whoever_was_founded_with_it);
    tcase_add_test(first, a_group_of_one_is_founded_at_once);
    tcase_add_test(first, who_has_a_log_founds_nothing);
    suite_add_tcase(suite, first);

    tcase_add_checked_fixture(taken, fx_setup, fx_teardown);
    tcase_add_test(taken, every_answer_on_probation_says_so);
    tcase_add_test(taken,
                   with_the_entry_on_disk_probation_ends_and_the_vote_is_gone);
    tcase_add_test(taken,
                   an_entry_for_another_disk_or_not_here_yet_ends_nothing);
    tcase_add_test(taken, a_leader_forgets_what_the_lost_disk_had);
    tcase_add_test(taken,
                   who_is_on_probation_commits_nothing_and_confirms_nothing);
    tcase_add_test(taken, it_is_taken_in_with_an_entry_committed_without_it);
    tcase_add_test(taken, what_the_lost_disk_said_late_is_dropped);
    tcase_add_test(taken, who_is_on_probation_keeps_no_leader_in_office);
    tcase_add_test(taken, nobody_on_probation_is_promoted_or_handed_the_office);
    suite_add_tcase(suite, taken);
    return check_run(suite);
}
