/* test_raft_members.c - a configuration keeps its members in order, counts its
 * voters, and survives its own bytes and nobody else's. */
#include "raft/raft_members.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "lib/check_runner.h"

#define HEAD_BYTES 4                  /* the count */
#define MEMBER_HEAD_BYTES (8 + 1 + 2) /* id, role, length of the address */

static struct raft_members members;
static struct buffer encoded;

static void open_members(void)
{
    memset(&members, 0, sizeof(members));
    buffer_init(&encoded);
}

static void close_members(void)
{
    buffer_close(&encoded);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static bool set(raft_id_t id, enum raft_member_role role, const char *address)
{
    return raft_members_set(&members, id, role, bytes_of_text(address));
}

static void fill_all_places(void)
{
    for (raft_id_t id = 1; id <= LIMIT_MEMBERS; id++) {
        ck_assert(set(id * 10, RAFT_VOTER, "full:1"));
    }
}

static void set_three(void)
{
    set(1, RAFT_VOTER, "ann:7001");
    set(2, RAFT_LEARNER, "");
    set(UINT64_MAX, RAFT_VOTER, "cid:7003");
}

/* Decode from a block of exactly the right size, so that a sanitizer sees the
 * first byte read beyond it. */
static enum status decode_exactly(struct raft_members *out, struct bytes source)
{
    uint8_t *exact = malloc(source.count > 0 ? source.count : 1);
    ck_assert_ptr_nonnull(exact);
    if (source.count > 0) {
        memcpy(exact, source.data, source.count);
    }
    const enum status status =
        raft_members_decode(out, bytes_of(exact, source.count));
    free(exact);
    return status;
}

static enum status decode_encoded(void)
{
    return decode_exactly(&members, buffer_view(&encoded));
}

/* Bytes are either refused, or they are the only ones that mean what they
 * mean: encoding the result gives them back. */
static bool refused_or_canonical(struct bytes source)
{
    struct raft_members out;
    if (decode_exactly(&out, source) != STATUS_OK) {
        return true;
    }
    struct buffer again;
    buffer_init(&again);
    raft_members_encode(&out, &again);
    const bool same = bytes_equal(buffer_view(&again), source);
    buffer_close(&again);
    return same;
}

static void put_member(raft_id_t id, uint8_t role, const char *address)
{
    buffer_u64(&encoded, id);
    buffer_u8(&encoded, role);
    buffer_bytes16(&encoded, bytes_of_text(address));
}

START_TEST(a_group_of_nobody_has_no_quorum)
{
    ck_assert_uint_eq(raft_members_voters_count(&members), 0);
    ck_assert_uint_eq(raft_members_quorum(&members), 0);
    ck_assert_ptr_null(raft_members_find(&members, 0));
    ck_assert_ptr_null(raft_members_find(&members, 1));
}
END_TEST

START_TEST(members_are_kept_in_order_of_id)
{
    set(30, RAFT_VOTER, "c");
    set(10, RAFT_VOTER, "a");
    set(20, RAFT_VOTER, "b");

    ck_assert_uint_eq(members.count, 3);
    ck_assert_uint_eq(members.list[0].id, 10);
    ck_assert_uint_eq(members.list[1].id, 20);
    ck_assert_uint_eq(members.list[2].id, 30);
    ck_assert_str_eq(members.list[0].address, "a");
    ck_assert_str_eq(members.list[1].address, "b");
    ck_assert_str_eq(members.list[2].address, "c");
}
END_TEST

START_TEST(a_member_is_found_by_its_id_alone)
{
    set(10, RAFT_VOTER, "a");
    set(30, RAFT_LEARNER, "c");

    ck_assert_ptr_eq(raft_members_find(&members, 10), &members.list[0]);
    ck_assert_ptr_eq(raft_members_find(&members, 30), &members.list[1]);
    ck_assert_ptr_null(raft_members_find(&members, 9));
    ck_assert_ptr_null(raft_members_find(&members, 20));
    ck_assert_ptr_null(raft_members_find(&members, 31));
}
END_TEST

START_TEST(a_learner_counts_for_nothing)
{
    set(1, RAFT_VOTER, "a");
    set(2, RAFT_LEARNER, "b");
    set(3, RAFT_LEARNER, "c");

    ck_assert_uint_eq(raft_members_voters_count(&members), 1);
    ck_assert_uint_eq(raft_members_quorum(&members), 1);
    ck_assert(raft_members_is_voter(&members, 1));
    ck_assert(!raft_members_is_voter(&members, 2));
    ck_assert(!raft_members_is_voter(&members, 4));
}
END_TEST

START_TEST(learners_alone_have_no_quorum)
{
    set(1, RAFT_LEARNER, "a");

    ck_assert_uint_eq(raft_members_quorum(&members), 0);
}
END_TEST

START_TEST(a_quorum_is_the_smallest_count_above_one_half)
{
    for (raft_id_t id = 1; id <= LIMIT_MEMBERS; id++) {
        set(id, RAFT_VOTER, "");

        const size_t quorum = raft_members_quorum(&members);
        ck_assert_uint_gt(2 * quorum, id);
        ck_assert_uint_le(2 * (quorum - 1), id);
    }
}
END_TEST

START_TEST(setting_again_replaces_role_and_address)
{
    set(1, RAFT_LEARNER, "a-long-name:7001");
    set(2, RAFT_VOTER, "b");

    ck_assert(set(1, RAFT_VOTER, "ann"));

    const struct raft_member *member = raft_members_find(&members, 1);
    ck_assert_uint_eq(members.count, 2);
    ck_assert_int_eq(member->role, RAFT_VOTER);
    ck_assert_str_eq(member->address, "ann");
    ck_assert_str_eq(members.list[1].address, "b");
}
END_TEST

START_TEST(an_address_may_be_empty)
{
    ck_assert(raft_members_set(&members, 1, RAFT_VOTER, bytes_of(NULL, 0)));

    ck_assert_str_eq(members.list[0].address, "");
}
END_TEST

START_TEST(the_longest_address_fits_and_ends)
{
    uint8_t text[LIMIT_ADDRESS_BYTES];
    memset(text, 'x', sizeof(text));

    ck_assert(raft_members_set(&members, 1, RAFT_VOTER,
                               bytes_of(text, sizeof(text))));

    ck_assert_uint_eq(strlen(members.list[0].address), LIMIT_ADDRESS_BYTES);
}
END_TEST

START_TEST(too_long_an_address_changes_nothing)
{
    uint8_t text[LIMIT_ADDRESS_BYTES + 1];
    memset(text, 'x', sizeof(text));
    const struct bytes address = bytes_of(text, sizeof(text));
    set_three();
    const struct raft_members before = members;

    ck_assert(!raft_members_set(&members, 1, RAFT_LEARNER, address));
    ck_assert(!raft_members_set(&members, 7, RAFT_VOTER, address));

    ck_assert(raft_members_equal(&members, &before));
}
END_TEST

START_TEST(a_full_group_takes_nobody_more)
{
    fill_all_places();
    const struct raft_members before = members;

    ck_assert(!set(5, RAFT_VOTER, "first"));
    ck_assert(!set(85, RAFT_VOTER, "between"));
    ck_assert(!set(1000, RAFT_VOTER, "last"));

    ck_assert(raft_members_equal(&members, &before));
}
END_TEST

START_TEST(a_full_group_can_still_change_its_members)
{
    fill_all_places();

    ck_assert(set(10, RAFT_LEARNER, "first"));
    ck_assert(set(LIMIT_MEMBERS * 10, RAFT_LEARNER, "last"));

    ck_assert_uint_eq(members.count, LIMIT_MEMBERS);
    ck_assert_uint_eq(raft_members_voters_count(&members), LIMIT_MEMBERS - 2);
    ck_assert_str_eq(members.list[LIMIT_MEMBERS - 1].address, "last");
}
END_TEST

START_TEST(removal_closes_the_gap)
{
    set(1, RAFT_VOTER, "a");
    set(2, RAFT_VOTER, "b");
    set(3, RAFT_LEARNER, "c");

    ck_assert(raft_members_remove(&members, 2));

    ck_assert_uint_eq(members.count, 2);
    ck_assert_str_eq(members.list[0].address, "a");
    ck_assert_str_eq(members.list[1].address, "c");
    ck_assert_int_eq(members.list[1].role, RAFT_LEARNER);
    ck_assert_ptr_null(raft_members_find(&members, 2));
}
END_TEST

START_TEST(removing_a_stranger_changes_nothing)
{
    ck_assert(!raft_members_remove(&members, 1));
    fill_all_places();
    const struct raft_members before = members;

    ck_assert(!raft_members_remove(&members, 0));
    ck_assert(!raft_members_remove(&members, 15));
    ck_assert(!raft_members_remove(&members, UINT64_MAX));

    ck_assert(raft_members_equal(&members, &before));
}
END_TEST

START_TEST(a_full_group_can_be_emptied_from_either_end)
{
    fill_all_places();

    for (raft_id_t id = 1; id <= LIMIT_MEMBERS / 2; id++) {
        ck_assert(raft_members_remove(&members, id * 10));
        ck_assert(raft_members_remove(&members, (LIMIT_MEMBERS + 1 - id) * 10));
    }

    ck_assert_uint_eq(members.count, 0);
}
END_TEST

START_TEST(equal_means_same_ids_roles_and_addresses)
{
    set_three();
    struct raft_members other = members;
    ck_assert(raft_members_equal(&members, &other));

    other.list[1].id = 3;
    ck_assert(!raft_members_equal(&members, &other));
    other = members;
    other.list[1].role = RAFT_VOTER;
    ck_assert(!raft_members_equal(&members, &other));
    other = members;
    other.list[1].address[0] = 'x';
    ck_assert(!raft_members_equal(&members, &other));
    other = members;
    other.count = 2;
    ck_assert(!raft_members_equal(&members, &other));
    ck_assert(!raft_members_equal(&other, &members));
}
END_TEST

START_TEST(what_a_member_was_before_does_not_tell)
{
    set_three();
    const struct raft_members straight = members;
    memset(&members, 0, sizeof(members));

    set(UINT64_MAX, RAFT_LEARNER, "somewhere-else-entirely:1");
    set(5, RAFT_VOTER, "five");
    set_three();
    raft_members_remove(&members, 5);

    ck_assert(raft_members_equal(&members, &straight));
    struct buffer other;
    buffer_init(&other);
    raft_members_encode(&straight, &other);
    raft_members_encode(&members, &encoded);
    ck_assert(bytes_equal(buffer_view(&encoded), buffer_view(&other)));
    buffer_close(&other);
}
END_TEST

START_TEST(the_bytes_are_count_then_id_role_and_address)
{
    const uint8_t expected[] = {2, 0,   0,   0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 2,
                                0, 'a', 'b', 4, 3, 2, 1, 0, 0, 0, 0, 2, 0, 0};
    set(1, RAFT_VOTER, "ab");
    set(0x01020304, RAFT_LEARNER, "");

    buffer_u8(&encoded, 0xEE);
    raft_members_encode(&members, &encoded);

    ck_assert_uint_eq(encoded.count, 1 + sizeof(expected));
    ck_assert_uint_eq(encoded.data[0], 0xEE);
    ck_assert_mem_eq(encoded.data + 1, expected, sizeof(expected));
}
END_TEST

START_TEST(the_largest_group_comes_back_from_its_bytes)
{
    uint8_t text[LIMIT_ADDRESS_BYTES];
    memset(text, 0xFF, sizeof(text));
    for (raft_id_t i = 0; i < LIMIT_MEMBERS; i++) {
        raft_members_set(&members, UINT64_MAX - i,
                         i % 2 == 0 ? RAFT_VOTER : RAFT_LEARNER,
                         bytes_of(text, sizeof(text)));
    }
    const struct raft_members before = members;

    raft_members_encode(&members, &encoded);

    ck_assert_uint_eq(encoded.count, LIMIT_MEMBERS_BYTES);
    ck_assert_int_eq(decode_encoded(), STATUS_OK);
    ck_assert(raft_members_equal(&members, &before));
}
END_TEST

START_TEST(a_group_of_nobody_comes_back_from_its_bytes)
{
    raft_members_encode(&members, &encoded);
    set_three();

    ck_assert_uint_eq(encoded.count, HEAD_BYTES);
    ck_assert_int_eq(decode_encoded(), STATUS_OK);
    ck_assert_uint_eq(members.count, 0);
}
END_TEST

/* The model has a place for each of 24 ids, more than there is room for. */
#define MODEL_IDS 24

static struct {
    enum raft_member_role role[MODEL_IDS + 1]; /* 0: not a member */
    char address[MODEL_IDS + 1][8];
    size_t count;
} model;

static void change_at_random(struct random *random)
{
    const raft_id_t id = random_between(random, 1, MODEL_IDS);
    const bool there = model.role[id] != 0;
    if (random_chance(random, 1, 3)) {
        ck_assert(raft_members_remove(&members, id) == there);
        model.count -= there ? 1 : 0;
        model.role[id] = 0;
        return;
    }
    char address[8] = "";
    const size_t length = (size_t)random_below(random, sizeof(address));
    for (size_t i = 0; i < length; i++) {
        address[i] = (char)random_between(random, 'a', 'z');
    }
    const enum raft_member_role role =
        random_chance(random, 1, 2) ? RAFT_VOTER : RAFT_LEARNER;
    const bool room = there || model.count < LIMIT_MEMBERS;
    ck_assert(set(id, role, address) == room);
    if (room) {
        model.count += there ? 0 : 1;
        model.role[id] = role;
        memcpy(model.address[id], address, sizeof(address));
    }
}

static bool agrees_with_model(void)
{
    size_t voters = 0;
    size_t at = 0;
    for (raft_id_t id = 1; id <= MODEL_IDS; id++) {
        const struct raft_member *member = raft_members_find(&members, id);
        const bool votes = model.role[id] == RAFT_VOTER;
        voters += votes ? 1 : 0;
        if (raft_members_is_voter(&members, id) != votes ||
            (member != NULL) != (model.role[id] != 0)) {
            return false;
        }
        if (member == NULL) {
            continue;
        }
        if (member != &members.list[at] || member->role != model.role[id] ||
            strcmp(member->address, model.address[id]) != 0) {
            return false;
        }
        at++;
    }
    return members.count == at && model.count == at &&
           raft_members_voters_count(&members) == voters;
}

START_TEST(random_changes_agree_with_a_place_for_each_id)
{
    struct random random;
    random_init(&random, 11);
    memset(&model, 0, sizeof(model));

    for (int i = 0; i < 20000; i++) {
        change_at_random(&random);
        buffer_clear(&encoded);
        raft_members_encode(&members, &encoded);
        ck_assert_int_eq(decode_encoded(), STATUS_OK);
        ck_assert_msg(agrees_with_model(), "after change %d", i);
    }
}
END_TEST

START_TEST(every_truncation_is_refused)
{
    set_three();
    raft_members_encode(&members, &encoded);

    for (size_t count = 0; count < encoded.count; count++) {
        struct raft_members out;
        ck_assert_int_eq(decode_exactly(&out, bytes_of(encoded.data, count)),
                         STATUS_BAD_LENGTH);
    }
}
END_TEST

START_TEST(a_byte_too_many_is_refused)
{
    set_three();
    raft_members_encode(&members, &encoded);

    buffer_u8(&encoded, 0);

    ck_assert_int_eq(decode_encoded(), STATUS_BAD_LENGTH);
}
END_TEST

START_TEST(every_value_of_every_byte_is_refused_or_canonical)
{
    set_three();
    raft_members_encode(&members, &encoded);

    for (size_t at = 0; at < encoded.count; at++) {
        const uint8_t before = encoded.data[at];
        for (unsigned value = 0; value <= UINT8_MAX; value++) {
            encoded.data[at] = (uint8_t)value;
            if (!refused_or_canonical(buffer_view(&encoded))) {
                ck_abort_msg("byte %zu as %u", at, value);
            }
        }
        encoded.data[at] = before;
    }
}
END_TEST

START_TEST(a_count_that_lies_is_refused)
{
    set_three();
    raft_members_encode(&members, &encoded);
    const uint32_t lies[] = {
        0,          1,         2,         4, LIMIT_MEMBERS, LIMIT_MEMBERS + 1,
        0x01000003, INT32_MAX, UINT32_MAX};

    for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
        buffer_patch_u32(&encoded, 0, lies[i]);
        ck_assert_int_ne(decode_encoded(), STATUS_OK);
    }
}
END_TEST

