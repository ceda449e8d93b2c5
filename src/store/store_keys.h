/* store_keys.h - the keys under which things lie in the database.
 *
 *     group (32 bits), kind (8 bits), and then
 *         log      index (64 bits)
 *         state    the key of a record of the machine
 *         later    generation (32 bits, > 0), the key of a record
 *
 * A state that is installed lies beside the one that it replaces, in a
 * generation of its own; the applied record says which of them is the state,
 * and all others are remains. "state" is generation 0, the first one.
 *
 * Numbers in keys are big-endian, so that LevelDB sorts them as numbers: a
 * group lies together, in it each kind, in the log each entry behind the one
 * before. store_values.h has what lies under them.
 */
#ifndef HOLDFAST_STORE_KEYS_H
#define HOLDFAST_STORE_KEYS_H

#include "base/buffer.h"
#include "raft/raft.h"

/* Part of every data directory: never renumber. */
enum store_kind {
    STORE_KIND_IDENTITY = 1, /* format, cluster, incarnation, node */
    STORE_KIND_BOOT,         /* how often, or when, it was opened last */
    STORE_KIND_PROMISE,      /* term, vote, cluster */
    STORE_KIND_BOUNDARY,     /* last entry that is not in the log any more */
    STORE_KIND_APPLIED,      /* the entry that the state is as of */
    STORE_KIND_LOG,
    STORE_KIND_STATE,
    STORE_KIND_LATER, /* state, of a generation above 0 */
    STORE_KINDS_END,
};

/* Make a key in a buffer, forgetting what was there. The first is also what
 * all keys of a kind begin with. */
void store_keys_make(struct buffer *key, uint32_t group, enum store_kind kind);
void store_keys_make_log(struct buffer *key, uint32_t group,
                         raft_index_t index);
void store_keys_make_state(struct buffer *key, uint32_t group,
                           uint32_t generation, struct bytes record_key);
/* What all keys of the state of a generation begin with. */
void store_keys_make_generation(struct buffer *key, uint32_t group,
                                uint32_t generation);

/* A key taken apart. */
struct store_key {
    uint32_t group;
    enum store_kind kind;
    raft_index_t index;      /* of the log */
    uint32_t generation;     /* of the state, with kind state or later */
    struct bytes record_key; /* of the state, borrowed */
};

/* False if no function above makes such a key. */
bool store_keys_read(struct bytes key, struct store_key *parts);

/* "promise", "log" ...; for people. */
const char *store_keys_kind_text(enum store_kind kind);

#endif
