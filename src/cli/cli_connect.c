/* cli_connect.c - a client of the cluster by the options, and how failures are
 * told. */
#include "cli/cli_connect.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_json.h"
#include "cli/cli_text.h"

#define PASSWORD_BYTES 1024

static bool cli_connect_password(const struct cli_options *options,
                                 char *password, struct hf_error *error);
static void cli_connect_log(void *context, const char *line);

const char *cli_connect_nodes(const struct cli_options *options)
{
    const char *nodes = getenv("HOLDFAST_NODES");
    if (options->nodes != NULL) {
        return options->nodes;
    }
    return nodes != NULL && nodes[0] != '\0' ? nodes : "127.0.0.1:7001";
}

enum hf_status cli_connect_open(const struct cli_options *options,
                                struct hf_client **client,
                                struct hf_error *error)
{
    struct hf_options wanted = HF_OPTIONS_INIT;
    char password[PASSWORD_BYTES];
    *client = NULL;
    if (!cli_connect_password(options, password, error)) {
        return HF_BAD_ARGUMENT;
    }
    const char *user = getenv("HOLDFAST_USER");
    wanted.nodes = cli_connect_nodes(options);
    wanted.owner = options->owner;
    wanted.username = options->user != NULL ? options->user : user;
    wanted.password = password[0] != '\0' ? password : NULL;
    wanted.call_timeout_ms = (unsigned)options->timeout_ms;
    wanted.tls = options->tls;
    wanted.tls_ca_file = options->tls_ca;
    wanted.tls_certificate_file = options->tls_cert;
    wanted.tls_key_file = options->tls_key;
    wanted.tls_server_name = options->tls_name;
    wanted.log = options->verbose ? cli_connect_log : NULL;
    const enum hf_status status = hf_client_open(&wanted, client, error);
    explicit_bzero(password, sizeof(password));
    return status;
}

int cli_connect(const struct cli_options *options, struct hf_client **client)
{
    struct hf_error error = {HF_OK, ""};
    const enum hf_status status = cli_connect_open(options, client, &error);
    return status == HF_OK ? CLI_EXIT_OK
                           : cli_connect_failed(options, NULL, status, &error);
}

/* The first line of the file, or what the environment has, or "". */
static bool cli_connect_password(const struct cli_options *options,
                                 char *password, struct hf_error *error)
{
    const char *given = getenv("HOLDFAST_PASSWORD");
    password[0] = '\0';
    if (options->password_file == NULL) {
        if (given != NULL && strlen(given) >= PASSWORD_BYTES) {
            (void)snprintf(error->text, sizeof(error->text),
                           "HOLDFAST_PASSWORD is too long");
            return false;
        }
        (void)snprintf(password, PASSWORD_BYTES, "%s",
                       given != NULL ? given : "");
        return true;
    }
    FILE *file = fopen(options->password_file, "re");
    if (file == NULL) {
        (void)snprintf(error->text, sizeof(error->text), "%.100s: %s",
                       options->password_file, strerror(errno));
        return false;
    }
    (void)setvbuf(file, NULL, _IONBF, 0); /* no copy of it is left behind */
    const bool is_read = fgets(password, PASSWORD_BYTES, file) != NULL;
    (void)fclose(file);
    const size_t count = is_read ? strcspn(password, "\r\n") : 0;
    const bool is_whole = count < PASSWORD_BYTES - 1;
    password[count] = '\0';
    if (count == 0 || !is_whole) {
        (void)snprintf(error->text, sizeof(error->text), "%.100s: %s",
                       options->password_file,
                       is_whole ? "has no password in its first line"
                                : "its first line is too long");
        return false;
    }
    return true;
}

static void cli_connect_log(void *context, const char *line)
{
    (void)context;
    cli_connect_say("%s", line);
}

static int cli_connect_exit(enum hf_status status)
{
    switch (status) {
    case HF_OK:
        return CLI_EXIT_OK;
    case HF_UNREACHABLE:
    case HF_NO_LEADER:
    case HF_UNCERTAIN:
        return CLI_EXIT_UNREACHABLE;
    case HF_TIMEOUT:
        return CLI_EXIT_NOT_OBTAINED;
    case HF_LOST:
        return CLI_EXIT_LOST;
    case HF_REFUSED:
    case HF_FENCED:
    case HF_BAD_TOKEN:
    case HF_DENIED:
        return CLI_EXIT_NO;
    case HF_BAD_ARGUMENT:
    case HF_NO_MEMORY:
    case HF_CANCELLED:
    case HF_NO_TLS:
    case HF_SYSTEM:
        return CLI_EXIT_FAILED;
    }
    return CLI_EXIT_FAILED;
}

int cli_connect_failed(const struct cli_options *options, const char *what,
                       enum hf_status status, const struct hf_error *error)
{
    const char *reason = cli_connect_reason(status, error);
    cli_connect_say("%s%s%s", what != NULL ? what : "",
                    what != NULL ? ": " : "", reason);
    if (options->json) {
        struct buffer out = {NULL, 0, 0};
        struct cli_json json = cli_json_of(&out);
        cli_json_open(&json, NULL);
        cli_json_text(&json, "error", reason);
        cli_json_close(&json);
        buffer_u8(&out, '\n');
        (void)cli_text_flush(&out);
        buffer_close(&out);
    }
    return cli_connect_exit(status);
}

int cli_connect_incomplete(enum hf_status status, const struct hf_error *error)
{
    cli_connect_say("%s", cli_connect_reason(status, error));
    return cli_connect_exit(status);
}

const char *cli_connect_reason(enum hf_status status,
                               const struct hf_error *error)
{
    return error->text[0] != '\0' ? error->text : hf_status_text(status);
}

void cli_connect_say(const char *format, ...)
{
    va_list arguments;
    char line[1024];
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    /* What servers say must not play with the terminal. */
    for (char *at = line; *at != '\0'; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7f) {
            *at = '?';
        }
    }
    (void)fprintf(stderr, "holdfast: %s\n", line);
}
