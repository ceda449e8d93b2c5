/* raft_configs.c - a stack of configurations that follows the log.
 *
 * Changes are rare and the log is compacted, so there are seldom more than two.
 */
#include "raft/raft_configs.h"

#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"

void raft_configs_init(struct raft_configs *configs,
                       raft_index_t boundary_index,
                       const struct raft_members *members)
{
    memset(configs, 0, sizeof(*configs));
    raft_configs_push(configs, boundary_index, members);
}

void raft_configs_close(struct raft_configs *configs)
{
    memory_free(configs->stack);
    configs->stack = NULL;
}

void raft_configs_restart(struct raft_configs *configs,
                          raft_index_t boundary_index,
                          const struct raft_members *members)
{
    memmove(&configs->stack[0].members, members, sizeof(*members));
    configs->stack[0].index = boundary_index;
    configs->count = 1;
}

void raft_configs_push(struct raft_configs *configs, raft_index_t index,
                       const struct raft_members *members)
{
    ENSURE(configs->count == 0 || index > raft_configs_newest(configs)->index);

    if (configs->count == configs->capacity) {
        configs->capacity = configs->capacity * 2 + 2;
        configs->stack = memory_resize(configs->stack, configs->capacity,
                                       sizeof(*configs->stack));
    }
    configs->stack[configs->count].index = index;
    configs->stack[configs->count].members = *members;
    configs->count++;
}

size_t raft_configs_cut(struct raft_configs *configs, raft_index_t first_index)
{
    const size_t before = configs->count;
    while (configs->count > 1 &&
           raft_configs_newest(configs)->index >= first_index) {
        configs->count--;
    }
    return before - configs->count;
}

void raft_configs_drop(struct raft_configs *configs,
                       raft_index_t boundary_index)
{
    size_t gone = 0;
    while (gone + 1 < configs->count &&
           configs->stack[gone + 1].index <= boundary_index) {
        gone++;
    }
    configs->count -= gone;
    memmove(configs->stack, configs->stack + gone,
            configs->count * sizeof(*configs->stack));
}

const struct raft_config *
raft_configs_newest(const struct raft_configs *configs)
{
    return &configs->stack[configs->count - 1];
}

const struct raft_config *raft_configs_at(const struct raft_configs *configs,
                                          raft_index_t index)
{
    size_t at = configs->count - 1;
    while (at > 0 && configs->stack[at].index > index) {
        at--;
    }
    ENSURE(configs->stack[at].index <= index);
    return &configs->stack[at];
}
