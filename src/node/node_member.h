/* node_member.h - changes of the cluster that people ask for: how they travel.
 */
#ifndef HOLDFAST_NODE_MEMBER_H
#define HOLDFAST_NODE_MEMBER_H

#include "base/buffer.h"
#include "base/status.h"
#include "command/command_plan.h"

/* Room for every text of a refusal, with its zero. */
#define NODE_MEMBER_TEXT_BYTES 256

/* A change as it travels from the node that was asked to the leader; encoding
 * writes to an empty buffer. Anything but STATUS_OK: nobody can want this. */
enum status node_member_encode(const struct command_change *change,
                               struct buffer *out);
enum status node_member_decode(struct bytes bytes,
                               struct command_change *change);

#endif
