/* cli_json.c - write JSON that every parser takes. */
#include "cli/cli_json.h"

#include <inttypes.h>

#include "cli/cli_text.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

static void cli_json_begin(struct cli_json *json, const char *name);
static bool cli_json_string(struct cli_json *json, struct bytes bytes);

struct cli_json cli_json_of(struct buffer *out)
{
    return (struct cli_json){.out = out, .comma = false};
}

void cli_json_open(struct cli_json *json, const char *name)
{
    cli_json_begin(json, name);
    buffer_u8(json->out, '{');
    json->comma = false;
}

void cli_json_close(struct cli_json *json)
{
    buffer_u8(json->out, '}');
    json->comma = true;
}

void cli_json_open_array(struct cli_json *json, const char *name)
{
    cli_json_begin(json, name);
    buffer_u8(json->out, '[');
    json->comma = false;
}

void cli_json_close_array(struct cli_json *json)
{
    buffer_u8(json->out, ']');
    json->comma = true;
}

void cli_json_integer(struct cli_json *json, const char *name, int64_t value)
{
    cli_json_begin(json, name);
    cli_text_print(json->out, "%" PRId64, value);
}

void cli_json_boolean(struct cli_json *json, const char *name, bool value)
{
    cli_json_begin(json, name);
    cli_text_print(json->out, "%s", value ? "true" : "false");
}

void cli_json_null(struct cli_json *json, const char *name)
{
    cli_json_begin(json, name);
    cli_text_print(json->out, "null");
}

void cli_json_bytes(struct cli_json *json, const char *name, struct bytes bytes)
{
    cli_json_begin(json, name);
    if (cli_json_string(json, bytes) || name == NULL) {
        return;
    }
    cli_text_print(json->out, ",\"%s-hex\":\"", name);
    for (size_t i = 0; i < bytes.count; i++) {
        cli_text_print(json->out, "%02x", (unsigned)bytes.data[i]);
    }
    buffer_u8(json->out, '"');
}

void cli_json_text(struct cli_json *json, const char *name, const char *text)
{
    cli_json_bytes(json, name, bytes_of_text(text));
}

static void cli_json_begin(struct cli_json *json, const char *name)
{
    if (json->comma) {
        buffer_u8(json->out, ',');
    }
    json->comma = true;
    if (name != NULL) {
        (void)cli_json_string(json, bytes_of_text(name));
        buffer_u8(json->out, ':');
    }
}

/* False if something had to be replaced. */
static bool cli_json_string(struct cli_json *json, struct bytes bytes)
{
    struct buffer *out = json->out;
    bool whole = true;
    buffer_u8(out, '"');
    while (bytes.count > 0) {
        uint32_t code = 0;
        size_t count = cli_text_utf8(bytes, &code);
        if (count == 0) {
            cli_text_print(out, REPLACEMENT);
            whole = false;
            count = 1;
        } else if (code == '"' || code == '\\') {
            cli_text_print(out, "\\%c", (char)code);
        } else if (code < 0x20 || code == 0x7f) {
            cli_text_print(out, "\\u%04x", (unsigned)code);
        } else {
            buffer_append(out, bytes_of(bytes.data, count));
        }
        bytes = bytes_of(bytes.data + count, bytes.count - count);
    }
    buffer_u8(out, '"');
    return whole;
}
