/* main.c - holdfastd: arguments, start, exit code. */
#include <stdio.h>
#include <stdlib.h>

#include "server/server.h"

static int run(const struct server_options *options)
{
    static struct server server;
    if (!server_start(&server, options)) {
        return EXIT_FAILURE;
    }
    const int code = server_run(&server);
    server_close(&server);
    return code;
}

int main(int argc, char **argv)
{
    struct server_options options;
    int code = EXIT_SUCCESS;
    server_options_init(&options);
    switch (server_options_read(&options, argc, argv)) {
    case SERVER_OPTIONS_RUN:
        code = run(&options);
        break;
    case SERVER_OPTIONS_FAILED:
        (void)fprintf(stderr, "holdfastd: %s\n", options.reason);
        code = EXIT_FAILURE;
        break;
    case SERVER_OPTIONS_CHECKED:
        (void)printf("%s: fine\n", options.config_file);
        break;
    case SERVER_OPTIONS_HELP:
        server_options_help(stdout, "holdfastd");
        break;
    case SERVER_OPTIONS_VERSION:
        (void)printf("holdfastd %s\n", HOLDFAST_VERSION);
        break;
    case SERVER_OPTIONS_LIST:
        server_options_list(stdout);
        break;
    }
    server_options_close(&options);
    return code;
}
