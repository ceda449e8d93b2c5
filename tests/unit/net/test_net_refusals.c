/* test_net_refusals.c - few lines, however much is refused. */
#include "net/net_refusals.h"

#include <stdio.h>
#include <string.h>

#include "lib/check_runner.h"

static struct net_refusals refusals;
static char last[256];
static unsigned lines;

static void note_line(void *context, const char *text)
{
    ck_assert_ptr_eq(context, &lines);
    (void)snprintf(last, sizeof(last), "%s", text);
    lines++;
}

static void setup(void)
{
    lines = 0;
    last[0] = 0;
    net_refusals_init(&refusals, note_line, &lines);
}

START_TEST(the_first_is_said_at_once)
{
    net_refusals_note(&refusals, STATUS_BAD_MAGIC, 5000);

    ck_assert_uint_eq(lines, 1);
    ck_assert_str_eq(last,
                     "frame at the raft port refused: not a Holdfast frame");
    ck_assert_uint_eq(net_refusals_turn(&refusals, 9000), TIME_NEVER);
    ck_assert_uint_eq(lines, 1);
}
END_TEST

START_TEST(those_of_the_next_second_are_one_line)
{
    net_refusals_note(&refusals, NET_REFUSAL_CROWDED, 5000);
    for (time_ms_t now = 5000; now < 5900; now++) {
        net_refusals_note(&refusals, NET_REFUSAL_CROWDED, now);
    }
    ck_assert_uint_eq(net_refusals_turn(&refusals, 5999), 6000);
    ck_assert_uint_eq(lines, 1);

    ck_assert_uint_eq(net_refusals_turn(&refusals, 6000), TIME_NEVER);

    ck_assert_uint_eq(lines, 2);
    ck_assert_str_eq(last, "connection at the raft port closed: too many, and "
                           "899 more in this second");
}
END_TEST

START_TEST(one_after_a_silent_second_brings_the_count_along)
{
    net_refusals_note(&refusals, NET_REFUSAL_SILENT, 0);
    net_refusals_note(&refusals, NET_REFUSAL_SILENT, 1);
    net_refusals_note(&refusals, NET_REFUSAL_SILENT, 2000);

    ck_assert_uint_eq(lines, 2);
    ck_assert_str_eq(last, "connection at the raft port closed: no frame came, "
                           "and 1 more in this second");
    ck_assert_uint_eq(net_refusals_turn(&refusals, 9000), TIME_NEVER);
}
END_TEST

START_TEST(reasons_are_counted_apart)
{
    for (unsigned reason = 0; reason < NET_REFUSAL_COUNT; reason++) {
        net_refusals_note(&refusals, reason, 100);
    }
    ck_assert_uint_eq(lines, NET_REFUSAL_COUNT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("net_refusals");
    TCase *tests = tcase_create("core");

    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, the_first_is_said_at_once);
    tcase_add_test(tests, those_of_the_next_second_are_one_line);
    tcase_add_test(tests, one_after_a_silent_second_brings_the_count_along);
    tcase_add_test(tests, reasons_are_counted_apart);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}
