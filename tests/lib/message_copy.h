/* message_copy.h - a message that outlives the call that handed it in.
 *
 * Messages of the core borrow their payloads. A queue that keeps one (a write
 * not yet durable, a network) needs a copy; it is one block of memory.
 */
#ifndef HOLDFAST_TESTS_MESSAGE_COPY_H
#define HOLDFAST_TESTS_MESSAGE_COPY_H

#include "raft/raft_message.h"

/* A copy with everything it refers to; give it back with memory_free(). */
struct raft_message *message_copy(const struct raft_message *message);

#endif
