/* store_values.h - what lies under the keys, as structs and as bytes.
 *
 *     CRC32C of the whole key and of what follows    32 bits
 *     identity   format (32), cluster (16 bytes; zeros: see the promise),
 *                incarnation (64), node (64)
 *     boot       number (64)
 *     promise    term (64), vote (64), cluster (16 bytes), 1 if on probation
 *                or 0 (8), count of founders (8), and of each: node (64),
 *                directory (64)
 *     boundary   index (64), term (64), members
 *     applied    index (64), 1 if a hash follows or 0 (8), hash of the state
 *                (64), and of a later generation its number (32)
 *     log        index (64), term (64), kind (8), payload
 *     state      value of the record; so do later ones
 *
 * LevelDB has checksums of its own, but they are made when a block is written
 * and say nothing of what happened to the bytes before, or of a value that
 * turns up under another key. Numbers are little-endian.
 *
 * put: forget what is in the buffer and write the value for key there.
 * get: STATUS_OK, or STATUS_BAD_CHECKSUM, STATUS_BAD_LENGTH, STATUS_BAD_VALUE.
 * Views of what was got point into value.
 */
#ifndef HOLDFAST_STORE_VALUES_H
#define HOLDFAST_STORE_VALUES_H

#include "store/store.h"

/* A change that older programs must not touch is a higher number. */
#define STORE_FORMAT 1

struct store_promise {
    raft_term_t term;
    raft_id_t vote;
    uint8_t cluster[STORE_CLUSTER_BYTES];
    bool probation;
    struct raft_founders founders;
};

struct store_boundary {
    raft_index_t index;
    raft_term_t term;
    struct raft_members members;
};

/* The hash is lock_hash() of the state. It is not known of a state that was
 * installed by an older version. */
struct store_applied {
    raft_index_t index;
    bool hashed;
    uint64_t hash;
    uint32_t generation; /* where the state lies */
};

struct store_entry {
    raft_index_t index;
    struct raft_entry entry;
};

void store_values_put_identity(struct buffer *value, struct bytes key,
                               const struct store_identity *identity);
void store_values_put_boot(struct buffer *value, struct bytes key,
                           uint64_t boot);
void store_values_put_promise(struct buffer *value, struct bytes key,
                              const struct store_promise *promise);
void store_values_put_boundary(struct buffer *value, struct bytes key,
                               const struct store_boundary *boundary);
void store_values_put_applied(struct buffer *value, struct bytes key,
                              const struct store_applied *applied);
void store_values_put_entry(struct buffer *value, struct bytes key,
                            const struct store_entry *entry);
void store_values_put_record(struct buffer *value, struct bytes key,
                             struct bytes record_value);

/* STATUS_BAD_VERSION as well: undamaged, and of a format not known here. */
enum status store_values_get_identity(struct bytes key, struct bytes value,
                                      struct store_identity *identity);
enum status store_values_get_boot(struct bytes key, struct bytes value,
                                  uint64_t *boot);
enum status store_values_get_promise(struct bytes key, struct bytes value,
                                     struct store_promise *promise);
enum status store_values_get_boundary(struct bytes key, struct bytes value,
                                      struct store_boundary *boundary);
enum status store_values_get_applied(struct bytes key, struct bytes value,
                                     struct store_applied *applied);
enum status store_values_get_entry(struct bytes key, struct bytes value,
                                   struct store_entry *entry);
enum status store_values_get_record(struct bytes key, struct bytes value,
                                    struct bytes *record_value);

#endif
