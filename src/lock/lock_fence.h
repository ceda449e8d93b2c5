/* lock_fence.h - the highest token that was seen for each lock, and the writes
 * that are guarded by it.
 *
 * A fenced write carries the token of the lock it was made under. Once a higher
 * token of that lock was seen, whoever still writes with a lower one has lost
 * the lock without knowing, and is refused. What was seen never falls and is
 * never forgotten; the lock itself need not exist.
 */
#ifndef HOLDFAST_LOCK_FENCE_H
#define HOLDFAST_LOCK_FENCE_H

#include "base/index.h"
#include "base/table.h"
#include "lock/lock_changes.h"
#include "lock/lock_command.h"
#include "lock/lock_outcome.h"

struct lock_fence {
    struct lock_tracked tracked;
    struct index_node by_name;
    uint64_t token; /* the highest seen */
    uint16_t name_count;
    uint8_t name[]; /* the key of the lock */
};

/* The members belong to lock_fence.c. May not be moved. */
struct lock_fences {
    struct table_seed seed;
    struct index by_name;
};

void lock_fence_init(struct lock_fences *fences, struct table_seed seed);

/* Give back all but the fences, which go by lock_fence_record_free(). */
void lock_fence_close(struct lock_fences *fences);

size_t lock_fence_count(const struct lock_machine *machine);

/* Each fills in the answer. */
void lock_fence_apply_set(struct lock_machine *machine,
                          const struct lock_command *command,
                          struct lock_answer *answer);
void lock_fence_apply_delete(struct lock_machine *machine,
                             const struct lock_command *command,
                             struct lock_answer *answer);

/* The fence of a lock, or NULL if none was ever seen. */
struct lock_fence *lock_fence_find(const struct lock_machine *machine,
                                   struct bytes lock_key);

/* ---- records; see lock_records.h ---- */

struct bytes lock_fence_record_name(const struct lock_tracked *record);
void lock_fence_record_value(const struct lock_machine *machine,
                             const struct lock_tracked *record,
                             struct buffer *out);
enum status lock_fence_record_load(struct lock_machine *machine,
                                   struct bytes name, struct bytes value);

/* The machine goes and takes the record with it: nobody is told. */
void lock_fence_record_free(struct lock_tracked *record);

/* Stop the process if this fence contradicts itself. */
void lock_fence_record_check(const struct lock_machine *machine,
                             const struct lock_tracked *record);

#endif
