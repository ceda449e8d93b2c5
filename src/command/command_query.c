/* command_query.c - questions to the leader's state, and their answers.
 *
 * An answer is: kind, fixed fields of the kind, then the counts and the claims.
 * How long a lease still runs is known to the leader alone, which may have
 * moved it without the log; it never says more than the lease's ttl and never
 * less than nothing.
 */
#include "command/command_query.h"

#include <string.h>

#include "base/ensure.h"
#include "command/command_query_data.h"

/* A claim, without its texts: their lengths, five numbers and a mode. */
#define COMMAND_QUERY_CLAIM_BYTES (2 + 2 + 5 * 8 + 1)

/* What is needed to write claims one by one. */
struct command_query_writer {
    const struct lock_machine *machine;
    struct buffer *out;
    time_ms_t clock;
    uint32_t room; /* claims that may be written */
    uint32_t count;
    size_t bytes_end; /* where out must stop */
    bool cut;         /* something was left out */
};

static void command_query_answer_lock(const struct lock_machine *machine,
                                      time_ms_t clock,
                                      const struct command_query *query,
                                      struct buffer *out);
static void command_query_answer_fenced(const struct lock_machine *machine,
                                        const struct command_query *query,
                                        struct buffer *out);
static struct command_query_writer
command_query_writer_of(const struct lock_machine *machine, time_ms_t clock,
                        uint32_t room, struct buffer *out);
static void command_query_answer_scan(const struct lock_machine *machine,
                                      time_ms_t clock,
                                      const struct command_query *query,
                                      struct buffer *out);
static size_t command_query_put_counts(struct buffer *out);
static void
command_query_set_counts(struct buffer *out, size_t offset,
                         const struct command_query_writer *holders,
                         const struct command_query_writer *waiters);
static bool command_query_put_claim(void *context,
                                    const struct lock_claim_view *claim);
static time_ms_t command_query_left(const struct lock_machine *machine,
                                    const struct lock_claim_view *claim,
                                    time_ms_t clock);
static bool command_query_kind_is_known(uint8_t kind);
static enum status command_query_check_text(const struct command_query *query);

void command_query_encode(const struct command_query *query, struct buffer *out)
{
    struct buffer question = {0};
    struct bytes text = query->text;
    if (query->kind == COMMAND_QUERY_DATA) {
        lock_read_encode(&query->question, &question);
        text = buffer_view(&question);
    }
    buffer_u8(out, (uint8_t)query->kind);
    buffer_u32(out, query->database);
    buffer_bytes32(out, text);
    buffer_close(&question);
    buffer_u32(out, query->count);
    buffer_u64(out, query->cursor);
}

enum status command_query_decode(struct bytes bytes,
                                 struct command_query *query)
{
    struct reader reader = reader_of(bytes);
    const uint8_t kind = reader_u8(&reader);
    memset(query, 0, sizeof(*query));
    query->kind = (enum command_query_kind)kind;
    query->database = reader_u32(&reader);
    query->text = reader_bytes32(&reader);
    query->count = reader_u32(&reader);
    query->cursor = reader_u64(&reader);
    if (!reader_finished(&reader)) {
        return STATUS_BAD_LENGTH;
    }
    if (!command_query_kind_is_known(kind) ||
        query->database >= LIMIT_DATABASES) {
        return STATUS_BAD_VALUE;
    }
    return command_query_check_text(query);
}

static enum status command_query_check_text(const struct command_query *query)
{
    const size_t count = query->text.count;
    switch (query->kind) {
    case COMMAND_QUERY_DATA:
        return lock_read_check(query->text);
    case COMMAND_QUERY_SCAN:
    case COMMAND_QUERY_STEP:
    case COMMAND_QUERY_ANY:
        return count == 0 ? STATUS_OK : STATUS_BAD_VALUE;
    case COMMAND_QUERY_KEYS:
        return count <= LIMIT_KEY_BYTES ? STATUS_OK : STATUS_BAD_VALUE;
    case COMMAND_QUERY_LOCK:
    case COMMAND_QUERY_OWNED:
    case COMMAND_QUERY_FENCED:
    case COMMAND_QUERY_FENCE:
    case COMMAND_QUERY_HOLDERS:
    case COMMAND_QUERY_WAITERS:
        return count > 0 && count <= LIMIT_KEY_BYTES ? STATUS_OK
                                                     : STATUS_BAD_VALUE;
    }
    return STATUS_BAD_VALUE;
}

