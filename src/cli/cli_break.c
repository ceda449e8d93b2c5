/* cli_break.c - holdfast break: end a grant by force. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cli_ask.h"
#include "cli/cli_connect.h"
#include "cli/cli_text.h"

int cli_break(const struct cli_options *options)
{
    const char *words[] = {"LOCK.BREAK", options->arguments[0],
                           options->arguments[1]};
    struct hf_client *client;
    struct hf_reply *reply;
    struct hf_error error = {HF_OK, ""};
    struct buffer out = {NULL, 0, 0};
    int code = cli_connect(options, &client);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    const enum hf_status status =
        cli_ask(client, words, 1 + options->arguments_count, &reply, &error);
    if (status != HF_OK) {
        code = cli_connect_failed(options, NULL, status, &error);
    } else {
        const int64_t ended = reply->integer;
        code = ended > 0 ? CLI_EXIT_OK : CLI_EXIT_NO;
        if (options->json) {
            struct cli_json json = cli_json_of(&out);
            cli_json_open(&json, NULL);
            cli_json_text(&json, "key", options->arguments[0]);
            cli_json_integer(&json, "broken", ended);
            cli_json_close(&json);
            buffer_u8(&out, '\n');
        } else if (ended > 0) {
            cli_text_print(&out, "%lld broken\n", (long long)ended);
        } else {
            cli_text_print(&out, "no such grant is held\n");
        }
        if (!cli_text_flush(&out)) {
            code = CLI_EXIT_FAILED;
        }
    }
    hf_reply_free(reply);
    hf_client_close(client);
    buffer_close(&out);
    return code;
}
