/* command_query_data.h - the part of command_query.h that is about data keys.
 *
 * Private to command_query*.c.
 */
#ifndef HOLDFAST_COMMAND_QUERY_DATA_H
#define HOLDFAST_COMMAND_QUERY_DATA_H

#include "command/command_query.h"

/* Append what follows the kind in the answer to DATA, KEYS, STEP or ANY. */
void command_query_data_answer(const struct lock_machine *machine,
                               time_ms_t clock,
                               const struct command_query *query,
                               struct buffer *out);

/* Read that; the kind is set. */
enum status command_query_data_read(struct reader *reader,
                                    struct command_query_reply *reply);

#endif
