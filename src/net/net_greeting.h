/* net_greeting.h - the hello that opens every connection between nodes.
 *
 * Whoever made the connection says hello, the other side answers on it; what
 * they say is in wire/peer_hello.h. For links (net_peers.c) and for the
 * conversation of a newcomer (net_call.h).
 */
#ifndef HOLDFAST_NET_GREETING_H
#define HOLDFAST_NET_GREETING_H

#include "wire/peer_frame.h"
#include "wire/peer_hello.h"

/* Append a hello; to may be 0: whoever listens there. */
void net_greeting_say(const struct peer_identity *identity, raft_id_t self,
                      raft_id_t to, struct buffer *out);

/* Take a hello and append the reply to it. STATUS_BAD_VERSION: the reply says
 * that there is no version in common, and why, of PEER_HELLO_TEXT_BYTES, says
 * it to people. Anything else but STATUS_OK: nothing was appended. */
enum status net_greeting_answer(const struct peer_identity *identity,
                                raft_id_t self, struct bytes frame,
                                struct buffer *out, raft_id_t *from, char *why);

/* Take the reply to a hello: the version to be spoken. STATUS_BAD_VERSION: as
 * above. */
enum status net_greeting_answered(const struct peer_identity *identity,
                                  struct bytes frame, unsigned *version,
                                  char *why);

#endif
