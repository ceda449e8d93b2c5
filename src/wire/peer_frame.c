/* peer_frame.c - the head of a frame, and whether to believe it.
 *
 * Checks go from cheap to dear, and from what needs least trust to what needs
 * most: the head alone (magic, version, reserved bits, type, and a length that
 * this type can have), then the checksum over everything, then whose frame it
 * is, and only then the body.
 *
 * To extend: a new field of the head takes a new version, because every node
 * must find the checksum of a frame where it expects it. A new kind of message
 * changes nothing here.
 */
#include "wire/peer_frame.h"

#include <string.h>

#include "base/checksum.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "wire/peer_body.h"

#define PEER_FRAME_MAGIC UINT32_C(0x444c4f48) /* HOLD, little-endian */
#define PEER_FRAME_LENGTH_AT 8
#define PEER_FRAME_CHECKSUM_AT (PEER_FRAME_HEAD_BYTES - 4)

static void peer_frame_put_head(const struct peer_identity *identity,
                                const struct peer_message *message,
                                struct buffer *out);
static enum status peer_frame_take_head(struct bytes input,
                                        struct peer_frame_head *head);
static enum status
peer_frame_check_cluster(const struct peer_identity *identity,
                         const struct peer_identity *expected,
                         enum peer_body_party party);
static bool peer_frame_is_from_stranger(enum peer_body_party party);
static bool peer_frame_is_of_the_founded(const struct peer_message *message);

void peer_frame_init(struct peer_frame *frame)
{
    memset(frame, 0, sizeof(*frame));
}

void peer_frame_close(struct peer_frame *frame)
{
    memory_free(frame->entries);
    memset(frame, 0, sizeof(*frame));
}

enum status peer_frame_encode(const struct peer_identity *identity,
                              const struct peer_message *message,
                              struct buffer *out)
{
    const size_t start = out->count;
    const enum status status = peer_body_check(message);
    if (status != STATUS_OK) {
        return status;
    }
    if (!peer_frame_has_cluster(identity) &&
        (!peer_frame_is_from_stranger(peer_body_find(message->kind)->party) ||
         peer_frame_is_of_the_founded(message))) {
        return STATUS_BAD_CLUSTER;
    }
    peer_frame_put_head(identity, message, out);
    peer_body_encode(message, out);

    const size_t frame_bytes = out->count - start;
    ENSURE(frame_bytes <= LIMIT_FRAME_BYTES);
    buffer_patch_u32(out, start + PEER_FRAME_LENGTH_AT,
                     (uint32_t)(frame_bytes - PEER_FRAME_HEAD_BYTES));
    buffer_patch_u32(
        out, start + PEER_FRAME_CHECKSUM_AT,
        peer_frame_checksum(bytes_of(out->data + start, frame_bytes)));
    return STATUS_OK;
}

/* Length and checksum stay 0 until the body is written. */
static void peer_frame_put_head(const struct peer_identity *identity,
                                const struct peer_message *message,
                                struct buffer *out)
{
    const size_t start = out->count;

    buffer_u32(out, PEER_FRAME_MAGIC);
    buffer_u8(out, PEER_FRAME_VERSION);
    buffer_u8(out, (uint8_t)message->kind);
    buffer_u16(out, 0);
    buffer_u32(out, 0);
    buffer_u32(out, identity->group);
    buffer_append(out, bytes_of(identity->cluster, PEER_CLUSTER_BYTES));
    buffer_u64(out, message->from);
    buffer_u64(out, message->to);
    buffer_u64(out, identity->incarnation);
    buffer_u32(out, 0);

    ENSURE(out->count - start == PEER_FRAME_HEAD_BYTES);
}

enum status peer_frame_inspect(struct bytes input, struct peer_frame_head *head,
                               size_t *frame_bytes)
{
    *frame_bytes = PEER_FRAME_HEAD_BYTES;
    if (input.count < PEER_FRAME_HEAD_BYTES) {
        return STATUS_INCOMPLETE;
    }
    const enum status status = peer_frame_take_head(input, head);
    if (status == STATUS_OK) {
        *frame_bytes += head->body_bytes;
        ENSURE(*frame_bytes <= LIMIT_FRAME_BYTES);
    }
    return status;
}

