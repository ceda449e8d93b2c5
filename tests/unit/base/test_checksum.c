/* test_checksum.c - the published checksums, by either path, in any pieces. */
#include "base/checksum.h"

#include <string.h>

#include "base/checksum_paths.h"
#include "base/random.h"
#include "lib/check_runner.h"

/* All paths this machine has must agree on what is expected. */
static void assert_checksum(struct bytes bytes, uint32_t expected)
{
    ck_assert_uint_eq(checksum_crc32c(bytes), expected);
    ck_assert_uint_eq(checksum_by_table(0, bytes), expected);
    if (checksum_instruction_present()) {
        ck_assert_uint_eq(checksum_by_instruction(0, bytes), expected);
    }
}

/* The definition, bit by bit: slow and hard to get wrong. */
static uint32_t checksum_by_definition(struct bytes bytes)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < bytes.count; i++) {
        crc ^= bytes.data[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc & 1) != 0 ? (crc >> 1) ^ 0x82F63B78u : crc >> 1;
        }
    }
    return ~crc;
}

START_TEST(the_check_value_is_the_published_one)
{
    assert_checksum(bytes_of_text("123456789"), 0xE3069283);
}
END_TEST

/* RFC 3720, appendix B.4. */
START_TEST(the_examples_of_iscsi_hold)
{
    uint8_t data[32];

    memset(data, 0x00, sizeof(data));
    assert_checksum(bytes_of(data, sizeof(data)), 0x8A9136AA);
    memset(data, 0xFF, sizeof(data));
    assert_checksum(bytes_of(data, sizeof(data)), 0x62A8AB43);
    for (uint8_t i = 0; i < 32; i++) {
        data[i] = i;
    }
    assert_checksum(bytes_of(data, sizeof(data)), 0x46DD794E);
    for (uint8_t i = 0; i < 32; i++) {
        data[i] = (uint8_t)(31 - i);
    }
    assert_checksum(bytes_of(data, sizeof(data)), 0x113FDB5C);
}
END_TEST

START_TEST(the_checksum_of_nothing_is_zero)
{
    assert_checksum(bytes_of(NULL, 0), 0);
    ck_assert_uint_eq(checksum_crc32c_extend(0x12345678, bytes_of(NULL, 0)),
                      0x12345678);
}
END_TEST

START_TEST(all_paths_follow_the_definition_at_any_length_and_alignment)
{
    uint8_t data[300];
    struct random random;
    random_init(&random, 11);
    for (size_t i = 0; i < sizeof(data); i++) {
        data[i] = (uint8_t)random_next(&random);
    }

    for (size_t offset = 0; offset < 9; offset++) {
        for (size_t count = 0; count + offset <= sizeof(data); count++) {
            const struct bytes bytes = bytes_of(data + offset, count);
            assert_checksum(bytes, checksum_by_definition(bytes));
        }
    }
}
END_TEST

START_TEST(pieces_sum_up_to_the_whole)
{
    const struct bytes whole = bytes_of_text("a frame that came in two reads");
    const uint32_t expected = checksum_crc32c(whole);

    for (size_t cut = 0; cut <= whole.count; cut++) {
        const struct bytes head = bytes_of(whole.data, cut);
        const struct bytes tail = bytes_of(whole.data + cut, whole.count - cut);
        const uint32_t so_far = checksum_crc32c(head);

        ck_assert_uint_eq(checksum_crc32c_extend(so_far, tail), expected);
        ck_assert_uint_eq(checksum_by_table(so_far, tail), expected);
        if (checksum_instruction_present()) {
            ck_assert_uint_eq(checksum_by_instruction(so_far, tail), expected);
        }
    }
}
END_TEST

START_TEST(a_single_flipped_bit_is_noticed)
{
    uint8_t data[64] = {0};
    const struct bytes bytes = bytes_of(data, sizeof(data));
    const uint32_t intact = checksum_crc32c(bytes);

    for (size_t bit = 0; bit < 8 * sizeof(data); bit++) {
        data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        ck_assert_uint_ne(checksum_crc32c(bytes), intact);
        data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("checksum");
    TCase *tests = tcase_create("checksum");

    tcase_add_test(tests, the_check_value_is_the_published_one);
    tcase_add_test(tests, the_examples_of_iscsi_hold);
    tcase_add_test(tests, the_checksum_of_nothing_is_zero);
    tcase_add_test(tests,
                   all_paths_follow_the_definition_at_any_length_and_alignment);
    tcase_add_test(tests, pieces_sum_up_to_the_whole);
    tcase_add_test(tests, a_single_flipped_bit_is_noticed);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}
