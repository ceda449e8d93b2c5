/* fuzz_peer_frame.c - a stream of any bytes against the frame decoder.
 *
 * The first byte of an input says how the rest is treated, the rest is what a
 * connection would receive: frames, one behind the other, good or bad. Two bits
 * put lengths and checksums right on the way in, because a fuzzer that has to
 * guess a checksum sees nothing but BAD_CHECKSUM; without them the refusal of
 * damage itself is at stake.
 *
 * What must hold, beside no ENSURE and no report of a sanitizer:
 *
 *  - A stream gives the same frames and the same refusals whether it comes as a
 *    whole or in pieces.
 *  - Every answer is one that peer_frame.h promises.
 *  - What is accepted encodes to the very bytes it came from, and these decode
 *    to the same message.
 *
 * tests/fuzz/corpus/peer_frame is written by this program, from the table at
 * the end of this file: fuzz_peer_frame --write-corpus DIRECTORY
 *
 * To extend: a kind or a refusal that is new gets a row in that table.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "lib/peer_sample.h"
#include "wire/peer_body.h"
#include "wire/peer_frame.h"

#define HEAD PEER_FRAME_HEAD_BYTES
#define LENGTH_AT 8
#define CHECKSUM_AT 56

/* Bits of the first byte; what is left of it chooses the pieces. */
#define FUZZ_SEAL 1     /* give every whole frame its right checksum */
#define FUZZ_FIT 2      /* the first frame takes all there is */
#define FUZZ_NEWCOMER 4 /* the receiver does not know its cluster */
#define FUZZ_PIECES(control) ((size_t)(control) / 8)

/* One way through the stream. What happened is written down as bytes, so that
 * two ways can be compared. */
struct fuzz_way {
    struct peer_identity self;
    struct peer_frame frame;
    struct buffer story;
};

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

static void fuzz_prepare(struct buffer *stream, uint8_t control);
static void fuzz_whole(struct fuzz_way *way, struct bytes stream);
static void fuzz_chunked(struct fuzz_way *way, struct bytes stream,
                         size_t pieces);
static bool fuzz_waits(struct bytes collected);
static bool fuzz_next(struct fuzz_way *way, struct bytes rest, size_t *used);
static void fuzz_frame(struct fuzz_way *way, struct bytes bytes);
static void fuzz_accepted(struct fuzz_way *way, struct bytes bytes);
static bool fuzz_is_head_answer(enum status status);
static bool fuzz_is_frame_answer(enum status status);
static void fuzz_write_corpus(const char *directory);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    if (*argc == 3 && strcmp((*argv)[1], "--write-corpus") == 0) {
        fuzz_write_corpus((*argv)[2]);
        exit(EXIT_SUCCESS);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
    struct reader input = reader_of(bytes_of(data, count));
    const uint8_t control = reader_u8(&input);
    struct buffer stream = {0};
    struct fuzz_way ways[2] = {{.self = peer_sample_identity()}};
    if (control & FUZZ_NEWCOMER) {
        memset(ways[0].self.cluster, 0, PEER_CLUSTER_BYTES);
    }
    ways[1].self = ways[0].self;

    buffer_append(&stream, input.rest);
    fuzz_prepare(&stream, control);
    fuzz_whole(&ways[0], buffer_view(&stream));
    fuzz_chunked(&ways[1], buffer_view(&stream), FUZZ_PIECES(control));

    ENSURE(
        bytes_equal(buffer_view(&ways[0].story), buffer_view(&ways[1].story)));
    for (size_t i = 0; i < 2; i++) {
        peer_frame_close(&ways[i].frame);
        buffer_close(&ways[i].story);
    }
    buffer_close(&stream);
    ENSURE(memory_blocks_live() == 0);
    return 0;
}

/* ---- the stream ---- */

