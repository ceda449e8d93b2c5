/* client_endpoint.h - at which node the client is, and how it gets to another.
 *
 * The endpoint is up when both links are connected and the subscription to the
 * owner's channel was confirmed, so that no grant can be told to nobody. When
 * it fails, for whatever reason, every request that was under way is
 * unanswered; the next node is tried at once, and after a round of all nodes
 * there is a pause that grows. Everything wants client->mutex to be held.
 */
#ifndef HOLDFAST_CLIENT_ENDPOINT_H
#define HOLDFAST_CLIENT_ENDPOINT_H

#include "client/client_state.h"

/* Connect, give up, look whether the node is alive: what is due now. */
void client_endpoint_step(struct hf_client *client, int64_t now);

/* When client_endpoint_step() has something to do. */
int64_t client_endpoint_due(const struct hf_client *client);

/* What poll() said of the two links. */
void client_endpoint_handle(struct hf_client *client, short commands_events,
                            short messages_events);

bool client_endpoint_is_up(const struct hf_client *client);

/* Send a request of a lease; false: no memory, nothing was sent. */
bool client_endpoint_send(struct hf_client *client,
                          struct client_request *request, size_t words_count,
                          const char *const *words, const size_t *words_bytes,
                          int64_t now);

/* Write what was sent. */
void client_endpoint_flush(struct hf_client *client, int64_t now);

/* A request was answered "not here": after the second in a row the node is left
 * for another, which may be on the better side of a partition. */
void client_endpoint_not_here(struct hf_client *client, int64_t now,
                              const char *text);

/* A -MOVED came: go there. */
void client_endpoint_moved(struct hf_client *client,
                           const struct client_node *node, int64_t now);

/* A request was carried out. */
void client_endpoint_served(struct hf_client *client);

/* Close both links for good. */
void client_endpoint_stop(struct hf_client *client);

#endif
