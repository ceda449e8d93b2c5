/* server_options_read.c - options from a file and from the command line.
 *
 * Both are the same thing: a name, words, and the place they stand at. The
 * command line is walked twice: first for the file and for what is to be done,
 * then, when the file was read, for the values that win over it.
 *
 * Words of a file are split as those of an inline command are, quotes included.
 */
#include "server/server_options_read.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "server/server_options_table.h"
#include "wire/resp_split.h"

/* A longer file is not ours. */
#define SERVER_OPTIONS_FILE_BYTES (1024 * 1024)

/* A directive as it was found. */
struct server_options_entry {
    struct bytes name;
    struct buffer value; /* the words behind it, joined by blanks */
    size_t words;
    int place; /* as in given[] */
};

/* The walk along the command line. */
struct server_options_walk {
    int argc;
    char *const *argv;
    int at;
    bool apply; /* second time */
    const char *file;
    enum server_options_action action;
};

static bool server_options_read_walk(struct server_options *options,
                                     struct server_options_walk *walk);
static bool server_options_read_word(struct server_options *options,
                                     struct server_options_walk *walk);
static bool server_options_read_action(struct server_options_walk *walk,
                                       const char *word);
static bool server_options_read_set_file(struct server_options *options,
                                         struct server_options_walk *walk,
                                         const char *path);
static bool server_options_read_directive(struct server_options *options,
                                          struct server_options_walk *walk);
static bool server_options_read_apply(struct server_options *options,
                                      const struct server_options_entry *entry);
static const char *
server_options_read_take(struct server_options *options,
                         const struct server_option *option,
                         const struct server_options_entry *entry);
static bool server_options_read_say(struct server_options *options, int place,
                                    struct bytes name, const char *why);
static void server_options_read_add(struct server_options_entry *entry,
                                    struct bytes word);
static bool server_options_read_all(int fd, struct buffer *text);
static void server_options_read_absolute(struct server_options *options);

enum server_options_action server_options_read(struct server_options *options,
                                               int argc, char *const *argv)
{
    struct server_options_walk walk = {
        .argc = argc, .argv = argv, .action = SERVER_OPTIONS_RUN};
    if (!server_options_read_walk(options, &walk)) {
        return SERVER_OPTIONS_FAILED;
    }
    if (walk.action != SERVER_OPTIONS_RUN &&
        walk.action != SERVER_OPTIONS_RECOVER &&
        walk.action != SERVER_OPTIONS_CHECKED) {
        return walk.action;
    }
    if (walk.file != NULL && !server_options_file(options, walk.file)) {
        return SERVER_OPTIONS_FAILED;
    }
    walk.apply = true;
    if (!server_options_read_walk(options, &walk) ||
        !server_options_settle(options)) {
        return SERVER_OPTIONS_FAILED;
    }
    server_options_read_absolute(options);
    return walk.action;
}

/* ---- command line ---- */

static bool server_options_read_walk(struct server_options *options,
                                     struct server_options_walk *walk)
{
    walk->at = 1;
    while (walk->at < walk->argc) {
        if (!server_options_read_word(options, walk)) {
            return false;
        }
    }
    return true;
}

static bool server_options_read_word(struct server_options *options,
                                     struct server_options_walk *walk)
{
    const char *word = walk->argv[walk->at];
    if (server_options_read_action(walk, word)) {
        walk->at++;
        return true;
    }
    if (strcmp(word, "--check-config") == 0) {
        if (walk->at + 1 == walk->argc) {
            return server_options_read_say(options, SERVER_OPTIONS_COMMAND_LINE,
                                           bytes_of_text("check-config"),
                                           "needs the name of a file");
        }
        walk->action = SERVER_OPTIONS_CHECKED;
        walk->at += 2;
        return server_options_read_set_file(options, walk,
                                            walk->argv[walk->at - 1]);
    }
    if (strncmp(word, "--", 2) == 0) {
        return server_options_read_directive(options, walk);
    }
    walk->at++;
    if (word[0] == '-' || word[0] == '\0') {
        return server_options_read_say(options, SERVER_OPTIONS_COMMAND_LINE,
                                       bytes_of_text(word),
                                       "directives begin with --");
    }
    return server_options_read_set_file(options, walk, word);
}

