/* server_main.c - a server program: arguments, start, exit code. */
#include <stdio.h>
#include <stdlib.h>

#include "server/server.h"

static int server_main_run(const struct server_options *options,
                           const struct server_engine *engine)
{
    static struct server server;
    if (!server_start(&server, options, engine)) {
        return EXIT_FAILURE;
    }
    const int code = server_run(&server);
    server_close(&server);
    return code;
}

static int server_main_recover(const struct server_options *options,
                               const struct server_program *program,
                               const struct server_engine *engine)
{
    if (engine->recover == NULL) {
        (void)fprintf(stderr, "%s: --recover: no such directive\n",
                      program->name);
        return EXIT_FAILURE;
    }
    return engine->recover(options);
}

/* What a start would find wrong beside the lines themselves. */
static int server_main_check(struct server_options *options)
{
    if (!server_tokens_check(options)) {
        (void)fprintf(stderr, "%s: %s\n", options->program->name,
                      options->reason);
        return EXIT_FAILURE;
    }
    (void)printf("%s: fine\n", options->config_file);
    return EXIT_SUCCESS;
}

int server_main(const struct server_program *program,
                const struct server_engine *engine, int argc, char **argv)
{
    struct server_options options;
    int code = EXIT_SUCCESS;
    server_options_init_for(&options, program);
    switch (server_options_read(&options, argc, argv)) {
    case SERVER_OPTIONS_RUN:
        code = server_main_run(&options, engine);
        break;
    case SERVER_OPTIONS_FAILED:
        (void)fprintf(stderr, "%s: %s\n", program->name, options.reason);
        code = EXIT_FAILURE;
        break;
    case SERVER_OPTIONS_CHECKED:
        code = server_main_check(&options);
        break;
    case SERVER_OPTIONS_RECOVER:
        code = server_main_recover(&options, program, engine);
        break;
    case SERVER_OPTIONS_HELP:
        server_options_help(stdout, program);
        break;
    case SERVER_OPTIONS_VERSION:
        (void)printf("%s %s\n", program->name, HOLDFAST_VERSION);
        break;
    case SERVER_OPTIONS_LIST:
        server_options_list(stdout, program);
        break;
    }
    server_options_close(&options);
    return code;
}
