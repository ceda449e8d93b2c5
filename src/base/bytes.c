/* bytes.c - views of bytes, and the cursor every decoder reads through.
 *
 * reader_take() is the only function that compares a length with what is
 * there; all others are built on it. A count of 0 is set apart wherever a
 * pointer would be used, because an empty view may point to NULL and the C
 * library may be given NULL for no length, not even for 0.
 *
 * To extend: write a new kind of field as a composition of reader_take() and
 * the integers, and its counterpart in buffer.c.
 */
#include "base/bytes.h"

#include <string.h>

#include "base/ensure.h"

static uint64_t reader_integer(struct reader *reader, size_t count);

struct bytes bytes_of_text(const char *text)
{
    ENSURE(text != NULL);

    return bytes_of(text, strlen(text));
}

bool bytes_equal(struct bytes a, struct bytes b)
{
    if (a.count != b.count) {
        return false;
    }
    return a.count == 0 || memcmp(a.data, b.data, a.count) == 0;
}

int bytes_compare(struct bytes a, struct bytes b)
{
    const size_t common = a.count < b.count ? a.count : b.count;
    const int order = common > 0 ? memcmp(a.data, b.data, common) : 0;

    if (order != 0) {
        return order;
    }
    return (a.count > b.count) - (a.count < b.count);
}

struct reader reader_of(struct bytes source)
{
    ENSURE(source.data != NULL || source.count == 0);

    return (struct reader){.rest = source, .failed = false};
}

uint8_t reader_u8(struct reader *reader)
{
    return (uint8_t)reader_integer(reader, 1);
}

uint16_t reader_u16(struct reader *reader)
{
    return (uint16_t)reader_integer(reader, 2);
}

uint32_t reader_u32(struct reader *reader)
{
    return (uint32_t)reader_integer(reader, 4);
}

uint64_t reader_u64(struct reader *reader)
{
    const struct bytes taken = reader_take(reader, 8);
    return taken.count == 0 ? 0 : bytes_load_u64(taken.data);
}

struct bytes reader_take(struct reader *reader, size_t count)
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

struct bytes reader_bytes16(struct reader *reader)
{
    const uint16_t count = reader_u16(reader);

    return reader_take(reader, count);
}

struct bytes reader_bytes32(struct reader *reader)
{
    const uint32_t count = reader_u32(reader);

    return reader_take(reader, count);
}

bool reader_finished(const struct reader *reader)
{
    return !reader->failed && reader->rest.count == 0;
}

/* A failed reader gives an empty view, and an empty view adds up to 0. */
static uint64_t reader_integer(struct reader *reader, size_t count)
{
    ENSURE(count <= sizeof(uint64_t));

    const struct bytes taken = reader_take(reader, count);
    uint64_t value = 0;
    for (size_t i = 0; i < taken.count; i++) {
        value |= (uint64_t)taken.data[i] << (8 * i);
    }
    return value;
}
