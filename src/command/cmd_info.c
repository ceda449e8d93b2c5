/* cmd_info.c - INFO: the state of the server, in sections of lines.
 *
 *     INFO [section ...]
 *
 * A section is "# Title" and lines "name:value"; an empty line is between two.
 * Whatever the order in which they were asked for, they come in the order of
 * the table below. Without a name come those of "default"; "all" has the counts
 * of every command too, "everything" is the same here, because the difference
 * is modules. Names that mean nothing are passed over.
 *
 * To add a section: a row of the table and a function in the other files.
 */
#include "command/cmd_info.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/ensure.h"
#include "command/command_others.h"
#include "command/command_text.h"
#include "wire/resp_word.h"

#define CMD_INFO_LINE_BYTES 512

/* Who has a section. */
enum cmd_info_teller {
    CMD_INFO_ALL,
    CMD_INFO_NODE,
    CMD_INFO_STORE,
};

struct cmd_info_section {
    const char *name;
    const char *title;
    bool is_default;
    cmd_info_section_fn *write; /* NULL: there is nothing to say */
    enum cmd_info_teller teller;
};

static const struct cmd_info_section cmd_info_sections[] = {
    {"server", "Server", true, cmd_info_server, CMD_INFO_ALL},
    {"clients", "Clients", true, cmd_info_clients, CMD_INFO_ALL},
    {"memory", "Memory", true, cmd_info_memory, CMD_INFO_ALL},
    {"persistence", "Persistence", true, cmd_info_persistence, CMD_INFO_ALL},
    {"stats", "Stats", true, cmd_info_stats, CMD_INFO_ALL},
    {"replication", "Replication", true, cmd_info_replication, CMD_INFO_ALL},
    {"cpu", "CPU", true, cmd_info_cpu, CMD_INFO_ALL},
    {"modules", "Modules", true, NULL, CMD_INFO_ALL},
    {"commandstats", "Commandstats", false, cmd_info_commandstats,
     CMD_INFO_ALL},
    {"errorstats", "Errorstats", true, cmd_info_errorstats, CMD_INFO_ALL},
    {"latencystats", "Latencystats", false, NULL, CMD_INFO_ALL},
    {"cluster", "Cluster", true, cmd_info_cluster, CMD_INFO_ALL},
    {"keyspace", "Keyspace", true, cmd_info_keyspace, CMD_INFO_ALL},
    {"raft", "Raft", true, cmd_info_raft, CMD_INFO_NODE},
    {"locks", "Locks", true, cmd_info_locks, CMD_INFO_NODE},
    {"store", "Store", true, cmd_info_store, CMD_INFO_STORE},
};

#define CMD_INFO_SECTIONS                                                      \
    (sizeof(cmd_info_sections) / sizeof(cmd_info_sections[0]))

static bool cmd_info_is_asked(const struct command_call *call,
                              const struct cmd_info_section *section);
static void cmd_info_put(struct cmd_info *info, const char *text);

static enum command_verdict cmd_info_start(struct command_call *call)
{
    struct cmd_info info = {.call = call};
    command_face_facts(call, &info.facts);
    for (size_t i = 0; i < CMD_INFO_SECTIONS; i++) {
        const struct cmd_info_section *section = &cmd_info_sections[i];
        if (!cmd_info_is_asked(call, section) ||
            section->teller ==
                (info.facts.node_id != 0 ? CMD_INFO_STORE : CMD_INFO_NODE)) {
            continue;
        }
        cmd_info_put(&info, info.out.count > 0 ? "\r\n# " : "# ");
        cmd_info_put(&info, section->title);
        cmd_info_put(&info, "\r\n");
        if (section->write != NULL) {
            section->write(&info);
        }
    }
    resp_reply_verbatim(&call->reply, "txt", buffer_view(&info.out));
    buffer_close(&info.out);
    return COMMAND_ANSWERED;
}

static bool cmd_info_is_asked(const struct command_call *call,
                              const struct cmd_info_section *section)
{
    if (call->args_count == 1) {
        return section->is_default;
    }
    for (size_t i = 1; i < call->args_count; i++) {
        const struct bytes word = call->args[i];
        if (resp_word_is(word, section->name) || resp_word_is(word, "all") ||
            resp_word_is(word, "everything") ||
            (section->is_default && resp_word_is(word, "default"))) {
            return true;
        }
    }
    return false;
}

/* ---- lines ---- */

void cmd_info_text(struct cmd_info *info, const char *name, const char *value)
{
    cmd_info_put(info, name);
    cmd_info_put(info, ":");
    cmd_info_put(info, value != NULL ? value : "");
    cmd_info_put(info, "\r\n");
}

void cmd_info_number(struct cmd_info *info, const char *name, uint64_t value)
{
    cmd_info_print(info, name, "%" PRIu64, value);
}

void cmd_info_print(struct cmd_info *info, const char *name, const char *format,
                    ...)
{
    char line[CMD_INFO_LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    const int count = vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    ENSURE(count >= 0 && (size_t)count < sizeof(line));
    cmd_info_text(info, name, line);
}

void cmd_info_ratio(struct cmd_info *info, const char *name, uint64_t a,
                    uint64_t b)
{
    uint64_t hundredths = 0;
    if (b > 0) {
        hundredths = a / b * 100 + (a % b * 100 + b / 2) / b;
    }
    cmd_info_print(info, name, "%" PRIu64 ".%02" PRIu64, hundredths / 100,
                   hundredths % 100);
}

static void cmd_info_put(struct cmd_info *info, const char *text)
{
    command_text_put(&info->out, text);
}

const struct command cmd_info = {
    .name = "info",
    .arity = -1,
    .flags = COMMAND_LOADING | COMMAND_MULTI,
    .group = "server",
    .since = "1.0.0",
    .summary = "The state of this node, for people and tools.",
    .complexity = "O(1)",
    .arguments =
        (const struct command_argument[]){
            {.name = "section",
             .type = "string",
             .optional = true,
             .multiple = true},
            {.name = ""},
        },
    .start = cmd_info_start,
};