static void fuzz_prepare(struct buffer *stream, uint8_t control)
{
    if ((control & FUZZ_FIT) && stream->count >= HEAD) {
        buffer_patch_u32(stream, LENGTH_AT, (uint32_t)(stream->count - HEAD));
    }
    size_t at = 0;
    while ((control & FUZZ_SEAL) && at < stream->count) {
        struct peer_frame_head head;
        size_t frame_bytes;
        const struct bytes rest =
            bytes_of(stream->data + at, stream->count - at);
        if (peer_frame_inspect(rest, &head, &frame_bytes) != STATUS_OK ||
            frame_bytes > rest.count) {
            break;
        }
        buffer_patch_u32(stream, at + CHECKSUM_AT,
                         peer_frame_checksum(bytes_of(rest.data, frame_bytes)));
        at += frame_bytes;
    }
}

static void fuzz_whole(struct fuzz_way *way, struct bytes stream)
{
    size_t used = 0;
    while (fuzz_next(way, stream, &used)) {
        stream = bytes_of(stream.data + used, stream.count - used);
    }
}

/* As a connection does it: collect, take out whatever is complete, and see
 * what is left when the stream ends. Most pieces are small, so that every field
 * of a head gets torn. */
static void fuzz_chunked(struct fuzz_way *way, struct bytes stream,
                         size_t pieces)
{
    struct buffer collected = {0};
    struct reader source = reader_of(stream);
    bool open = true;
    for (size_t turn = 0; open && source.rest.count > 0; turn++) {
        size_t piece = 1 + (turn * pieces) % 67;
        if (piece > source.rest.count) {
            piece = source.rest.count;
        }
        buffer_append(&collected, reader_take(&source, piece));
        while (open && !fuzz_waits(buffer_view(&collected))) {
            size_t used = 0;
            open = fuzz_next(way, buffer_view(&collected), &used);
            buffer_consume(&collected, open ? used : 0);
        }
    }
    if (open) {
        size_t used;
        (void)fuzz_next(way, buffer_view(&collected), &used);
    }
    buffer_close(&collected);
}

/* True if more bytes are needed to say what these begin with. */
static bool fuzz_waits(struct bytes collected)
{
    struct peer_frame_head head;
    size_t frame_bytes = 0;
    const enum status status =
        peer_frame_inspect(collected, &head, &frame_bytes);
    return status == STATUS_INCOMPLETE ||
           (status == STATUS_OK && collected.count < frame_bytes);
}

/* Take one frame off the front; false if there is none or none can follow. */
static bool fuzz_next(struct fuzz_way *way, struct bytes rest, size_t *used)
{
    struct peer_frame_head head;
    if (rest.count == 0) {
        return false;
    }
    const enum status status = peer_frame_inspect(rest, &head, used);
    ENSURE(fuzz_is_head_answer(status));
    if (status == STATUS_OK && *used > rest.count) {
        ENSURE(peer_frame_decode(rest, &way->self, &way->frame) ==
               STATUS_INCOMPLETE);
        buffer_u8(&way->story, STATUS_INCOMPLETE);
        buffer_u64(&way->story, *used);
        return false;
    }
    if (status != STATUS_OK) {
        ENSURE(peer_frame_decode(rest, &way->self, &way->frame) == status);
        buffer_u8(&way->story, (uint8_t)status);
        return false;
    }
    fuzz_frame(way, bytes_of(rest.data, *used));
    return true;
}

/* ---- one frame ---- */

/* Decoded from a block of its own size: a sanitizer sees one read too far. */
static void fuzz_frame(struct fuzz_way *way, struct bytes bytes)
{
    uint8_t *exact = memory_copy(bytes.data, bytes.count);
    const struct bytes copy = bytes_of(exact, bytes.count);
    const enum status status = peer_frame_decode(copy, &way->self, &way->frame);
    ENSURE(fuzz_is_frame_answer(status));
    buffer_u8(&way->story, (uint8_t)status);
    if (status == STATUS_OK) {
        fuzz_accepted(way, copy);
    }
    memory_free(exact);
}

