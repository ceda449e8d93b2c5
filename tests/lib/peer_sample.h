/* peer_sample.h - messages between nodes to test with, of every kind.
 *
 * A sample owns what its message borrows. All samples are such as a correct
 * sender could send, and small enough to flip every one of their bytes.
 */
#ifndef HOLDFAST_TESTS_PEER_SAMPLE_H
#define HOLDFAST_TESTS_PEER_SAMPLE_H

#include "base/random.h"
#include "wire/peer_frame.h"

#define PEER_SAMPLE_KINDS 20
#define PEER_SAMPLE_ENTRIES_MAX 8

extern const enum peer_message_kind peer_sample_kinds[PEER_SAMPLE_KINDS];

struct peer_sample {
    struct peer_message message;
    struct raft_entry entries[PEER_SAMPLE_ENTRIES_MAX];
    uint8_t storage[16 * 1024]; /* what the views point to */
    size_t storage_used;
};

/* A message of this kind with contents drawn from random. */
void peer_sample_draw(struct peer_sample *sample, enum peer_message_kind kind,
                      struct random *random);

/* A message of this kind that is always the same, with values that are easy to
 * recognise: term 5, from 1 to 2, every field different. The offsets of its
 * fields can be read off src/wire/peer_body_raft.c and peer_body_node.c. */
void peer_sample_plain(struct peer_sample *sample, enum peer_message_kind kind);

/* The identity that goes with samples. */
struct peer_identity peer_sample_identity(void);

/* True if every field that means something is the same in both. */
bool peer_sample_equal(const struct peer_message *a,
                       const struct peer_message *b);

#endif
