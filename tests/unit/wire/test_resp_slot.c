/* test_resp_slot.c - slots are those of redis-server 7.0.15. */
#include "wire/resp_slot.h"

#include "lib/check_runner.h"

static unsigned slot(const char *key)
{
    return resp_slot_of(bytes_of_text(key));
}

/* The check value of CRC-16/XMODEM. */
START_TEST(the_checksum_is_the_published_one)
{
    ck_assert_uint_eq(resp_slot_crc16(bytes_of_text("123456789")), 0x31c3);
    ck_assert_uint_eq(resp_slot_crc16(bytes_of(NULL, 0)), 0);
}
END_TEST

/* As CLUSTER KEYSLOT says. */
START_TEST(keys_have_the_slots_that_clients_compute)
{
    ck_assert_uint_eq(slot(""), 0);
    ck_assert_uint_eq(slot("123456789"), 12739);
    ck_assert_uint_eq(slot("foo"), 12182);
    ck_assert_uint_eq(resp_slot_of(bytes_of("\xff\0", 2)), 1023);
}
END_TEST

START_TEST(only_the_tag_of_a_key_counts)
{
    ck_assert_uint_eq(slot("{user}x"), 5474);
    ck_assert_uint_eq(slot("user"), 5474);
    ck_assert_uint_eq(slot("a{user}b{other}"), 5474);
    ck_assert_uint_eq(slot("a}{user}"), 5474);
    ck_assert_uint_eq(slot("x{a}{b}"), 15495);
    ck_assert_uint_eq(slot("a"), 15495);
}
END_TEST

START_TEST(a_tag_ends_at_the_first_brace_behind_it)
{
    ck_assert_uint_eq(slot("{{a}}b"), 10276);
    ck_assert_uint_eq(slot("{a"), 10276);
}
END_TEST

START_TEST(without_a_tag_the_whole_key_counts)
{
    ck_assert_uint_eq(slot("{}x"), 10595);
    ck_assert_uint_eq(slot("a}b{"), 6027);
    ck_assert_uint_eq(slot("foo{}{bar}"), 8363);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("resp_slot");
    TCase *tests = tcase_create("slots");

    tcase_add_test(tests, the_checksum_is_the_published_one);
    tcase_add_test(tests, keys_have_the_slots_that_clients_compute);
    tcase_add_test(tests, only_the_tag_of_a_key_counts);
    tcase_add_test(tests, a_tag_ends_at_the_first_brace_behind_it);
    tcase_add_test(tests, without_a_tag_the_whole_key_counts);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}