START_TEST(more_members_than_there_is_room_for_are_refused)
{
    buffer_u32(&encoded, LIMIT_MEMBERS + 1);
    for (raft_id_t id = 1; id <= LIMIT_MEMBERS + 1; id++) {
        put_member(id, RAFT_VOTER, "a");
    }

    ck_assert_int_eq(decode_encoded(), STATUS_BAD_VALUE);
}
END_TEST

START_TEST(ids_that_do_not_ascend_are_refused)
{
    const raft_id_t pairs[][2] = {{2, 1}, {2, 2}, {UINT64_MAX, 1}, {1, 0}};

    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
        buffer_clear(&encoded);
        buffer_u32(&encoded, 2);
        put_member(pairs[i][0], RAFT_VOTER, "a");
        put_member(pairs[i][1], RAFT_VOTER, "b");
        ck_assert_int_eq(decode_encoded(), STATUS_BAD_VALUE);
    }
}
END_TEST

START_TEST(the_id_of_nobody_is_refused)
{
    buffer_u32(&encoded, 1);
    put_member(0, RAFT_VOTER, "a");

    ck_assert_int_eq(decode_encoded(), STATUS_BAD_VALUE);
}
END_TEST

START_TEST(only_the_three_roles_are_known)
{
    for (unsigned role = 0; role <= UINT8_MAX; role++) {
        buffer_clear(&encoded);
        buffer_u32(&encoded, 1);
        put_member(1, (uint8_t)role, "a");

        const bool known =
            role == RAFT_VOTER || role == RAFT_LEARNER || role == RAFT_JOINING;
        ck_assert_int_eq(decode_encoded(),
                         known ? STATUS_OK : STATUS_BAD_VALUE);
    }
}
END_TEST

