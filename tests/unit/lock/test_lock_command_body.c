/* test_lock_command_body.c - values that no command has.
 *
 * Each test changes fields of a sample, one at a time, and sees them refused
 * by the encoder, which leaves its output alone. That the decoder has the same
 * view is seen in test_lock_command.c and by fuzzing: what it accepts encodes.
 */
#include "lock/lock_command_body.h"

#include "unit/lock/command_fixture.h"

/* Change one field of the sample and see it refused. */
#define REFUSE(kind, field, value, status)                                     \
    do {                                                                       \
        sample(kind);                                                          \
        command.field = (value);                                               \
        assert_refused(status);                                                \
    } while (0)

#define ACCEPT(kind, field, value)                                             \
    do {                                                                       \
        sample(kind);                                                          \
        command.field = (value);                                               \
        assert_accepted();                                                     \
    } while (0)

START_TEST(clocks_have_a_limit)
{
    REFUSE(LOCK_COMMAND_TICK, head.clock, LIMIT_TIME_MS + 1, STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_TICK, head.wall, LIMIT_TIME_MS + 1, STATUS_BAD_VALUE);
    ACCEPT(LOCK_COMMAND_TICK, head.clock, LIMIT_TIME_MS);
}
END_TEST

START_TEST(a_node_numbers_its_requests_and_the_leader_does_not)
{
    REFUSE(LOCK_COMMAND_FLUSH, head.number, 0, STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_FLUSH, head.number, 9, STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_FLUSH, head.first_unanswered, 0, STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_FLUSH, head.origin.boot, 0, STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_FLUSH, head.origin.node, 0, STATUS_BAD_VALUE);
    ACCEPT(LOCK_COMMAND_FLUSH, head.first_unanswered, 12);
    ACCEPT(LOCK_COMMAND_FLUSH, head.number, UINT64_MAX);

    sample(LOCK_COMMAND_FLUSH);
    command.head = (struct lock_command_head){0};
    assert_accepted();
    command.head.first_unanswered = 1;
    assert_refused(STATUS_BAD_VALUE);
}
END_TEST

START_TEST(what_the_leader_proposes_by_itself_nobody_asks_for)
{
    const enum lock_command_kind kind = kinds[_i];
    sample(kind);
    command.head.origin = (struct lock_origin){2, 3};
    command.head.number = 12;
    command.head.first_unanswered = 10;
    if (is_of_leader(kind)) {
        assert_refused(STATUS_BAD_VALUE);
    } else {
        assert_accepted();
    }
}
END_TEST

START_TEST(keys_and_owners_have_at_least_a_byte_and_at_most_their_limit)
{
    REFUSE(LOCK_COMMAND_ACQUIRE, acquire.key, text(""), STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_ACQUIRE, acquire.owner, text(""), STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_RELEASE, release.key, text(""), STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_SET, set.key, text(""), STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_SET, set.key, long_text(LIMIT_KEY_BYTES + 1),
           STATUS_TOO_LONG);
    REFUSE(LOCK_COMMAND_RENEW, renew.owner, long_text(LIMIT_OWNER_BYTES + 1),
           STATUS_TOO_LONG);
    REFUSE(LOCK_COMMAND_FENCE_SET, fence_set.lock_key,
           long_text(LIMIT_KEY_BYTES + 1), STATUS_TOO_LONG);
    ACCEPT(LOCK_COMMAND_RENEW, renew.key, long_text(LIMIT_KEY_BYTES));
    ACCEPT(LOCK_COMMAND_RENEW, renew.owner, long_text(LIMIT_OWNER_BYTES));
}
END_TEST

