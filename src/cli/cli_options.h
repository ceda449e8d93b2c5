/* cli_options.h - what was written on the command line.
 *
 * All options are rows of one table, which also makes the help; each says which
 * verbs know it. Options may stand before or behind the verb and its arguments,
 * until "--": what follows is the command of run and elect, and for the other
 * verbs more arguments, such as a key that begins with a dash.
 *
 * Nothing is printed and no environment is read here.
 */
#ifndef HOLDFAST_CLI_OPTIONS_H
#define HOLDFAST_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/limits.h"

enum cli_verb_bit {
    CLI_VERB_RUN = 1,
    CLI_VERB_ELECT = 2,
    CLI_VERB_STATUS = 4,
    CLI_VERB_TOP = 8,
    CLI_VERB_BREAK = 16,
    CLI_VERB_CLUSTER = 32,
    CLI_VERB_ALL = 63,
};

#define CLI_OPTIONS_VERBS 6
#define CLI_OPTIONS_ARGUMENTS 4

/* Times are in milliseconds. */
struct cli_options {
    const char *verb; /* or NULL */
    const char *arguments[CLI_OPTIONS_ARGUMENTS];
    size_t arguments_count;
    char **command; /* behind "--", ended by NULL; or NULL */

    bool help;
    bool version;
    bool json;

    const char *nodes;
    const char *password_file;
    const char *user;
    const char *owner;
    int64_t timeout_ms;
    bool tls;
    const char *tls_ca;
    const char *tls_cert;
    const char *tls_key;
    const char *tls_name;

    const char *keys[LIMIT_TOOL_KEYS]; /* of --key */
    size_t keys_count;
    int64_t ttl_ms;
    int64_t wait_ms; /* CLI_OPTIONS_FOREVER */
    int64_t grace_ms;
    int64_t delay_ms;
    int64_t restart_delay_ms;
    bool shared;
    bool verbose;

    bool once;
    bool quiet;
    bool learner;
    int64_t interval_ms;
    int64_t limit;

    /* For each verb, by the place of its bit, the first option that was given
     * and that it does not know; or NULL. */
    const char *stranger[CLI_OPTIONS_VERBS];
};

#define CLI_OPTIONS_FOREVER INT64_C(-1)

/* The text of what is wrong with a command line. */
struct cli_options_error {
    char text[200];
};

/* Read a command line. False, with a text, if it cannot be understood. The
 * words are borrowed. */
bool cli_options_read(struct cli_options *options, int argc, char **argv,
                      struct cli_options_error *error);

/* An option that was given and is not for this verb, or NULL. */
const char *cli_options_stranger(const struct cli_options *options,
                                 enum cli_verb_bit verb);

/* The help for the options that any of these verbs knows. */
void cli_options_help(struct buffer *out, unsigned verbs);

#endif