START_TEST(a_zero_anywhere_in_an_address_is_refused)
{
    const size_t length = 9;
    const size_t start = HEAD_BYTES + MEMBER_HEAD_BYTES;

    for (size_t at = 0; at < length; at++) {
        buffer_clear(&encoded);
        buffer_u32(&encoded, 1);
        put_member(1, RAFT_VOTER, "host:7001");
        encoded.data[start + at] = 0;
        ck_assert_int_eq(decode_encoded(), STATUS_BAD_VALUE);
    }
}
END_TEST

START_TEST(an_address_above_the_limit_is_refused)
{
    static char text[UINT16_MAX + 1];
    const size_t lengths[] = {LIMIT_ADDRESS_BYTES + 1, 1024, UINT16_MAX};

    for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
        memset(text, 'x', sizeof(text));
        text[lengths[i]] = '\0';
        buffer_clear(&encoded);
        buffer_u32(&encoded, 1);
        put_member(1, RAFT_VOTER, text);
        ck_assert_int_eq(decode_encoded(), STATUS_BAD_VALUE);
    }
}
END_TEST

START_TEST(an_address_length_that_lies_is_refused)
{
    const size_t length_at = HEAD_BYTES + 8 + 1;
    for (unsigned length = 0; length <= UINT16_MAX; length++) {
        buffer_clear(&encoded);
        buffer_u32(&encoded, 1);
        put_member(1, RAFT_VOTER, "host:7001");
        encoded.data[length_at] = (uint8_t)length;
        encoded.data[length_at + 1] = (uint8_t)(length >> 8);

        const bool honest = length == 9;
        if ((decode_encoded() == STATUS_OK) != honest) {
            ck_abort_msg("length %u", length);
        }
    }
}
END_TEST

