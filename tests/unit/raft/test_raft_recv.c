/* test_raft_recv.c - the rule of terms, before any message is looked at.
 *
 * Dissertation 3.3: "If a candidate or leader discovers that its term is out
 * of date, it immediately reverts to follower state. If a server receives a
 * request with a stale term number, it rejects the request." 4.2.3: a server
 * that hears a current leader "does not update its term or grant its vote".
 */
#include "unit/raft/raft_fixture.h"

/* One message of each kind, from member 2 in a term. */
enum {
    KINDS_COUNT = 7
};

static struct raft_message message_of(int which, raft_term_t term)
{
    switch (which) {
    case 0:
        return fx_vote(2, term, 9, term);
    case 1:
        return fx_vote_reply(2, term, true);
    case 2:
        return fx_append(2, term, 0, 0, "", 0);
    case 3:
        return fx_chunk(2, term, 5, 1, 0, 10, false);
    case 4:
        return fx_timeout_now(2, term);
    default: {
        struct raft_message reply =
            which == 5 ? fx_accept(2, 0) : fx_chunk_reply(2, 0, 0, false);
        reply.term = term;
        return reply;
    }
    }
}

/* Nothing happened to a member that was opened with log "1" in term 3. */
static void expect_untouched(void)
{
    fx_take();
    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_term(fx.raft), 3);
    ck_assert_uint_eq(raft_vote(fx.raft), 0);
    ck_assert_uint_eq(raft_leader(fx.raft), 0);
    ck_assert_uint_eq(fx_count_all(), 0);
    ck_assert_uint_eq(fx.write.number, 0);
}

START_TEST(a_message_for_another_is_dropped)
{
    fx_group_with_log(3, "1", 3);
    struct raft_message message = message_of(_i, 9);

    message.to = 2;
    fx_receive(message);
    message.to = 0;
    fx_receive(message);

    expect_untouched();
    ck_assert(fx_said("  message is not for us -> dropped"));
}
END_TEST

START_TEST(a_message_in_our_own_name_is_dropped)
{
    fx_group_with_log(3, "1", 3);
    struct raft_message message = message_of(_i, 9);

    message.from = 1;
    fx_receive(message);

    expect_untouched();
}
END_TEST

START_TEST(a_message_from_nobody_is_dropped)
{
    fx_group_with_log(3, "1", 3);
    struct raft_message message = message_of(_i, 9);

    message.from = 0;
    fx_receive(message);

    expect_untouched();
}
END_TEST

START_TEST(a_kind_that_nobody_knows_does_nothing)
{
    fx_group_with_log(3, "1", 3);
    struct raft_message message = fx_timeout_now(2, 3);
    message.kind = (enum raft_message_kind)99;

    fx_receive(message);
    message.term = 2;
    fx_receive(message);

    expect_untouched();
}
END_TEST

START_TEST(a_newer_term_is_entered_and_put_on_disk)
{
    fx_group_with_log(3, "1", 3);

    fx_receive(message_of(_i, 7));
    fx_take();

    ck_assert_uint_eq(raft_term(fx.raft), 7);
    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert(fx.write.promise);
    ck_assert_uint_eq(fx.write.term, 7);
    ck_assert(fx_said("  term 7 is newer than 3 -> follow"));
}
END_TEST

/* A request for votes does so only if it has the old leader's word: below. */
START_TEST(a_newer_term_ends_a_reign)
{
    fx_reign(3);
    const raft_term_t term = raft_term(fx.raft);

    fx_receive(message_of(_i, term + 1));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_term(fx.raft), term + 1);
    ck_assert_uint_eq(raft_vote(fx.raft), 0);
    ck_assert_uint_eq(fx_submit(1, 10), RAFT_NOT_LEADER);
}
END_TEST

