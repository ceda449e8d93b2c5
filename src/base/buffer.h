/* buffer.h - an owned, growing row of bytes; what writers write into.
 *
 * Appending never fails (memory.h). The counterpart of struct reader: what
 * buffer_u32() wrote, reader_u32() reads.
 *
 * What writes is here and not in buffer.c for the reason that bytes.h gives for
 * what reads.
 */
#ifndef HOLDFAST_BASE_BUFFER_H
#define HOLDFAST_BASE_BUFFER_H

#include <string.h>

#include "base/bytes.h"
#include "base/ensure.h"

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

/* More memory, for so many bytes in all. */
void buffer_grow(struct buffer *buffer, size_t capacity_needed);

/* Room for count more bytes; returns where they start. They count as written
 * only after buffer_advance(). */
static inline uint8_t *buffer_reserve(struct buffer *buffer, size_t count)
{
    ENSURE(buffer->count <= buffer->capacity);
    ENSURE(count <= SIZE_MAX - buffer->count);

    /* A buffer without memory grows even for no bytes at all, so that what is
     * returned always points somewhere. */
    const size_t needed = buffer->count + count;
    if (needed > buffer->capacity || buffer->data == NULL) {
        buffer_grow(buffer, needed);
    }
    return buffer->data + buffer->count;
}

static inline void buffer_advance(struct buffer *buffer, size_t count)
{
    ENSURE(count <= buffer->capacity - buffer->count);

    buffer->count += count;
}

/* All bytes written, valid until the next change of the buffer. */
static inline struct bytes buffer_view(const struct buffer *buffer)
{
    return bytes_of(buffer->data, buffer->count);
}

/* Integers. Written out for the compiler, which makes each one store. */
static inline void buffer_u8(struct buffer *buffer, uint8_t value)
{
    *buffer_reserve(buffer, 1) = value;
    buffer_advance(buffer, 1);
}

static inline void buffer_u16(struct buffer *buffer, uint16_t value)
{
    uint8_t *target = buffer_reserve(buffer, 2);
    target[0] = (uint8_t)value;
    target[1] = (uint8_t)(value >> 8);
    buffer_advance(buffer, 2);
}

static inline void buffer_store_u32(uint8_t *target, uint32_t value)
{
    target[0] = (uint8_t)value;
    target[1] = (uint8_t)(value >> 8);
    target[2] = (uint8_t)(value >> 16);
    target[3] = (uint8_t)(value >> 24);
}

static inline void buffer_u32(struct buffer *buffer, uint32_t value)
{
    buffer_store_u32(buffer_reserve(buffer, 4), value);
    buffer_advance(buffer, 4);
}

static inline void buffer_u64(struct buffer *buffer, uint64_t value)
{
    uint8_t *target = buffer_reserve(buffer, 8);
    buffer_store_u32(target, (uint32_t)value);
    buffer_store_u32(target + 4, (uint32_t)(value >> 32));
    buffer_advance(buffer, 8);
}

static inline void buffer_append(struct buffer *buffer, struct bytes bytes)
{
    if (bytes.count == 0) {
        return;
    }
    memcpy(buffer_reserve(buffer, bytes.count), bytes.data, bytes.count);
    buffer_advance(buffer, bytes.count);
}

/* The view preceded by its length. It must fit into 16 bits, or 32 bits. */
void buffer_bytes16(struct buffer *buffer, struct bytes bytes);
void buffer_bytes32(struct buffer *buffer, struct bytes bytes);

/* Overwrite four bytes written before: for lengths and checksums that are
 * known only at the end. */
void buffer_patch_u32(struct buffer *buffer, size_t offset, uint32_t value);

#endif
