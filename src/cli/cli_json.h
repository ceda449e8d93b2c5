/* cli_json.h - write JSON that every parser takes.
 *
 * Members are written in the order of the calls; commas and quotes come by
 * themselves. name is NULL inside of an array and for the value at the top.
 *
 * Keys and owners are any bytes, JSON is Unicode. A text that is no UTF-8 is
 * written with U+FFFD in the place of what is not, and beside it, under the
 * name with "-hex" behind it, all of its bytes: so the plain member is always a
 * string, and nothing is lost. Not in arrays of texts: there are none.
 */
#ifndef HOLDFAST_CLI_JSON_H
#define HOLDFAST_CLI_JSON_H

#include "base/buffer.h"

struct cli_json {
    struct buffer *out;
    bool comma; /* the next value follows another */
};

struct cli_json cli_json_of(struct buffer *out);

void cli_json_open(struct cli_json *json, const char *name);
void cli_json_close(struct cli_json *json);
void cli_json_open_array(struct cli_json *json, const char *name);
void cli_json_close_array(struct cli_json *json);

void cli_json_integer(struct cli_json *json, const char *name, int64_t value);
void cli_json_boolean(struct cli_json *json, const char *name, bool value);
void cli_json_null(struct cli_json *json, const char *name);
void cli_json_bytes(struct cli_json *json, const char *name,
                    struct bytes bytes);
void cli_json_text(struct cli_json *json, const char *name, const char *text);

#endif
