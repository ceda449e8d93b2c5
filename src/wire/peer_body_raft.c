/* peer_body_raft.c - the bodies of the core's own messages.
 *
 * Every body starts with the sender's term, which peer_body.c reads and writes;
 * the fields here follow in the order in which encode has them.
 *
 * The checks state what holds for every message of a correct member, and no
 * more: what is unlikely but possible, say a reply to a message that we never
 * sent, is for the core to judge. All of them rest on a few facts. A log starts
 * at index 1 with a term above 0, terms in it never fall, and none is above the
 * term of the member that has it.
 *
 * Read rounds go back to where they came from and mean nothing here, so any
 * value passes.
 */
#include "base/ensure.h"
#include "base/memory.h"
#include "wire/peer_body.h"

/* An entry: term, kind, payload with its length in 32 bits. */
#define PEER_ENTRY_HEAD_BYTES (8 + 1 + 4)

#define PEER_APPEND_BYTES_MAX                                                  \
    (8 + 6 * 8 + 4 + LIMIT_APPEND_ENTRIES * PEER_ENTRY_HEAD_BYTES +            \
     LIMIT_APPEND_BYTES)
#define PEER_SNAPSHOT_BYTES_MAX                                                \
    (8 + 4 * 8 + 1 + 2 + LIMIT_MEMBERS_BYTES + 4 + LIMIT_CHUNK_BYTES)

static_assert(PEER_ENTRY_HEAD_BYTES <= LIMIT_ENTRY_HEAD_BYTES,
              "limits.h allows for what an entry takes in a frame");
static_assert(PEER_FRAME_HEAD_BYTES + PEER_APPEND_BYTES_MAX <=
                  LIMIT_FRAME_BYTES,
              "every AppendEntries fits into a frame");
static_assert(PEER_FRAME_HEAD_BYTES + PEER_SNAPSHOT_BYTES_MAX <=
                  LIMIT_FRAME_BYTES,
              "every InstallSnapshot fits into a frame");
static_assert(LIMIT_MEMBERS_BYTES <= UINT16_MAX,
              "a configuration has a length of 16 bits");

/* A place in a log: index 0, and only index 0, has term 0. */
static bool peer_body_is_position(raft_index_t index, raft_term_t term)
{
    return index <= PEER_NUMBER_MAX && (index == 0) == (term == 0);
}

/* ---- RequestVote ---- */

static void peer_body_encode_vote(const struct peer_message *message,
                                  struct buffer *out)
{
    const struct raft_vote *vote = &message->raft.vote;
    buffer_u64(out, vote->last_index);
    buffer_u64(out, vote->last_term);
    peer_body_put_bool(out, vote->pre);
    peer_body_put_bool(out, vote->transfer);
}

static void peer_body_decode_vote(struct peer_body_source *source,
                                  struct peer_message *message)
{
    struct raft_vote *vote = &message->raft.vote;
    vote->last_index = reader_u64(&source->reader);
    vote->last_term = reader_u64(&source->reader);
    vote->pre = peer_body_take_bool(source);
    vote->transfer = peer_body_take_bool(source);
}

/* A ballot is for a term that had no leader yet when the candidate's log was
 * written, hence above every term in it. */
static enum status peer_body_check_vote(const struct peer_message *message)
{
    const struct raft_vote *vote = &message->raft.vote;
    return peer_body_verdict(
        peer_body_is_position(vote->last_index, vote->last_term) &&
        vote->last_term < message->raft.term);
}

const struct peer_body peer_body_vote = {
    .name = "RequestVote",
    .bytes_max = 8 + 8 + 8 + 1 + 1,
    .encode = peer_body_encode_vote,
    .decode = peer_body_decode_vote,
    .check = peer_body_check_vote,
};

static void peer_body_encode_vote_reply(const struct peer_message *message,
                                        struct buffer *out)
{
    const struct raft_vote_reply *reply = &message->raft.vote_reply;
    peer_body_put_bool(out, reply->pre);
    peer_body_put_bool(out, reply->granted);
}

static void peer_body_decode_vote_reply(struct peer_body_source *source,
                                        struct peer_message *message)
{
    struct raft_vote_reply *reply = &message->raft.vote_reply;
    reply->pre = peer_body_take_bool(source);
    reply->granted = peer_body_take_bool(source);
}

const struct peer_body peer_body_vote_reply = {
    .name = "RequestVote reply",
    .bytes_max = 8 + 1 + 1,
    .encode = peer_body_encode_vote_reply,
    .decode = peer_body_decode_vote_reply,
    .check = peer_body_check_nothing,
};

/* ---- AppendEntries ---- */