static enum status peer_frame_take_head(struct bytes input,
                                        struct peer_frame_head *head)
{
    struct reader reader =
        reader_of(bytes_of(input.data, PEER_FRAME_HEAD_BYTES));
    if (reader_u32(&reader) != PEER_FRAME_MAGIC) {
        return STATUS_BAD_MAGIC;
    }
    if (reader_u8(&reader) != PEER_FRAME_VERSION) {
        return STATUS_BAD_VERSION;
    }
    head->kind = (enum peer_message_kind)reader_u8(&reader);
    if (reader_u16(&reader) != 0) {
        return STATUS_BAD_VALUE;
    }
    const struct peer_body *body = peer_body_find(head->kind);
    if (body == NULL) {
        return STATUS_BAD_TYPE;
    }
    head->body_bytes = reader_u32(&reader);
    if (head->body_bytes > body->bytes_max) {
        return STATUS_TOO_LONG;
    }
    head->identity.group = reader_u32(&reader);
    const struct bytes cluster = reader_take(&reader, PEER_CLUSTER_BYTES);
    memcpy(head->identity.cluster, cluster.data, PEER_CLUSTER_BYTES);
    head->from = reader_u64(&reader);
    head->to = reader_u64(&reader);
    head->identity.incarnation = reader_u64(&reader);
    head->checksum = reader_u32(&reader);

    ENSURE(reader_finished(&reader));
    return STATUS_OK;
}

enum status peer_frame_decode(struct bytes frame,
                              const struct peer_identity *expected,
                              struct peer_frame *out)
{
    struct peer_frame_head *head = &out->head;
    size_t frame_bytes;
    enum status status = peer_frame_inspect(frame, head, &frame_bytes);
    if (status != STATUS_OK) {
        return status;
    }
    if (frame.count != frame_bytes) {
        return frame.count < frame_bytes ? STATUS_INCOMPLETE
                                         : STATUS_BAD_LENGTH;
    }
    if (peer_frame_checksum(frame) != head->checksum) {
        return STATUS_BAD_CHECKSUM;
    }
    status = peer_frame_check_cluster(&head->identity, expected,
                                      peer_body_find(head->kind)->party);
    if (status != STATUS_OK) {
        return status;
    }
    if (head->identity.group != expected->group) {
        return STATUS_BAD_VALUE;
    }
    status = peer_body_decode(
        bytes_of(frame.data + PEER_FRAME_HEAD_BYTES, head->body_bytes), out);
    if (status == STATUS_OK && !peer_frame_has_cluster(&head->identity) &&
        peer_frame_is_of_the_founded(&out->message)) {
        return STATUS_BAD_CLUSTER;
    }
    return status;
}

static enum status
peer_frame_check_cluster(const struct peer_identity *identity,
                         const struct peer_identity *expected,
                         enum peer_body_party party)
{
    bool fits = true;
    if (!peer_frame_has_cluster(identity)) {
        fits = peer_frame_is_from_stranger(party);
    } else if (peer_frame_has_cluster(expected)) {
        fits = memcmp(identity->cluster, expected->cluster,
                      PEER_CLUSTER_BYTES) == 0;
    }
    return fits ? STATUS_OK : STATUS_BAD_CLUSTER;
}

static bool peer_frame_is_from_stranger(enum peer_body_party party)
{
    return party == PEER_FROM_STRANGER || party == PEER_AMONG_STRANGERS;
}

/* First members report to each other without a cluster, but whoever says that
 * they were founded has one. */
static bool peer_frame_is_of_the_founded(const struct peer_message *message)
{
    return message->kind == PEER_FOUND && message->raft.found.founded;
}

bool peer_frame_has_cluster(const struct peer_identity *identity)
{
    static const uint8_t nobody[PEER_CLUSTER_BYTES];
    return memcmp(identity->cluster, nobody, PEER_CLUSTER_BYTES) != 0;
}

uint32_t peer_frame_checksum(struct bytes frame)
{
    ENSURE(frame.count >= PEER_FRAME_HEAD_BYTES);

    const uint32_t head =
        checksum_crc32c(bytes_of(frame.data, PEER_FRAME_CHECKSUM_AT));
    return checksum_crc32c_extend(
        head, bytes_of(frame.data + PEER_FRAME_HEAD_BYTES,
                       frame.count - PEER_FRAME_HEAD_BYTES));
}
