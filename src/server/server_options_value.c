/* server_options_value.c - one value: out of text, into its field, and back.
 *
 * Whatever is refused is refused in the words that redis-server uses, because
 * tools compare them. A value of several words, as a line of a file may have,
 * arrives here joined by blanks.
 *
 * To add a type: a case in each of the three public functions.
 */
#include <inttypes.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "server/server_options_table.h"
#include "wire/resp_word.h"

#define SERVER_OPTIONS_NOT_INTEGER "argument couldn't be parsed into an integer"

static const char *
server_options_value_number(const struct server_option *option,
                            struct bytes value, struct server_options *into,
                            char *reason, size_t room);
static const char *
server_options_value_parse(const struct server_option *option,
                           struct bytes value, int64_t *number);
static const char *server_options_value_size(struct bytes value,
                                             int64_t *number);
static const char *server_options_value_octal(struct bytes value,
                                              int64_t *number);
static void server_options_value_store(const struct server_option *option,
                                       int64_t number,
                                       struct server_options *into);
static int64_t server_options_value_load(const struct server_option *option,
                                         const struct server_options *options);
static const char *server_options_value_text(const struct server_option *option,
                                             struct bytes value,
                                             struct server_options *into,
                                             char *reason, size_t room);
static void server_options_value_split(struct bytes value,
                                       struct server_texts *texts);
static const char *server_options_value_word(const struct server_option *option,
                                             struct bytes value,
                                             struct server_options *into,
                                             char *reason, size_t room);
static bool server_options_value_next(struct bytes *rest, struct bytes *word);

/* The field of an option; who reads only does not write through it. */
static void *server_options_value_field(const struct server_option *option,
                                        const struct server_options *options)
{
    return (char *)(uintptr_t)options + option->offset;
}

const char *server_options_value_read(const struct server_option *option,
                                      struct bytes value,
                                      struct server_options *into, char *reason,
                                      size_t reason_room)
{
    switch (option->type) {
    case SERVER_OPTION_TEXT:
    case SERVER_OPTION_LIST:
        return server_options_value_text(option, value, into, reason,
                                         reason_room);
    case SERVER_OPTION_WORD:
        return server_options_value_word(option, value, into, reason,
                                         reason_room);
    case SERVER_OPTION_YES_NO:
        if (!resp_word_is(value, "yes") && !resp_word_is(value, "no")) {
            return "argument must be 'yes' or 'no'";
        }
        if (into != NULL) {
            bool *field = server_options_value_field(option, into);
            *field = resp_word_is(value, "yes");
        }
        return NULL;
    default:
        return server_options_value_number(option, value, into, reason,
                                           reason_room);
    }
}

void server_options_value_write(const struct server_option *option,
                                const struct server_options *options,
                                struct buffer *out)
{
    const void *field = server_options_value_field(option, options);
    const struct server_texts *texts = field;
    char digits[32];
    const char *text = digits;
    switch (option->type) {
    case SERVER_OPTION_TEXT:
        text = *(char *const *)field;
        break;
    case SERVER_OPTION_LIST:
        text = "";
        for (size_t i = 0; i < texts->count; i++) {
            buffer_append(out, bytes_of_text(i > 0 ? " " : ""));
            buffer_append(out, bytes_of_text(texts->items[i]));
        }
        break;
    case SERVER_OPTION_WORD:
        text = option->words[*(const unsigned *)field];
        break;
    case SERVER_OPTION_YES_NO:
        text = *(const bool *)field ? "yes" : "no";
        break;
    case SERVER_OPTION_OCTAL:
        (void)snprintf(digits, sizeof(digits), "%" PRIo64,
                       (uint64_t)server_options_value_load(option, options));
        break;
    default:
        (void)snprintf(digits, sizeof(digits), "%" PRId64,
                       server_options_value_load(option, options));
        break;
    }
    buffer_append(out, bytes_of(text, strlen(text) + 1));
}

void server_options_value_close(const struct server_option *option,
                                struct server_options *options)
{
    void *field = server_options_value_field(option, options);
    if (option->type == SERVER_OPTION_TEXT) {
        char **text = field;
        memory_free(*text);
        *text = NULL;
    } else if (option->type == SERVER_OPTION_LIST) {
        struct server_texts *texts = field;
        for (size_t i = 0; i < texts->count; i++) {
            memory_free(texts->items[i]);
        }
        memory_free(texts->items);
        *texts = (struct server_texts){0};
    }
}

/* ---- numbers ---- */

static const char *
server_options_value_number(const struct server_option *option,
                            struct bytes value, struct server_options *into,
                            char *reason, size_t room)
{
    int64_t number = 0;
    const char *why_not = server_options_value_parse(option, value, &number);
    if (why_not != NULL) {
        return why_not;
    }
    if (number < option->least || number > option->most) {
        if (option->type == SERVER_OPTION_OCTAL) {
            (void)snprintf(reason, room,
                           "argument must be between %" PRIo64 " and %" PRIo64
                           " inclusive",
                           (uint64_t)option->least, (uint64_t)option->most);
        } else {
            (void)snprintf(reason, room,
                           "argument must be between %" PRId64 " and %" PRId64
                           " inclusive",
                           option->least, option->most);
        }
        return reason;
    }
    if (into != NULL) {
        server_options_value_store(option, number, into);
    }
    return NULL;
}