static void peer_body_encode_append(const struct peer_message *message,
                                    struct buffer *out)
{
    const struct raft_append *append = &message->raft.append;
    buffer_u64(out, append->prev_index);
    buffer_u64(out, append->prev_term);
    buffer_u64(out, append->commit);
    buffer_u64(out, append->round);
    buffer_u64(out, append->admit);
    buffer_u64(out, append->admit_index);
    buffer_u32(out, (uint32_t)append->entries_count);
    for (size_t i = 0; i < append->entries_count; i++) {
        const struct raft_entry *entry = &append->entries[i];
        buffer_u64(out, entry->term);
        buffer_u8(out, (uint8_t)entry->kind);
        buffer_bytes32(out, entry->payload);
    }
}

/* Room for count entries, reused from frame to frame. count was compared with
 * the bytes that are there, so nobody makes us allocate by a number alone. */
static struct raft_entry *peer_body_entries(struct peer_frame *frame,
                                            size_t count)
{
    ENSURE(count <= LIMIT_APPEND_ENTRIES);

    if (count > frame->entries_capacity) {
        size_t capacity = frame->entries_capacity * 2;
        capacity = capacity < count ? count : capacity;
        frame->entries =
            memory_resize(frame->entries, capacity, sizeof(struct raft_entry));
        frame->entries_capacity = capacity;
    }
    return frame->entries;
}

static void peer_body_decode_append(struct peer_body_source *source,
                                    struct peer_message *message)
{
    struct raft_append *append = &message->raft.append;
    struct reader *reader = &source->reader;
    append->prev_index = reader_u64(reader);
    append->prev_term = reader_u64(reader);
    append->commit = reader_u64(reader);
    append->round = reader_u64(reader);
    append->admit = reader_u64(reader);
    append->admit_index = reader_u64(reader);
    const uint32_t count = reader_u32(reader);
    if (count > LIMIT_APPEND_ENTRIES) {
        peer_body_object(source, STATUS_TOO_LONG);
        return;
    }
    if (count > reader->rest.count / PEER_ENTRY_HEAD_BYTES) {
        peer_body_object(source, STATUS_BAD_LENGTH);
        return;
    }
    if (count == 0) {
        return;
    }
    struct raft_entry *entries = peer_body_entries(source->frame, count);
    for (uint32_t i = 0; i < count; i++) {
        entries[i].term = reader_u64(reader);
        entries[i].kind = (enum raft_entry_kind)reader_u8(reader);
        entries[i].payload = reader_bytes32(reader);
    }
    append->entries = entries;
    append->entries_count = count;
}

static enum status peer_body_check_entry(const struct raft_entry *entry)
{
    if (entry->payload.count > LIMIT_ENTRY_BYTES) {
        return STATUS_TOO_LONG;
    }
    switch (entry->kind) {
    case RAFT_ENTRY_NOOP:
        return peer_body_verdict(entry->payload.count == 0);
    case RAFT_ENTRY_COMMAND:
        return STATUS_OK;
    case RAFT_ENTRY_MEMBERS:
        return peer_body_check_members(entry->payload);
    }
    return STATUS_BAD_VALUE;
}

/* Terms start at that of the entry before, do not fall, and end at the
 * leader's own at the latest. */
static enum status peer_body_check_entries(const struct raft_append *append,
                                           raft_term_t leader_term)
{
    raft_term_t term_min = append->prev_term > 0 ? append->prev_term : 1;
    size_t payload_bytes = 0;
    for (size_t i = 0; i < append->entries_count; i++) {
        const struct raft_entry *entry = &append->entries[i];
        if (entry->term < term_min || entry->term > leader_term) {
            return STATUS_BAD_VALUE;
        }
        const enum status status = peer_body_check_entry(entry);
        if (status != STATUS_OK) {
            return status;
        }
        term_min = entry->term;
        payload_bytes += entry->payload.count;
    }
    return payload_bytes > LIMIT_APPEND_BYTES ? STATUS_TOO_LONG : STATUS_OK;
}

/* commit may lie beyond the entries: the leader says how far the group is, the
 * follower takes of it what these entries prove (dissertation 3.5). */
static enum status peer_body_check_append(const struct peer_message *message)
{
    const struct raft_append *append = &message->raft.append;
    if (append->entries_count > LIMIT_APPEND_ENTRIES) {
        return STATUS_TOO_LONG;
    }
    ENSURE(append->entries != NULL || append->entries_count == 0);

