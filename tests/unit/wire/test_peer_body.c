/* test_peer_body.c - what holds for the bodies of all kinds alike.
 *
 * Bodies come back as they were sent, have one encoding, and lengths that do
 * not add up are refused. What single fields may hold is the subject of
 * test_peer_body_raft.c and test_peer_body_node.c.
 */
#include "wire/peer_body.h"

#include <string.h>

#include "raft/raft_members.h"
#include "unit/wire/peer_fixture.h"

/* ---- there and back ---- */

START_TEST(a_message_comes_back_as_it_was_sent)
{
    struct random random;
    random_init(&random, 1000 + (uint64_t)_i);

    for (int round = 0; round < 2000; round++) {
        peer_sample_draw(&px.sample, peer_sample_kinds[_i], &random);
        ck_assert_int_eq(px_encode(), STATUS_OK);
        ck_assert_int_eq(px_decode(), STATUS_OK);
        ck_assert(peer_sample_equal(&px.frame.message, &px.sample.message));
    }
}
END_TEST

START_TEST(a_plain_message_comes_back_as_it_was_sent)
{
    px_plain(peer_sample_kinds[_i]);

    ck_assert_int_eq(px_decode(), STATUS_OK);

    ck_assert(peer_sample_equal(&px.frame.message, &px.sample.message));
}
END_TEST

/* The format is a promise to other versions: these change only together with
 * PEER_FRAME_VERSION. */
START_TEST(the_bytes_of_plain_messages_are_these)
{
    static const struct {
        size_t body_bytes;
        uint32_t checksum;
    } golden[PEER_SAMPLE_KINDS] = {
        {26, 0x74c457ac}, {10, 0x41ef2a77}, {144, 0x156c369a}, {57, 0x947d8344},
        {94, 0x0a8249ef}, {41, 0x78a5f552}, {8, 0x889bdf17},   {27, 0x607e194d},
        {22, 0xcdb7aeeb}, {0, 0x991b3377},  {60, 0x5aad6073},  {8, 0xf364b14e},
        {27, 0xa17881ff}, {40, 0x0ebbbc08}, {36, 0x32d47a6c},  {34, 0xda4713ac},
        {30, 0x71e9814f}, {11, 0x4b8c154b}, {11, 0x740832eb},  {8, 0x61220bcd},
    };
    px_plain(peer_sample_kinds[_i]);

    ck_assert_uint_eq(px.bytes.count - PX_HEAD, golden[_i].body_bytes);
    ck_assert_uint_eq(peer_frame_checksum(buffer_view(&px.bytes)),
                      golden[_i].checksum);
}
END_TEST

/* ---- lengths that lie ---- */

START_TEST(a_body_cut_short_is_refused)
{
    px_plain(peer_sample_kinds[_i]);

    while (px.bytes.count > PX_HEAD) {
        buffer_cut(&px.bytes, px.bytes.count - 1);
        px_seal();
        ck_assert_int_eq(px_decode(), STATUS_BAD_LENGTH);
    }
}
END_TEST

START_TEST(a_body_with_a_byte_too_many_is_refused)
{
    px_plain(peer_sample_kinds[_i]);
    buffer_u8(&px.bytes, 0);
    px_seal();

    /* A body of fixed size is refused by its head already. */
    const enum status status = px_decode();
    ck_assert(status == STATUS_BAD_LENGTH || status == STATUS_TOO_LONG);
}
END_TEST

/* px_decode() insists that what is accepted has no other encoding. */
START_TEST(any_byte_of_a_body_may_hold_anything)
{
    px_plain(peer_sample_kinds[_i]);

    for (size_t at = PX_HEAD; at < px.bytes.count; at++) {
        for (unsigned change = 1; change < 256; change++) {
            px.bytes.data[at] ^= (uint8_t)change;
            px_seal();
            const enum status status = px_decode();
            ck_assert(status == STATUS_OK || status == STATUS_BAD_VALUE ||
                      status == STATUS_BAD_LENGTH || status == STATUS_TOO_LONG);
            px.bytes.data[at] ^= (uint8_t)change;
        }
    }
}
END_TEST

/* ---- ids and terms ---- */

static enum status decode_from_to(enum peer_message_kind kind, raft_id_t from,
                                  raft_id_t to)
{
    px_plain(kind);
    for (size_t i = 0; i < 8; i++) {
        px.bytes.data[32 + i] = (uint8_t)(from >> (8 * i));
        px.bytes.data[40 + i] = (uint8_t)(to >> (8 * i));
    }
    px_seal();
    return px_decode();
}

