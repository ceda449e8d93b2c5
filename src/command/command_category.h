/* command_category.h - the kinds of commands that ACL and COMMAND speak of.
 *
 * A command's categories follow from its flags and its group, so that no row
 * has to list them.
 */
#ifndef HOLDFAST_COMMAND_CATEGORY_H
#define HOLDFAST_COMMAND_CATEGORY_H

#include "command/command.h"

/* Their names without "@", in the order in which Redis has them, then ours;
 * NULL at the end. */
const char *command_category_at(size_t place);

/* True if a command is of the category at place. */
bool command_category_has(size_t place, const struct command *command);

/* The category of this name, in letters of either case; false: none. */
bool command_category_find(struct bytes name, size_t *place);

#endif
