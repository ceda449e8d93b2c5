/* test_client_times.c - when to renew, when to give up, how long to pause. */
#include "client/client_times.h"

#include "lib/check_runner.h"

START_TEST(a_lease_is_lost_long_before_the_server_ends_it)
{
    for (uint32_t ttl = 100; ttl < 100000; ttl += 37) {
        const int64_t renew = client_times_renew_at(5000, ttl);
        const int64_t lost = client_times_lost_at(5000, ttl);
        ck_assert_int_lt(renew, lost);
        ck_assert_int_le(renew, 5000 + ttl / 3);
        ck_assert_int_le(lost, 5000 + ttl / 2);
        ck_assert_int_ge(lost, 5000 + ttl / 2 - 1);
    }
}
END_TEST

START_TEST(a_grant_that_was_long_under_way_is_renewed_first)
{
    ck_assert(!client_times_is_stale(1000, 3000, 1000));
    ck_assert(!client_times_is_stale(1000, 3000, 1999));
    ck_assert(client_times_is_stale(1000, 3000, 2000));
    ck_assert(client_times_is_stale(1000, 3000, 9000));
}
END_TEST

START_TEST(a_sum_is_at_most_never)
{
    ck_assert_int_eq(client_times_add(10, 5), 15);
    ck_assert_int_eq(client_times_add(10, 0), 10);
    ck_assert_int_eq(client_times_add(10, -1), CLIENT_NEVER);
    ck_assert_int_eq(client_times_add(10, INT64_MAX), CLIENT_NEVER);
    ck_assert_int_eq(client_times_add(10, INT64_MAX - 10), CLIENT_NEVER);
    ck_assert_int_eq(client_times_add(10, INT64_MAX - 11), INT64_MAX - 1);
}
END_TEST

START_TEST(a_silent_node_is_left_in_time_for_another)
{
    const uint32_t ttls[] = {3000, 5000, 10000, 30000, 60000};
    for (size_t i = 0; i < sizeof(ttls) / sizeof(ttls[0]); i++) {
        const int64_t window = client_times_lost_at(0, ttls[i]) -
                               client_times_renew_at(0, ttls[i]);
        /* PING is sent after a silence, and given up after another. */
        ck_assert_int_lt(2 * client_times_silence_ms(ttls[i], 0), window);
        ck_assert_int_lt(client_times_stall_ms(ttls[i], 0), window);
        /* The same for who only waits, and whose grant has begun to run. */
        ck_assert_int_le(2 * client_times_idle_ms(ttls[i], 0), ttls[i] / 3);
    }
    ck_assert_int_gt(client_times_silence_ms(0, 0), 0);
}
END_TEST

START_TEST(a_limit_that_was_reached_for_nothing_doubles_up_to_a_bound)
{
    const int64_t once = client_times_stall_ms(10000, 0);
    ck_assert_int_eq(client_times_stall_ms(10000, 1), 2 * once);
    ck_assert_int_eq(client_times_stall_ms(10000, 3), 8 * once);
    ck_assert_int_eq(client_times_stall_ms(10000, 1000),
                     client_times_stall_ms(10000, 100));
    ck_assert_int_lt(client_times_silence_ms(0, 1000), 60000);
}
END_TEST

START_TEST(pauses_double_and_are_drawn_from_their_upper_half)
{
    uint64_t chance = 1;
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        int64_t full = attempt < 7 ? 10 << attempt : 1000;
        full = full > 1000 ? 1000 : full;
        int64_t least = INT64_MAX;
        int64_t most = 0;
        for (int i = 0; i < 2000; i++) {
            const int64_t pause = client_times_backoff_ms(
                10, 1000, attempt, client_times_chance(&chance));
            least = pause < least ? pause : least;
            most = pause > most ? pause : most;
        }
        ck_assert_int_ge(least, full / 2);
        ck_assert_int_le(most, full);
        ck_assert_int_lt(least, most);
    }
}
END_TEST

START_TEST(a_pause_bears_odd_settings)
{
    ck_assert_int_le(client_times_backoff_ms(50, 10, 9, 50), 50);
    ck_assert_int_ge(client_times_backoff_ms(50, 10, 9, 50), 25);
    ck_assert_int_le(client_times_backoff_ms(1, 1, 0, UINT64_MAX), 1);
    ck_assert_int_le(
        client_times_backoff_ms(UINT32_MAX, UINT32_MAX, UINT32_MAX, 7),
        (int64_t)UINT32_MAX);
}
END_TEST

START_TEST(the_clock_runs_forwards)
{
    const int64_t before = client_times_now();
    ck_assert_int_gt(before, 0);
    ck_assert_int_ge(client_times_now(), before);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("client_times");
    TCase *times = tcase_create("times");
    tcase_add_test(times, a_lease_is_lost_long_before_the_server_ends_it);
    tcase_add_test(times, a_grant_that_was_long_under_way_is_renewed_first);
    tcase_add_test(times, a_sum_is_at_most_never);
    tcase_add_test(times, a_silent_node_is_left_in_time_for_another);
    tcase_add_test(times,
                   a_limit_that_was_reached_for_nothing_doubles_up_to_a_bound);
    tcase_add_test(times, pauses_double_and_are_drawn_from_their_upper_half);
    tcase_add_test(times, a_pause_bears_odd_settings);
    tcase_add_test(times, the_clock_runs_forwards);
    suite_add_tcase(suite, times);
    return check_run(suite);
}