START_TEST(random_damage_is_refused_or_canonical)
{
    struct random random;
    random_init(&random, 12);
    set_three();
    raft_members_encode(&members, &encoded);
    const size_t whole = encoded.count;

    for (int i = 0; i < 100000; i++) {
        uint8_t damaged[64];
        ck_assert_uint_le(whole, sizeof(damaged));
        memcpy(damaged, encoded.data, whole);
        const uint64_t edits = random_between(&random, 1, 6);
        for (uint64_t e = 0; e < edits; e++) {
            damaged[random_below(&random, whole)] =
                (uint8_t)random_below(&random, 5);
        }
        const size_t count = (size_t)random_between(&random, whole / 2, whole);
        if (!refused_or_canonical(bytes_of(damaged, count))) {
            ck_abort_msg("damage %d", i);
        }
    }
}
END_TEST

START_TEST(noise_is_refused_or_canonical)
{
    struct random random;
    random_init(&random, 13);

    for (int i = 0; i < 100000; i++) {
        uint8_t noise[48];
        const size_t count = (size_t)random_below(&random, sizeof(noise) + 1);
        for (size_t at = 0; at < count; at++) {
            /* Few values, so that much of it looks right for a while. */
            noise[at] = (uint8_t)random_below(&random, at % 11 < 4 ? 3 : 2);
        }
        if (!refused_or_canonical(bytes_of(noise, count))) {
            ck_abort_msg("noise %d", i);
        }
    }
}
END_TEST

