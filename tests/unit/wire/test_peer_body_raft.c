/* test_peer_body_raft.c - what the fields of the core's messages may hold.
 *
 * The term that every one of them starts with is the subject of
 * test_peer_body.c.
 */
#include "wire/peer_body.h"

#include "raft/raft_members.h"
#include "unit/wire/peer_fixture.h"

/* ---- there and back ---- */

START_TEST(a_full_append_fits)
{
    static struct raft_entry entries[LIMIT_APPEND_ENTRIES];
    static uint8_t payload[LIMIT_APPEND_BYTES / LIMIT_APPEND_ENTRIES];
    for (size_t i = 0; i < LIMIT_APPEND_ENTRIES; i++) {
        entries[i] =
            (struct raft_entry){.term = 5,
                                .kind = RAFT_ENTRY_COMMAND,
                                .payload = bytes_of(payload, sizeof(payload))};
    }
    peer_sample_plain(&px.sample, PEER_APPEND);
    px.sample.message.raft.append.entries = entries;
    px.sample.message.raft.append.entries_count = LIMIT_APPEND_ENTRIES;

    ck_assert_int_eq(px_encode(), STATUS_OK);
    ck_assert_uint_le(px.bytes.count, LIMIT_FRAME_BYTES);
    ck_assert_int_eq(px_decode(), STATUS_OK);
    ck_assert(peer_sample_equal(&px.frame.message, &px.sample.message));
}
END_TEST

START_TEST(room_for_entries_is_kept_from_frame_to_frame)
{
    px_plain(PEER_APPEND);
    ck_assert_int_eq(px_decode(), STATUS_OK);
    const struct raft_entry *room = px.frame.entries;
    ck_assert_ptr_eq(px.frame.message.raft.append.entries, room);

    px_plain(PEER_VOTE);
    ck_assert_int_eq(px_decode(), STATUS_OK);
    px_plain(PEER_APPEND);
    ck_assert_int_eq(px_decode(), STATUS_OK);

    ck_assert_ptr_eq(px.frame.entries, room);
}
END_TEST

START_TEST(a_heartbeat_has_no_entries)
{
    px_plain(PEER_APPEND);
    ck_assert_int_eq(px_decode(), STATUS_OK);
    peer_sample_plain(&px.sample, PEER_APPEND);
    px.sample.message.raft.append.entries = NULL;
    px.sample.message.raft.append.entries_count = 0;

    ck_assert_int_eq(px_encode(), STATUS_OK);
    ck_assert_int_eq(px_decode(), STATUS_OK);

    ck_assert_ptr_null(px.frame.message.raft.append.entries);
    ck_assert_uint_eq(px.frame.message.raft.append.entries_count, 0);
}
END_TEST

START_TEST(fields_of_the_other_outcome_do_not_travel)
{
    peer_sample_plain(&px.sample, PEER_APPEND_REPLY);
    px.sample.message.raft.append_reply.accepted = true;
    px.sample.message.raft.append_reply.match_index = 8;

    ck_assert_int_eq(px_encode(), STATUS_OK);
    ck_assert_int_eq(px_decode(), STATUS_OK);

    ck_assert_uint_eq(px.frame.message.raft.append_reply.match_index, 8);
    ck_assert_uint_eq(px.frame.message.raft.append_reply.recovery_index, 0);
    ck_assert_uint_eq(px.frame.message.raft.append_reply.recovery_term, 0);
}
END_TEST

START_TEST(an_append_from_the_beginning_has_no_entry_before_it)
{
    peer_sample_plain(&px.sample, PEER_APPEND);
    px.sample.message.raft.append.prev_index = 0;
    px.sample.message.raft.append.prev_term = 0;

    px_there_and_back();
}
END_TEST

START_TEST(a_candidate_may_have_an_empty_log)
{
    peer_sample_plain(&px.sample, PEER_VOTE);
    px.sample.message.raft.vote.last_index = 0;
    px.sample.message.raft.vote.last_term = 0;

    px_there_and_back();
}
END_TEST

