/* test_command_multi.c - transactions, from words to replies. */
#include "command/command_multi.h"

#include "unit/command/data_fixture.h"

START_TEST(what_is_queued_runs_as_one_entry)
{
    check_says("MULTI", "+OK");
    check_says("SET k 1", "+QUEUED");
    check_says("INCR k", "+QUEUED");
    check_says("GET k", "+QUEUED");
    check_says("PING", "+QUEUED");
    ck_assert_int_eq(command_multi_count(&session), 4);
    const uint64_t before = log_index;
    check_says("EXEC", "*4 +OK :2 $1 2 +PONG");
    ck_assert_uint_eq(log_index, before + 1);
    ck_assert_int_eq(command_multi_count(&session), -1);
    check_says("EXEC", "-ERR EXEC without MULTI");
}
END_TEST

START_TEST(nothing_of_the_session_may_run_beside_it)
{
    check_says("WATCH k", "+OK");
    ck_assert(call.plan.alone);
    check_says("MULTI", "+OK");
    check_says("EXEC", "*0");
    ck_assert(call.plan.alone);
}
END_TEST

START_TEST(a_request_that_was_refused_spoils_it)
{
    check_says("MULTI", "+OK");
    check_says("SET k", "-ERR wrong number of arguments for 'set' command");
    check_says("SET k v", "+QUEUED");
    check_says("EXEC", "-EXECABORT Transaction discarded because of previous "
                       "errors.");
    check_says("EXISTS k", ":0");
    check_says("MULTI", "+OK");
    check_says("LOCK.RELEASE k o 1",
               "-ERR Command not allowed inside a transaction");
    check_says("DISCARD", "+OK");
    check_says("MULTI", "+OK");
    check_says("EXEC", "*0");
}
END_TEST

START_TEST(a_watched_key_that_changed_stops_it)
{
    check_says("SET k 1", "+OK");
    check_says("WATCH k", "+OK");
    check_says("INCR k", ":2");
    check_says("WATCH k", "+OK");
    check_says("MULTI", "+OK");
    check_says("SET k 9", "+QUEUED");
    check_says("SELECT 1", "+QUEUED");
    session.protocol = 3;
    check_says("EXEC", "_");
    ck_assert_uint_eq(session.database, 0);
    check_says("GET k", "$1 2");
    check_says("MULTI", "+OK");
    check_says("SELECT 1", "+QUEUED");
    check_says("GET k", "+QUEUED");
    check_says("EXEC", "*2 +OK _");
    ck_assert_uint_eq(session.database, 1);
}
END_TEST

START_TEST(there_is_an_end_to_what_can_be_queued_and_watched)
{
    static uint8_t bytes[LIMIT_ENTRY_BYTES];
    memset(bytes, 'x', sizeof(bytes));
    const struct bytes large[] = {text("SET"), text("k"),
                                  bytes_of(bytes, LIMIT_VALUE_BYTES)};
    check_says("MULTI", "+OK");
    for (int i = 0; i < 4; i++) {
        ck_assert_str_eq(says_args(large, 3), "+QUEUED\r\n");
    }
    check_says("EXEC", "-EXECABORT Transaction discarded because it is longer "
                       "than an entry of the log");
    check_says("EXISTS k", ":0");
    check_says("MULTI", "+OK");
    for (int i = 0; i < 4; i++) {
        ck_assert_str_eq(says_args(large, 3), "+QUEUED\r\n");
    }
    ck_assert_str_eq(says_args(large, 3),
                     "-ERR the transaction is too long\r\n");
    check_says("DISCARD", "+OK");
    for (uint8_t i = 0; i < 40; i++) {
        bytes[0] = (uint8_t)('A' + i);
        const struct bytes watch[] = {text("WATCH"),
                                      bytes_of(bytes, LIMIT_KEY_BYTES)};
        const bool fits = (size_t)(i + 1) * (LIMIT_KEY_BYTES + 12) <=
                          COMMAND_MULTI_WATCH_BYTES_MAX;
        ck_assert_str_eq(says_args(watch, 2),
                         fits ? "+OK\r\n"
                              : "-ERR too many keys are watched\r\n");
    }
}
END_TEST

START_TEST(words_of_no_bytes_take_room_too)
{
    static struct bytes words[COMMAND_MULTI_BYTES_MAX / 4];
    words[0] = text("DEL");
    check_says("MULTI", "+OK");
    for (int i = 0; i < 3; i++) {
        ck_assert_str_eq(says_args(words, COMMAND_MULTI_BYTES_MAX / 4),
                         "+QUEUED\r\n");
    }
    ck_assert_str_eq(says_args(words, COMMAND_MULTI_BYTES_MAX / 4),
                     "-ERR the transaction is too long\r\n");
}
END_TEST

START_TEST(so_many_keys_can_be_watched)
{
    static char names[COMMAND_MULTI_WATCHES_MAX + 1][8];
    static struct bytes words[COMMAND_MULTI_WATCHES_MAX + 2];
    words[0] = text("WATCH");
    for (unsigned i = 0; i <= COMMAND_MULTI_WATCHES_MAX; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "%u", i);
        words[1 + i] = text(names[i]);
    }

    ck_assert_str_eq(says_args(words, COMMAND_MULTI_WATCHES_MAX + 2),
                     "-ERR too many keys are watched\r\n");
    ck_assert_str_eq(says_args(words, COMMAND_MULTI_WATCHES_MAX + 1),
                     "+OK\r\n");
    check_says("WATCH 7", "+OK");
    check_says("WATCH more", "-ERR too many keys are watched");
    check_says("UNWATCH", "+OK");
    check_says("WATCH more", "+OK");
}
END_TEST

START_TEST(a_session_that_ends_leaves_nothing_behind)
{
    check_says("WATCH a b", "+OK");
    check_says("MULTI", "+OK");
    check_says("SET k v", "+QUEUED");
    command_multi_close(&session);
    ck_assert_ptr_eq(session.multi, NULL);
    check_says("EXEC", "-ERR EXEC without MULTI");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("command_multi");
    TCase *tests = tcase_create("transactions");

    tcase_add_checked_fixture(tests, setup_data, teardown_data);
    tcase_add_test(tests, what_is_queued_runs_as_one_entry);
    tcase_add_test(tests, nothing_of_the_session_may_run_beside_it);
    tcase_add_test(tests, a_request_that_was_refused_spoils_it);
    tcase_add_test(tests, a_watched_key_that_changed_stops_it);
    tcase_add_test(tests, there_is_an_end_to_what_can_be_queued_and_watched);
    tcase_add_test(tests, words_of_no_bytes_take_room_too);
    tcase_add_test(tests, so_many_keys_can_be_watched);
    tcase_add_test(tests, a_session_that_ends_leaves_nothing_behind);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}