    if (!peer_body_is_position(append->prev_index, append->prev_term) ||
        append->prev_term > message->raft.term ||
        append->prev_index + append->entries_count > PEER_NUMBER_MAX ||
        append->commit > PEER_NUMBER_MAX ||
        (append->admit == 0) != (append->admit_index == 0) ||
        append->admit_index > append->commit) {
        return STATUS_BAD_VALUE;
    }
    return peer_body_check_entries(append, message->raft.term);
}

const struct peer_body peer_body_append = {
    .name = "AppendEntries",
    .bytes_max = PEER_APPEND_BYTES_MAX,
    .encode = peer_body_encode_append,
    .decode = peer_body_decode_append,
    .check = peer_body_check_append,
};

/* The fields of the other outcome mean nothing and travel as 0, whatever the
 * core left in them. */
static void peer_body_encode_append_reply(const struct peer_message *message,
                                          struct buffer *out)
{
    const struct raft_append_reply *reply = &message->raft.append_reply;
    peer_body_put_bool(out, reply->accepted);
    buffer_u64(out, reply->prev_index);
    buffer_u64(out, reply->accepted ? reply->match_index : 0);
    buffer_u64(out, reply->accepted ? 0 : reply->recovery_index);
    buffer_u64(out, reply->accepted ? 0 : reply->recovery_term);
    buffer_u64(out, reply->round);
    buffer_u64(out, reply->probation);
}

static void peer_body_decode_append_reply(struct peer_body_source *source,
                                          struct peer_message *message)
{
    struct raft_append_reply *reply = &message->raft.append_reply;
    reply->accepted = peer_body_take_bool(source);
    reply->prev_index = reader_u64(&source->reader);
    reply->match_index = reader_u64(&source->reader);
    reply->recovery_index = reader_u64(&source->reader);
    reply->recovery_term = reader_u64(&source->reader);
    reply->round = reader_u64(&source->reader);
    reply->probation = reader_u64(&source->reader);
    const bool clean = reply->accepted ? reply->recovery_index == 0 &&
                                             reply->recovery_term == 0
                                       : reply->match_index == 0;
    if (!clean) {
        peer_body_object(source, STATUS_BAD_VALUE);
    }
}

/* recovery_index is not compared with prev_index: a follower that compacted
 * its log, or has a newer term, may point anywhere. */
static enum status
peer_body_check_append_reply(const struct peer_message *message)
{
    const struct raft_append_reply *reply = &message->raft.append_reply;
    if (reply->prev_index > PEER_NUMBER_MAX) {
        return STATUS_BAD_VALUE;
    }
    if (reply->accepted) {
        return peer_body_verdict(reply->match_index <= PEER_NUMBER_MAX);
    }
    return peer_body_verdict(reply->recovery_index <= PEER_NUMBER_MAX &&
                             reply->recovery_term <= message->raft.term);
}

const struct peer_body peer_body_append_reply = {
    .name = "AppendEntries reply",
    .bytes_max = 8 + 1 + 6 * 8,
    .encode = peer_body_encode_append_reply,
    .decode = peer_body_decode_append_reply,
    .check = peer_body_check_append_reply,
};

/* ---- InstallSnapshot ---- */

static void peer_body_encode_snapshot(const struct peer_message *message,
                                      struct buffer *out)
{
    const struct raft_snapshot *snapshot = &message->raft.snapshot;
    buffer_u64(out, snapshot->index);
    buffer_u64(out, snapshot->term);
    buffer_u64(out, snapshot->offset);
    buffer_u64(out, snapshot->round);
    peer_body_put_bool(out, snapshot->last);
    buffer_bytes16(out, snapshot->members);
    buffer_bytes32(out, snapshot->data);
}

static void peer_body_decode_snapshot(struct peer_body_source *source,
                                      struct peer_message *message)
{
    struct raft_snapshot *snapshot = &message->raft.snapshot;
    snapshot->index = reader_u64(&source->reader);
    snapshot->term = reader_u64(&source->reader);
    snapshot->offset = reader_u64(&source->reader);
    snapshot->round = reader_u64(&source->reader);
    snapshot->last = peer_body_take_bool(source);
    snapshot->members = reader_bytes16(&source->reader);
    snapshot->data = reader_bytes32(&source->reader);
}

/* A snapshot of nothing is never sent: a log that starts at its beginning
 * needs none. */
static enum status peer_body_check_snapshot(const struct peer_message *message)
{
    const struct raft_snapshot *snapshot = &message->raft.snapshot;
    if (snapshot->data.count > LIMIT_CHUNK_BYTES) {
        return STATUS_TOO_LONG;
    }
    if (snapshot->index == 0 || snapshot->index > PEER_NUMBER_MAX ||
        snapshot->term == 0 || snapshot->term > message->raft.term ||
        snapshot->offset > PEER_NUMBER_MAX - snapshot->data.count) {
        return STATUS_BAD_VALUE;
    }
    return peer_body_check_members(snapshot->members);
}

