/* store_reason.c - one line for a person that says why not.
 *
 * Keys and names come from clients and disks, so they are never printed as
 * they are: a line stays one line, whatever is in it.
 */
#include "store/store_reason.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/ensure.h"

enum store_result store_reason_give(const struct store_reason *reason,
                                    enum store_result result,
                                    const char *format, ...)
{
    if (reason->bytes > 0) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(reason->text, reason->bytes, format, arguments);
        va_end(arguments);
    }
    return result;
}

const char *store_reason_escape(struct bytes bytes, char *text, size_t room)
{
    ENSURE(room >= 8);

    static const char digits[] = "0123456789abcdef";
    size_t used = 0;
    for (size_t i = 0; i < bytes.count; i++) {
        const uint8_t byte = bytes.data[i];
        const bool plain =
            byte >= 0x20 && byte < 0x7f && byte != '\\' && byte != '"';
        if (used + (plain ? 1 : 4) + 4 > room) {
            memcpy(text + used, "...", 4);
            return text;
        }
        if (plain) {
            text[used++] = (char)byte;
        } else {
            text[used++] = '\\';
            text[used++] = 'x';
            text[used++] = digits[byte >> 4];
            text[used++] = digits[byte & 15];
        }
    }
    text[used] = '\0';
    return text;
}
