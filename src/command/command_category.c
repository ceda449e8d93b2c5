/* command_category.c - the kinds of commands that ACL and COMMAND speak of.
 *
 * To add one: a row that says by which flag or which group it is known.
 */
#include "command/command_category.h"

#include <string.h>

#include "base/ensure.h"
#include "wire/resp_word.h"

struct command_category {
    const char *name;
    unsigned with;     /* commands that have this flag */
    unsigned without;  /* commands that do not have this one */
    const char *group; /* commands of this group */
};

static const struct command_category command_categories[] = {
    {"keyspace", 0, 0, "generic"},
    {"read", COMMAND_READONLY, 0, NULL},
    {"write", COMMAND_WRITE, 0, NULL},
    {"set", 0, 0, "set"},
    {"sortedset", 0, 0, "sorted-set"},
    {"list", 0, 0, "list"},
    {"hash", 0, 0, "hash"},
    {"string", 0, 0, "string"},
    {"bitmap", 0, 0, "bitmap"},
    {"hyperloglog", 0, 0, "hyperloglog"},
    {"geo", 0, 0, "geo"},
    {"stream", 0, 0, "stream"},
    {"pubsub", COMMAND_PUBSUB, 0, NULL},
    {"admin", COMMAND_ADMIN, 0, NULL},
    {"fast", COMMAND_FAST, 0, NULL},
    {"slow", 0, COMMAND_FAST, NULL},
    {"blocking", COMMAND_BLOCKING, 0, NULL},
    {"dangerous", COMMAND_ADMIN, 0, NULL},
    {"connection", 0, 0, "connection"},
    {"transaction", 0, 0, "transactions"},
    {"scripting", 0, 0, "scripting"},
    {"lock", 0, 0, "lock"},
    {"fence", 0, 0, "fence"},
    {"raft", 0, 0, "raft"},
};

#define COMMAND_CATEGORIES                                                     \
    (sizeof(command_categories) / sizeof(command_categories[0]))

const char *command_category_at(size_t place)
{
    return place < COMMAND_CATEGORIES ? command_categories[place].name : NULL;
}

bool command_category_has(size_t place, const struct command *command)
{
    ENSURE(place < COMMAND_CATEGORIES);

    const struct command_category *category = &command_categories[place];
    if (category->without != 0) {
        return (command->flags & category->without) == 0;
    }
    if (command->start == NULL) {
        return false; /* what it does, its subcommands do */
    }
    if (category->group != NULL) {
        return command->group != NULL &&
               strcmp(command->group, category->group) == 0;
    }
    return (command->flags & category->with) != 0;
}

bool command_category_find(struct bytes name, size_t *place)
{
    for (size_t i = 0; i < COMMAND_CATEGORIES; i++) {
        if (resp_word_is(name, command_categories[i].name)) {
            *place = i;
            return true;
        }
    }
    return false;
}
