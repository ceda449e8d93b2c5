/* cli_environment.c - what a command is told of the locks it runs under.
 *
 * Of the names that are given here nothing is inherited: a token of an outer
 * run must not be taken for one of this.
 */
#include "cli/cli_environment.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/cli_connect.h"
#include "cli/cli_text.h"

struct cli_environment_list {
    char **items;
    size_t count;
    size_t room;
};

static void cli_environment_add(struct cli_environment_list *list,
                                const char *name, size_t place,
                                const char *value);
static void cli_environment_put(struct cli_environment_list *list, char *item);
static bool cli_environment_is_ours(const char *item);

char **cli_environment_new(const struct cli_locks *locks, const char *owner,
                           const struct cli_options *options)
{
    struct cli_environment_list list = {NULL, 0, 0};
    for (char **item = environ; item != NULL && *item != NULL; item++) {
        if (!cli_environment_is_ours(*item)) {
            cli_environment_put(&list, memory_copy(*item, strlen(*item) + 1));
        }
    }
    for (size_t i = 0; i < locks->count; i++) {
        const struct hf_lease *lease = locks->leases[i];
        char token[24];
        struct buffer number = {NULL, 0, 0};
        cli_text_print(&number, "%" PRIu64, hf_lease_token(lease));
        memcpy(token, number.data, number.count);
        token[number.count] = '\0';
        buffer_close(&number);
        cli_environment_add(&list, "HOLDFAST_KEY", i, locks->keys[i]);
        cli_environment_add(&list, "HOLDFAST_TOKEN", i, token);
        cli_environment_add(&list, "HOLDFAST_SIG", i,
                            hf_lease_signature(lease));
    }
    cli_environment_add(&list, "HOLDFAST_OWNER", 0, owner);
    cli_environment_add(&list, "HOLDFAST_NODES", 0, cli_connect_nodes(options));
    cli_environment_put(&list, NULL);
    return list.items;
}

void cli_environment_free(char **environment)
{
    for (char **item = environment; *item != NULL; item++) {
        memory_free(*item);
    }
    memory_free(environment);
}

static void cli_environment_add(struct cli_environment_list *list,
                                const char *name, size_t place,
                                const char *value)
{
    struct buffer item = {NULL, 0, 0};
    cli_text_print(&item, "%s", name);
    if (place > 0) {
        cli_text_print(&item, "_%zu", place + 1);
    }
    cli_text_print(&item, "=%s", value);
    buffer_u8(&item, 0);
    cli_environment_put(list, memory_copy(item.data, item.count));
    buffer_close(&item);
}

static void cli_environment_put(struct cli_environment_list *list, char *item)
{
    if (list->count == list->room) {
        list->room = list->room * 2 + 64;
        list->items =
            memory_resize(list->items, list->room, sizeof(*list->items));
    }
    list->items[list->count++] = item;
}

static bool cli_environment_is_ours(const char *item)
{
    static const char *const names[] = {"HOLDFAST_KEY", "HOLDFAST_TOKEN",
                                        "HOLDFAST_SIG", "HOLDFAST_OWNER",
                                        "HOLDFAST_NODES"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const size_t count = strlen(names[i]);
        if (strncmp(item, names[i], count) == 0 &&
            (item[count] == '=' || item[count] == '_')) {
            return true;
        }
    }
    return false;
}
