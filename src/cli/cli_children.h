/* cli_children.h - which processes are the children of another one.
 *
 * Asked of /proc, because wait() tells only of those that have ended, and only
 * of its own. Whoever leaves its parent's group, session or terminal keeps its
 * parent, and becomes a child of the tool when that ends (it is a subreaper):
 * so as long as anything lives that a command has started, the tool has a
 * child.
 */
#ifndef HOLDFAST_CLI_CHILDREN_H
#define HOLDFAST_CLI_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* More at a time are found when these are gone. */
#define CLI_CHILDREN_MAX 256

struct cli_children {
    pid_t pids[CLI_CHILDREN_MAX];
    size_t count;
};

/* Those of a process that live, but these; but may be NULL. */
void cli_children_find(struct cli_children *found, pid_t parent,
                       const struct cli_children *but);

bool cli_children_has(const struct cli_children *children, pid_t pid);

/* Forgotten if there is no room. */
void cli_children_add(struct cli_children *children, pid_t pid);

#endif