void command_query_answer(const struct lock_machine *machine, time_ms_t clock,
                          const struct command_query *query, struct buffer *out)
{
    struct command_query_writer writer =
        command_query_writer_of(machine, clock, query->count, out);
    size_t counts;
    if (query->kind != COMMAND_QUERY_FENCED &&
        query->kind != COMMAND_QUERY_FENCE) {
        buffer_u8(out, (uint8_t)query->kind);
    }
    switch (query->kind) {
    case COMMAND_QUERY_LOCK:
    case COMMAND_QUERY_HOLDERS:
    case COMMAND_QUERY_WAITERS:
        command_query_answer_lock(machine, clock, query, out);
        return;
    case COMMAND_QUERY_OWNED:
        counts = command_query_put_counts(out);
        lock_visit_owned(machine, query->text, command_query_put_claim,
                         &writer);
        command_query_set_counts(out, counts, &writer, NULL);
        return;
    case COMMAND_QUERY_SCAN:
        command_query_answer_scan(machine, clock, query, out);
        return;
    case COMMAND_QUERY_FENCED:
        command_query_answer_fenced(machine, query, out);
        return;
    case COMMAND_QUERY_FENCE:
        command_query_tell_fence(lock_fence_last(machine, query->text), out);
        return;
    case COMMAND_QUERY_DATA:
    case COMMAND_QUERY_KEYS:
    case COMMAND_QUERY_STEP:
    case COMMAND_QUERY_ANY:
        command_query_data_answer(machine, clock, query, out);
        return;
    }
}

enum status command_query_read(struct bytes bytes,
                               struct command_query_reply *reply)
{
    struct reader reader = reader_of(bytes);
    const uint8_t kind = reader_u8(&reader);
    memset(reply, 0, sizeof(*reply));
    if (!command_query_kind_is_known(kind)) {
        return STATUS_BAD_VALUE;
    }
    reply->kind = (enum command_query_kind)kind;
    switch (reply->kind) {
    case COMMAND_QUERY_LOCK:
    case COMMAND_QUERY_HOLDERS:
    case COMMAND_QUERY_WAITERS:
        reply->lock.holders_count = reader_u32(&reader);
        reply->lock.mode = (enum lock_mode)reader_u8(&reader);
        reply->lock.waiters_count = reader_u32(&reader);
        reply->lock.delayed_until = reader_u64(&reader);
        reply->delay_left_ms = reader_u64(&reader);
        reply->last_token = reader_u64(&reader);
        break;
    case COMMAND_QUERY_OWNED:
        break;
    case COMMAND_QUERY_SCAN:
        reply->cursor = reader_u64(&reader);
        break;
    case COMMAND_QUERY_FENCED:
        reply->found = reader_u8(&reader) != 0;
        reply->token = reader_u64(&reader);
        reply->lock_key = reader_bytes16(&reader);
        reply->value = reader_bytes32(&reader);
        break;
    case COMMAND_QUERY_FENCE:
        reply->last_token = reader_u64(&reader);
        break;
    case COMMAND_QUERY_DATA:
    case COMMAND_QUERY_KEYS:
    case COMMAND_QUERY_STEP:
    case COMMAND_QUERY_ANY:
        return command_query_data_read(&reader, reply);
    }
    reply->holders_count = reader_u32(&reader);
    reply->waiters_count = reader_u32(&reader);
    reply->cut = reader_u8(&reader) != 0;
    reply->claims = reader;
    return reader.failed ? STATUS_BAD_LENGTH : STATUS_OK;
}

bool command_query_next(struct command_query_reply *reply,
                        struct command_claim *claim)
{
    struct reader *reader = &reply->claims;
    if (reader->failed || reader->rest.count == 0) {
        return false;
    }
    claim->key = reader_bytes16(reader);
    claim->owner = reader_bytes16(reader);
    claim->seq = reader_u64(reader);
    claim->mode = (enum lock_mode)reader_u8(reader);
    claim->token = reader_u64(reader);
    claim->ticket = reader_u64(reader);
    claim->age_ms = reader_u64(reader);
    claim->left_ms = reader_u64(reader);
    return !reader->failed;
}

static void command_query_answer_lock(const struct lock_machine *machine,
                                      time_ms_t clock,
                                      const struct command_query *query,
                                      struct buffer *out)
{
    struct lock_view view;
    (void)lock_look(machine, query->text, &view);
    buffer_u32(out, (uint32_t)view.holders_count);
    buffer_u8(out, (uint8_t)view.mode);
    buffer_u32(out, (uint32_t)view.waiters_count);
    buffer_u64(out, view.delayed_until);
    buffer_u64(out,
               view.delayed_until > clock ? view.delayed_until - clock : 0);
    buffer_u64(out, lock_last_token(machine));
    const size_t counts = command_query_put_counts(out);
    struct command_query_writer holders =
        command_query_writer_of(machine, clock, query->count, out);
    struct command_query_writer waiters = holders;
    if (query->kind != COMMAND_QUERY_WAITERS) {
        lock_visit_holders(machine, query->text, command_query_put_claim,
                           &holders);
    }
    if (query->kind != COMMAND_QUERY_HOLDERS) {
        lock_visit_waiters(machine, query->text, command_query_put_claim,
                           &waiters);
    }
    command_query_set_counts(out, counts, &holders, &waiters);
}

/* Places of the table are listed whole, so that a lock that is held all the
 * time is never skipped; the room is looked at in between. The first holder
 * stands for the lock. */
