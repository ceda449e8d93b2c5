/* lock_requests.h - which requests were answered, and how.
 *
 * A node that does not hear of its request sends it again, perhaps through
 * another leader, and it may come to be in the log twice. Each request has a
 * number at its origin; the answers to numbers that the origin has not
 * acknowledged are remembered, values included, so that the second one is
 * answered like the first and changes nothing.
 *
 * One record for each node. It knows the node's latest boot, the first number
 * without acknowledgement, and a ring of answers from there on, no more than
 * LIMIT_REMEMBERED numbers wide. The record of a node stays for ever: it
 * refuses what an earlier boot left behind in the network.
 */
#ifndef HOLDFAST_LOCK_REQUESTS_H
#define HOLDFAST_LOCK_REQUESTS_H

#include "base/table.h"
#include "lock/lock_changes.h"
#include "lock/lock_command.h"
#include "lock/lock_outcome.h"

/* A number's place in the ring. */
struct lock_requests_slot {
    bool filled;
    struct lock_answer answer; /* its value is owned */
};

struct lock_requests_origin {
    struct lock_tracked tracked;
    struct table_node by_node;
    uint8_t name[8]; /* the node, big-endian */
    uint64_t boot;
    uint64_t first; /* numbers below are acknowledged */
    size_t filled_count;
    struct lock_requests_slot *slots; /* number modulo slots_count */
    size_t slots_count;               /* a power of two, or 0 */
};

/* The members belong to lock_requests.c. May not be moved. */
struct lock_requests {
    struct table by_node;
};

void lock_requests_init(struct lock_requests *requests, struct table_seed seed);

/* Gives the records back, too. */
void lock_requests_close(struct lock_requests *requests);

/* How many nodes are known. */
size_t lock_requests_count(const struct lock_machine *machine);

/* A command is about to be applied. True: do not, the answer is this one. It
 * is outdated, the window is full, or, and then repeated is set, it was given
 * before. A value in it is valid until the next call.
 *
 * Of what node 0 asks nothing is remembered. */
bool lock_requests_recall(struct lock_machine *machine,
                          const struct lock_command_head *head,
                          struct lock_answer *answer, bool *repeated);

/* It was not recalled, and was applied: remember the answer. */
void lock_requests_remember(struct lock_machine *machine,
                            const struct lock_command_head *head,
                            const struct lock_answer *answer);

/* ---- records; see lock_records.h (lock_requests_record.c) ---- */

struct bytes lock_requests_record_name(const struct lock_tracked *record);
void lock_requests_record_value(const struct lock_machine *machine,
                                const struct lock_tracked *record,
                                struct buffer *out);
enum status lock_requests_record_load(struct lock_machine *machine,
                                      struct bytes name, struct bytes value);

/* Stop the process if this record contradicts itself. */
void lock_requests_record_check(const struct lock_machine *machine,
                                const struct lock_tracked *record);

/* For the loader: the record of a node, or NULL; a new one; and an answer put
 * into the ring, at a number that is not below first, less than
 * LIMIT_REMEMBERED above it and not filled yet. */
struct lock_requests_origin *
lock_requests_find(const struct lock_machine *machine, uint64_t node);
struct lock_requests_origin *lock_requests_create(struct lock_machine *machine,
                                                  uint64_t node, uint64_t boot,
                                                  uint64_t first);
void lock_requests_fill(struct lock_requests_origin *origin, uint64_t number,
                        const struct lock_answer *answer);

/* The answer remembered for a number, or NULL. */
const struct lock_answer *
lock_requests_at(const struct lock_requests_origin *origin, uint64_t number);

#endif
