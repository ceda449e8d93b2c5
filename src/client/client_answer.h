/* client_answer.h - what the server answered to a lease, or failed to.
 *
 * Everything wants client->mutex to be held, and runs in the heartbeat thread.
 */
#ifndef HOLDFAST_CLIENT_ANSWER_H
#define HOLDFAST_CLIENT_ANSWER_H

#include <hiredis/hiredis.h>

#include "client/client_state.h"

/* The answer to lease->request. */
void client_answer(struct hf_lease *lease, const redisReply *reply,
                   int64_t now);

/* The connection broke before the answer to lease->request. */
void client_answer_unanswered(struct hf_lease *lease);

/* The endpoint is gone, or is up again: every lease has to think about it. */
void client_answer_parted(struct hf_client *client);
void client_answer_met(struct hf_client *client);

#endif