static void command_query_answer_scan(const struct lock_machine *machine,
                                      time_ms_t clock,
                                      const struct command_query *query,
                                      struct buffer *out)
{
    const uint32_t wanted = query->count < COMMAND_QUERY_SCAN_MAX
                                ? query->count
                                : COMMAND_QUERY_SCAN_MAX;
    struct command_query_writer writer =
        command_query_writer_of(machine, clock, UINT32_MAX, out);
    struct buffer claims = {0};
    uint64_t cursor = query->cursor;
    uint32_t places = wanted * COMMAND_QUERY_SCAN_PLACES;
    writer.out = &claims;
    writer.bytes_end = SIZE_MAX; /* a place is never told by half */
    do {
        cursor =
            lock_visit_held(machine, cursor, command_query_put_claim, &writer);
        places -= places > 0 ? 1 : 0;
    } while (cursor != 0 && writer.count < wanted && places > 0 &&
             claims.count < COMMAND_QUERY_BYTES_MAX / 2);
    buffer_u64(out, cursor);
    const size_t counts = command_query_put_counts(out);
    buffer_append(out, buffer_view(&claims));
    command_query_set_counts(out, counts, &writer, NULL);
    buffer_close(&claims);
}

static void command_query_answer_fenced(const struct lock_machine *machine,
                                        const struct command_query *query,
                                        struct buffer *out)
{
    struct bytes value = bytes_of(NULL, 0);
    struct bytes lock_key = bytes_of(NULL, 0);
    uint64_t token = 0;
    const bool found =
        lock_get_fenced(machine, query->database, query->text,
                        lock_clock(machine), &value, &lock_key, &token);
    command_query_tell_fenced(found, value, lock_key, token, out);
}

void command_query_tell_fenced(bool found, struct bytes value,
                               struct bytes lock_key, uint64_t token,
                               struct buffer *out)
{
    buffer_u8(out, COMMAND_QUERY_FENCED);
    buffer_u8(out, found ? 1 : 0);
    buffer_u64(out, token);
    buffer_bytes16(out, lock_key);
    buffer_bytes32(out, value);
    (void)command_query_put_counts(out);
}

void command_query_tell_fence(uint64_t token, struct buffer *out)
{
    buffer_u8(out, COMMAND_QUERY_FENCE);
    buffer_u64(out, token);
    (void)command_query_put_counts(out);
}

static struct command_query_writer
command_query_writer_of(const struct lock_machine *machine, time_ms_t clock,
                        uint32_t room, struct buffer *out)
{
    return (struct command_query_writer){
        .machine = machine,
        .out = out,
        .clock = clock,
        .room = room,
        .bytes_end = out->count + COMMAND_QUERY_BYTES_MAX,
    };
}

/* Two counts and whether something is missing, 0 for now; returns where they
 * stand. */
static size_t command_query_put_counts(struct buffer *out)
{
    const size_t offset = out->count;
    buffer_u32(out, 0);
    buffer_u32(out, 0);
    buffer_u8(out, 0);
    return offset;
}

static void command_query_set_counts(struct buffer *out, size_t offset,
                                     const struct command_query_writer *holders,
                                     const struct command_query_writer *waiters)
{
    const bool cut = holders->cut || (waiters != NULL && waiters->cut);
    buffer_patch_u32(out, offset, holders->count);
    buffer_patch_u32(out, offset + 4, waiters != NULL ? waiters->count : 0);
    out->data[offset + 8] = cut ? 1 : 0;
}

static bool command_query_put_claim(void *context,
                                    const struct lock_claim_view *claim)
{
    struct command_query_writer *writer = context;
    struct buffer *out = writer->out;
    const size_t bytes =
        claim->key.count + claim->owner.count + COMMAND_QUERY_CLAIM_BYTES;
    if (writer->count == writer->room ||
        out->count + bytes > writer->bytes_end) {
        writer->cut = true;
        return false;
    }
    buffer_bytes16(out, claim->key);
    buffer_bytes16(out, claim->owner);
    buffer_u64(out, claim->seq);
    buffer_u8(out, (uint8_t)claim->mode);
    buffer_u64(out, claim->token);
    buffer_u64(out, claim->ticket);
    buffer_u64(out,
               writer->clock > claim->since ? writer->clock - claim->since : 0);
    buffer_u64(out, command_query_left(writer->machine, claim, writer->clock));
    writer->count++;
    return true;
}

static time_ms_t command_query_left(const struct lock_machine *machine,
                                    const struct lock_claim_view *claim,
                                    time_ms_t clock)
{
    if (claim->token == 0) {
        return 0;
    }
    time_ms_t due = lock_lease_due(machine, claim->key, claim->token);
    if (due == TIME_NEVER) {
        return 0; /* its end is on its way through the log */
    }
    if (due < claim->lease_floor) {
        due = claim->lease_floor;
    }
    if (due <= clock) {
        return 0;
    }
    return due - clock < claim->ttl_ms ? due - clock : claim->ttl_ms;
}

static bool command_query_kind_is_known(uint8_t kind)
{
    return kind >= COMMAND_QUERY_LOCK && kind <= COMMAND_QUERY_ANY;
}