/* Words that are no directives and take no value; the last one counts. */
static bool server_options_read_action(struct server_options_walk *walk,
                                       const char *word)
{
    static const struct {
        const char *word;
        enum server_options_action action;
    } actions[] = {
        {"--help", SERVER_OPTIONS_HELP},
        {"-h", SERVER_OPTIONS_HELP},
        {"--version", SERVER_OPTIONS_VERSION},
        {"-v", SERVER_OPTIONS_VERSION},
        {"--list-options", SERVER_OPTIONS_LIST},
        {"--recover", SERVER_OPTIONS_RECOVER},
    };
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
        if (strcmp(word, actions[i].word) == 0) {
            walk->action = actions[i].action;
            return true;
        }
    }
    return false;
}

static bool server_options_read_set_file(struct server_options *options,
                                         struct server_options_walk *walk,
                                         const char *path)
{
    if (!walk->apply && walk->file != NULL) {
        return server_options_read_say(options, SERVER_OPTIONS_COMMAND_LINE,
                                       bytes_of_text(path),
                                       "there is a file already");
    }
    walk->file = path;
    return true;
}

static bool server_options_read_directive(struct server_options *options,
                                          struct server_options_walk *walk)
{
    const char *word = walk->argv[walk->at] + 2;
    const char *equals = strchr(word, '=');
    struct server_options_entry entry = {.place = SERVER_OPTIONS_COMMAND_LINE};
    bool good = true;
    walk->at++;
    if (equals != NULL) {
        entry.name = bytes_of(word, (size_t)(equals - word));
        server_options_read_add(&entry, bytes_of_text(equals + 1));
    } else {
        entry.name = bytes_of_text(word);
    }
    const struct server_option *option =
        server_options_table_of(options->program, entry.name);
    const bool is_list =
        option != NULL && option->type == SERVER_OPTION_LIST && equals == NULL;
    const size_t words_max = is_list ? SIZE_MAX : 1;
    while (entry.words < words_max && walk->at < walk->argc &&
           strncmp(walk->argv[walk->at], "--", 2) != 0) {
        server_options_read_add(&entry, bytes_of_text(walk->argv[walk->at]));
        walk->at++;
    }
    if (walk->apply || option == NULL) {
        good = server_options_read_apply(options, &entry);
    }
    buffer_close(&entry.value);
    return good;
}

/* ---- file ---- */

bool server_options_file(struct server_options *options, const char *path)
{
    struct buffer text = {0};
    bool good = false;
    memory_free(options->config_file);
    options->config_file = memory_copy(path, strlen(path) + 1);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0 || !server_options_read_all(fd, &text)) {
        const char *why = strerror(errno);
        char quoted[256];
        (void)server_log_escape(quoted, sizeof(quoted), path, strlen(path));
        (void)snprintf(options->reason, sizeof(options->reason), "%s: %s",
                       quoted, why);
    } else {
        good = server_options_text(options, buffer_view(&text));
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    buffer_close(&text);
    return good;
}

bool server_options_text(struct server_options *options, struct bytes text)
{
    size_t at = 0;
    int number = 0;
    while (at < text.count) {
        size_t end = at;
        while (end < text.count && text.data[end] != '\n') {
            end++;
        }
        number++;
        if (!server_options_line(options, bytes_of(text.data + at, end - at),
                                 number)) {
            return false;
        }
        at = end + 1;
    }
    return true;
}

bool server_options_line(struct server_options *options, struct bytes line,
                         int number)
{
    struct server_options_entry entry = {.place = number};
    uint8_t *copy = memory_copy(line.data, line.count);
    struct resp_split split = resp_split_of(copy, line.count);
    size_t offset;
    size_t count;
    bool named = false;
    bool good = true;
    while (resp_split_next(&split, &offset, &count)) {
        const struct bytes word = bytes_of(copy + offset, count);
        if (!named && line.data[offset] == '#') {
            split.unbalanced = false;
            break;
        }
        if (named) {
            server_options_read_add(&entry, word);
        } else {
            entry.name = word;
            named = true;
        }
    }
    if (split.unbalanced) {
        good = server_options_read_say(options, number, entry.name,
                                       "unbalanced quotes");
    } else if (named) {
        good = server_options_read_apply(options, &entry);
    }
    buffer_close(&entry.value);
    memory_free(copy);
    return good;
}