START_TEST(members_write_to_others_and_sign)
{
    const enum peer_message_kind kind = peer_sample_kinds[_i];
    const bool asks =
        kind == PEER_JOIN || kind == PEER_FETCH || kind == PEER_HELLO;
    const bool answers = kind == PEER_JOIN_REPLY || kind == PEER_FETCH_REPLY ||
                         kind == PEER_HELLO_REPLY;

    ck_assert_int_eq(decode_from_to(kind, 1, 2), STATUS_OK);
    ck_assert_int_eq(decode_from_to(kind, 0, 2), STATUS_BAD_VALUE);
    ck_assert_int_eq(decode_from_to(kind, 1, 0),
                     asks ? STATUS_OK : STATUS_BAD_VALUE);
    ck_assert_int_eq(decode_from_to(kind, 2, 2),
                     asks || answers ? STATUS_OK : STATUS_BAD_VALUE);
}
END_TEST

START_TEST(a_message_at_odds_with_itself_is_not_sent)
{
    peer_sample_plain(&px.sample, PEER_VOTE);
    px.sample.message.raft.kind = RAFT_MESSAGE_APPEND;
    ck_assert_int_eq(px_encode(), STATUS_BAD_VALUE);
    peer_sample_plain(&px.sample, PEER_VOTE);
    px.sample.message.raft.from = 9;
    ck_assert_int_eq(px_encode(), STATUS_BAD_VALUE);
    peer_sample_plain(&px.sample, PEER_VOTE);
    px.sample.message.raft.to = 9;
    ck_assert_int_eq(px_encode(), STATUS_BAD_VALUE);
}
END_TEST

START_TEST(a_raft_message_carries_its_own_ids_into_the_frame)
{
    const struct raft_message raft = {
        .kind = RAFT_MESSAGE_TIMEOUT_NOW, .from = 8, .to = 9, .term = 3};

    px.sample.message = peer_message_of_raft(&raft);
    px_there_and_back();

    ck_assert_uint_eq(px.frame.head.from, 8);
    ck_assert_uint_eq(px.frame.head.to, 9);
    ck_assert_uint_eq(px.frame.message.raft.from, 8);
    ck_assert_uint_eq(px.frame.message.raft.to, 9);
}
END_TEST

START_TEST(a_raft_message_has_a_term_within_bounds)
{
    const enum peer_message_kind kind = peer_sample_kinds[_i];
    ck_assert(peer_message_is_raft(kind));

    px_check_forgery(&(struct px_forgery){kind, 0, 8, 0, STATUS_BAD_VALUE});
    px_check_forgery(
        &(struct px_forgery){kind, 0, 8, PEER_NUMBER_MAX, STATUS_OK});
    px_check_forgery(
        &(struct px_forgery){kind, 0, 8, PX_BEYOND, STATUS_BAD_VALUE});
}
END_TEST

/* A member that lost entries refuses pre-votes from its first moment on. */
START_TEST(only_the_refusal_of_a_pre_vote_may_have_no_term)
{
    for (int outcome = 0; outcome < 4; outcome++) {
        const bool pre = outcome & 1;
        const bool granted = outcome & 2;
        peer_sample_plain(&px.sample, PEER_VOTE_REPLY);
        px.sample.message.raft.vote_reply.pre = pre;
        px.sample.message.raft.vote_reply.granted = granted;
        px.sample.message.raft.term = 0;

        if (pre && !granted) {
            px_there_and_back();
        } else {
            ck_assert_int_eq(px_encode(), STATUS_BAD_VALUE);
        }
    }
}
END_TEST

/* ---- the list of kinds ---- */

START_TEST(every_kind_has_a_whole_row)
{
    const enum peer_message_kind kind = peer_sample_kinds[_i];
    const struct peer_body *body = peer_body_find(kind);

    ck_assert_ptr_nonnull(body);
    ck_assert_ptr_nonnull(body->name);
    ck_assert(body->encode != NULL && body->decode != NULL &&
              body->check != NULL);
    ck_assert_uint_le(body->bytes_max, LIMIT_FRAME_BYTES - PX_HEAD);
}
END_TEST

START_TEST(any_other_kind_is_not_found_and_not_sent)
{
    size_t found = 0;
    for (int kind = -300; kind < 300; kind++) {
        px.sample.message.kind = (enum peer_message_kind)kind;
        if (peer_body_find(px.sample.message.kind) != NULL) {
            found++;
        } else {
            ck_assert_int_eq(peer_body_check(&px.sample.message),
                             STATUS_BAD_TYPE);
            ck_assert_int_eq(px_encode(), STATUS_BAD_TYPE);
        }
    }

    ck_assert_uint_eq(found, PEER_SAMPLE_KINDS);
}
END_TEST

/* ---- parts of bodies ---- */

START_TEST(a_truth_value_is_0_or_1)
{
    for (unsigned value = 0; value < 256; value++) {
        const uint8_t byte = (uint8_t)value;
        struct peer_body_source source = {.reader =
                                              reader_of(bytes_of(&byte, 1))};

        const bool taken = peer_body_take_bool(&source);

        ck_assert(taken == (value == 1));
        ck_assert_int_eq(source.problem,
                         value < 2 ? STATUS_OK : STATUS_BAD_VALUE);
        ck_assert(reader_finished(&source.reader));
    }
}
END_TEST

