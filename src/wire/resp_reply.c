/* resp_reply.c - replies to clients, in protocol 2 or 3.
 *
 * Everything is made of three things: a line with text in it, a line with a
 * number in it, and a bulk string. Room for a line is reserved once and filled
 * in place, because replies are written by the hundred thousand.
 *
 * Text that becomes a line is cleaned here and not where it comes from: then no
 * command can forget it, and no client can make the server say what it did not
 * mean to (CVE-2025-67733).
 *
 * To extend: a new type has its mark in protocol 3, and in the table of the
 * header what stands for it in protocol 2.
 */
#include "wire/resp_reply.h"

#include <string.h>

#include "base/ensure.h"

/* A mark, a sign, the digits of 2^64 - 1, CR and LF. */
#define RESP_REPLY_NUMBER_BYTES (1 + 1 + 20 + 2)

#define RESP_REPLY_FORMAT_BYTES 3

static bool resp_reply_is_3(const struct resp_reply *reply);
static void resp_reply_line(const struct resp_reply *reply, char mark,
                            struct bytes text);
static void resp_reply_number(const struct resp_reply *reply, char mark,
                              bool negative, uint64_t size);
static size_t resp_reply_digits(uint64_t value, uint8_t *end);
static void resp_reply_end(struct buffer *out);

void resp_reply_simple(const struct resp_reply *reply, struct bytes text)
{
    resp_reply_line(reply, '+', text);
}

void resp_reply_ok(const struct resp_reply *reply)
{
    resp_reply_line(reply, '+', bytes_of_text("OK"));
}

void resp_reply_error(const struct resp_reply *reply, struct bytes text)
{
    resp_reply_line(reply, '-', text);
}

void resp_reply_error_text(const struct resp_reply *reply, const char *text)
{
    resp_reply_line(reply, '-', bytes_of_text(text));
}

void resp_reply_integer(const struct resp_reply *reply, int64_t value)
{
    const uint64_t size =
        value < 0 ? UINT64_C(0) - (uint64_t)value : (uint64_t)value;
    resp_reply_number(reply, ':', value < 0, size);
}

void resp_reply_boolean(const struct resp_reply *reply, bool value)
{
    if (resp_reply_is_3(reply)) {
        resp_reply_line(reply, '#', bytes_of_text(value ? "t" : "f"));
    } else {
        resp_reply_number(reply, ':', false, value ? 1 : 0);
    }
}

void resp_reply_decimal(const struct resp_reply *reply, const char *text)
{
    if (resp_reply_is_3(reply)) {
        resp_reply_line(reply, ',', bytes_of_text(text));
    } else {
        resp_reply_bulk_text(reply, text);
    }
}

void resp_reply_bulk(const struct resp_reply *reply, struct bytes bytes)
{
    resp_reply_number(reply, '$', false, bytes.count);
    buffer_append(reply->out, bytes);
    resp_reply_end(reply->out);
}

void resp_reply_bulk_text(const struct resp_reply *reply, const char *text)
{
    resp_reply_bulk(reply, bytes_of_text(text));
}

void resp_reply_bulk_unsigned(const struct resp_reply *reply, uint64_t value)
{
    uint8_t digits[RESP_REPLY_NUMBER_BYTES];
    uint8_t *end = digits + sizeof(digits);
    const size_t count = resp_reply_digits(value, end);
    resp_reply_bulk(reply, bytes_of(end - count, count));
}

void resp_reply_key(const struct resp_reply *reply, const char *name)
{
    resp_reply_bulk_text(reply, name);
}

void resp_reply_verbatim(const struct resp_reply *reply, const char *format,
                         struct bytes text)
{
    ENSURE(strlen(format) == RESP_REPLY_FORMAT_BYTES);

    if (!resp_reply_is_3(reply)) {
        resp_reply_bulk(reply, text);
        return;
    }
    resp_reply_number(reply, '=', false,
                      RESP_REPLY_FORMAT_BYTES + 1 + text.count);
    buffer_append(reply->out, bytes_of(format, RESP_REPLY_FORMAT_BYTES));
    buffer_u8(reply->out, ':');
    buffer_append(reply->out, text);
    resp_reply_end(reply->out);
}

void resp_reply_null(const struct resp_reply *reply)
{
    if (resp_reply_is_3(reply)) {
        resp_reply_line(reply, '_', bytes_of(NULL, 0));
    } else {
        resp_reply_number(reply, '$', true, 1);
    }
}

void resp_reply_null_array(const struct resp_reply *reply)
{
    if (resp_reply_is_3(reply)) {
        resp_reply_line(reply, '_', bytes_of(NULL, 0));
    } else {
        resp_reply_number(reply, '*', true, 1);
    }
}

void resp_reply_array(const struct resp_reply *reply, size_t count)
{
    resp_reply_number(reply, '*', false, count);
}

void resp_reply_map(const struct resp_reply *reply, size_t pairs_count)
{
    ENSURE(pairs_count <= SIZE_MAX / 2);

    if (resp_reply_is_3(reply)) {
        resp_reply_number(reply, '%', false, pairs_count);
    } else {
        resp_reply_number(reply, '*', false, pairs_count * 2);
    }
}

void resp_reply_set(const struct resp_reply *reply, size_t count)
{
    resp_reply_number(reply, resp_reply_is_3(reply) ? '~' : '*', false, count);
}

void resp_reply_push(const struct resp_reply *reply, size_t count)
{
    resp_reply_number(reply, resp_reply_is_3(reply) ? '>' : '*', false, count);
}

static bool resp_reply_is_3(const struct resp_reply *reply)
{
    ENSURE(reply->protocol == 2 || reply->protocol == 3);

    return reply->protocol == 3;
}

/* The one way for text into a line. */
static void resp_reply_line(const struct resp_reply *reply, char mark,
                            struct bytes text)
{
    uint8_t *line = buffer_reserve(reply->out, 1 + text.count + 2);
    line[0] = (uint8_t)mark;
    for (size_t i = 0; i < text.count; i++) {
        const uint8_t byte = text.data[i];
        line[1 + i] = byte < ' ' || byte == 0x7f ? ' ' : byte;
    }
    buffer_advance(reply->out, 1 + text.count);
    resp_reply_end(reply->out);
}

static void resp_reply_number(const struct resp_reply *reply, char mark,
                              bool negative, uint64_t size)
{
    uint8_t line[RESP_REPLY_NUMBER_BYTES];
    uint8_t *end = line + sizeof(line);
    uint8_t *start = end - 2;
    memcpy(start, "\r\n", 2);
    start -= resp_reply_digits(size, start);
    if (negative) {
        *--start = '-';
    }
    *--start = (uint8_t)mark;

    ENSURE(start >= line);
    buffer_append(reply->out, bytes_of(start, (size_t)(end - start)));
}

/* The decimal digits of value, written before end; returns how many. */
static size_t resp_reply_digits(uint64_t value, uint8_t *end)
{
    size_t count = 0;
    do {
        count++;
        *(end - count) = (uint8_t)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    return count;
}

static void resp_reply_end(struct buffer *out)
{
    buffer_append(out, bytes_of("\r\n", 2));
}