START_TEST(a_newer_term_ends_a_candidacy)
{
    fx_group_with_log(3, "1", 3);
    fx_stand();

    fx_receive(fx_vote_reply(2, 5, false));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_term(fx.raft), 5);
    ck_assert_uint_eq(raft_vote(fx.raft), 0);
}
END_TEST

/* Believed, it would leave no term for the elections to come. */
START_TEST(a_term_beyond_all_reason_is_not_believed)
{
    fx_group_with_log(3, "1", 3);

    fx_receive(message_of(_i, 3 + LIMIT_TERM_LEAP + 1));
    ck_assert_uint_eq(raft_term(fx.raft), 3);
    fx_receive(message_of(_i, UINT64_MAX - 1));
    ck_assert_uint_eq(raft_term(fx.raft), 3);

    fx_receive(message_of(_i, 3 + LIMIT_TERM_LEAP));
    ck_assert_uint_eq(raft_term(fx.raft), 3 + LIMIT_TERM_LEAP);
}
END_TEST

START_TEST(no_request_for_votes_disturbs_a_leader_that_is_heard)
{
    fx_group(3);
    fx_follow(2, 3);

    fx_receive(fx_vote(3, 4, 9, 3));
    fx_take();

    ck_assert_uint_eq(raft_term(fx.raft), 3);
    ck_assert_uint_eq(raft_leader(fx.raft), 2);
    ck_assert_uint_eq(fx_count_all(), 0);
    ck_assert_uint_eq(fx.write.number, 0);
}
END_TEST

START_TEST(no_request_for_votes_disturbs_a_leader_at_work)
{
    fx_reign(3);
    const raft_term_t term = raft_term(fx.raft);

    fx_receive(fx_vote(3, term + 1, 9, term));
    fx_take();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
    ck_assert_uint_eq(raft_term(fx.raft), term);
    ck_assert_uint_eq(fx_count_all(), 0);
}
END_TEST

START_TEST(a_silent_leader_protects_nobody)
{
    fx_group(3);
    fx_follow(2, 3);

    fx_pass(FX_ELECTION_MS);
    fx_receive(fx_vote(3, 4, 0, 0));
    fx_take();

    ck_assert_uint_eq(raft_term(fx.raft), 4);
    ck_assert(fx_sent(RAFT_MESSAGE_VOTE_REPLY, 3)->vote_reply.granted);
}
END_TEST

START_TEST(the_old_leaders_word_opens_the_ear_for_its_successor)
{
    fx_group(3);
    fx_follow(2, 3);
    struct raft_message request = fx_vote(3, 4, 0, 0);
    request.vote.transfer = true;

    fx_receive(request);
    fx_take();

    ck_assert_uint_eq(raft_term(fx.raft), 4);
    ck_assert(fx_sent(RAFT_MESSAGE_VOTE_REPLY, 3)->vote_reply.granted);
}
END_TEST

/* Dissertation 9.6: terms do not grow by asking. */
START_TEST(a_pre_vote_raises_no_term)
{
    fx_group_with_log(3, "1", 3);

    fx_receive(fx_pre_vote(2, UINT64_MAX, 1, 1));
    fx_receive(fx_pre_reply(2, UINT64_MAX, true));
    fx_take();

    ck_assert_uint_eq(raft_term(fx.raft), 3);
    ck_assert_uint_eq(fx.write.number, 0);
}
END_TEST

START_TEST(a_refused_pre_vote_tells_of_the_voters_term)
{
    fx_group_with_log(3, "1", 3);
    fx_stand_pre();

    fx_receive(fx_pre_reply(2, 5, false));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_term(fx.raft), 5);
}
END_TEST