START_TEST(a_commit_index_may_lie_behind_the_entries)
{
    peer_sample_plain(&px.sample, PEER_APPEND);
    px.sample.message.raft.append.commit = 1000;

    px_there_and_back();
}
END_TEST

START_TEST(a_chunk_may_be_empty_and_the_last)
{
    peer_sample_plain(&px.sample, PEER_SNAPSHOT);
    px.sample.message.raft.snapshot.offset = 0;
    px.sample.message.raft.snapshot.data = bytes_of(NULL, 0);

    px_there_and_back();
}
END_TEST

/* ---- lies ---- */

START_TEST(a_count_of_entries_alone_allocates_nothing)
{
    peer_sample_plain(&px.sample, PEER_APPEND);
    px.sample.message.raft.append.entries_count = 0;
    ck_assert_int_eq(px_encode(), STATUS_OK);

    px_poke(56, 4, LIMIT_APPEND_ENTRIES);
    px_seal();
    ck_assert_int_eq(px_decode(), STATUS_BAD_LENGTH);
    px_poke(56, 4, UINT32_MAX);
    px_seal();
    ck_assert_int_eq(px_decode(), STATUS_TOO_LONG);

    ck_assert_ptr_null(px.frame.entries);
}
END_TEST

START_TEST(a_refused_append_leaves_its_room_for_the_next)
{
    px_plain(PEER_APPEND);
    px_poke(76, 8, 3);
    px_seal();
    ck_assert_int_eq(px_decode(), STATUS_BAD_VALUE);

    px_plain(PEER_APPEND);
    ck_assert_int_eq(px_decode(), STATUS_OK);

    ck_assert(peer_sample_equal(&px.frame.message, &px.sample.message));
}
END_TEST

