/* raft_configs.h - the configurations the log holds, newest last.
 *
 * A configuration is in force as soon as it is appended (dissertation 4.1), and
 * no longer when it is cut off again: this stack mirrors the log, and nothing
 * else says who is a member. The bottom one is that of the boundary.
 */
#ifndef HOLDFAST_RAFT_CONFIGS_H
#define HOLDFAST_RAFT_CONFIGS_H

#include "raft/raft_members.h"

struct raft_config {
    raft_index_t index;
    struct raft_members members;
};

struct raft_configs {
    struct raft_config *stack; /* ascending indexes */
    size_t count;              /* at least 1 */
    size_t capacity;
};

void raft_configs_init(struct raft_configs *configs,
                       raft_index_t boundary_index,
                       const struct raft_members *members);
void raft_configs_close(struct raft_configs *configs);

/* Forget all and start with one. members may point into the stack. */
void raft_configs_restart(struct raft_configs *configs,
                          raft_index_t boundary_index,
                          const struct raft_members *members);

/* index is larger than that of the newest. */
void raft_configs_push(struct raft_configs *configs, raft_index_t index,
                       const struct raft_members *members);

/* Roll back what the log no longer holds: all at first_index and behind. The
 * bottom one stays. Returns how many went. */
size_t raft_configs_cut(struct raft_configs *configs, raft_index_t first_index);

/* The boundary moved: forget those that were replaced at or before it. */
void raft_configs_drop(struct raft_configs *configs,
                       raft_index_t boundary_index);

/* The one in force. */
const struct raft_config *
raft_configs_newest(const struct raft_configs *configs);

/* The one in force at index, which is not before the bottom one. */
const struct raft_config *raft_configs_at(const struct raft_configs *configs,
                                          raft_index_t index);

#endif