START_TEST(a_request_for_votes_of_an_old_term_is_refused_in_ours)
{
    fx_group_with_log(3, "1", 3);
    struct raft_message request = fx_vote(2, 2, 9, 9);
    request.vote.pre = _i == 1;

    fx_receive(request);
    fx_take();

    const struct raft_message *reply = fx_now(RAFT_MESSAGE_VOTE_REPLY, 2);
    ck_assert_ptr_nonnull(reply);
    ck_assert_uint_eq(reply->term, 3);
    ck_assert(!reply->vote_reply.granted);
    ck_assert_int_eq(reply->vote_reply.pre, _i == 1);
    ck_assert_uint_eq(raft_vote(fx.raft), 0);
}
END_TEST

START_TEST(a_leader_of_an_old_term_is_told_so_and_not_followed)
{
    fx_group_with_log(3, "1", 3);
    const time_ms_t deadline = raft_deadline(fx.raft);

    fx_pass(10);
    fx_receive(_i == 0 ? fx_append(2, 2, 1, 1, "2", 1)
                       : fx_chunk(2, 2, 5, 2, 0, 10, true));
    fx_take();

    const struct raft_message *reply = fx_now(RAFT_MESSAGE_APPEND_REPLY, 2);
    ck_assert_ptr_nonnull(reply);
    ck_assert_uint_eq(reply->term, 3);
    ck_assert(!reply->append_reply.accepted);
    ck_assert_uint_eq(raft_leader(fx.raft), 0);
    ck_assert_uint_eq(raft_deadline(fx.raft), deadline);
    ck_assert_str_eq(fx_log(), "1");
    ck_assert(!fx.result.stage);
}
END_TEST

START_TEST(an_old_answer_or_order_is_not_worth_a_word)
{
    const int kinds[] = {1, 4, 5, 6};
    fx_group_with_log(3, "1", 3);

    for (size_t i = 0; i < 4; i++) {
        fx_receive(message_of(kinds[i], 2));
    }

    expect_untouched();
}
END_TEST

/* Even a refusal names our term, and a term is a promise. */
START_TEST(no_answer_names_a_term_that_is_not_on_disk)
{
    fx_group_with_log(3, "1", 3);
    fx_receive(fx_vote_reply(3, 5, false));

    fx_receive(fx_append(2, 4, 1, 1, "", 0));
    fx_take();

    ck_assert_uint_eq(fx.now_box.count, 0);
    ck_assert_uint_eq(fx_after(RAFT_MESSAGE_APPEND_REPLY, 2)->term, 5);
    ck_assert_uint_eq(fx.write.term, 5);
}
END_TEST

/* A3: the vote survives stepping down within the term. */
START_TEST(a_candidate_gives_way_to_the_leader_of_its_term)
{
    fx_group_with_log(3, "1", 3);
    fx_stand();

    fx_receive(fx_append(2, 4, 1, 1, "", 0));

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_leader(fx.raft), 2);
    ck_assert_uint_eq(raft_term(fx.raft), 4);
    ck_assert_uint_eq(raft_vote(fx.raft), 1);
}
END_TEST

START_TEST(a_pre_candidate_gives_way_to_the_leader_of_its_term)
{
    fx_group_with_log(3, "1", 3);
    fx_stand_pre();

    fx_receive(fx_append(2, 3, 1, 1, "", 0));
    fx_grant_pre_votes();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_leader(fx.raft), 2);
}
END_TEST

START_TEST(there_is_no_other_leader_in_our_own_term)
{
    fx_reign(3);

    fx_receive(fx_append(2, 1, 1, 1, "1", 2));
    fx_receive(fx_chunk(2, 1, 5, 1, 0, 10, true));
    fx_take();

    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
    ck_assert_uint_eq(raft_last_index(fx.raft), 1);
    ck_assert_uint_eq(raft_commit(fx.raft), 1);
    ck_assert_uint_eq(fx_count_all(), 0);
    ck_assert(fx_said("  2 claims to lead our own term -> dropped"));
}
END_TEST