START_TEST(the_first_problem_stays)
{
    struct peer_body_source source = {.problem = STATUS_OK};

    peer_body_object(&source, STATUS_TOO_LONG);
    peer_body_object(&source, STATUS_BAD_VALUE);

    ck_assert_int_eq(source.problem, STATUS_TOO_LONG);
}
END_TEST

static enum status check_members(const struct raft_members *members)
{
    struct buffer buffer = {0};
    raft_members_encode(members, &buffer);
    const enum status status = peer_body_check_members(buffer_view(&buffer));
    buffer_close(&buffer);
    return status;
}

START_TEST(a_configuration_can_elect_somebody)
{
    struct raft_members members = {0};
    ck_assert_int_eq(check_members(&members), STATUS_BAD_VALUE);
    raft_members_set(&members, 1, RAFT_LEARNER, bytes_of(NULL, 0));
    ck_assert_int_eq(check_members(&members), STATUS_BAD_VALUE);
    raft_members_set(&members, 2, RAFT_VOTER, bytes_of(NULL, 0));
    ck_assert_int_eq(check_members(&members), STATUS_OK);
}
END_TEST

START_TEST(the_largest_configuration_passes_and_nothing_larger)
{
    static uint8_t larger[LIMIT_MEMBERS_BYTES + 1];
    char address[LIMIT_ADDRESS_BYTES];
    struct raft_members members = {0};
    memset(address, 'a', sizeof(address));
    for (raft_id_t id = 1; id <= LIMIT_MEMBERS; id++) {
        ck_assert(raft_members_set(&members, id, RAFT_VOTER,
                                   bytes_of(address, sizeof(address))));
    }

    ck_assert_int_eq(check_members(&members), STATUS_OK);
    ck_assert_int_eq(peer_body_check_members(bytes_of(larger, sizeof(larger))),
                     STATUS_TOO_LONG);
    ck_assert_int_eq(peer_body_check_members(bytes_of(larger, 3)),
                     STATUS_BAD_LENGTH);
}
END_TEST

static TCase *round_trip_tests(void)
{
    TCase *tests = px_case("round trip");

    tcase_add_loop_test(tests, a_message_comes_back_as_it_was_sent, 0,
                        PEER_SAMPLE_KINDS);
    tcase_add_loop_test(tests, a_plain_message_comes_back_as_it_was_sent, 0,
                        PEER_SAMPLE_KINDS);
    tcase_add_loop_test(tests, the_bytes_of_plain_messages_are_these, 0,
                        PEER_SAMPLE_KINDS);
    return tests;
}

static TCase *receiving_tests(void)
{
    TCase *tests = px_case("receiving");

    tcase_add_loop_test(tests, a_body_cut_short_is_refused, 0,
                        PEER_SAMPLE_KINDS);
    tcase_add_loop_test(tests, a_body_with_a_byte_too_many_is_refused, 0,
                        PEER_SAMPLE_KINDS);
    tcase_add_loop_test(tests, any_byte_of_a_body_may_hold_anything, 0,
                        PEER_SAMPLE_KINDS);
    return tests;
}

static TCase *shared_field_tests(void)
{
    TCase *tests = px_case("shared fields");

    tcase_add_loop_test(tests, members_write_to_others_and_sign, 0,
                        PEER_SAMPLE_KINDS);
    tcase_add_test(tests, a_message_at_odds_with_itself_is_not_sent);
    tcase_add_test(tests, a_raft_message_carries_its_own_ids_into_the_frame);
    tcase_add_loop_test(tests, a_raft_message_has_a_term_within_bounds, 0,
                        RAFT_MESSAGE_TIMEOUT_NOW);
    tcase_add_test(tests, only_the_refusal_of_a_pre_vote_may_have_no_term);
    return tests;
}

static TCase *list_tests(void)
{
    TCase *tests = px_case("list");

    tcase_add_loop_test(tests, every_kind_has_a_whole_row, 0,
                        PEER_SAMPLE_KINDS);
    tcase_add_test(tests, any_other_kind_is_not_found_and_not_sent);
    return tests;
}

static TCase *part_tests(void)
{
    TCase *tests = px_case("parts");

    tcase_add_test(tests, a_truth_value_is_0_or_1);
    tcase_add_test(tests, the_first_problem_stays);
    tcase_add_test(tests, a_configuration_can_elect_somebody);
    tcase_add_test(tests, the_largest_configuration_passes_and_nothing_larger);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("peer_body");

    suite_add_tcase(suite, round_trip_tests());
    suite_add_tcase(suite, receiving_tests());
    suite_add_tcase(suite, shared_field_tests());
    suite_add_tcase(suite, list_tests());
    suite_add_tcase(suite, part_tests());
    return check_run(suite);
}