static const struct px_forgery forgeries[] = {
    /* term; last index 10; last term 4; pre; transfer */
    {PEER_VOTE, 0, 8, 4, STATUS_BAD_VALUE}, /* its log has that term */
    {PEER_VOTE, 8, 8, 0, STATUS_BAD_VALUE},
    {PEER_VOTE, 8, 8, PX_BEYOND, STATUS_BAD_VALUE},
    {PEER_VOTE, 8, 8, PEER_NUMBER_MAX, STATUS_OK},
    {PEER_VOTE, 16, 8, 0, STATUS_BAD_VALUE},
    {PEER_VOTE, 16, 8, 5, STATUS_BAD_VALUE},
    {PEER_VOTE, 24, 1, 1, STATUS_OK},
    {PEER_VOTE, 24, 1, 2, STATUS_BAD_VALUE},
    {PEER_VOTE, 25, 1, 255, STATUS_BAD_VALUE},
    /* term; pre; granted */
    {PEER_VOTE_REPLY, 8, 1, 2, STATUS_BAD_VALUE},
    {PEER_VOTE_REPLY, 9, 1, 2, STATUS_BAD_VALUE},
    /* term; prev 7 of term 3; commit; round; count 3;
     * at 44 a command of term 4: term, kind, length, abc;
     * at 60 a no-op of term 5; at 73 members of term 5, payload at 86:
     * count, id at 90, role at 98, length at 99, text, id at 109 */
    {PEER_APPEND, 0, 8, 4, STATUS_BAD_VALUE}, /* below its entries */
    {PEER_APPEND, 8, 8, 0, STATUS_BAD_VALUE},
    {PEER_APPEND, 8, 8, PEER_NUMBER_MAX - 3, STATUS_OK},
    {PEER_APPEND, 8, 8, PEER_NUMBER_MAX - 2, STATUS_BAD_VALUE},
    {PEER_APPEND, 8, 8, UINT64_MAX, STATUS_BAD_VALUE},
    {PEER_APPEND, 16, 8, 0, STATUS_BAD_VALUE},
    {PEER_APPEND, 16, 8, 5, STATUS_BAD_VALUE}, /* above the first entry */
    {PEER_APPEND, 24, 8, PEER_NUMBER_MAX, STATUS_OK},
    {PEER_APPEND, 24, 8, PX_BEYOND, STATUS_BAD_VALUE},
    {PEER_APPEND, 32, 8, UINT64_MAX, STATUS_OK},
    {PEER_APPEND, 40, 8, 1, STATUS_BAD_VALUE}, /* with no entry */
    {PEER_APPEND, 48, 8, 1, STATUS_BAD_VALUE}, /* of nobody */
    {PEER_APPEND, 56, 4, 2, STATUS_BAD_LENGTH},
    {PEER_APPEND, 56, 4, 4, STATUS_BAD_LENGTH},
    {PEER_APPEND, 56, 4, LIMIT_APPEND_ENTRIES + 1, STATUS_TOO_LONG},
    {PEER_APPEND, 60, 8, 0, STATUS_BAD_VALUE},
    {PEER_APPEND, 60, 8, 2, STATUS_BAD_VALUE}, /* falls below prev */
    {PEER_APPEND, 60, 8, 6, STATUS_BAD_VALUE}, /* above the leader's */
    {PEER_APPEND, 68, 1, 0, STATUS_BAD_VALUE},
    {PEER_APPEND, 68, 1, 4, STATUS_BAD_VALUE},
    {PEER_APPEND, 68, 1, RAFT_ENTRY_NOOP, STATUS_BAD_VALUE},
    {PEER_APPEND, 68, 1, RAFT_ENTRY_MEMBERS, STATUS_BAD_LENGTH},
    {PEER_APPEND, 69, 4, 4, STATUS_BAD_LENGTH},
    {PEER_APPEND, 69, 4, UINT32_MAX, STATUS_BAD_LENGTH},
    {PEER_APPEND, 76, 8, 3, STATUS_BAD_VALUE}, /* falls */
    {PEER_APPEND, 84, 1, RAFT_ENTRY_COMMAND, STATUS_OK},
    {PEER_APPEND, 84, 1, RAFT_ENTRY_MEMBERS, STATUS_BAD_LENGTH},
    {PEER_APPEND, 102, 4, 1, STATUS_BAD_LENGTH},
    {PEER_APPEND, 102, 4, UINT32_MAX, STATUS_BAD_VALUE},
    {PEER_APPEND, 106, 8, 0, STATUS_BAD_VALUE},
    {PEER_APPEND, 114, 1, RAFT_LEARNER, STATUS_BAD_VALUE}, /* no voter left */
    {PEER_APPEND, 114, 1, 0, STATUS_BAD_VALUE},
    {PEER_APPEND, 115, 2, 65535, STATUS_BAD_LENGTH},
    {PEER_APPEND, 117, 1, 0, STATUS_BAD_VALUE}, /* a zero in an address */
    {PEER_APPEND, 125, 8, 1, STATUS_BAD_VALUE}, /* the same id twice */
    /* term; accepted 0; prev 7; match 0; recovery 6 of term 3; round */
    {PEER_FOUND, 0, 8, 0, STATUS_OK},        /* before the first term */
    {PEER_FOUND, 8, 1, 1, STATUS_BAD_VALUE}, /* and yet has first members */
    {PEER_FOUND, 8, 1, 2, STATUS_BAD_VALUE},
    {PEER_FOUND, 9, 4, 0, STATUS_OK},
    {PEER_FOUND, 13, 1, 0, STATUS_BAD_LENGTH},
    {PEER_FOUND, 13, 1, 17, STATUS_TOO_LONG},
    {PEER_FOUND, 14, 8, 0, STATUS_BAD_VALUE},
    {PEER_FOUND, 14, 8, 99, STATUS_BAD_VALUE}, /* not the speaker */
    {PEER_FOUND, 22, 8, 0, STATUS_BAD_VALUE},

    {PEER_APPEND_REPLY, 0, 8, 2, STATUS_BAD_VALUE}, /* below its log */
    {PEER_APPEND_REPLY, 8, 1, 1, STATUS_BAD_VALUE}, /* and yet recovers */
    {PEER_APPEND_REPLY, 8, 1, 2, STATUS_BAD_VALUE},
    {PEER_APPEND_REPLY, 9, 8, PX_BEYOND, STATUS_BAD_VALUE},
    {PEER_APPEND_REPLY, 17, 8, 1, STATUS_BAD_VALUE}, /* refused yet matches */
    {PEER_APPEND_REPLY, 25, 8, 0, STATUS_OK},
    {PEER_APPEND_REPLY, 25, 8, PX_BEYOND, STATUS_BAD_VALUE},
    {PEER_APPEND_REPLY, 33, 8, 0, STATUS_OK},
    {PEER_APPEND_REPLY, 33, 8, 6, STATUS_BAD_VALUE},
    {PEER_APPEND_REPLY, 41, 8, UINT64_MAX, STATUS_OK},
    {PEER_APPEND_REPLY, 49, 8, UINT64_MAX, STATUS_OK},
    /* term; index 8 of term 4; offset 100; round; last; members from 41 (u16
     * length 42, as above); data from 85 (u32 length 5) */
    {PEER_SNAPSHOT, 0, 8, 3, STATUS_BAD_VALUE},
    {PEER_SNAPSHOT, 8, 8, 0, STATUS_BAD_VALUE},
    {PEER_SNAPSHOT, 8, 8, PX_BEYOND, STATUS_BAD_VALUE},
    {PEER_SNAPSHOT, 16, 8, 0, STATUS_BAD_VALUE},
    {PEER_SNAPSHOT, 16, 8, 6, STATUS_BAD_VALUE},
    {PEER_SNAPSHOT, 24, 8, PEER_NUMBER_MAX - 5, STATUS_OK},
    {PEER_SNAPSHOT, 24, 8, PEER_NUMBER_MAX - 4, STATUS_BAD_VALUE},
    {PEER_SNAPSHOT, 24, 8, UINT64_MAX, STATUS_BAD_VALUE},
    {PEER_SNAPSHOT, 40, 1, 0, STATUS_OK},
    {PEER_SNAPSHOT, 40, 1, 2, STATUS_BAD_VALUE},
    {PEER_SNAPSHOT, 41, 2, 0, STATUS_BAD_LENGTH},
    {PEER_SNAPSHOT, 41, 2, 65535, STATUS_BAD_LENGTH},
    {PEER_SNAPSHOT, 43, 4, 17, STATUS_BAD_VALUE},
    {PEER_SNAPSHOT, 55, 1, RAFT_LEARNER, STATUS_BAD_VALUE},
    {PEER_SNAPSHOT, 85, 4, 4, STATUS_BAD_LENGTH},
    {PEER_SNAPSHOT, 85, 4, 6, STATUS_BAD_LENGTH},
    {PEER_SNAPSHOT, 85, 4, UINT32_MAX, STATUS_BAD_LENGTH},
    /* term; index; offset; round; installed */
    {PEER_SNAPSHOT_REPLY, 8, 8, 0, STATUS_BAD_VALUE},
    {PEER_SNAPSHOT_REPLY, 8, 8, PX_BEYOND, STATUS_BAD_VALUE},
    {PEER_SNAPSHOT_REPLY, 16, 8, PX_BEYOND, STATUS_BAD_VALUE},
    {PEER_SNAPSHOT_REPLY, 40, 1, 2, STATUS_BAD_VALUE},
};

