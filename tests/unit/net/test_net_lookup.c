/* test_net_lookup.c - names are asked for aside, and the answers come back. */
#include "net/net_lookup.h"

#include "unit/net/net_fixture.h"

static struct net_lookup lookup;

static void setup(void)
{
    nx_setup();
    ck_assert_int_eq(net_lookup_open(&lookup), STATUS_OK);
}

static void teardown(void)
{
    net_lookup_close(&lookup);
    nx_teardown();
}

START_TEST(a_name_has_its_address)
{
    struct net_lookup_answer answer;
    ck_assert(net_lookup_ask(&lookup, 7, "localhost", 7001));
    NX_UNTIL(net_lookup_take(&lookup, &answer));

    ck_assert_uint_eq(answer.number, 7);
    ck_assert_int_eq(answer.status, STATUS_OK);
    ck_assert_uint_ge(answer.addresses.count, 1);
    for (size_t i = 0; i < answer.addresses.count; i++) {
        ck_assert(net_address_is_local(&answer.addresses.items[i]));
    }
}
END_TEST

START_TEST(what_is_no_name_has_none)
{
    struct net_lookup_answer answer;
    ck_assert(net_lookup_ask(&lookup, 8, "256.0.0.1 is none", 7001));
    NX_UNTIL(net_lookup_take(&lookup, &answer));

    ck_assert_uint_eq(answer.number, 8);
    ck_assert_int_eq(answer.status, STATUS_NOT_FOUND);
}
END_TEST

START_TEST(there_is_room_for_a_few_questions_at_a_time)
{
    struct net_lookup_answer answer;
    for (size_t i = 0; i < NET_LOOKUP_MAX; i++) {
        ck_assert(net_lookup_ask(&lookup, i, "127.0.0.1", 7001));
    }
    ck_assert(!net_lookup_ask(&lookup, 99, "127.0.0.1", 7001));

    NX_UNTIL(net_lookup_take(&lookup, &answer));

    ck_assert(net_lookup_ask(&lookup, 99, "127.0.0.1", 7001));
}
END_TEST

START_TEST(an_answer_that_nobody_wants_is_lost)
{
    ck_assert(net_lookup_ask(&lookup, 7, "localhost", 7001));
    net_lookup_close(&lookup);
}
END_TEST

static Suite *suite(void)
{
    Suite *result = suite_create("net_lookup");
    TCase *tcase = tcase_create("lookup");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_name_has_its_address);
    tcase_add_test(tcase, what_is_no_name_has_none);
    tcase_add_test(tcase, there_is_room_for_a_few_questions_at_a_time);
    tcase_add_test(tcase, an_answer_that_nobody_wants_is_lost);
    suite_add_tcase(result, tcase);
    return result;
}

int main(void)
{
    return check_run(suite());
}
