/* buffer.c - the growing row of bytes.
 *
 * The capacity doubles, so that a byte is moved a bounded number of times no
 * matter how the buffer was filled. All growth happens in buffer_reserve();
 * everything else writes into room that is known to be there.
 *
 * To extend: a new kind of field reserves, writes and advances, and has its
 * counterpart in bytes.c.
 */
#include "base/buffer.h"

#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"

/* The first allocation: most small messages never need a second one. */
#define BUFFER_CAPACITY_MIN 64

static void buffer_grow(struct buffer *buffer, size_t capacity_needed);
static void buffer_integer(struct buffer *buffer, uint64_t value, size_t count);
static void buffer_store(uint8_t *target, uint64_t value, size_t count);

void buffer_init(struct buffer *buffer)
{
    *buffer = (struct buffer){0};
}

void buffer_close(struct buffer *buffer)
{
    memory_free(buffer->data);
    *buffer = (struct buffer){0};
}

void buffer_clear(struct buffer *buffer)
{
    buffer->count = 0;
}

void buffer_cut(struct buffer *buffer, size_t count)
{
    ENSURE(count <= buffer->count);

    buffer->count = count;
}

void buffer_consume(struct buffer *buffer, size_t count)
{
    ENSURE(count <= buffer->count);

    const size_t rest = buffer->count - count;
    if (count > 0 && rest > 0) {
        memmove(buffer->data, buffer->data + count, rest);
    }
    buffer->count = rest;
}

uint8_t *buffer_reserve(struct buffer *buffer, size_t count)
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

void buffer_advance(struct buffer *buffer, size_t count)
{
    ENSURE(count <= buffer->capacity - buffer->count);

    buffer->count += count;
}

struct bytes buffer_view(const struct buffer *buffer)
{
    return bytes_of(buffer->data, buffer->count);
}

void buffer_u8(struct buffer *buffer, uint8_t value)
{
    buffer_integer(buffer, value, 1);
}

void buffer_u16(struct buffer *buffer, uint16_t value)
{
    buffer_integer(buffer, value, 2);
}

void buffer_u32(struct buffer *buffer, uint32_t value)
{
    buffer_integer(buffer, value, 4);
}

void buffer_u64(struct buffer *buffer, uint64_t value)
{
    /* Written out for the compiler, which makes it one store: most integers
     * that are written are these. */
    uint8_t *target = buffer_reserve(buffer, 8);
    target[0] = (uint8_t)value;
    target[1] = (uint8_t)(value >> 8);
    target[2] = (uint8_t)(value >> 16);
    target[3] = (uint8_t)(value >> 24);
    target[4] = (uint8_t)(value >> 32);
    target[5] = (uint8_t)(value >> 40);
    target[6] = (uint8_t)(value >> 48);
    target[7] = (uint8_t)(value >> 56);
    buffer_advance(buffer, 8);
}

void buffer_append(struct buffer *buffer, struct bytes bytes)
{
    if (bytes.count == 0) {
        return;
    }
    memcpy(buffer_reserve(buffer, bytes.count), bytes.data, bytes.count);
    buffer_advance(buffer, bytes.count);
}

void buffer_bytes16(struct buffer *buffer, struct bytes bytes)
{
    ENSURE(bytes.count <= UINT16_MAX);

    buffer_u16(buffer, (uint16_t)bytes.count);
    buffer_append(buffer, bytes);
}

void buffer_bytes32(struct buffer *buffer, struct bytes bytes)
{
    ENSURE(bytes.count <= UINT32_MAX);

    buffer_u32(buffer, (uint32_t)bytes.count);
    buffer_append(buffer, bytes);
}

void buffer_patch_u32(struct buffer *buffer, size_t offset, uint32_t value)
{
    ENSURE(buffer->count >= sizeof(value));
    ENSURE(offset <= buffer->count - sizeof(value));

    buffer_store(buffer->data + offset, value, sizeof(value));
}

static void buffer_grow(struct buffer *buffer, size_t capacity_needed)
{
    size_t capacity = buffer->capacity;
    if (capacity < BUFFER_CAPACITY_MIN) {
        capacity = BUFFER_CAPACITY_MIN;
    }
    while (capacity < capacity_needed) {
        ENSURE(capacity <= SIZE_MAX / 2);
        capacity *= 2;
    }
    buffer->data = memory_resize(buffer->data, capacity, 1);
    buffer->capacity = capacity;
}

static void buffer_integer(struct buffer *buffer, uint64_t value, size_t count)
{
    buffer_store(buffer_reserve(buffer, count), value, count);
    buffer_advance(buffer, count);
}

static void buffer_store(uint8_t *target, uint64_t value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        target[i] = (uint8_t)(value >> (8 * i));
    }
}
