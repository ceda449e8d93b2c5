/* cli_run.c - holdfast run: hold locks while a command runs. */
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_connect.h"
#include "cli/cli_hold.h"

static const char *cli_run_twice(const char *const *keys, size_t keys_count);

int cli_run(const struct cli_options *options)
{
    const char *keys[LIMIT_TOOL_KEYS];
    size_t keys_count = 0;
    struct cli_hold hold;
    struct hf_client *client;
    struct hf_error error = {HF_OK, ""};
    for (size_t i = 0; i < options->arguments_count; i++) {
        keys[keys_count++] = options->arguments[i];
    }
    for (size_t i = 0; i < options->keys_count; i++) {
        keys[keys_count++] = options->keys[i];
    }
    if (keys_count == 0) {
        cli_connect_say("run: which lock? Give a KEY, or --key");
        return CLI_EXIT_FAILED;
    }
    const char *twice = cli_run_twice(keys, keys_count);
    if (twice != NULL) {
        cli_connect_say("run: the lock %s is there twice", twice);
        return CLI_EXIT_FAILED;
    }
    if (!cli_hold_open(&hold, options)) {
        return CLI_EXIT_FAILED;
    }
    const enum hf_status status = cli_hold_connect(&hold, &client, &error);
    int code;
    if (status == HF_OK) {
        code = cli_hold_run(&hold, client, keys, keys_count).code;
        hf_client_close(client);
    } else {
        code = cli_connect_failed(options, NULL, status, &error);
    }
    cli_hold_close(&hold);
    return code;
}

/* The command would wait for itself. */
static const char *cli_run_twice(const char *const *keys, size_t keys_count)
{
    for (size_t i = 0; i < keys_count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(keys[i], keys[k]) == 0) {
                return keys[i];
            }
        }
    }
    return NULL;
}
