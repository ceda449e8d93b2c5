/* buffer.c - the growing row of bytes.
 *
 * The capacity doubles, so that a byte is moved a bounded number of times no
 * matter how the buffer was filled. All growth begins in buffer_reserve();
 * everything else writes into room that is known to be there.
 *
 * To extend: a new kind of field reserves, writes and advances, and has its
 * counterpart in bytes.h.
 */
#include "base/buffer.h"

#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"

/* The first allocation: most small messages never need a second one. */
#define BUFFER_CAPACITY_MIN 64

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

    buffer_store_u32(buffer->data + offset, value);
}

void buffer_grow(struct buffer *buffer, size_t capacity_needed)
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
