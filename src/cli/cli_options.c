/* cli_options.c - read the command line by a table of options.
 *
 * To add an option: a member of struct cli_options, a row below, its paragraph
 * in man/holdfast.1 and a word in completion/holdfast.
 */
#include "cli/cli_options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/ensure.h"
#include "cli/cli_text.h"
#include "cli/cli_units.h"
#include "client/holdfast.h"

enum cli_options_kind {
    CLI_OPTIONS_FLAG,     /* bool */
    CLI_OPTIONS_TEXT,     /* const char * */
    CLI_OPTIONS_DURATION, /* int64_t */
    CLI_OPTIONS_WAIT,     /* the same, or "forever" */
    CLI_OPTIONS_NUMBER,   /* int64_t */
    CLI_OPTIONS_KEY,      /* one more of keys */
};

struct cli_options_row {
    const char *name;
    char letter; /* or 0 */
    enum cli_options_kind kind;
    unsigned verbs;
    size_t offset;
    int64_t least;
    int64_t most;
    const char *value; /* how the help calls it */
    const char *help;
};

#define AT(member) offsetof(struct cli_options, member)
#define HOLDS (CLI_VERB_RUN | CLI_VERB_ELECT)
#define PRINTS (CLI_VERB_ALL & ~(unsigned)HOLDS)
#define DAY_MS (INT64_C(24) * 3600 * 1000)
#define YEAR_MS (366 * DAY_MS)

/* clang-format off */
static const struct cli_options_row cli_options_rows[] = {
    {"key", 'k', CLI_OPTIONS_KEY, CLI_VERB_RUN, 0, 0, 0, "KEY",
     "one more lock; all of them or none"},
    {"ttl", 't', CLI_OPTIONS_DURATION, HOLDS, AT(ttl_ms), HF_TTL_MS_MIN,
     HF_TTL_MS_MAX, "TIME",
     "how long the cluster keeps the lock for a silent holder (10s)"},
    {"wait", 'w', CLI_OPTIONS_WAIT, CLI_VERB_RUN, AT(wait_ms), 0, YEAR_MS,
     "TIME", "give up after this; 0 only tries (forever)"},
    {"shared", 's', CLI_OPTIONS_FLAG, CLI_VERB_RUN, AT(shared), 0, 0, NULL,
     "share the lock with others who do"},
    {"grace", 0, CLI_OPTIONS_DURATION, HOLDS, AT(grace_ms), 0, YEAR_MS, "TIME",
     "between TERM and KILL, at most a quarter of the TTL (that)"},
    {"lock-delay", 0, CLI_OPTIONS_DURATION, HOLDS, AT(delay_ms), 0, DAY_MS,
     "TIME", "keep the lock from others for so long if it expires (0)"},
    {"restart-delay", 0, CLI_OPTIONS_DURATION, CLI_VERB_ELECT,
     AT(restart_delay_ms), 0, DAY_MS, "TIME",
     "pause before standing again (1s)"},
    {"once", '1', CLI_OPTIONS_FLAG, CLI_VERB_ELECT | CLI_VERB_TOP, AT(once), 0,
     0, NULL, "elect: end with the command; top: print one sample"},
    {"owner", 0, CLI_OPTIONS_TEXT, HOLDS, AT(owner), 0, 0, "NAME",
     "hold under this name; nobody else may use it (made up)"},
    {"verbose", 'v', CLI_OPTIONS_FLAG, CLI_VERB_ALL, AT(verbose), 0, 0, NULL,
     "tell what happens, on standard error"},
    {"quiet", 'q', CLI_OPTIONS_FLAG, CLI_VERB_STATUS, AT(quiet), 0, 0, NULL,
     "print nothing: 0 if the lock is held, 1 if it is free"},
    {"limit", 'n', CLI_OPTIONS_NUMBER, CLI_VERB_STATUS | CLI_VERB_TOP,
     AT(limit), 1, LIMIT_TOOL_SAMPLE, "N", "show at most so many locks (20)"},
    {"interval", 'i', CLI_OPTIONS_DURATION, CLI_VERB_TOP, AT(interval_ms), 100,
     DAY_MS, "TIME", "between two samples (1s)"},
    {"learner", 0, CLI_OPTIONS_FLAG, CLI_VERB_CLUSTER, AT(learner), 0, 0, NULL,
     "add: let it follow without a vote"},
    {"json", 'j', CLI_OPTIONS_FLAG, PRINTS, AT(json), 0, 0, NULL,
     "print JSON"},
    {"nodes", 'N', CLI_OPTIONS_TEXT, CLI_VERB_ALL, AT(nodes), 0, 0, "LIST",
     "host:port,... of some nodes ($HOLDFAST_NODES, 127.0.0.1:7001)"},
    {"timeout", 'T', CLI_OPTIONS_DURATION, CLI_VERB_ALL, AT(timeout_ms), 100,
     DAY_MS, "TIME", "for an answer of the cluster (5s)"},
    {"password-file", 0, CLI_OPTIONS_TEXT, CLI_VERB_ALL, AT(password_file), 0,
     0, "FILE", "its first line is the password ($HOLDFAST_PASSWORD)"},
    {"user", 0, CLI_OPTIONS_TEXT, CLI_VERB_ALL, AT(user), 0, 0, "NAME",
     "whose password it is ($HOLDFAST_USER)"},
    {"tls", 0, CLI_OPTIONS_FLAG, CLI_VERB_ALL, AT(tls), 0, 0, NULL,
     "talk TLS"},
    {"tls-ca", 0, CLI_OPTIONS_TEXT, CLI_VERB_ALL, AT(tls_ca), 0, 0, "FILE",
     "certificates to trust"},
    {"tls-cert", 0, CLI_OPTIONS_TEXT, CLI_VERB_ALL, AT(tls_cert), 0, 0, "FILE",
     "our certificate"},
    {"tls-key", 0, CLI_OPTIONS_TEXT, CLI_VERB_ALL, AT(tls_key), 0, 0, "FILE",
     "its key"},
    {"tls-name", 0, CLI_OPTIONS_TEXT, CLI_VERB_ALL, AT(tls_name), 0, 0, "NAME",
     "the name that the nodes' certificates must have"},
    {"help", 'h', CLI_OPTIONS_FLAG, CLI_VERB_ALL, AT(help), 0, 0, NULL,
     "print this"},
    {"version", 'V', CLI_OPTIONS_FLAG, CLI_VERB_ALL, AT(version), 0, 0, NULL,
     "print the version"},
};
/* clang-format on */

