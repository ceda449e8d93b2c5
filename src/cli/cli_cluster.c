/* cli_cluster.c - holdfast cluster: see the members, and change them.
 *
 * To add an action: a row below, with the command it is and its arguments.
 */
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_ask.h"
#include "cli/cli_connect.h"
#include "cli/cli_screen.h"
#include "cli/cli_terminal.h"
#include "cli/cli_text.h"

struct cli_cluster_action {
    const char *name;
    const char *command;
    size_t least; /* arguments */
    size_t most;
    const char *usage;
};

static const struct cli_cluster_action cli_cluster_actions[] = {
    {"status", NULL, 0, 0, ""},
    {"add", "RAFT.ADD", 2, 2, "ID HOST:PORT [--learner]"},
    {"remove", "RAFT.REMOVE", 1, 1, "ID"},
    {"promote", "RAFT.PROMOTE", 1, 1, "ID"},
    {"transfer", "RAFT.TRANSFER", 0, 1, "[ID]"},
    {NULL, NULL, 0, 0, NULL},
};

static int cli_cluster_status(const struct cli_options *options,
                              struct hf_client *client, struct buffer *out);
static int cli_cluster_change(const struct cli_options *options,
                              const struct cli_cluster_action *action,
                              struct hf_client *client, struct buffer *out);

int cli_cluster(const struct cli_options *options)
{
    const struct cli_cluster_action *action = cli_cluster_actions;
    const size_t arguments_count = options->arguments_count - 1;
    struct hf_client *client;
    struct buffer out = {NULL, 0, 0};
    while (action->name != NULL &&
           strcmp(action->name, options->arguments[0]) != 0) {
        action++;
    }
    if (action->name == NULL) {
        cli_connect_say("cluster: status, add, remove, promote or transfer?");
        return CLI_EXIT_FAILED;
    }
    if (arguments_count < action->least || arguments_count > action->most ||
        (options->learner && strcmp(action->name, "add") != 0)) {
        cli_connect_say("usage: holdfast cluster %s %s", action->name,
                        action->usage);
        return CLI_EXIT_FAILED;
    }
    int code = cli_connect(options, &client);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    code = action->command == NULL
               ? cli_cluster_status(options, client, &out)
               : cli_cluster_change(options, action, client, &out);
    hf_client_close(client);
    if (!cli_text_flush(&out)) {
        code = CLI_EXIT_FAILED;
    }
    buffer_close(&out);
    return code;
}

static int cli_cluster_status(const struct cli_options *options,
                              struct hf_client *client, struct buffer *out)
{
    struct cli_sample sample;
    struct hf_error error = {HF_OK, ""};
    const struct cli_screen screen = {.width = cli_terminal_width()};
    cli_sample_init(&sample);
    const enum hf_status status =
        cli_ask_members(client, options->timeout_ms, &sample, &error);
    int code = status == HF_OK
                   ? CLI_EXIT_OK
                   : cli_connect_failed(options, NULL, status, &error);
    if (status == HF_OK && options->json) {
        struct cli_json json = cli_json_of(out);
        cli_json_open(&json, NULL);
        cli_sample_json_cluster(&sample, &json);
        cli_json_close(&json);
        buffer_u8(out, '\n');
    } else if (status == HF_OK) {
        cli_screen_members(out, &screen, &sample, NULL);
    }
    if (status == HF_OK && sample.leader == 0) {
        cli_connect_say("there is no leader");
        code = CLI_EXIT_NO;
    }
    cli_sample_close(&sample);
    return code;
}

static int cli_cluster_change(const struct cli_options *options,
                              const struct cli_cluster_action *action,
                              struct hf_client *client, struct buffer *out)
{
    const char *words[CLI_OPTIONS_ARGUMENTS + 1] = {action->command};
    size_t words_count = 1;
    struct hf_reply *reply;
    struct hf_error error = {HF_OK, ""};
    int code = CLI_EXIT_OK;
    for (size_t i = 1; i < options->arguments_count; i++) {
        words[words_count++] = options->arguments[i];
    }
    if (options->learner) {
        words[words_count++] = "LEARNER";
    }
    const enum hf_status status =
        cli_ask(client, words, words_count, &reply, &error);
    if (status != HF_OK) {
        code = cli_connect_failed(options, NULL, status, &error);
    } else if (options->json) {
        struct cli_json json = cli_json_of(out);
        cli_json_open(&json, NULL);
        cli_json_text(&json, "action", action->name);
        cli_json_boolean(&json, "done", true);
        if (reply->kind == HF_REPLY_TEXT) {
            cli_json_bytes(&json, "reply",
                           bytes_of(reply->text, reply->text_bytes));
        } else if (reply->kind == HF_REPLY_INTEGER) {
            cli_json_integer(&json, "reply", reply->integer);
        }
        cli_json_close(&json);
        buffer_u8(out, '\n');
    } else if (reply->kind == HF_REPLY_TEXT) {
        cli_text_safe(out, bytes_of(reply->text, reply->text_bytes));
        buffer_u8(out, '\n');
    }
    hf_reply_free(reply);
    return code;
}
