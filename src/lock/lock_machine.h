/* lock_machine.h - the machine from within: its parts, for this folder only.
 *
 * Each part has its own header and looks after its own records. What the parts
 * call of each other:
 *
 *     lock_requests_recall(), lock_requests_remember()   around each command
 *     lock_data_apply_*(), lock_fence_apply_*()          commands on data
 *     lock_data_is_alive()     a string is in the way of a lock
 *     lock_table_is_held()     a held lock is in the way of a string
 *     lock_data_next_due()     the data key whose deadline comes first
 *     lock_X_record_*()        see lock_records.h
 */
#ifndef HOLDFAST_LOCK_MACHINE_H
#define HOLDFAST_LOCK_MACHINE_H

#include "lock/lock.h"
#include "lock/lock_changes.h"
#include "lock/lock_data.h"
#include "lock/lock_fence.h"
#include "lock/lock_lease.h"
#include "lock/lock_meta.h"
#include "lock/lock_notices.h"
#include "lock/lock_requests.h"
#include "lock/lock_sources.h"
#include "lock/lock_table.h"

struct lock_machine {
    struct table_seed seed; /* of all hash tables and indexes */
    struct lock_changes changes;
    struct lock_meta meta; /* clocks, reigns, tokens */
    struct lock_table table;
    struct lock_sources sources;
    struct lock_leases leases;
    struct lock_requests requests;
    struct lock_data_keys data;
    struct lock_fences fences;
    struct lock_notices notices;             /* of the last command */
    struct lock_command_room room;           /* for decoding */
    struct lock_command_room operation_room; /* as above, inside a batch */
    struct buffer answers;                   /* of a batch, or to a question */
    uint64_t index;                          /* of the last entry; not state */
    uint64_t loaded_ticket;                  /* highest that was loaded */
    size_t swept;                            /* data keys; not state */
};

/* What a command does, whoever asked and whether he did before. */
void lock_machine_effect(struct lock_machine *machine,
                         const struct lock_command *command,
                         struct lock_answer *answer);

#endif
