/* test_peer_frame.c - frames are what they say or are refused with a reason. */
#include "wire/peer_frame.h"

#include <string.h>

#include "base/memory.h"
#include "lib/check_runner.h"
#include "lib/peer_sample.h"

#define HEAD PEER_FRAME_HEAD_BYTES
#define MAGIC_AT 0
#define VERSION_AT 4
#define TYPE_AT 5
#define RESERVED_AT 6
#define LENGTH_AT 8
#define CLUSTER_AT 16
#define CHECKSUM_AT 56

static struct peer_identity self;
static struct peer_sample sample;
static struct peer_frame frame;
static struct buffer bytes;

static void setup(void)
{
    self = peer_sample_identity();
    peer_frame_init(&frame);
    buffer_init(&bytes);
}

static void teardown(void)
{
    peer_frame_close(&frame);
    buffer_close(&bytes);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static void encode_plain(enum peer_message_kind kind)
{
    peer_sample_plain(&sample, kind);
    buffer_clear(&bytes);
    ck_assert_int_eq(peer_frame_encode(&self, &sample.message, &bytes),
                     STATUS_OK);
}

/* A block of exactly count bytes, so that a sanitizer sees one read too far. */
static enum status decode_first(size_t count)
{
    uint8_t *exact = memory_copy(bytes.data, count);
    const enum status status =
        peer_frame_decode(bytes_of(exact, count), &self, &frame);
    memory_free(exact);
    return status;
}

static enum status decode(void)
{
    return decode_first(bytes.count);
}

static enum status inspect(void)
{
    struct peer_frame_head head;
    size_t frame_bytes;
    return peer_frame_inspect(buffer_view(&bytes), &head, &frame_bytes);
}

static void seal(void)
{
    buffer_patch_u32(&bytes, CHECKSUM_AT,
                     peer_frame_checksum(buffer_view(&bytes)));
}

/* The format is a promise to other versions: these bytes change only together
 * with PEER_FRAME_VERSION. */
START_TEST(the_bytes_of_a_frame_are_these)
{
    static const uint8_t golden[] = {
        'H', 'O',  'L',  'D',  1,    1,    0,    0,    26,   0,   0,
        0,   4,    0,    0,    0,    '0',  '1',  '2',  '3',  '4', '5',
        '6', '7',  '8',  '9',  'a',  'b',  'c',  'd',  'e',  'f', 1,
        0,   0,    0,    0,    0,    0,    0,    2,    0,    0,   0,
        0,   0,    0,    0,    0x55, 0x44, 0x33, 0x22, 0x11, 0,   0,
        0,   0xac, 0x57, 0xc4, 0x74, 5,    0,    0,    0,    0,   0,
        0,   0,    10,   0,    0,    0,    0,    0,    0,    0,   4,
        0,   0,    0,    0,    0,    0,    0,    0,    1};

    encode_plain(PEER_VOTE);

    ck_assert_uint_eq(bytes.count, sizeof(golden));
    ck_assert_mem_eq(bytes.data, golden, sizeof(golden));
}
END_TEST

START_TEST(a_frame_tells_who_sent_it)
{
    encode_plain(PEER_REMOVE);

    ck_assert_int_eq(decode(), STATUS_OK);

    ck_assert_int_eq(frame.head.kind, PEER_REMOVE);
    ck_assert_uint_eq(frame.head.body_bytes, 8);
    ck_assert_uint_eq(frame.head.from, 1);
    ck_assert_uint_eq(frame.head.to, 2);
    ck_assert_uint_eq(frame.head.identity.group, self.group);
    ck_assert_uint_eq(frame.head.identity.incarnation, self.incarnation);
    ck_assert_mem_eq(frame.head.identity.cluster, self.cluster,
                     PEER_CLUSTER_BYTES);
}
END_TEST

START_TEST(frames_that_follow_each_other_are_told_apart)
{
    struct peer_frame_head head;
    size_t first_bytes;
    size_t second_bytes;
    encode_plain(PEER_APPEND);
    const size_t append_bytes = bytes.count;
    peer_sample_plain(&sample, PEER_FORWARD);
    ck_assert_int_eq(peer_frame_encode(&self, &sample.message, &bytes),
                     STATUS_OK);

    const struct bytes both = buffer_view(&bytes);
    ck_assert_int_eq(peer_frame_inspect(both, &head, &first_bytes), STATUS_OK);
    const struct bytes second =
        bytes_of(both.data + first_bytes, both.count - first_bytes);
    ck_assert_int_eq(peer_frame_inspect(second, &head, &second_bytes),
                     STATUS_OK);

    ck_assert_uint_eq(first_bytes, append_bytes);
    ck_assert_uint_eq(second_bytes, second.count);
    ck_assert_int_eq(peer_frame_decode(second, &self, &frame), STATUS_OK);
    ck_assert(peer_sample_equal(&frame.message, &sample.message));
}
END_TEST

START_TEST(a_frame_cut_short_is_incomplete)
{
    encode_plain(peer_sample_kinds[_i]);

    for (size_t count = 0; count < bytes.count; count++) {
        ck_assert_int_eq(decode_first(count), STATUS_INCOMPLETE);
    }
}
END_TEST

START_TEST(a_head_cut_short_asks_for_a_whole_head)
{
    struct peer_frame_head head;
    size_t frame_bytes = 0;
    encode_plain(PEER_FORWARD);

    const enum status status =
        peer_frame_inspect(bytes_of(bytes.data, HEAD - 1), &head, &frame_bytes);

    ck_assert_int_eq(status, STATUS_INCOMPLETE);
    ck_assert_uint_eq(frame_bytes, HEAD);
}
END_TEST

START_TEST(a_frame_with_bytes_behind_it_is_refused)
{
    encode_plain(peer_sample_kinds[_i]);
    buffer_u8(&bytes, 0);

    ck_assert_int_eq(decode(), STATUS_BAD_LENGTH);
}
END_TEST

/* What a changed byte at this offset may be called: its own name in the first
 * fields, a matter of length in the length, and damage everywhere else. */
static bool is_fitting(size_t at, enum status status)
{
    switch (at) {
    case MAGIC_AT:
    case MAGIC_AT + 1:
    case MAGIC_AT + 2:
    case MAGIC_AT + 3:
        return status == STATUS_BAD_MAGIC;
    case VERSION_AT:
        return status == STATUS_BAD_VERSION;
    case TYPE_AT:
        return status == STATUS_BAD_TYPE || status == STATUS_TOO_LONG ||
               status == STATUS_BAD_CHECKSUM;
    case RESERVED_AT:
    case RESERVED_AT + 1:
        return status == STATUS_BAD_VALUE;
    case LENGTH_AT:
    case LENGTH_AT + 1:
    case LENGTH_AT + 2:
    case LENGTH_AT + 3:
        return status == STATUS_TOO_LONG || status == STATUS_INCOMPLETE ||
               status == STATUS_BAD_LENGTH;
    default:
        return status == STATUS_BAD_CHECKSUM;
    }
}

START_TEST(every_changed_byte_is_noticed)
{
    encode_plain(peer_sample_kinds[_i]);

    for (size_t at = 0; at < bytes.count; at++) {
        for (unsigned change = 1; change < 256; change++) {
            bytes.data[at] ^= (uint8_t)change;
            const enum status status = decode();
            ck_assert_msg(is_fitting(at, status), "byte %zu ^ %u: %s", at,
                          change, status_text(status));
            bytes.data[at] ^= (uint8_t)change;
        }
    }
}
END_TEST

START_TEST(a_changed_checksum_is_noticed_in_a_large_frame)
{
    static uint8_t state[LIMIT_CHUNK_BYTES];
    peer_sample_plain(&sample, PEER_SNAPSHOT);
    sample.message.raft.snapshot.data = bytes_of(state, sizeof(state));
    ck_assert_int_eq(peer_frame_encode(&self, &sample.message, &bytes),
                     STATUS_OK);

    bytes.data[bytes.count - 1] ^= 0x80;

    ck_assert_int_eq(decode(), STATUS_BAD_CHECKSUM);
}
END_TEST

/* These are told from the head alone, before a byte of the body is there. */
START_TEST(a_wrong_head_is_refused_before_its_body_comes)
{
    static const struct {
        size_t at;
        uint8_t value;
        enum status status;
    } cases[] = {
        {MAGIC_AT, 'h', STATUS_BAD_MAGIC},
        {VERSION_AT, 0, STATUS_BAD_VERSION},
        {VERSION_AT, PEER_FRAME_VERSION + 1, STATUS_BAD_VERSION},
        {TYPE_AT, 0, STATUS_BAD_TYPE},
        {TYPE_AT, PEER_FOUND + 1, STATUS_BAD_TYPE},
        {TYPE_AT, PEER_JOIN - 1, STATUS_BAD_TYPE},
        {TYPE_AT, PEER_KIND_END, STATUS_BAD_TYPE},
        {TYPE_AT, 255, STATUS_BAD_TYPE},
        {RESERVED_AT, 1, STATUS_BAD_VALUE},
        {RESERVED_AT + 1, 0x80, STATUS_BAD_VALUE},
        {LENGTH_AT + 3, 0xff, STATUS_TOO_LONG},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        encode_plain(PEER_APPEND);
        bytes.data[cases[i].at] = cases[i].value;
        seal();
        buffer_cut(&bytes, HEAD);
        ck_assert_msg(inspect() == cases[i].status, "case %zu", i);
    }
}
END_TEST

START_TEST(no_type_may_announce_more_than_it_can_hold)
{
    struct peer_frame_head head;
    size_t frame_bytes;
    encode_plain(peer_sample_kinds[_i]);
    buffer_cut(&bytes, HEAD);

    buffer_patch_u32(&bytes, LENGTH_AT, LIMIT_FRAME_BYTES - HEAD + 1);
    ck_assert_int_eq(inspect(), STATUS_TOO_LONG);
    buffer_patch_u32(&bytes, LENGTH_AT, UINT32_MAX);
    ck_assert_int_eq(inspect(), STATUS_TOO_LONG);

    buffer_patch_u32(&bytes, LENGTH_AT, 0);
    ck_assert_int_eq(
        peer_frame_inspect(buffer_view(&bytes), &head, &frame_bytes),
        STATUS_OK);
    ck_assert_uint_eq(frame_bytes, HEAD);
}
END_TEST

START_TEST(a_small_type_cannot_announce_a_large_body)
{
    encode_plain(PEER_TIMEOUT_NOW);
    buffer_patch_u32(&bytes, LENGTH_AT, 9);

    ck_assert_int_eq(inspect(), STATUS_TOO_LONG);
}
END_TEST

START_TEST(another_cluster_is_refused)
{
    encode_plain(peer_sample_kinds[_i]);
    bytes.data[CLUSTER_AT + 15] ^= 1;
    seal();

    ck_assert_int_eq(decode(), STATUS_BAD_CLUSTER);
}
END_TEST

START_TEST(another_group_is_refused)
{
    encode_plain(peer_sample_kinds[_i]);
    self.group++;

    ck_assert_int_eq(decode(), STATUS_BAD_VALUE);
}
END_TEST

START_TEST(the_incarnation_of_the_receiver_does_not_matter)
{
    encode_plain(PEER_VOTE);
    self.incarnation++;

    ck_assert_int_eq(decode(), STATUS_OK);
    ck_assert_uint_eq(frame.head.identity.incarnation, self.incarnation - 1);
}
END_TEST

static bool is_from_stranger(enum peer_message_kind kind)
{
    return kind == PEER_JOIN || kind == PEER_FETCH || kind == PEER_HELLO ||
           kind == PEER_HELLO_REPLY || kind == PEER_FOUND;
}

START_TEST(only_what_strangers_say_comes_without_a_cluster)
{
    const enum peer_message_kind kind = peer_sample_kinds[_i];
    const enum status expected =
        is_from_stranger(kind) ? STATUS_OK : STATUS_BAD_CLUSTER;
    struct peer_identity nobody = {.group = self.group};
    encode_plain(kind);
    memset(bytes.data + CLUSTER_AT, 0, PEER_CLUSTER_BYTES);
    seal();

    ck_assert_int_eq(decode(), expected);
    ck_assert_int_eq(peer_frame_decode(buffer_view(&bytes), &nobody, &frame),
                     expected);
    buffer_clear(&bytes);
    ck_assert_int_eq(peer_frame_encode(&nobody, &sample.message, &bytes),
                     expected);
}
END_TEST

START_TEST(the_founded_have_a_cluster)
{
    const struct peer_identity nobody = {.group = self.group};
    peer_sample_plain(&sample, PEER_FOUND);
    sample.message.raft.found.founded = true;
    sample.message.raft.found.members = 0;
    ck_assert_int_eq(peer_frame_encode(&self, &sample.message, &bytes),
                     STATUS_OK);
    ck_assert_int_eq(decode(), STATUS_OK);
    memset(bytes.data + CLUSTER_AT, 0, PEER_CLUSTER_BYTES);
    seal();

    ck_assert_int_eq(decode(), STATUS_BAD_CLUSTER);
    ck_assert_int_eq(peer_frame_decode(buffer_view(&bytes), &nobody, &frame),
                     STATUS_BAD_CLUSTER);
    buffer_clear(&bytes);
    ck_assert_int_eq(peer_frame_encode(&nobody, &sample.message, &bytes),
                     STATUS_BAD_CLUSTER);
}
END_TEST

START_TEST(who_has_no_cluster_reads_the_frames_of_any)
{
    const enum peer_message_kind kind = peer_sample_kinds[_i];
    const struct peer_identity nobody = {.group = self.group};
    encode_plain(kind);

    ck_assert_int_eq(peer_frame_decode(buffer_view(&bytes), &nobody, &frame),
                     STATUS_OK);
    ck_assert(!peer_frame_has_cluster(&nobody));
    ck_assert(peer_frame_has_cluster(&frame.head.identity));
}
END_TEST

START_TEST(what_cannot_be_encoded_leaves_the_buffer_alone)
{
    encode_plain(PEER_JOIN);
    const size_t before = bytes.count;
    sample.message.join.id = 0;
    ck_assert_int_eq(peer_frame_encode(&self, &sample.message, &bytes),
                     STATUS_BAD_VALUE);
    sample.message.kind = PEER_KIND_END;
    ck_assert_int_eq(peer_frame_encode(&self, &sample.message, &bytes),
                     STATUS_BAD_TYPE);
    peer_sample_plain(&sample, PEER_VOTE);
    memset(self.cluster, 0, sizeof(self.cluster));
    ck_assert_int_eq(peer_frame_encode(&self, &sample.message, &bytes),
                     STATUS_BAD_CLUSTER);

    ck_assert_uint_eq(bytes.count, before);
    self = peer_sample_identity();
    ck_assert_int_eq(decode(), STATUS_OK);
}
END_TEST

static TCase *new_case(const char *name)
{
    TCase *tests = tcase_create(name);
    tcase_add_checked_fixture(tests, setup, teardown);
    return tests;
}

static TCase *framing_tests(void)
{
    TCase *tests = new_case("framing");

    tcase_add_test(tests, the_bytes_of_a_frame_are_these);
    tcase_add_test(tests, a_frame_tells_who_sent_it);
    tcase_add_test(tests, frames_that_follow_each_other_are_told_apart);
    tcase_add_loop_test(tests, a_frame_cut_short_is_incomplete, 0,
                        PEER_SAMPLE_KINDS);
    tcase_add_test(tests, a_head_cut_short_asks_for_a_whole_head);
    tcase_add_loop_test(tests, a_frame_with_bytes_behind_it_is_refused, 0,
                        PEER_SAMPLE_KINDS);
    tcase_add_test(tests, what_cannot_be_encoded_leaves_the_buffer_alone);
    return tests;
}

static TCase *damage_tests(void)
{
    TCase *tests = new_case("damage");

    tcase_add_loop_test(tests, every_changed_byte_is_noticed, 0,
                        PEER_SAMPLE_KINDS);
    tcase_add_test(tests, a_changed_checksum_is_noticed_in_a_large_frame);
    tcase_add_test(tests, a_wrong_head_is_refused_before_its_body_comes);
    tcase_add_loop_test(tests, no_type_may_announce_more_than_it_can_hold, 0,
                        PEER_SAMPLE_KINDS);
    tcase_add_test(tests, a_small_type_cannot_announce_a_large_body);
    return tests;
}

static TCase *identity_tests(void)
{
    TCase *tests = new_case("identity");

    tcase_add_loop_test(tests, another_cluster_is_refused, 0,
                        PEER_SAMPLE_KINDS);
    tcase_add_loop_test(tests, another_group_is_refused, 0, PEER_SAMPLE_KINDS);
    tcase_add_test(tests, the_incarnation_of_the_receiver_does_not_matter);
    tcase_add_loop_test(tests, only_what_strangers_say_comes_without_a_cluster,
                        0, PEER_SAMPLE_KINDS);
    tcase_add_test(tests, the_founded_have_a_cluster);
    tcase_add_loop_test(tests, who_has_no_cluster_reads_the_frames_of_any, 0,
                        PEER_SAMPLE_KINDS);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("peer_frame");

    suite_add_tcase(suite, framing_tests());
    suite_add_tcase(suite, damage_tests());
    suite_add_tcase(suite, identity_tests());
    return check_run(suite);
}
