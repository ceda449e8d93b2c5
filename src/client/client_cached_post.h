/* client_cached_post.h - what the heartbeat has to tell cached locks.
 *
 * News is posted with client->mutex held, and delivered later, without it: the
 * mutex of the cached lock comes first. Posts of one lease come in their
 * natural order.
 */
#ifndef HOLDFAST_CLIENT_CACHED_POST_H
#define HOLDFAST_CLIENT_CACHED_POST_H

#include "client/client_state.h"

void client_cached_post_granted(struct hf_lease *lease);
void client_cached_post_refused(struct hf_lease *lease);
void client_cached_post_failed(struct hf_lease *lease);
void client_cached_post_released(struct hf_lease *lease);
void client_cached_post_lost(struct hf_lease *lease);
void client_cached_post_revoke(struct hf_lease *lease, uint64_t token);
void client_cached_post_retry(struct hf_lease *lease);
void client_cached_post_parted(struct hf_lease *lease);

/* Deliver what was posted. Called by the heartbeat with client->mutex held,
 * which is let go of meanwhile. */
void client_cached_post_deliver(struct hf_client *client);

#endif
