/* cli_verbs.c - the list of verbs.
 *
 * To add one: a file cli_NAME.c, a row here, its bit in cli_options.h, its
 * section in man/holdfast.1 and a word in completion/holdfast.
 */
#include <string.h>

#include "cli/cli.h"

const struct cli_verb cli_verbs[] = {
    {"run", CLI_VERB_RUN, "[option ...] KEY -- command ...",
     "hold a lock while a command runs", 0, 1, true, cli_run},
    {"elect", CLI_VERB_ELECT, "[option ...] NAME -- command ...",
     "keep one instance of a command running in a fleet", 1, 1, true,
     cli_elect},
    {"status", CLI_VERB_STATUS, "[option ...] [KEY]",
     "show a lock and its queue, or an overview", 0, 1, false, cli_status},
    {"top", CLI_VERB_TOP, "[option ...]", "watch the cluster at work", 0, 0,
     false, cli_top},
    {"break", CLI_VERB_BREAK, "[option ...] KEY [TOKEN]",
     "end a grant by force, or all of a key", 1, 2, false, cli_break},
    {"cluster", CLI_VERB_CLUSTER,
     "status | add ID HOST:PORT [--learner] | remove ID |\n"
     "           promote ID | transfer [ID]",
     "see the members, and change them", 1, 3, false, cli_cluster},
    {NULL, 0, NULL, NULL, 0, 0, false, NULL},
};

const struct cli_verb *cli_verbs_find(const char *name)
{
    for (const struct cli_verb *verb = cli_verbs;
         name != NULL && verb->name != NULL; verb++) {
        if (strcmp(verb->name, name) == 0) {
            return verb;
        }
    }
    return NULL;
}