static const char *
server_options_value_parse(const struct server_option *option,
                           struct bytes value, int64_t *number)
{
    switch (option->type) {
    case SERVER_OPTION_SIZE:
        return server_options_value_size(value, number);
    case SERVER_OPTION_OCTAL:
        return server_options_value_octal(value, number);
    default:
        return resp_word_signed(value, number) ? NULL
                                               : SERVER_OPTIONS_NOT_INTEGER;
    }
}

/* As redis-server counts: k is 1000 and kb is 1024. */
static const char *server_options_value_size(struct bytes value,
                                             int64_t *number)
{
    static const struct {
        const char *word;
        int64_t factor;
    } units[] = {
        {"", 1},           {"b", 1},
        {"k", 1000},       {"kb", 1024},
        {"m", 1000000},    {"mb", 1024 * 1024},
        {"g", 1000000000}, {"gb", (int64_t)1024 * 1024 * 1024},
    };
    size_t digits = 0;
    while (digits < value.count && value.data[digits] >= '0' &&
           value.data[digits] <= '9') {
        digits++;
    }
    const struct bytes unit =
        bytes_of(value.data + digits, value.count - digits);
    if (resp_word_signed(bytes_of(value.data, digits), number)) {
        for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
            if (resp_word_is(unit, units[i].word) &&
                !__builtin_mul_overflow(*number, units[i].factor, number)) {
                return NULL;
            }
        }
    }
    return "argument must be a memory value";
}

static const char *server_options_value_octal(struct bytes value,
                                              int64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < value.count; i++) {
        if (value.data[i] < '0' || value.data[i] > '7' || i >= 16) {
            return "argument couldn't be parsed as an octal number";
        }
        *number = *number * 8 + (value.data[i] - '0');
    }
    return value.count > 0 ? NULL
                           : "argument couldn't be parsed as an octal number";
}

static void server_options_value_store(const struct server_option *option,
                                       int64_t number,
                                       struct server_options *into)
{
    void *field = server_options_value_field(option, into);
    switch (option->type) {
    case SERVER_OPTION_PORT:
        *(uint16_t *)field = (uint16_t)number;
        return;
    case SERVER_OPTION_SIGNED:
        *(int64_t *)field = number;
        return;
    case SERVER_OPTION_SIZE:
        *(size_t *)field = (size_t)number;
        return;
    default:
        *(uint64_t *)field = (uint64_t)number;
        return;
    }
}

static int64_t server_options_value_load(const struct server_option *option,
                                         const struct server_options *options)
{
    const void *field = server_options_value_field(option, options);
    switch (option->type) {
    case SERVER_OPTION_PORT:
        return *(const uint16_t *)field;
    case SERVER_OPTION_SIGNED:
        return *(const int64_t *)field;
    case SERVER_OPTION_SIZE:
        return (int64_t) * (const size_t *)field;
    default:
        return (int64_t) * (const uint64_t *)field;
    }
}

/* ---- words ---- */

static const char *server_options_value_text(const struct server_option *option,
                                             struct bytes value,
                                             struct server_options *into,
                                             char *reason, size_t room)
{
    struct bytes rest = value;
    struct bytes word;
    if (value.count > 0 && memchr(value.data, 0, value.count) != NULL) {
        return "argument must not contain a zero byte";
    }
    if ((int64_t)value.count > option->most) {
        (void)snprintf(reason, room,
                       "argument must not be longer than %" PRId64 " bytes",
                       option->most);
        return reason;
    }
    if ((int64_t)value.count < option->least ||
        (option->type == SERVER_OPTION_LIST && option->least > 0 &&
         !server_options_value_next(&rest, &word))) {
        return "argument must not be empty";
    }
    if (into == NULL) {
        return NULL;
    }
    void *field = server_options_value_field(option, into);
    server_options_value_close(option, into);
    if (option->type == SERVER_OPTION_LIST) {
        server_options_value_split(value, field);
    } else {
        char *text = memory_new(value.count + 1, 1);
        if (value.count > 0) {
            memcpy(text, value.data, value.count);
        }
        *(char **)field = text;
    }
    return NULL;
}

static void server_options_value_split(struct bytes value,
                                       struct server_texts *texts)
{
    struct bytes word;
    while (server_options_value_next(&value, &word)) {
        char *text = memory_new(word.count + 1, 1);
        memcpy(text, word.data, word.count);
        texts->items = memory_resize(texts->items, texts->count + 1,
                                     sizeof(texts->items[0]));
        texts->items[texts->count] = text;
        texts->count++;
    }
}

static bool server_options_value_next(struct bytes *rest, struct bytes *word)
{
    size_t from = 0;
    while (from < rest->count && rest->data[from] == ' ') {
        from++;
    }
    size_t to = from;
    while (to < rest->count && rest->data[to] != ' ') {
        to++;
    }
    if (from == to) {
        return false;
    }
    *word = bytes_of(rest->data + from, to - from);
    *rest = bytes_of(rest->data + to, rest->count - to);
    return true;
}

static const char *server_options_value_word(const struct server_option *option,
                                             struct bytes value,
                                             struct server_options *into,
                                             char *reason, size_t room)
{
    for (unsigned i = 0; option->words[i] != NULL; i++) {
        if (resp_word_is(value, option->words[i])) {
            if (into != NULL) {
                *(unsigned *)server_options_value_field(option, into) = i;
            }
            return NULL;
        }
    }
    int used =
        snprintf(reason, room, "argument(s) must be one of the following: ");
    for (unsigned i = 0; option->words[i] != NULL; i++) {
        ENSURE(used >= 0 && (size_t)used < room);
        used += snprintf(reason + used, room - (size_t)used, "%s%s",
                         i > 0 ? ", " : "", option->words[i]);
    }
    return reason;
}
