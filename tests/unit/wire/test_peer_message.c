/* test_peer_message.c - small questions about messages between nodes. */
#include "wire/peer_message.h"

#include <string.h>

#include "lib/check_runner.h"
#include "lib/peer_sample.h"

static struct peer_sample sample;

START_TEST(a_raft_message_is_wrapped_as_it_is)
{
    const enum peer_message_kind kind = peer_sample_kinds[_i];
    peer_sample_plain(&sample, kind);
    sample.message.raft.from = 8;
    sample.message.raft.to = 9;

    const struct peer_message message =
        peer_message_of_raft(&sample.message.raft);

    ck_assert_int_eq(message.kind, kind);
    ck_assert_uint_eq(message.from, 8);
    ck_assert_uint_eq(message.to, 9);
    sample.message.from = 8;
    sample.message.to = 9;
    ck_assert(peer_sample_equal(&message, &sample.message));
}
END_TEST

START_TEST(entries_are_borrowed_and_not_copied)
{
    peer_sample_plain(&sample, PEER_APPEND);

    const struct peer_message message =
        peer_message_of_raft(&sample.message.raft);

    ck_assert_ptr_eq(message.raft.append.entries, sample.entries);
}
END_TEST

START_TEST(the_kinds_of_the_core_are_its_own_numbers)
{
    for (int kind = -300; kind < 300; kind++) {
        ck_assert(peer_message_is_raft((enum peer_message_kind)kind) ==
                  (kind >= RAFT_MESSAGE_VOTE && kind <= RAFT_MESSAGE_FOUND));
    }
}
END_TEST

/* A type byte is a promise to other versions. */
START_TEST(kinds_keep_their_numbers)
{
    ck_assert_int_eq(PEER_VOTE, 1);
    ck_assert_int_eq(PEER_VOTE_REPLY, 2);
    ck_assert_int_eq(PEER_APPEND, 3);
    ck_assert_int_eq(PEER_APPEND_REPLY, 4);
    ck_assert_int_eq(PEER_SNAPSHOT, 5);
    ck_assert_int_eq(PEER_SNAPSHOT_REPLY, 6);
    ck_assert_int_eq(PEER_TIMEOUT_NOW, 7);
    ck_assert_int_eq(PEER_JOIN, 32);
    ck_assert_int_eq(PEER_JOIN_REPLY, 33);
    ck_assert_int_eq(PEER_FETCH, 34);
    ck_assert_int_eq(PEER_FETCH_REPLY, 35);
    ck_assert_int_eq(PEER_REMOVE, 36);
    ck_assert_int_eq(PEER_REMOVE_REPLY, 37);
    ck_assert_int_eq(PEER_FORWARD, 38);
    ck_assert_int_eq(PEER_FORWARD_REPLY, 39);
    ck_assert_int_eq(PEER_PUBLISH, 40);
    ck_assert_int_eq(PEER_HELLO, 41);
    ck_assert_int_eq(PEER_HELLO_REPLY, 42);
    ck_assert_int_eq(PEER_REMOVED, 43);
}
END_TEST

START_TEST(every_kind_has_a_name_and_nothing_else_has)
{
    size_t named = 0;
    for (int kind = -300; kind < 300; kind++) {
        const char *text = peer_message_kind_text((enum peer_message_kind)kind);
        named += strcmp(text, "unknown") != 0;
    }

    ck_assert_uint_eq(named, PEER_SAMPLE_KINDS);
    ck_assert_str_eq(peer_message_kind_text(PEER_FETCH), "FetchPeerList");
    ck_assert_str_eq(peer_message_kind_text(PEER_KIND_END), "unknown");
}
END_TEST

START_TEST(no_two_kinds_have_the_same_name)
{
    for (size_t i = 0; i < PEER_SAMPLE_KINDS; i++) {
        for (size_t k = 0; k < i; k++) {
            ck_assert_str_ne(peer_message_kind_text(peer_sample_kinds[i]),
                             peer_message_kind_text(peer_sample_kinds[k]));
        }
    }
}
END_TEST

static TCase *raft_tests(void)
{
    TCase *tests = tcase_create("raft");

    tcase_add_loop_test(tests, a_raft_message_is_wrapped_as_it_is, 0,
                        RAFT_MESSAGE_TIMEOUT_NOW);
    tcase_add_test(tests, entries_are_borrowed_and_not_copied);
    tcase_add_test(tests, the_kinds_of_the_core_are_its_own_numbers);
    return tests;
}

static TCase *kind_tests(void)
{
    TCase *tests = tcase_create("kinds");

    tcase_add_test(tests, kinds_keep_their_numbers);
    tcase_add_test(tests, every_kind_has_a_name_and_nothing_else_has);
    tcase_add_test(tests, no_two_kinds_have_the_same_name);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("peer_message");

    suite_add_tcase(suite, raft_tests());
    suite_add_tcase(suite, kind_tests());
    return check_run(suite);
}
