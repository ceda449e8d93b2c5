/* server_options.c - the options as a whole: defaults, copies, CONFIG, help.
 *
 * server_options_read.c takes them from files and the command line,
 * server_options_settle.c fills in what follows from others,
 * server_options_value.c knows the types, server_options_table.c the rows.
 */
#include "server/server_options.h"

#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "server/server_options_table.h"
#include "wire/resp_word.h"

static const char *server_options_refusal(struct server_options *options,
                                          struct bytes name, struct bytes value,
                                          const struct server_option **option);
static void server_options_print_kind(FILE *out,
                                      const struct server_option *option);

const struct server_program server_options_holdfastd = {
    .name = "holdfastd",
    .manuals = "holdfastd(8) and holdfast.conf(5)",
};

void server_options_init(struct server_options *options)
{
    server_options_init_for(options, &server_options_holdfastd);
}

/* What a program does not have is there too, with the table's default. */
void server_options_init_for(struct server_options *options,
                             const struct server_program *program)
{
    memset(options, 0, sizeof(*options));
    options->program = program;
    for (size_t i = 0; i < server_options_table_count; i++) {
        const struct server_option *option = &server_options_table[i];
        const char *initial = server_options_table_initial(program, option);
        const char *why_not = server_options_value_read(
            option, bytes_of_text(initial != NULL ? initial : option->initial),
            options, options->reason, sizeof(options->reason));
        ENSURE(why_not == NULL);
    }
    options->config_file = memory_new(1, 1);
}

void server_options_close(struct server_options *options)
{
    for (size_t i = 0; i < server_options_table_count; i++) {
        server_options_value_close(&server_options_table[i], options);
    }
    server_options_members_close(options);
    memory_free(options->config_file);
    options->config_file = NULL;
}

/* Numbers are copied with the struct; what is owned is then made anew. */
void server_options_copy(struct server_options *to,
                         const struct server_options *from)
{
    struct buffer text = {0};
    *to = *from;
    for (size_t i = 0; i < server_options_table_count; i++) {
        const struct server_option *option = &server_options_table[i];
        void *field = (char *)to + option->offset;
        if (option->type == SERVER_OPTION_TEXT) {
            *(char **)field = NULL;
        } else if (option->type == SERVER_OPTION_LIST) {
            *(struct server_texts *)field = (struct server_texts){0};
        } else {
            continue;
        }
        buffer_clear(&text);
        server_options_value_write(option, from, &text);
        (void)server_options_value_read(option,
                                        bytes_of(text.data, text.count - 1), to,
                                        to->reason, sizeof(to->reason));
    }
    to->members = NULL;
    to->members_count = 0;
    for (size_t i = 0; i < from->members_count; i++) {
        const struct server_member *member = &from->members[i];
        (void)server_options_members_add(to, member->id,
                                         bytes_of_text(member->host),
                                         member->port, member->raft_port);
    }
    to->config_file =
        memory_copy(from->config_file, strlen(from->config_file) + 1);
    buffer_close(&text);
}

/* ---- CONFIG ---- */

void server_options_visit(const struct server_options *options,
                          struct bytes pattern, server_options_visit_fn *visit,
                          void *context)
{
    struct buffer text = {0};
    size_t steps = RESP_GLOB_STEPS;
    for (size_t i = 0; i < server_options_table_count; i++) {
        const struct server_option *option = &server_options_table[i];
        if (server_options_table_initial(options->program, option) != NULL &&
            resp_word_matches(pattern, bytes_of_text(option->name),
                              RESP_CASE_IGNORED, &steps)) {
            buffer_clear(&text);
            server_options_value_write(option, options, &text);
            visit(context, option->name, (const char *)text.data);
        }
    }
    buffer_close(&text);
}

const char *server_options_check(struct server_options *options,
                                 struct bytes name, struct bytes value)
{
    const struct server_option *option;
    return server_options_refusal(options, name, value, &option);
}

