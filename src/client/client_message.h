/* client_message.h - what the server says unasked.
 *
 * Messages come by another connection than answers, so either may be first; and
 * a message names a key and a token, but not the SEQ it is about. Each is taken
 * as a hint to look, never as the truth. Wants client->mutex to be held.
 */
#ifndef HOLDFAST_CLIENT_MESSAGE_H
#define HOLDFAST_CLIENT_MESSAGE_H

#include <hiredis/hiredis.h>

#include "client/client_state.h"

void client_message_take(struct hf_client *client, const redisReply *reply);

/* A lease was told of a grant with this token, asked, and has another or none,
 * or does not ask any more: then it belongs to one that asked later. */
void client_message_not_mine(struct hf_lease *lease, uint64_t token);

#endif
