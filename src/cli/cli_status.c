/* cli_status.c - holdfast status: one lock, or an overview.
 *
 * The overview shows the cluster and held locks, at most as many as --limit
 * says.
 */
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_ask.h"
#include "cli/cli_clock.h"
#include "cli/cli_connect.h"
#include "cli/cli_screen.h"
#include "cli/cli_terminal.h"
#include "cli/cli_text.h"

static int cli_status_one(const struct cli_options *options,
                          struct hf_client *client, struct buffer *out);
static int cli_status_all(const struct cli_options *options,
                          struct hf_client *client, struct buffer *out);

int cli_status(const struct cli_options *options)
{
    struct hf_client *client;
    struct buffer out = {NULL, 0, 0};
    if (options->quiet && options->arguments_count == 0) {
        cli_connect_say("status: --quiet needs a key");
        return CLI_EXIT_FAILED;
    }
    int code = cli_connect(options, &client);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    code = options->arguments_count > 0 ? cli_status_one(options, client, &out)
                                        : cli_status_all(options, client, &out);
    hf_client_close(client);
    if (!cli_text_flush(&out)) {
        code = CLI_EXIT_FAILED;
    }
    buffer_close(&out);
    return code;
}

static int cli_status_one(const struct cli_options *options,
                          struct hf_client *client, struct buffer *out)
{
    struct cli_sample sample;
    struct hf_error error = {HF_OK, ""};
    int code = CLI_EXIT_OK;
    cli_sample_init(&sample);
    const enum hf_status status =
        cli_ask_lock(client, bytes_of_text(options->arguments[0]),
                     (size_t)options->limit, &sample, &error);
    if (status != HF_OK) {
        code = cli_connect_failed(options, NULL, status, &error);
    } else if (options->quiet) {
        code = sample.locks[0].holders_count > 0 ? CLI_EXIT_OK : CLI_EXIT_NO;
    } else if (options->json) {
        struct cli_json json = cli_json_of(out);
        cli_json_open(&json, NULL);
        cli_lock_json(&sample.locks[0], &json);
        cli_json_close(&json);
        buffer_u8(out, '\n');
    } else {
        cli_screen_lock(out, &sample.locks[0]);
    }
    cli_sample_close(&sample);
    return code;
}

static void cli_status_print(const struct cli_options *options,
                             const struct cli_sample *sample,
                             struct buffer *out)
{
    const struct cli_screen screen = {
        .width = cli_terminal_width(),
        .rows_max = (size_t)options->limit,
    };
    cli_screen_members(out, &screen, sample, NULL);
    buffer_u8(out, '\n');
    cli_screen_locks(out, &screen, sample);
    if (sample->locks_count < sample->locks_held) {
        cli_text_print(out, "%zu of %llu locks; --limit shows more\n",
                       sample->locks_count,
                       (unsigned long long)sample->locks_held);
    }
}

static int cli_status_all(const struct cli_options *options,
                          struct hf_client *client, struct buffer *out)
{
    struct cli_sample sample;
    struct cli_ask_walk walk = CLI_ASK_WALK_INIT;
    struct hf_error error = {HF_OK, ""};
    int code = CLI_EXIT_OK;
    cli_sample_init(&sample);
    enum hf_status status =
        cli_ask_members(client, options->timeout_ms, &sample, &error);
    if (status == HF_OK) {
        status = cli_ask_locks(client, &walk, (size_t)options->limit, 1,
                               CLI_CLOCK_NEVER, &sample, &error);
        cli_sample_sort(&sample);
    }
    if (sample.members_count > 0) {
        if (options->json) {
            struct cli_json json = cli_json_of(out);
            cli_json_open(&json, NULL);
            cli_sample_json_cluster(&sample, &json);
            cli_sample_json_totals(&sample, &json);
            cli_json_open_array(&json, "locks");
            for (size_t i = 0; i < sample.locks_count; i++) {
                cli_json_open(&json, NULL);
                cli_lock_json(&sample.locks[i], &json);
                cli_json_close(&json);
            }
            cli_json_close_array(&json);
            if (status != HF_OK) {
                cli_json_text(&json, "error",
                              cli_connect_reason(status, &error));
            }
            cli_json_close(&json);
            buffer_u8(out, '\n');
        } else {
            cli_status_print(options, &sample, out);
        }
        code = status == HF_OK ? code : cli_connect_incomplete(status, &error);
    } else if (status != HF_OK) {
        code = cli_connect_failed(options, NULL, status, &error);
    }
    cli_sample_close(&sample);
    return code;
}