#define ROWS_COUNT (sizeof(cli_options_rows) / sizeof(cli_options_rows[0]))

struct cli_options_reader {
    struct cli_options *options;
    struct cli_options_error *error;
    int argc;
    char **argv;
    int at; /* the next word */
};

static bool cli_options_word(struct cli_options_reader *reader);
static bool cli_options_long(struct cli_options_reader *reader,
                             const char *word);
static bool cli_options_letters(struct cli_options_reader *reader,
                                const char *letters);
static bool cli_options_argument(struct cli_options_reader *reader,
                                 const char *word);
static bool cli_options_take(struct cli_options_reader *reader,
                             const struct cli_options_row *row,
                             const char *value);
static bool cli_options_take_time(struct cli_options_reader *reader,
                                  const struct cli_options_row *row,
                                  const char *value);
static const char *cli_options_time(char *text, size_t room, int64_t ms);
static bool cli_options_wrong(struct cli_options_reader *reader,
                              const char *format, ...)
    __attribute__((format(printf, 2, 3)));

bool cli_options_read(struct cli_options *options, int argc, char **argv,
                      struct cli_options_error *error)
{
    struct cli_options_reader reader = {options, error, argc, argv, 1};
    *options = (struct cli_options){
        .timeout_ms = 5000,
        .ttl_ms = 10000,
        .wait_ms = CLI_OPTIONS_FOREVER,
        .grace_ms = CLI_OPTIONS_FOREVER,
        .restart_delay_ms = 1000,
        .interval_ms = 1000,
        .limit = 20,
    };
    error->text[0] = '\0';
    while (reader.at < argc) {
        if (!cli_options_word(&reader)) {
            return false;
        }
    }
    return true;
}