START_TEST(leases_delays_and_modes_are_in_range)
{
    REFUSE(LOCK_COMMAND_ACQUIRE, acquire.ttl_ms, 0, STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_RENEW, renew.ttl_ms, 0, STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_RENEW, renew.ttl_ms, LIMIT_TTL_MS + 1,
           STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_ACQUIRE, acquire.delay_ms, LIMIT_TTL_MS + 1,
           STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_ACQUIRE, acquire.mode, 0, STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_ABANDON, abandon.mode, 3, STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_UNDELAY, undelay.until, LIMIT_TIME_MS + 1,
           STATUS_BAD_VALUE);
    ACCEPT(LOCK_COMMAND_ACQUIRE, acquire.ttl_ms, LIMIT_TTL_MS);
    ACCEPT(LOCK_COMMAND_ACQUIRE, acquire.delay_ms, 0);
}
END_TEST

START_TEST(tokens_and_databases_have_a_limit)
{
    REFUSE(LOCK_COMMAND_RELEASE, release.token, LIMIT_TOKEN, STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_RENEW, renew.token, LIMIT_TOKEN, STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_BREAK, break_.token, LIMIT_TOKEN, STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_EXPIRE, expire.token, LIMIT_TOKEN, STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_FENCE_SET, fence_set.token, LIMIT_TOKEN,
           STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_FENCE_DELETE, fence_delete.token, LIMIT_TOKEN,
           STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_ACQUIRE, acquire.database, LIMIT_DATABASES,
           STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_SET, set.database, 256, STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_DELETE, delete_.database, LIMIT_DATABASES,
           STATUS_BAD_VALUE);
    ACCEPT(LOCK_COMMAND_BREAK, break_.token, 0);
    ACCEPT(LOCK_COMMAND_BREAK, break_.token, LIMIT_TOKEN - 1);
}
END_TEST

START_TEST(a_value_is_compared_only_by_conditions_that_compare)
{
    REFUSE(LOCK_COMMAND_SET, set.condition, LOCK_IF_ABSENT, STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_SET, set.condition, 5, STATUS_BAD_VALUE);
    ACCEPT(LOCK_COMMAND_SET, set.condition, LOCK_IF_EQUAL);
    ACCEPT(LOCK_COMMAND_SET, set.compare, text(""));
}
END_TEST

START_TEST(lifetimes_and_their_times_agree)
{
    REFUSE(LOCK_COMMAND_SET, set.lifetime, LOCK_LIFE_FOREVER, STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_SET, set.lifetime, LOCK_LIFE_KEEP, STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_SET, set.lifetime, 4, STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_SET, set.time_ms, 0, STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_SET, set.time_ms, LIMIT_TIME_MS + 1, STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_DEADLINE, deadline.lifetime, LOCK_LIFE_KEEP,
           STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_DEADLINE, deadline.lifetime, LOCK_LIFE_FOREVER,
           STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_DEADLINE, deadline.condition, 6, STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_SWEEP, sweep.deadline, LIMIT_TIME_MS + 1,
           STATUS_BAD_VALUE);
    ACCEPT(LOCK_COMMAND_DEADLINE, deadline.time_ms, 0);

    sample(LOCK_COMMAND_DEADLINE);
    command.deadline.lifetime = LOCK_LIFE_FOREVER;
    command.deadline.time_ms = 0;
    assert_refused(STATUS_BAD_VALUE); /* persist with a condition */
    command.deadline.condition = LOCK_DEADLINE_ALWAYS;
    assert_accepted();
}
END_TEST

START_TEST(conditions_and_old_values_go_with_one_deleted_key)
{
    REFUSE(LOCK_COMMAND_DELETE, delete_.condition, LOCK_IF_EQUAL,
           STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_DELETE, delete_.get, true, STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_DELETE, delete_.compare, text("x"), STATUS_BAD_VALUE);
    sample(LOCK_COMMAND_DELETE);
    command.delete_.keys_count = 1;
    command.delete_.get = true;
    assert_accepted();
    command.delete_.condition = LOCK_IF_EQUAL;
    assert_accepted();
    command.delete_.condition = LOCK_IF_PRESENT;
    assert_refused(STATUS_BAD_VALUE);
}
END_TEST

