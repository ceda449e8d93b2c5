/* cli_info.c - find fields in the reply to INFO. */
#include "cli/cli_info.h"

#include <string.h>

struct bytes cli_info_text(struct bytes info, const char *name)
{
    const size_t name_bytes = strlen(name);
    while (info.count > 0) {
        const uint8_t *newline = memchr(info.data, '\n', info.count);
        size_t line =
            newline != NULL ? (size_t)(newline - info.data) : info.count;
        const size_t used = newline != NULL ? line + 1 : line;
        if (line > 0 && info.data[line - 1] == '\r') {
            line--;
        }
        if (line > name_bytes && info.data[name_bytes] == ':' &&
            memcmp(info.data, name, name_bytes) == 0) {
            return bytes_of(info.data + name_bytes + 1, line - name_bytes - 1);
        }
        info = bytes_of(info.data + used, info.count - used);
    }
    return bytes_of(NULL, 0);
}

uint64_t cli_info_number(struct bytes info, const char *name)
{
    const struct bytes text = cli_info_text(info, name);
    uint64_t number = 0;
    for (size_t i = 0; i < text.count; i++) {
        const uint8_t digit = (uint8_t)(text.data[i] - '0');
        if (digit > 9 || number > (UINT64_MAX - digit) / 10) {
            return 0;
        }
        number = number * 10 + digit;
    }
    return number;
}