static bool cli_options_word(struct cli_options_reader *reader)
{
    struct cli_options *options = reader->options;
    char *word = reader->argv[reader->at++];
    if (strcmp(word, "--") == 0) {
        if (options->verb != NULL && (strcmp(options->verb, "run") == 0 ||
                                      strcmp(options->verb, "elect") == 0)) {
            options->command = reader->argv + reader->at;
            reader->at = reader->argc;
            return true;
        }
        while (reader->at < reader->argc) {
            if (!cli_options_argument(reader, reader->argv[reader->at++])) {
                return false;
            }
        }
        return true;
    }
    if (word[0] == '-' && word[1] == '-') {
        return cli_options_long(reader, word + 2);
    }
    if (word[0] == '-' && word[1] != '\0') {
        return cli_options_letters(reader, word + 1);
    }
    return cli_options_argument(reader, word);
}

static bool cli_options_long(struct cli_options_reader *reader,
                             const char *word)
{
    const char *equals = strchr(word, '=');
    const size_t count =
        equals != NULL ? (size_t)(equals - word) : strlen(word);
    for (size_t i = 0; i < ROWS_COUNT; i++) {
        const struct cli_options_row *row = &cli_options_rows[i];
        if (strlen(row->name) != count ||
            strncmp(row->name, word, count) != 0) {
            continue;
        }
        if (row->kind == CLI_OPTIONS_FLAG) {
            return equals == NULL
                       ? cli_options_take(reader, row, NULL)
                       : cli_options_wrong(reader, "--%s takes no value",
                                           row->name);
        }
        if (equals != NULL) {
            return cli_options_take(reader, row, equals + 1);
        }
        if (reader->at == reader->argc) {
            return cli_options_wrong(reader, "--%s needs a value", row->name);
        }
        return cli_options_take(reader, row, reader->argv[reader->at++]);
    }
    return cli_options_wrong(reader, "there is no option --%.*s", (int)count,
                             word);
}

/* As everywhere: -jn5, -jn 5. */
static bool cli_options_letters(struct cli_options_reader *reader,
                                const char *letters)
{
    while (*letters != '\0') {
        const struct cli_options_row *row = NULL;
        for (size_t i = 0; i < ROWS_COUNT; i++) {
            if (cli_options_rows[i].letter == *letters) {
                row = &cli_options_rows[i];
            }
        }
        if (row == NULL) {
            return cli_options_wrong(reader, "there is no option -%c",
                                     *letters);
        }
        letters++;
        if (row->kind == CLI_OPTIONS_FLAG) {
            if (!cli_options_take(reader, row, NULL)) {
                return false;
            }
            continue;
        }
        if (*letters != '\0') {
            return cli_options_take(reader, row, letters);
        }
        if (reader->at == reader->argc) {
            return cli_options_wrong(reader, "-%c needs a value", row->letter);
        }
        return cli_options_take(reader, row, reader->argv[reader->at++]);
    }
    return true;
}

static bool cli_options_argument(struct cli_options_reader *reader,
                                 const char *word)
{
    struct cli_options *options = reader->options;
    if (options->verb == NULL) {
        options->verb = word;
        return true;
    }
    if (options->arguments_count == CLI_OPTIONS_ARGUMENTS) {
        return cli_options_wrong(reader, "too many arguments");
    }
    options->arguments[options->arguments_count++] = word;
    return true;
}