#define FORGERIES ((int)(sizeof(forgeries) / sizeof(forgeries[0])))

START_TEST(a_field_that_no_correct_member_fills_so_is_refused)
{
    px_check_forgery(&forgeries[_i]);
}
END_TEST

/* ---- limits ---- */

static uint8_t large[LIMIT_CHUNK_BYTES + 1];

static enum status encode_append_of(size_t entries_count, size_t payload_bytes)
{
    static struct raft_entry entries[LIMIT_APPEND_ENTRIES + 1];
    for (size_t i = 0; i < entries_count; i++) {
        entries[i] =
            (struct raft_entry){.term = 5,
                                .kind = RAFT_ENTRY_COMMAND,
                                .payload = bytes_of(large, payload_bytes)};
    }
    peer_sample_plain(&px.sample, PEER_APPEND);
    px.sample.message.raft.append.entries = entries;
    px.sample.message.raft.append.entries_count = entries_count;
    return px_encode();
}

START_TEST(what_is_above_its_limit_is_not_sent)
{
    const size_t most = LIMIT_APPEND_BYTES / LIMIT_ENTRY_BYTES;
    ck_assert_int_eq(encode_append_of(LIMIT_APPEND_ENTRIES, 0), STATUS_OK);
    ck_assert_int_eq(encode_append_of(LIMIT_APPEND_ENTRIES + 1, 0),
                     STATUS_TOO_LONG);
    ck_assert_int_eq(encode_append_of(most, LIMIT_ENTRY_BYTES), STATUS_OK);
    ck_assert_int_eq(encode_append_of(most + 1, LIMIT_ENTRY_BYTES),
                     STATUS_TOO_LONG);
    ck_assert_int_eq(encode_append_of(1, LIMIT_ENTRY_BYTES + 1),
                     STATUS_TOO_LONG);

    peer_sample_plain(&px.sample, PEER_SNAPSHOT);
    px.sample.message.raft.snapshot.data =
        bytes_of(large, LIMIT_CHUNK_BYTES + 1);
    ck_assert_int_eq(px_encode(), STATUS_TOO_LONG);
    px.sample.message.raft.snapshot.data = bytes_of(large, LIMIT_CHUNK_BYTES);
    ck_assert_int_eq(px_encode(), STATUS_OK);
    px.sample.message.raft.snapshot.members =
        bytes_of(large, LIMIT_MEMBERS_BYTES + 1);
    ck_assert_int_eq(px_encode(), STATUS_TOO_LONG);
}
END_TEST

