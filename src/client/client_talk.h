/* client_talk.h - what a lease says to the server, and when.
 *
 * Which commands are asked again after an answer was lost, and why that is safe
 * (CLIENT_ASK_...):
 *
 *   ACQUIRE  the identity is (key, owner, SEQ): the server recognises it and
 *            gives the same grant, or keeps the place in the queue
 *   RENEW    names the token; twice is once, and a grant that ended stays so
 *   RELEASE  names the token, so that it cannot end a later grant; a second one
 *            is answered :0, which after a lost answer counts as released
 *   CANCEL   names the identity, whose only request is this one
 *
 * A SEQ is never used twice by a client, and the owner is its alone, so that a
 * request that was held up on its way for long can at worst take a lock that
 * nobody uses until its lease ends.
 *
 * Everything wants client->mutex to be held, and runs in the heartbeat thread.
 */
#ifndef HOLDFAST_CLIENT_TALK_H
#define HOLDFAST_CLIENT_TALK_H

#include "client/client_state.h"

/* Look at a lease: end what is over, send what is due, set its timer. It may be
 * gone afterwards. */
void client_talk(struct hf_lease *lease, int64_t now);

#endif
