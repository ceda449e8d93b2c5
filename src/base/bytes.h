/* bytes.h - a borrowed view of bytes, and cursors that read and write them.
 *
 * A struct bytes never owns what it points to and is valid no longer than the
 * call that received it, unless a header says otherwise.
 *
 * Every decoder of the product reads through a struct reader, the one place
 * where a length is compared with what is really there. A reader that was asked
 * for more than it has becomes failed and stays so: from then on it gives zeros
 * and empty views, so that a decoder may read a whole structure and check once,
 * at its end, with reader_finished(). Integers are little-endian.
 *
 * What reads is here and not in bytes.c because every entry and every frame is
 * read field by field, several times on its way, and a call costs more than
 * most fields. To extend: write a new kind of field as a composition of
 * reader_take() and the integers, and its counterpart in buffer.h.
 */
#ifndef HOLDFAST_BASE_BYTES_H
#define HOLDFAST_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ensure.h"

struct bytes {
    const uint8_t *data;
    size_t count;
};

/* A view of count bytes at data; data may be NULL only if count is 0. */
static inline struct bytes bytes_of(const void *data, size_t count)
{
    ENSURE(data != NULL || count == 0);

    return (struct bytes){.data = (const uint8_t *)data, .count = count};
}

/* A view of a C string, without its terminating zero. */
struct bytes bytes_of_text(const char *text);

bool bytes_equal(struct bytes a, struct bytes b);

/* Negative, zero or positive as a sorts before, with or after b: bytes are
 * compared as unsigned numbers, and a prefix sorts before what extends it. */
int bytes_compare(struct bytes a, struct bytes b);

/* The bytes at source as an integer. Written out because compilers make one
 * load of this, and of a loop they do not. */
static inline uint32_t bytes_load_u32(const uint8_t *source)
{
    return (uint32_t)source[0] | (uint32_t)source[1] << 8 |
           (uint32_t)source[2] << 16 | (uint32_t)source[3] << 24;
}

static inline uint64_t bytes_load_u64(const uint8_t *source)
{
    return (uint64_t)source[0] | (uint64_t)source[1] << 8 |
           (uint64_t)source[2] << 16 | (uint64_t)source[3] << 24 |
           (uint64_t)source[4] << 32 | (uint64_t)source[5] << 40 |
           (uint64_t)source[6] << 48 | (uint64_t)source[7] << 56;
}

struct reader {
    struct bytes rest; /* not read yet */
    bool failed;       /* something was asked for that was not there */
};

static inline struct reader reader_of(struct bytes source)
{
    ENSURE(source.data != NULL || source.count == 0);

    return (struct reader){.rest = source, .failed = false};
}

/* The next count bytes, borrowed from the source. */
static inline struct bytes reader_take(struct reader *reader, size_t count)
{
    if (count > reader->rest.count) {
        /* Nothing may be read past a failure, hence nothing is left. */
        reader->failed = true;
        reader->rest = bytes_of(NULL, 0);
    }
    if (reader->failed || count == 0) {
        return bytes_of(NULL, 0);
    }
    const struct bytes taken = bytes_of(reader->rest.data, count);
    reader->rest.data += count;
    reader->rest.count -= count;
    return taken;
}

/* Integers. A failed reader gives an empty view, and that counts as 0. */
static inline uint8_t reader_u8(struct reader *reader)
{
    const struct bytes taken = reader_take(reader, 1);
    return taken.count == 0 ? 0 : taken.data[0];
}

static inline uint16_t reader_u16(struct reader *reader)
{
    const struct bytes taken = reader_take(reader, 2);
    if (taken.count == 0) {
        return 0;
    }
    return (uint16_t)((uint32_t)taken.data[0] | (uint32_t)taken.data[1] << 8);
}

static inline uint32_t reader_u32(struct reader *reader)
{
    const struct bytes taken = reader_take(reader, 4);
    return taken.count == 0 ? 0 : bytes_load_u32(taken.data);
}

static inline uint64_t reader_u64(struct reader *reader)
{
    const struct bytes taken = reader_take(reader, 8);
    return taken.count == 0 ? 0 : bytes_load_u64(taken.data);
}

/* A view preceded by its length: 16 bits, or 32 bits. */
static inline struct bytes reader_bytes16(struct reader *reader)
{
    const uint16_t count = reader_u16(reader);
    return reader_take(reader, count);
}

static inline struct bytes reader_bytes32(struct reader *reader)
{
    const uint32_t count = reader_u32(reader);
    return reader_take(reader, count);
}

/* True if nothing failed and nothing is left over. */
static inline bool reader_finished(const struct reader *reader)
{
    return !reader->failed && reader->rest.count == 0;
}

#endif