static bool server_options_read_all(int fd, struct buffer *text)
{
    while (text->count <= SERVER_OPTIONS_FILE_BYTES) {
        uint8_t *room = buffer_reserve(text, 4096);
        const ssize_t got = read(fd, room, 4096);
        if (got < 0 && errno != EINTR) {
            return false;
        }
        if (got == 0) {
            return true;
        }
        buffer_advance(text, got > 0 ? (size_t)got : 0);
    }
    errno = EFBIG;
    return false;
}

/* So that INFO names a file that can be found from anywhere. */
static void server_options_read_absolute(struct server_options *options)
{
    char path[PATH_MAX];
    if (options->config_file[0] != '\0' &&
        realpath(options->config_file, path) != NULL) {
        memory_free(options->config_file);
        options->config_file = memory_copy(path, strlen(path) + 1);
    }
}

/* ---- a directive ---- */

static bool server_options_read_apply(struct server_options *options,
                                      const struct server_options_entry *entry)
{
    const struct server_option *option =
        server_options_table_of(options->program, entry->name);
    if (option == NULL) {
        return server_options_read_say(options, entry->place, entry->name,
                                       "no such directive");
    }
    const char *why_not = server_options_read_take(options, option, entry);
    if (why_not != NULL) {
        char copy[sizeof(options->reason)];
        (void)snprintf(copy, sizeof(copy), "%s", why_not);
        return server_options_read_say(options, entry->place,
                                       bytes_of_text(option->name), copy);
    }
    options->given[option - server_options_table] = entry->place;
    return true;
}

static const char *
server_options_read_take(struct server_options *options,
                         const struct server_option *option,
                         const struct server_options_entry *entry)
{
    const struct bytes value = buffer_view(&entry->value);
    if (entry->words == 0) {
        return "needs a value";
    }
    if (option->change == SERVER_OPTION_LATER && value.count > 0) {
        return "this version does not serve it yet";
    }
    if (option->change == SERVER_OPTION_FIXED &&
        !bytes_equal(value, bytes_of_text(option->initial))) {
        (void)snprintf(options->reason, sizeof(options->reason),
                       "cannot be changed, it is always \"%s\"",
                       option->initial);
        return options->reason;
    }
    if (entry->words > 1 && option->type != SERVER_OPTION_LIST) {
        return "takes one value";
    }
    return server_options_value_read(option, value, options, options->reason,
                                     sizeof(options->reason));
}

static void server_options_read_add(struct server_options_entry *entry,
                                    struct bytes word)
{
    if (entry->words > 0) {
        buffer_u8(&entry->value, ' ');
    }
    buffer_append(&entry->value, word);
    entry->words++;
}

/* ---- complaints ---- */

bool server_options_read_fail(struct server_options *options, const char *name,
                              const char *why)
{
    const struct server_option *option = server_options_table_row(name);
    char copy[sizeof(options->reason)];
    (void)snprintf(copy, sizeof(copy), "%s", why);
    return server_options_read_say(
        options, options->given[option - server_options_table],
        bytes_of_text(name), copy);
}

bool server_options_read_given(const struct server_options *options,
                               const char *name)
{
    return options
               ->given[server_options_table_row(name) - server_options_table] !=
           0;
}

/* An option that was given nowhere is wrong only together with others; the
 * command line is where that is most easily put right. */
static bool server_options_read_say(struct server_options *options, int place,
                                    struct bytes name, const char *why)
{
    char where[280];
    char what[80];
    if (place > 0) {
        char path[256];
        (void)server_log_escape(path, sizeof(path), options->config_file,
                                strlen(options->config_file));
        (void)snprintf(where, sizeof(where), "%s:%d", path, place);
    } else {
        (void)snprintf(where, sizeof(where), "command line");
    }
    (void)server_log_escape(what, sizeof(what), (const char *)name.data,
                            name.count);
    int used = snprintf(options->reason, sizeof(options->reason), "%s: %s%s",
                        where, what, name.count > 0 ? ": " : "");
    if (used >= 0 && (size_t)used < sizeof(options->reason)) {
        (void)snprintf(options->reason + used,
                       sizeof(options->reason) - (size_t)used, "%s", why);
    }
    return false;
}