/* The decoder has the same limits, also where the head's limit is no help. */
START_TEST(what_is_above_its_limit_is_not_believed)
{
    ck_assert_int_eq(encode_append_of(1, LIMIT_ENTRY_BYTES), STATUS_OK);
    px_poke(69, 4, LIMIT_ENTRY_BYTES + 1);
    buffer_u8(&px.bytes, 0);
    px_seal();
    ck_assert_int_eq(px_decode(), STATUS_TOO_LONG);

    const size_t most = LIMIT_APPEND_BYTES / LIMIT_ENTRY_BYTES;
    ck_assert_int_eq(encode_append_of(most, LIMIT_ENTRY_BYTES), STATUS_OK);
    px_poke(56, 4, most + 1);
    buffer_u64(&px.bytes, 5);
    buffer_u8(&px.bytes, RAFT_ENTRY_COMMAND);
    buffer_bytes32(&px.bytes, bytes_of_text("x"));
    px_seal();
    ck_assert_int_eq(px_decode(), STATUS_TOO_LONG);
}
END_TEST

static TCase *round_trip_tests(void)
{
    TCase *tests = px_case("round trip");

    tcase_add_test(tests, a_full_append_fits);
    tcase_add_test(tests, room_for_entries_is_kept_from_frame_to_frame);
    tcase_add_test(tests, a_heartbeat_has_no_entries);
    tcase_add_test(tests, fields_of_the_other_outcome_do_not_travel);
    tcase_add_test(tests, an_append_from_the_beginning_has_no_entry_before_it);
    tcase_add_test(tests, a_candidate_may_have_an_empty_log);
    tcase_add_test(tests, a_commit_index_may_lie_behind_the_entries);
    tcase_add_test(tests, a_chunk_may_be_empty_and_the_last);
    return tests;
}

static TCase *lie_tests(void)
{
    TCase *tests = px_case("lies");

    tcase_add_test(tests, a_count_of_entries_alone_allocates_nothing);
    tcase_add_test(tests, a_refused_append_leaves_its_room_for_the_next);
    tcase_add_loop_test(tests,
                        a_field_that_no_correct_member_fills_so_is_refused, 0,
                        FORGERIES);
    return tests;
}

static TCase *limit_tests(void)
{
    TCase *tests = px_case("limits");

    tcase_add_test(tests, what_is_above_its_limit_is_not_sent);
    tcase_add_test(tests, what_is_above_its_limit_is_not_believed);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("peer_body_raft");

    suite_add_tcase(suite, round_trip_tests());
    suite_add_tcase(suite, lie_tests());
    suite_add_tcase(suite, limit_tests());
    return check_run(suite);
}
