/* node_answer.h - the answer to a command, as bytes between nodes. */
#ifndef HOLDFAST_NODE_ANSWER_H
#define HOLDFAST_NODE_ANSWER_H

#include "lock/lock_outcome.h"

void node_answer_encode(const struct lock_answer *answer, struct buffer *out);

/* STATUS_BAD_LENGTH or STATUS_BAD_VALUE if these bytes are no answer. The
 * value points into bytes. */
enum status node_answer_decode(struct bytes bytes, struct lock_answer *answer);

#endif
