/* buffer.h - an owned, growing row of bytes; what writers write into.
 *
 * Appending never fails (memory.h). The counterpart of struct reader: what
 * buffer_u32() wrote, reader_u32() reads.
 */
#ifndef HOLDFAST_BASE_BUFFER_H
#define HOLDFAST_BASE_BUFFER_H

#include "base/bytes.h"

struct buffer {
    uint8_t *data;
    size_t count;    /* bytes written */
    size_t capacity; /* bytes allocated */
};

/* An empty buffer holds no memory; a zeroed struct buffer is one. */
void buffer_init(struct buffer *buffer);
void buffer_close(struct buffer *buffer);

/* Forget the contents and keep the memory. */
void buffer_clear(struct buffer *buffer);

/* Forget everything after the first count bytes. */
void buffer_cut(struct buffer *buffer, size_t count);

/* Drop the first count bytes and move the rest to the front. */
void buffer_consume(struct buffer *buffer, size_t count);

/* Room for count more bytes; returns where they start. They count as written
 * only after buffer_advance(). */
uint8_t *buffer_reserve(struct buffer *buffer, size_t count);
void buffer_advance(struct buffer *buffer, size_t count);

/* All bytes written, valid until the next change of the buffer. */
struct bytes buffer_view(const struct buffer *buffer);

void buffer_u8(struct buffer *buffer, uint8_t value);
void buffer_u16(struct buffer *buffer, uint16_t value);
void buffer_u32(struct buffer *buffer, uint32_t value);
void buffer_u64(struct buffer *buffer, uint64_t value);
void buffer_append(struct buffer *buffer, struct bytes bytes);

/* The view preceded by its length. It must fit into 16 bits, or 32 bits. */
void buffer_bytes16(struct buffer *buffer, struct bytes bytes);
void buffer_bytes32(struct buffer *buffer, struct bytes bytes);

/* Overwrite four bytes written before: for lengths and checksums that are
 * known only at the end. */
void buffer_patch_u32(struct buffer *buffer, size_t offset, uint32_t value);

#endif