static bool cli_options_take(struct cli_options_reader *reader,
                             const struct cli_options_row *row,
                             const char *value)
{
    struct cli_options *options = reader->options;
    void *member = (char *)options + row->offset;
    uint64_t number;
    for (unsigned i = 0; i < CLI_OPTIONS_VERBS; i++) {
        if ((row->verbs & 1U << i) == 0 && options->stranger[i] == NULL) {
            options->stranger[i] = row->name;
        }
    }
    switch (row->kind) {
    case CLI_OPTIONS_FLAG:
        *(bool *)member = true;
        return true;
    case CLI_OPTIONS_TEXT:
        *(const char **)member = value;
        return true;
    case CLI_OPTIONS_KEY:
        if (options->keys_count == LIMIT_TOOL_KEYS - 1) {
            return cli_options_wrong(reader, "more than %d locks at once",
                                     LIMIT_TOOL_KEYS);
        }
        options->keys[options->keys_count++] = value;
        return true;
    case CLI_OPTIONS_NUMBER:
        if (!cli_units_number(value, &number) ||
            number < (uint64_t)row->least || number > (uint64_t)row->most) {
            return cli_options_wrong(
                reader, "--%s wants a number from %lld to %lld, not '%s'",
                row->name, (long long)row->least, (long long)row->most, value);
        }
        *(int64_t *)member = (int64_t)number;
        return true;
    case CLI_OPTIONS_WAIT:
    case CLI_OPTIONS_DURATION:
        return cli_options_take_time(reader, row, value);
    }
    UNREACHABLE();
}

static bool cli_options_take_time(struct cli_options_reader *reader,
                                  const struct cli_options_row *row,
                                  const char *value)
{
    int64_t *member =
        (int64_t *)(void *)((char *)reader->options + row->offset);
    int64_t ms;
    if (row->kind == CLI_OPTIONS_WAIT && strcmp(value, "forever") == 0) {
        *member = CLI_OPTIONS_FOREVER;
        return true;
    }
    if (!cli_units_duration(value, &ms)) {
        return cli_options_wrong(
            reader, "--%s wants a time such as 10, 2.5s or 500ms, not '%s'",
            row->name, value);
    }
    if (ms < row->least || ms > row->most) {
        char least[24];
        char most[24];
        return cli_options_wrong(
            reader, "--%s wants a time from %s to %s", row->name,
            cli_options_time(least, sizeof(least), row->least),
            cli_options_time(most, sizeof(most), row->most));
    }
    *member = ms;
    return true;
}

/* As it can be written on the command line, in the largest unit that fits. */
static const char *cli_options_time(char *text, size_t room, int64_t ms)
{
    static const struct {
        const char *unit;
        int64_t ms;
    } rows[] = {{"d", DAY_MS}, {"h", 3600000}, {"m", 60000}, {"s", 1000}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (ms % rows[i].ms == 0 && (ms > 0 || rows[i].ms == 1000)) {
            (void)snprintf(text, room, "%lld%s", (long long)(ms / rows[i].ms),
                           rows[i].unit);
            return text;
        }
    }
    (void)snprintf(text, room, "%lldms", (long long)ms);
    return text;
}

static bool cli_options_wrong(struct cli_options_reader *reader,
                              const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(reader->error->text, sizeof(reader->error->text), format,
                    arguments);
    va_end(arguments);
    return false;
}

const char *cli_options_stranger(const struct cli_options *options,
                                 enum cli_verb_bit verb)
{
    for (unsigned i = 0; i < CLI_OPTIONS_VERBS; i++) {
        if ((unsigned)verb == 1U << i) {
            return options->stranger[i];
        }
    }
    UNREACHABLE();
}

void cli_options_help(struct buffer *out, unsigned verbs)
{
    for (size_t i = 0; i < ROWS_COUNT; i++) {
        const struct cli_options_row *row = &cli_options_rows[i];
        char left[40];
        if ((row->verbs & verbs) == 0) {
            continue;
        }
        (void)snprintf(left, sizeof(left), "--%s%s%s", row->name,
                       row->value != NULL ? " " : "",
                       row->value != NULL ? row->value : "");
        if (row->letter != 0) {
            cli_text_print(out, "  -%c, %-22s %s\n", row->letter, left,
                           row->help);
        } else {
            cli_text_print(out, "      %-22s %s\n", left, row->help);
        }
    }
}