START_TEST(lists_are_not_empty_and_their_keys_are_keys)
{
    struct bytes keys[] = {text("a"), text("")};
    struct lock_pair pairs[] = {{text(""), text("1")}};
    REFUSE(LOCK_COMMAND_DELETE, delete_.keys_count, 0, STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_FENCE_DELETE, fence_delete.keys_count, 0,
           STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_FENCE_SET, fence_set.pairs_count, 0, STATUS_BAD_VALUE);
    REFUSE(LOCK_COMMAND_DELETE, delete_.keys_count, SIZE_MAX, STATUS_TOO_LONG);
    REFUSE(LOCK_COMMAND_FENCE_SET, fence_set.pairs_count, SIZE_MAX,
           STATUS_TOO_LONG);

    sample(LOCK_COMMAND_FENCE_DELETE);
    command.fence_delete.keys = keys;
    command.fence_delete.keys_count = 2;
    assert_refused(STATUS_BAD_VALUE);
    sample(LOCK_COMMAND_FENCE_SET);
    command.fence_set.pairs = pairs;
    command.fence_set.pairs_count = 1;
    assert_refused(STATUS_BAD_VALUE);
}
END_TEST

START_TEST(values_have_a_limit_and_so_has_the_whole)
{
    REFUSE(LOCK_COMMAND_APPEND, append.value, long_text(LIMIT_VALUE_BYTES + 1),
           STATUS_TOO_LONG);
    REFUSE(LOCK_COMMAND_SET, set.compare, long_text(LIMIT_VALUE_BYTES + 1),
           STATUS_TOO_LONG);
    ACCEPT(LOCK_COMMAND_APPEND, append.value, long_text(LIMIT_VALUE_BYTES));
    ACCEPT(LOCK_COMMAND_SET, set.value, long_text(LIMIT_VALUE_BYTES));

    sample(LOCK_COMMAND_SET);
    command.set.value = long_text(LIMIT_VALUE_BYTES);
    command.set.compare = long_text(LIMIT_VALUE_BYTES);
    assert_refused(STATUS_TOO_LONG);
}
END_TEST

START_TEST(the_longest_list_that_fits_is_accepted)
{
    static struct bytes keys[LIMIT_ENTRY_BYTES / 3];
    const size_t fixed = LOCK_COMMAND_HEAD_BYTES + 1 + 4 + 1 + 4 + 1;
    const size_t count = (LIMIT_ENTRY_BYTES - fixed) / 3;
    for (size_t i = 0; i < LIMIT_ENTRY_BYTES / 3; i++) {
        keys[i] = text("k");
    }
    sample(LOCK_COMMAND_DELETE);
    command.delete_.keys = keys;
    command.delete_.keys_count = count;
    assert_accepted();
    ck_assert_uint_eq(decoded.delete_.keys_count, count);

    command.delete_.keys_count = count + 1;
    assert_refused(STATUS_TOO_LONG);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_command_body");
    TCase *tests = tcase_create("values");

    tcase_add_checked_fixture(tests, open_codec, close_codec);
    tcase_add_test(tests, clocks_have_a_limit);
    tcase_add_test(tests, a_node_numbers_its_requests_and_the_leader_does_not);
    tcase_add_loop_test(tests,
                        what_the_leader_proposes_by_itself_nobody_asks_for, 0,
                        KINDS_COUNT);
    tcase_add_test(
        tests, keys_and_owners_have_at_least_a_byte_and_at_most_their_limit);
    tcase_add_test(tests, leases_delays_and_modes_are_in_range);
    tcase_add_test(tests, tokens_and_databases_have_a_limit);
    tcase_add_test(tests, a_value_is_compared_only_by_conditions_that_compare);
    tcase_add_test(tests, lifetimes_and_their_times_agree);
    tcase_add_test(tests, conditions_and_old_values_go_with_one_deleted_key);
    tcase_add_test(tests, lists_are_not_empty_and_their_keys_are_keys);
    tcase_add_test(tests, values_have_a_limit_and_so_has_the_whole);
    tcase_add_test(tests, the_longest_list_that_fits_is_accepted);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}
