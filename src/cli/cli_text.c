/* cli_text.c - text for people, composed in a buffer. */
#include "cli/cli_text.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/ensure.h"

void cli_text_print(struct buffer *out, const char *format, ...)
{
    va_list arguments;
    char some[256];
    va_start(arguments, format);
    const int count = vsnprintf(some, sizeof(some), format, arguments);
    va_end(arguments);
    ENSURE(count >= 0);
    if ((size_t)count < sizeof(some)) {
        buffer_append(out, bytes_of(some, (size_t)count));
        return;
    }
    char *room = (char *)buffer_reserve(out, (size_t)count + 1);
    va_start(arguments, format);
    (void)vsnprintf(room, (size_t)count + 1, format, arguments);
    va_end(arguments);
    buffer_advance(out, (size_t)count);
}

size_t cli_text_utf8(struct bytes bytes, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (bytes.count == 0) {
        return 0;
    }
    const uint8_t first = bytes.data[0];
    const size_t count = first < 0x80             ? 1
                         : (first & 0xe0) == 0xc0 ? 2
                         : (first & 0xf0) == 0xe0 ? 3
                         : (first & 0xf8) == 0xf0 ? 4
                                                  : 0;
    if (count == 0 || count > bytes.count) {
        return 0;
    }
    uint32_t value = count == 1 ? first : first & (0x7fU >> count);
    for (size_t i = 1; i < count; i++) {
        if ((bytes.data[i] & 0xc0) != 0x80) {
            return 0;
        }
        value = value << 6 | (bytes.data[i] & 0x3fU);
    }
    if (value < least[count] || value > 0x10ffff ||
        (value >= 0xd800 && value <= 0xdfff)) {
        return 0;
    }
    *code = value;
    return count;
}

/* The first character as it is shown: its bytes, how many were used of the
 * source, and its columns. */
struct cli_text_shown {
    char text[8];
    size_t text_bytes;
    size_t used;
    size_t columns;
};

static struct cli_text_shown cli_text_show(struct bytes bytes)
{
    struct cli_text_shown shown = {.used = 1};
    uint32_t code = 0;
    const size_t count = cli_text_utf8(bytes, &code);
    const bool moves_the_cursor =
        code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 ||
        code == 0x2029 || (code >= 0x200e && code <= 0x200f) ||
        (code >= 0x202a && code <= 0x202e) ||
        (code >= 0x2066 && code <= 0x2069);
    if (count > 0 && code == '\\') {
        (void)snprintf(shown.text, sizeof(shown.text), "\\\\");
        shown.text_bytes = 2;
        shown.columns = 2;
    } else if (count > 0 && !moves_the_cursor) {
        for (size_t i = 0; i < count; i++) {
            shown.text[i] = (char)bytes.data[i];
        }
        shown.text_bytes = count;
        shown.used = count;
        shown.columns = 1;
    } else {
        (void)snprintf(shown.text, sizeof(shown.text), "\\x%02x",
                       (unsigned)bytes.data[0]);
        shown.text_bytes = 4;
        shown.columns = 4;
    }
    return shown;
}

void cli_text_safe(struct buffer *out, struct bytes bytes)
{
    while (bytes.count > 0) {
        const struct cli_text_shown shown = cli_text_show(bytes);
        buffer_append(out, bytes_of(shown.text, shown.text_bytes));
        bytes = bytes_of(bytes.data + shown.used, bytes.count - shown.used);
    }
}

size_t cli_text_columns(struct bytes bytes)
{
    size_t columns = 0;
    while (bytes.count > 0) {
        const struct cli_text_shown shown = cli_text_show(bytes);
        columns += shown.columns;
        bytes = bytes_of(bytes.data + shown.used, bytes.count - shown.used);
    }
    return columns;
}

void cli_text_cell(struct buffer *out, struct bytes bytes, size_t width,
                   bool to_the_right)
{
    const size_t columns = cli_text_columns(bytes);
    size_t used = 0;
    if (columns > width) {
        while (width > 0) {
            const struct cli_text_shown shown = cli_text_show(bytes);
            if (used + shown.columns > width - 1) {
                break;
            }
            buffer_append(out, bytes_of(shown.text, shown.text_bytes));
            used += shown.columns;
            bytes = bytes_of(bytes.data + shown.used, bytes.count - shown.used);
        }
        for (; used < width; used++) {
            buffer_u8(out, '~');
        }
        return;
    }
    if (!to_the_right) {
        cli_text_safe(out, bytes);
    }
    for (used = columns; used < width; used++) {
        buffer_u8(out, ' ');
    }
    if (to_the_right) {
        cli_text_safe(out, bytes);
    }
}

bool cli_text_flush(struct buffer *out)
{
    const bool written = out->count == 0 || (fwrite(out->data, 1, out->count,
                                                    stdout) == out->count &&
                                             fflush(stdout) == 0);
    buffer_clear(out);
    return written;
}