START_TEST(a_member_without_an_id_is_a_bug)
{
    set(0, RAFT_VOTER, "a");
}
END_TEST

START_TEST(a_member_without_a_role_is_a_bug)
{
    set(1, (enum raft_member_role)0, "a");
}
END_TEST

static TCase *group_tests(void)
{
    TCase *tests = tcase_create("group");

    tcase_add_checked_fixture(tests, open_members, close_members);
    tcase_add_test(tests, a_group_of_nobody_has_no_quorum);
    tcase_add_test(tests, members_are_kept_in_order_of_id);
    tcase_add_test(tests, a_member_is_found_by_its_id_alone);
    tcase_add_test(tests, a_learner_counts_for_nothing);
    tcase_add_test(tests, learners_alone_have_no_quorum);
    tcase_add_test(tests, a_quorum_is_the_smallest_count_above_one_half);
    tcase_add_test(tests, setting_again_replaces_role_and_address);
    tcase_add_test(tests, an_address_may_be_empty);
    tcase_add_test(tests, the_longest_address_fits_and_ends);
    tcase_add_test(tests, too_long_an_address_changes_nothing);
    tcase_add_test(tests, a_full_group_takes_nobody_more);
    tcase_add_test(tests, a_full_group_can_still_change_its_members);
    tcase_add_test(tests, removal_closes_the_gap);
    tcase_add_test(tests, removing_a_stranger_changes_nothing);
    tcase_add_test(tests, a_full_group_can_be_emptied_from_either_end);
    tcase_add_test(tests, equal_means_same_ids_roles_and_addresses);
    tcase_add_test(tests, what_a_member_was_before_does_not_tell);
    tcase_add_test(tests, random_changes_agree_with_a_place_for_each_id);
    return tests;
}