static void fuzz_accepted(struct fuzz_way *way, struct bytes bytes)
{
    const struct peer_message *message = &way->frame.message;
    const struct peer_identity *sender = &way->frame.head.identity;
    struct buffer again = {0};
    struct peer_frame second;
    peer_frame_init(&second);

    ENSURE(message->kind == way->frame.head.kind);
    ENSURE(peer_body_check(message) == STATUS_OK);
    ENSURE(peer_frame_encode(sender, message, &again) == STATUS_OK);
    ENSURE(bytes_equal(buffer_view(&again), bytes));
    ENSURE(peer_frame_decode(buffer_view(&again), &way->self, &second) ==
           STATUS_OK);
    ENSURE(peer_sample_equal(&second.message, message));
    ENSURE(second.head.identity.incarnation == sender->incarnation);
    buffer_append(&way->story, buffer_view(&again));

    peer_frame_close(&second);
    buffer_close(&again);
}

/* What peer_frame_inspect() may say. */
static bool fuzz_is_head_answer(enum status status)
{
    return status == STATUS_OK || status == STATUS_INCOMPLETE ||
           status == STATUS_BAD_MAGIC || status == STATUS_BAD_VERSION ||
           status == STATUS_BAD_TYPE || status == STATUS_BAD_VALUE ||
           status == STATUS_TOO_LONG;
}

/* What peer_frame_decode() may say of a frame that is whole and whose head was
 * found good. */
static bool fuzz_is_frame_answer(enum status status)
{
    return status == STATUS_OK || status == STATUS_BAD_LENGTH ||
           status == STATUS_BAD_CHECKSUM || status == STATUS_BAD_CLUSTER ||
           status == STATUS_TOO_LONG || status == STATUS_BAD_VALUE;
}

/* ---- the corpus ---- */

static void heartbeat(struct peer_message *message)
{
    message->raft.append.entries = NULL;
    message->raft.append.entries_count = 0;
}

static void first_append(struct peer_message *message)
{
    message->raft.append.prev_index = 0;
    message->raft.append.prev_term = 0;
}

static void accepted(struct peer_message *message)
{
    message->raft.append_reply.accepted = true;
    message->raft.append_reply.match_index = 8;
}

static void refused_without_a_term(struct peer_message *message)
{
    message->raft.term = 0;
    message->raft.vote_reply =
        (struct raft_vote_reply){.pre = true, .granted = false};
}

static void founded(struct peer_message *message)
{
    message->raft.found.founded = true;
    message->raft.found.members = 0;
}

static void change_done(struct peer_message *message)
{
    message->join_reply = (struct peer_change_reply){.result = PEER_CHANGE_OK};
}

static void leader_unknown(struct peer_message *message)
{
    message->join_reply.leader = 0;
    message->join_reply.leader_address = bytes_of(NULL, 0);
}

static void to_whoever_listens(struct peer_message *message)
{
    message->to = 0;
}

static void empty_body(struct peer_message *message)
{
    message->forward.body = bytes_of(NULL, 0);
}

static void empty_message(struct peer_message *message)
{
    message->publish.channel = bytes_of(NULL, 0);
    message->publish.message = bytes_of(NULL, 0);
}

/* An input: a plain message, edited; of its frame, width bytes overwritten with
 * value and the end cut off or extended; then perhaps a second frame. */
struct fuzz_shape {
    const char *name;
    enum peer_message_kind kind;
    uint8_t control;
    void (*edit)(struct peer_message *message);
    size_t at; /* from HEAD on it is in the body */
    size_t width;
    uint64_t value;
    int more;                    /* bytes at the end */
    enum peer_message_kind then; /* 0: nothing */
};

#define PIECES(n) ((n)*8)
#define PLAIN(a_name, a_kind)                                                  \
    {                                                                          \
        .name = a_name, .kind = a_kind, .control = PIECES(7)                   \
    }
#define EDITED(a_name, a_kind, an_edit)                                        \
    {                                                                          \
        .name = a_name, .kind = a_kind, .control = PIECES(11), .edit = an_edit \
    }