const char *server_options_set(struct server_options *options,
                               struct bytes name, struct bytes value)
{
    const struct server_option *option;
    const char *why_not = server_options_refusal(options, name, value, &option);
    if (why_not == NULL) {
        (void)server_options_value_read(option, value, options, options->reason,
                                        sizeof(options->reason));
        options->given[option - server_options_table] =
            SERVER_OPTIONS_CONFIG_SET;
    }
    return why_not;
}

bool server_options_get(const struct server_options *options, struct bytes name,
                        char *value, size_t room)
{
    const struct server_option *option =
        server_options_table_of(options->program, name);
    struct buffer text = {0};
    if (option == NULL) {
        return false;
    }
    server_options_value_write(option, options, &text);
    (void)snprintf(value, room, "%s", (const char *)text.data);
    buffer_close(&text);
    return true;
}

/* Why CONFIG SET may not do this; NULL: it may. */
static const char *server_options_refusal(struct server_options *options,
                                          struct bytes name, struct bytes value,
                                          const struct server_option **option)
{
    *option = server_options_table_of(options->program, name);
    if (*option == NULL) {
        return "no such directive";
    }
    if ((*option)->change != SERVER_OPTION_ANYTIME) {
        return "can't set immutable config";
    }
    return server_options_value_read(*option, value, NULL, options->reason,
                                     sizeof(options->reason));
}

/* ---- --help, --list-options ---- */

void server_options_help(FILE *out, const struct server_program *program)
{
    (void)fprintf(out,
                  "Usage: %s [FILE] [--directive value ...]\n"
                  "       %s --check-config FILE\n"
                  "%s"
                  "       %s --help | --version | --list-options\n"
                  "\n"
                  "FILE holds lines of the same directives: directive value. "
                  "The command\n"
                  "line wins. Defaults are in parentheses; + marks what CONFIG "
                  "SET may change.\n",
                  program->name, program->name,
                  program == &server_options_holdfastd
                      ? "       holdfastd --recover --id ID --dir DIR\n"
                      : "",
                  program->name);
    for (size_t i = 0; i < server_options_table_count; i++) {
        const struct server_option *option = &server_options_table[i];
        const char *initial = server_options_table_initial(program, option);
        if (initial == NULL) {
            continue;
        }
        const char *shown = option->shown != NULL ? option->shown : initial;
        (void)fprintf(out, "\n %c --%s ",
                      option->change == SERVER_OPTION_ANYTIME ? '+' : ' ',
                      option->name);
        server_options_print_kind(out, option);
        (void)fprintf(out, " (%s)\n     %s\n",
                      shown[0] != '\0' ? shown : "empty", option->help);
    }
    (void)fprintf(out, "\n%s say more.\n", program->manuals);
}

void server_options_list(FILE *out, const struct server_program *program)
{
    for (size_t i = 0; i < server_options_table_count; i++) {
        const struct server_option *option = &server_options_table[i];
        if (server_options_table_initial(program, option) != NULL) {
            (void)fprintf(out, "%s\n", option->name);
        }
    }
}

/* What may be given, as in "milliseconds" or "yes|no". */
static void server_options_print_kind(FILE *out,
                                      const struct server_option *option)
{
    static const char *const kinds[] = {
        [SERVER_OPTION_PORT] = "port",       [SERVER_OPTION_NUMBER] = "number",
        [SERVER_OPTION_SIGNED] = "number",   [SERVER_OPTION_OCTAL] = "octal",
        [SERVER_OPTION_MS] = "milliseconds", [SERVER_OPTION_SIZE] = "size",
        [SERVER_OPTION_YES_NO] = "yes|no",   [SERVER_OPTION_TEXT] = "text",
        [SERVER_OPTION_LIST] = "text ...",
    };
    if (option->type != SERVER_OPTION_WORD) {
        (void)fprintf(out, "%s", kinds[option->type]);
        return;
    }
    for (size_t i = 0; option->words[i] != NULL; i++) {
        (void)fprintf(out, "%s%s", i > 0 ? "|" : "", option->words[i]);
    }
}