START_TEST(each_word_of_the_leader_puts_the_election_off)
{
    fx_group(3);

    for (size_t i = 0; i < 10; i++) {
        fx_pass(FX_ELECTION_MS - 1);
        fx_receive(i % 2 == 0 ? fx_append(2, 3, 0, 0, "", 0)
                              : fx_chunk(2, 3, 5, 1, 0, 0, false));
        ck_assert_uint_ge(raft_deadline(fx.raft), fx.now + FX_ELECTION_MS);
    }

    ck_assert_uint_eq(raft_leader(fx.raft), 2);
}
END_TEST

/* Dissertation 4.1: "a server accepts AppendEntries requests from a leader
 * that is not part of the server's latest configuration". */
START_TEST(a_leader_we_do_not_know_is_followed)
{
    fx_group(3);

    fx_receive(fx_append(9, 3, 0, 0, "3", 0));
    fx_settle();

    ck_assert_uint_eq(raft_leader(fx.raft), 9);
    ck_assert_str_eq(fx_log(), "3");
    ck_assert(fx_said("  9 leads term 3 -> follow"));
}
END_TEST

static TCase *address_tests(void)
{
    TCase *tests = tcase_create("address");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_loop_test(tests, a_message_for_another_is_dropped, 0,
                        KINDS_COUNT);
    tcase_add_loop_test(tests, a_message_in_our_own_name_is_dropped, 0,
                        KINDS_COUNT);
    tcase_add_loop_test(tests, a_message_from_nobody_is_dropped, 0,
                        KINDS_COUNT);
    tcase_add_test(tests, a_kind_that_nobody_knows_does_nothing);
    return tests;
}

static TCase *newer_tests(void)
{
    TCase *tests = tcase_create("newer");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_loop_test(tests, a_newer_term_is_entered_and_put_on_disk, 0,
                        KINDS_COUNT);
    tcase_add_loop_test(tests, a_newer_term_ends_a_reign, 1, KINDS_COUNT);
    tcase_add_test(tests, a_newer_term_ends_a_candidacy);
    tcase_add_loop_test(tests, a_term_beyond_all_reason_is_not_believed, 0,
                        KINDS_COUNT);
    tcase_add_test(tests, no_request_for_votes_disturbs_a_leader_that_is_heard);
    tcase_add_test(tests, no_request_for_votes_disturbs_a_leader_at_work);
    tcase_add_test(tests, a_silent_leader_protects_nobody);
    tcase_add_test(tests, the_old_leaders_word_opens_the_ear_for_its_successor);
    tcase_add_test(tests, a_pre_vote_raises_no_term);
    tcase_add_test(tests, a_refused_pre_vote_tells_of_the_voters_term);
    return tests;
}

static TCase *older_tests(void)
{
    TCase *tests = tcase_create("older");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_loop_test(
        tests, a_request_for_votes_of_an_old_term_is_refused_in_ours, 0, 2);
    tcase_add_loop_test(
        tests, a_leader_of_an_old_term_is_told_so_and_not_followed, 0, 2);
    tcase_add_test(tests, an_old_answer_or_order_is_not_worth_a_word);
    tcase_add_test(tests, no_answer_names_a_term_that_is_not_on_disk);
    return tests;
}

static TCase *same_tests(void)
{
    TCase *tests = tcase_create("same");

    tcase_add_checked_fixture(tests, fx_setup, fx_teardown);
    tcase_add_test(tests, a_candidate_gives_way_to_the_leader_of_its_term);
    tcase_add_test(tests, a_pre_candidate_gives_way_to_the_leader_of_its_term);
    tcase_add_test(tests, there_is_no_other_leader_in_our_own_term);
    tcase_add_test(tests, each_word_of_the_leader_puts_the_election_off);
    tcase_add_test(tests, a_leader_we_do_not_know_is_followed);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_recv");

    suite_add_tcase(suite, address_tests());
    suite_add_tcase(suite, newer_tests());
    suite_add_tcase(suite, older_tests());
    suite_add_tcase(suite, same_tests());
    return check_run(suite);
}