#define FORGED(a_name, a_kind, an_at, a_width, a_value)                        \
    {                                                                          \
        .name = a_name, .kind = a_kind, .control = FUZZ_SEAL | PIECES(5),      \
        .at = an_at, .width = a_width, .value = a_value                        \
    }

static const struct fuzz_shape fuzz_shapes[] = {
    PLAIN("vote", PEER_VOTE),
    PLAIN("vote_reply", PEER_VOTE_REPLY),
    EDITED("vote_reply_without_a_term", PEER_VOTE_REPLY,
           refused_without_a_term),
    PLAIN("append", PEER_APPEND),
    EDITED("append_heartbeat", PEER_APPEND, heartbeat),
    EDITED("append_first", PEER_APPEND, first_append),
    PLAIN("append_reply_refused", PEER_APPEND_REPLY),
    EDITED("append_reply_accepted", PEER_APPEND_REPLY, accepted),
    PLAIN("snapshot", PEER_SNAPSHOT),
    PLAIN("snapshot_reply", PEER_SNAPSHOT_REPLY),
    PLAIN("timeout_now", PEER_TIMEOUT_NOW),
    PLAIN("found", PEER_FOUND),
    EDITED("found_founded", PEER_FOUND, founded),
    PLAIN("join", PEER_JOIN),
    EDITED("join_whoever_listens", PEER_JOIN, to_whoever_listens),
    PLAIN("join_reply_not_leader", PEER_JOIN_REPLY),
    EDITED("join_reply_done", PEER_JOIN_REPLY, change_done),
    EDITED("join_reply_leader_unknown", PEER_JOIN_REPLY, leader_unknown),
    PLAIN("fetch", PEER_FETCH),
    PLAIN("fetch_reply", PEER_FETCH_REPLY),
    PLAIN("remove", PEER_REMOVE),
    PLAIN("remove_reply_refused", PEER_REMOVE_REPLY),
    PLAIN("forward", PEER_FORWARD),
    EDITED("forward_empty", PEER_FORWARD, empty_body),
    PLAIN("forward_reply", PEER_FORWARD_REPLY),
    PLAIN("publish", PEER_PUBLISH),
    EDITED("publish_nothing", PEER_PUBLISH, empty_message),
    PLAIN("hello", PEER_HELLO),
    EDITED("hello_whoever_listens", PEER_HELLO, to_whoever_listens),
    PLAIN("hello_reply", PEER_HELLO_REPLY),
    PLAIN("removed", PEER_REMOVED),

    /* The head is refused. */
    FORGED("bad_magic", PEER_VOTE, 0, 1, 'h'),
    FORGED("bad_version", PEER_VOTE, 4, 1, PEER_FRAME_VERSION + 1),
    FORGED("bad_type_0", PEER_VOTE, 5, 1, 0),
    FORGED("bad_type_between", PEER_VOTE, 5, 1, PEER_FOUND + 1),
    FORGED("bad_type_255", PEER_VOTE, 5, 1, 255),
    FORGED("bad_reserved", PEER_VOTE, 6, 2, 0x8000),
    FORGED("too_long_for_its_type", PEER_VOTE, LENGTH_AT, 4, 27),
    FORGED("too_long_for_any_type", PEER_APPEND, LENGTH_AT, 4, UINT32_MAX),
    FORGED("incomplete_body", PEER_APPEND, LENGTH_AT, 4, 200),
    {.name = "incomplete_head", .kind = PEER_FETCH, .more = -1},
    {.name = "nothing_but_a_byte", .kind = PEER_FETCH, .more = -59},

    /* The frame is refused. */
    {.name = "bad_checksum",
     .kind = PEER_VOTE,
     .at = CHECKSUM_AT,
     .width = 1,
     .value = 0xff},
    FORGED("bad_cluster", PEER_VOTE, 16, 1, 'x'),
    FORGED("bad_cluster_none", PEER_VOTE, 16, 16, 0),
    {.name = "found_founded_without_a_cluster",
     .kind = PEER_FOUND,
     .control = FUZZ_SEAL | PIECES(5),
     .edit = founded,
     .at = 16,
     .width = 16},
    FORGED("bad_group", PEER_VOTE, 12, 4, 5),
    FORGED("from_nobody", PEER_VOTE, 32, 8, 0),
    FORGED("to_nobody", PEER_VOTE, 40, 8, 0),
    FORGED("to_oneself", PEER_VOTE, 40, 8, 1),

    /* A newcomer asks, a newcomer is asked, a newcomer is told. */
    FORGED("newcomer_joins", PEER_JOIN, 16, 16, 0),
    FORGED("newcomer_fetches", PEER_FETCH, 16, 16, 0),
    {.name = "newcomer_hears_members",
     .kind = PEER_FETCH_REPLY,
     .control = FUZZ_NEWCOMER},
    {.name = "newcomer_hears_vote",
     .kind = PEER_VOTE,
     .control = FUZZ_NEWCOMER},

    /* The body is refused: lengths. */
    {.name = "body_cut_short",
     .kind = PEER_VOTE,
     .control = FUZZ_SEAL | FUZZ_FIT,
     .more = -1},
    {.name = "body_with_a_byte_too_many",
     .kind = PEER_APPEND,
     .control = FUZZ_SEAL | FUZZ_FIT,
     .more = 1},
    FORGED("append_count_above_bytes", PEER_APPEND, HEAD + 56, 4, 100),
    FORGED("append_count_above_limit", PEER_APPEND, HEAD + 56, 4, 4097),
    FORGED("append_payload_beyond_end", PEER_APPEND, HEAD + 69, 4, UINT32_MAX),
    FORGED("snapshot_members_beyond_end", PEER_SNAPSHOT, HEAD + 41, 2, 0xffff),
    FORGED("snapshot_data_beyond_end", PEER_SNAPSHOT, HEAD + 85, 4, 6),
    FORGED("join_address_beyond_end", PEER_JOIN, HEAD + 16, 2, 10),
    FORGED("forward_body_beyond_end", PEER_FORWARD, HEAD + 32, 4, 5),
    FORGED("publish_channel_beyond_end", PEER_PUBLISH, HEAD + 17, 4, 14),

    /* The body is refused: values. */
    FORGED("term_0", PEER_TIMEOUT_NOW, HEAD, 8, 0),
    FORGED("term_beyond", PEER_TIMEOUT_NOW, HEAD, 8, PEER_NUMBER_MAX + 1),
    FORGED("vote_log_of_its_own_term", PEER_VOTE, HEAD + 16, 8, 5),
    FORGED("vote_truth_of_2", PEER_VOTE, HEAD + 24, 1, 2),
    FORGED("append_index_overflows", PEER_APPEND, HEAD + 8, 8, UINT64_MAX),
    FORGED("append_terms_fall", PEER_APPEND, HEAD + 76, 8, 3),
    FORGED("append_entry_of_no_kind", PEER_APPEND, HEAD + 68, 1, 4),
    FORGED("append_noop_with_payload", PEER_APPEND, HEAD + 68, 1, 1),
    FORGED("append_members_same_id", PEER_APPEND, HEAD + 125, 8, 1),
    FORGED("append_members_no_voter", PEER_APPEND, HEAD + 114, 1, 2),
    FORGED("append_members_too_many", PEER_APPEND, HEAD + 102, 4, 17),
    FORGED("append_admits_nobody", PEER_APPEND, HEAD + 48, 8, 1),
    FORGED("found_by_another", PEER_FOUND, HEAD + 14, 8, 99),
    FORGED("found_too_many", PEER_FOUND, HEAD + 13, 1, 17),
    FORGED("append_reply_both_outcomes", PEER_APPEND_REPLY, HEAD + 8, 1, 1),
    FORGED("snapshot_of_nothing", PEER_SNAPSHOT, HEAD + 8, 8, 0),
    FORGED("snapshot_offset_overflows", PEER_SNAPSHOT, HEAD + 24, 8,
           UINT64_MAX),
    FORGED("join_address_with_newline", PEER_JOIN, HEAD + 18, 1, '\n'),
    FORGED("join_reply_of_no_result", PEER_JOIN_REPLY, HEAD, 1, 4),
    FORGED("join_reply_address_of_nobody", PEER_JOIN_REPLY, HEAD + 1, 8, 0),
    FORGED("remove_nobody", PEER_REMOVE, HEAD, 8, 0),
    FORGED("remove_reply_reason_when_done", PEER_REMOVE_REPLY, HEAD, 1, 1),
    FORGED("forward_answered_before_asked", PEER_FORWARD, HEAD + 24, 8, 21),
    FORGED("forward_reply_of_no_class", PEER_FORWARD_REPLY, HEAD + 24, 1, 4),
    FORGED("publish_without_a_number", PEER_PUBLISH, HEAD + 8, 8, 0),
    FORGED("publish_truth_of_2", PEER_PUBLISH, HEAD + 16, 1, 2),
    FORGED("hello_of_no_version", PEER_HELLO, HEAD, 1, 0),
    FORGED("hello_reply_beyond_ours", PEER_HELLO_REPLY, HEAD + 2, 1, 4),
    FORGED("removed_by_no_entry", PEER_REMOVED, HEAD, 8, 0),

    /* More than one frame. */
    {.name = "two_frames",
     .kind = PEER_APPEND,
     .control = PIECES(9),
     .then = PEER_FORWARD},
    {.name = "two_appends_in_the_same_room",
     .kind = PEER_APPEND,
     .control = PIECES(1),
     .then = PEER_APPEND},
    {.name = "a_frame_behind_a_damaged_one",
     .kind = PEER_FORWARD,
     .at = HEAD + 36,
     .width = 1,
     .value = 'P',
     .then = PEER_VOTE},
    {.name = "a_frame_and_then_rubbish",
     .kind = PEER_VOTE,
     .control = PIECES(3),
     .more = 64},
};

