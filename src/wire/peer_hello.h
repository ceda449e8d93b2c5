/* peer_hello.h - which version of the protocol two nodes speak.
 *
 * A node speaks all versions from PEER_VERSION_LEAST to PEER_VERSION_MOST. Two
 * of them speak the highest that both know, so a cluster is upgraded one node
 * after the other as long as each release still speaks a version of the one
 * before. Who has none in common is refused with a line that says so.
 *
 * To add a version: raise PEER_VERSION_MOST, give the frame head or the bodies
 * their new form where the chosen version is the new one, and keep the old
 * form until PEER_VERSION_LEAST is raised, at least one release later.
 */
#ifndef HOLDFAST_WIRE_PEER_HELLO_H
#define HOLDFAST_WIRE_PEER_HELLO_H

#include "wire/peer_message.h"

#define PEER_VERSION_LEAST 1
#define PEER_VERSION_MOST 1

/* Room for every text below, with its zero. */
#define PEER_HELLO_TEXT_BYTES 128

/* What this program speaks. */
struct peer_hello peer_hello_ours(void);

/* The reply to a hello. chosen is 0 if there is nothing in common. */
struct peer_hello peer_hello_answer(const struct peer_hello *ours,
                                    const struct peer_hello *theirs);

/* Whether a reply is one to what we said: a version chosen that we speak. */
bool peer_hello_fits(const struct peer_hello *ours,
                     const struct peer_hello *reply);

/* For people: what they speak, what we speak, and who is too old. */
void peer_hello_text(const struct peer_hello *ours,
                     const struct peer_hello *theirs, char *text, size_t room);

#endif
