/* cli_main.c - holdfast, the tool: find the verb and carry it out. */
#include <signal.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cli_connect.h"
#include "cli/cli_text.h"

static int cli_main_help(const struct cli_verb *verb);
static int cli_main_version(void);
static bool cli_main_is_sound(const struct cli_verb *verb,
                              const struct cli_options *options);

int main(int argc, char **argv)
{
    struct cli_options options;
    struct cli_options_error error;
    if (!cli_options_read(&options, argc, argv, &error)) {
        cli_connect_say("%s; see holdfast --help", error.text);
        return CLI_EXIT_FAILED;
    }
    const struct cli_verb *verb = cli_verbs_find(options.verb);
    if (options.version) {
        return cli_main_version();
    }
    if (options.verb != NULL && verb == NULL) {
        cli_connect_say("there is no verb '%s'; see holdfast --help",
                        options.verb);
        return CLI_EXIT_FAILED;
    }
    if (options.help) {
        return cli_main_help(verb);
    }
    if (verb == NULL) {
        cli_connect_say("what is to be done? See holdfast --help");
        return CLI_EXIT_FAILED;
    }
    if (!cli_main_is_sound(verb, &options)) {
        return CLI_EXIT_FAILED;
    }
    /* A reader or a node that is gone is an error of the write. */
    (void)signal(SIGPIPE, SIG_IGN);
    return verb->carry_out(&options);
}

static bool cli_main_is_sound(const struct cli_verb *verb,
                              const struct cli_options *options)
{
    const char *stranger = cli_options_stranger(options, verb->bit);
    if (stranger != NULL) {
        cli_connect_say("%s: --%s is not for this verb", verb->name, stranger);
        return false;
    }
    if (options->arguments_count < verb->arguments_min ||
        options->arguments_count > verb->arguments_max) {
        cli_connect_say("usage: holdfast %s %s", verb->name, verb->arguments);
        return false;
    }
    if (verb->wants_command &&
        (options->command == NULL || options->command[0] == NULL)) {
        cli_connect_say("%s: which command? Write it behind --", verb->name);
        return false;
    }
    return true;
}

static int cli_main_help(const struct cli_verb *verb)
{
    struct buffer out = {NULL, 0, 0};
    if (verb != NULL) {
        cli_text_print(&out, "Usage: holdfast %s %s\n\n%s.\n\n", verb->name,
                       verb->arguments, verb->summary);
        cli_options_help(&out, verb->bit);
    } else {
        cli_text_print(&out, "Usage: holdfast verb [argument ...]\n\n");
        for (verb = cli_verbs; verb->name != NULL; verb++) {
            cli_text_print(&out, "  %-10s %s\n", verb->name, verb->summary);
        }
        cli_text_print(&out, "\nOptions; 'holdfast verb --help' tells those of "
                             "a verb:\n");
        cli_options_help(&out, CLI_VERB_ALL);
        cli_text_print(&out,
                       "\nTimes are in seconds, or such as 500ms, 2m, 1h.\n"
                       "Exit codes: 122 lease lost, 123 no answer from the "
                       "cluster, 124 lock not\nobtained, 125 wrong usage; more "
                       "in holdfast(1).\n");
    }
    const bool written = cli_text_flush(&out);
    buffer_close(&out);
    return written ? CLI_EXIT_OK : CLI_EXIT_FAILED;
}

static int cli_main_version(void)
{
    return printf("holdfast %s, libholdfast %s\n", HOLDFAST_VERSION,
                  hf_version()) > 0 &&
                   fflush(stdout) == 0
               ? CLI_EXIT_OK
               : CLI_EXIT_FAILED;
}