static void fuzz_make(const struct fuzz_shape *shape, struct buffer *out)
{
    const struct peer_identity identity = peer_sample_identity();
    static struct peer_sample sample;
    struct buffer frame = {0};
    peer_sample_plain(&sample, shape->kind);
    if (shape->edit != NULL) {
        shape->edit(&sample.message);
    }
    ENSURE(peer_frame_encode(&identity, &sample.message, &frame) == STATUS_OK);
    for (size_t i = 0; i < shape->width; i++) {
        const uint64_t rest = i < 8 ? shape->value >> (8 * i) : 0;
        frame.data[shape->at + i] = (uint8_t)rest;
    }
    for (int i = 0; i < shape->more; i++) {
        buffer_u8(&frame, 0);
    }
    if (shape->more < 0) {
        buffer_cut(&frame, frame.count - (size_t)-shape->more);
    }
    if (shape->then != 0) {
        peer_sample_plain(&sample, shape->then);
        ENSURE(peer_frame_encode(&identity, &sample.message, &frame) ==
               STATUS_OK);
    }
    buffer_u8(out, shape->control);
    buffer_append(out, buffer_view(&frame));
    buffer_close(&frame);
}

static void fuzz_write_corpus(const char *directory)
{
    for (size_t i = 0; i < sizeof(fuzz_shapes) / sizeof(fuzz_shapes[0]); i++) {
        char path[4096];
        struct buffer input = {0};
        fuzz_make(&fuzz_shapes[i], &input);
        snprintf(path, sizeof(path), "%s/%s", directory, fuzz_shapes[i].name);
        FILE *file = fopen(path, "wb");
        if (file == NULL ||
            fwrite(input.data, 1, input.count, file) != input.count ||
            fclose(file) != 0) {
            perror(path);
            exit(EXIT_FAILURE);
        }
        buffer_close(&input);
    }
}
