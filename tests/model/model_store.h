/* model_store.h - a store of records beside a machine, and its restarts.
 *
 * Does what a node does with a machine: now and then it writes the changed
 * records (a checkpoint), keeps the commands since, and one day builds the
 * machine anew from both. Or it sends all records to somebody else (a
 * snapshot).
 */
#ifndef HOLDFAST_MODEL_STORE_H
#define HOLDFAST_MODEL_STORE_H

#include "base/random.h"
#include "lock/lock.h"
#include "model/model_history.h"

struct model_store_record {
    struct buffer key;
    struct buffer value;
};

/* An operation since the last checkpoint. */
struct model_store_entry {
    enum model_operation_kind kind;
    uint64_t index;
    struct buffer bytes;
};

struct model_store {
    struct random random;
    struct model_store_record *records; /* ascending by key */
    size_t records_count;
    struct model_store_entry *entries;
    size_t entries_count;
    const char *what; /* what went wrong in a visit */
    /* The last image seen and its hash: another image has another hash. */
    struct buffer image;
    uint64_t hash;
};

void model_store_init(struct model_store *store, uint64_t seed);
void model_store_close(struct model_store *store);

/* A new machine, with a seed for its tables drawn. */
struct lock_machine *model_store_machine(struct model_store *store);

/* Do to a machine what the operation says; outcome is set by commands. */
void model_store_apply(struct lock_machine *machine,
                       enum model_operation_kind kind, uint64_t index,
                       struct bytes bytes, struct lock_outcome *outcome);

/* The operation was applied. */
void model_store_note(struct model_store *store,
                      const struct model_operation *operation);

/* What follows gives NULL, or what is wrong. */

/* Take the changes over, and see that the store then has all records. */
const char *model_store_checkpoint(struct model_store *store,
                                   struct lock_machine *machine);

/* Damage one byte of one record and load: it is refused, or the machine says
 * the same and takes the operation. */
const char *model_store_damage(struct model_store *store,
                               const struct model_operation *operation);

/* Put in place of *machine one that was loaded from all its records. */
const char *model_store_reload(struct model_store *store,
                               struct lock_machine **machine);

/* Put in place of *machine one that was loaded from the last checkpoint and
 * did everything since again. */
const char *model_store_restart(struct model_store *store,
                                struct lock_machine **machine);

#endif