static TCase *bytes_tests(void)
{
    TCase *tests = tcase_create("bytes");

    tcase_add_checked_fixture(tests, open_members, close_members);
    tcase_add_test(tests, the_bytes_are_count_then_id_role_and_address);
    tcase_add_test(tests, the_largest_group_comes_back_from_its_bytes);
    tcase_add_test(tests, a_group_of_nobody_comes_back_from_its_bytes);
    tcase_add_test(tests, every_truncation_is_refused);
    tcase_add_test(tests, a_byte_too_many_is_refused);
    tcase_add_test(tests, every_value_of_every_byte_is_refused_or_canonical);
    tcase_add_test(tests, a_count_that_lies_is_refused);
    tcase_add_test(tests, more_members_than_there_is_room_for_are_refused);
    tcase_add_test(tests, ids_that_do_not_ascend_are_refused);
    tcase_add_test(tests, the_id_of_nobody_is_refused);
    tcase_add_test(tests, only_the_three_roles_are_known);
    tcase_add_test(tests, a_zero_anywhere_in_an_address_is_refused);
    tcase_add_test(tests, an_address_above_the_limit_is_refused);
    tcase_add_test(tests, an_address_length_that_lies_is_refused);
    tcase_add_test(tests, random_damage_is_refused_or_canonical);
    tcase_add_test(tests, noise_is_refused_or_canonical);
    return tests;
}

static TCase *bug_tests(void)
{
    TCase *tests = tcase_create("bugs");

    tcase_add_checked_fixture(tests, open_members, NULL);
    tcase_add_test_raise_signal(tests, a_member_without_an_id_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, a_member_without_a_role_is_a_bug,
                                SIGABRT);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("raft_members");

    suite_add_tcase(suite, group_tests());
    suite_add_tcase(suite, bytes_tests());
    suite_add_tcase(suite, bug_tests());
    return check_run(suite);
}