const struct peer_body peer_body_snapshot = {
    .name = "InstallSnapshot",
    .bytes_max = PEER_SNAPSHOT_BYTES_MAX,
    .encode = peer_body_encode_snapshot,
    .decode = peer_body_decode_snapshot,
    .check = peer_body_check_snapshot,
};

static void peer_body_encode_snapshot_reply(const struct peer_message *message,
                                            struct buffer *out)
{
    const struct raft_snapshot_reply *reply = &message->raft.snapshot_reply;
    buffer_u64(out, reply->index);
    buffer_u64(out, reply->offset);
    buffer_u64(out, reply->round);
    buffer_u64(out, reply->probation);
    peer_body_put_bool(out, reply->installed);
}

static void peer_body_decode_snapshot_reply(struct peer_body_source *source,
                                            struct peer_message *message)
{
    struct raft_snapshot_reply *reply = &message->raft.snapshot_reply;
    reply->index = reader_u64(&source->reader);
    reply->offset = reader_u64(&source->reader);
    reply->round = reader_u64(&source->reader);
    reply->probation = reader_u64(&source->reader);
    reply->installed = peer_body_take_bool(source);
}

static enum status
peer_body_check_snapshot_reply(const struct peer_message *message)
{
    const struct raft_snapshot_reply *reply = &message->raft.snapshot_reply;
    return peer_body_verdict(reply->index > 0 &&
                             reply->index <= PEER_NUMBER_MAX &&
                             reply->offset <= PEER_NUMBER_MAX);
}

const struct peer_body peer_body_snapshot_reply = {
    .name = "InstallSnapshot reply",
    .bytes_max = 8 + 4 * 8 + 1,
    .encode = peer_body_encode_snapshot_reply,
    .decode = peer_body_decode_snapshot_reply,
    .check = peer_body_check_snapshot_reply,
};

/* ---- TimeoutNow ---- */

const struct peer_body peer_body_timeout_now = {
    .name = "TimeoutNow",
    .bytes_max = 8,
    .encode = peer_body_encode_nothing,
    .decode = peer_body_decode_nothing,
    .check = peer_body_check_nothing,
};

/* ---- Found ---- */

static void peer_body_encode_found(const struct peer_message *message,
                                   struct buffer *out)
{
    const struct raft_found *found = &message->raft.found;
    peer_body_put_bool(out, found->founded);
    buffer_u32(out, found->members);
    buffer_u8(out, (uint8_t)found->founders.count);
    for (size_t i = 0; i < found->founders.count; i++) {
        buffer_u64(out, found->founders.list[i].id);
        buffer_u64(out, found->founders.list[i].directory);
    }
}

static void peer_body_decode_found(struct peer_body_source *source,
                                   struct peer_message *message)
{
    struct raft_found *found = &message->raft.found;
    found->founded = peer_body_take_bool(source);
    found->members = reader_u32(&source->reader);
    const uint8_t count = reader_u8(&source->reader);
    if (count > LIMIT_MEMBERS) {
        peer_body_object(source, STATUS_TOO_LONG);
        return;
    }
    found->founders.count = count;
    for (size_t i = 0; i < count; i++) {
        found->founders.list[i].id = reader_u64(&source->reader);
        found->founders.list[i].directory = reader_u64(&source->reader);
    }
}

/* Ids ascend, so that none is there twice; whoever speaks is one of them. */
static enum status peer_body_check_found(const struct peer_message *message)
{
    const struct raft_founders *founders = &message->raft.found.founders;
    raft_id_t before = 0;
    bool speaker = false;
    if (founders->count > LIMIT_MEMBERS) {
        return STATUS_TOO_LONG;
    }
    for (size_t i = 0; i < founders->count; i++) {
        const struct raft_founder *founder = &founders->list[i];
        if (founder->id <= before || founder->directory == 0) {
            return STATUS_BAD_VALUE;
        }
        before = founder->id;
        speaker = speaker || founder->id == message->from;
    }
    return peer_body_verdict(speaker && (!message->raft.found.founded ||
                                         message->raft.found.members == 0));
}

const struct peer_body peer_body_found = {
    .name = "Found",
    .party = PEER_AMONG_STRANGERS,
    .bytes_max = 8 + 1 + 4 + 1 + LIMIT_MEMBERS * 16,
    .encode = peer_body_encode_found,
    .decode = peer_body_decode_found,
    .check = peer_body_check_found,
};
