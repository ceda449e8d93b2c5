/* lock_machine.c - the machine: its parts put together, and one command at a
 * time put through them.
 *
 * Every command goes the same way: its clocks count, an answer that was given
 * before is given again, else its effect happens and the answer is remembered.
 *
 * To add a command: its row in lock_machine_effects, and what lock_command.h
 * says.
 */
#include "lock/lock_machine.h"

#include "base/ensure.h"
#include "base/memory.h"
#include "lock/lock_batch.h"
#include "lock/lock_effects.h"
#include "lock/lock_read.h"

static void lock_machine_tick(struct lock_machine *machine,
                              const struct lock_command *command,
                              struct lock_answer *answer);
static void lock_machine_free_records(struct lock_machine *machine);

static lock_effect_fn *const lock_machine_effects[] = {
    [LOCK_COMMAND_TICK] = lock_machine_tick,
    [LOCK_COMMAND_ACQUIRE] = lock_acquire_apply,
    [LOCK_COMMAND_RELEASE] = lock_release_apply,
    [LOCK_COMMAND_RENEW] = lock_renew_apply,
    [LOCK_COMMAND_CANCEL] = lock_cancel_apply,
    [LOCK_COMMAND_ABANDON] = lock_cancel_abandon,
    [LOCK_COMMAND_BREAK] = lock_release_break,
    [LOCK_COMMAND_EXPIRE] = lock_expire_apply,
    [LOCK_COMMAND_UNDELAY] = lock_expire_delay,
    [LOCK_COMMAND_ORPHANS] = lock_cancel_orphans,
    [LOCK_COMMAND_SET] = lock_data_apply_set,
    [LOCK_COMMAND_DELETE] = lock_data_apply_delete,
    [LOCK_COMMAND_ADD] = lock_data_apply_add,
    [LOCK_COMMAND_APPEND] = lock_data_apply_append,
    [LOCK_COMMAND_DEADLINE] = lock_data_apply_deadline,
    [LOCK_COMMAND_SWEEP] = lock_data_apply_sweep,
    [LOCK_COMMAND_FENCE_SET] = lock_fence_apply_set,
    [LOCK_COMMAND_FENCE_DELETE] = lock_fence_apply_delete,
    [LOCK_COMMAND_SET_MANY] = lock_data_apply_set_many,
    [LOCK_COMMAND_FETCH] = lock_data_apply_fetch,
    [LOCK_COMMAND_FLUSH] = lock_data_apply_flush,
    [LOCK_COMMAND_READ] = lock_read_apply,
    [LOCK_COMMAND_BATCH] = lock_batch_apply,
};

#define LOCK_MACHINE_EFFECTS_COUNT                                             \
    (sizeof(lock_machine_effects) / sizeof(lock_machine_effects[0]))

struct lock_machine *lock_machine_new(struct table_seed seed)
{
    struct lock_machine *machine = memory_new(1, sizeof(*machine));

    machine->seed = seed;
    lock_changes_init(&machine->changes, machine, seed);
    lock_meta_init(machine);
    lock_table_init(machine);
    lock_sources_init(machine);
    lock_lease_init(machine);
    lock_requests_init(&machine->requests, seed);
    lock_data_init(&machine->data, seed);
    lock_fence_init(&machine->fences, seed);
    lock_notices_init(machine);
    return machine;
}

void lock_machine_free(struct lock_machine *machine)
{
    if (machine == NULL) {
        return;
    }
    lock_command_room_close(&machine->room);
    lock_command_room_close(&machine->operation_room);
    buffer_close(&machine->answers);
    lock_notices_close(machine);
    /* Heaps write to their nodes when they close, so those go later. */
    lock_lease_close(machine);
    lock_sources_close(machine);
    lock_data_close(&machine->data);
    lock_fence_close(&machine->fences);
    lock_machine_free_records(machine);
    lock_requests_close(&machine->requests);
    lock_table_close(machine);
    lock_meta_close(machine);
    lock_changes_close(&machine->changes);
    memory_free(machine);
}

enum status lock_apply(struct lock_machine *machine, uint64_t index,
                       struct bytes command, struct lock_outcome *outcome)
{
    ENSURE(index > machine->index);

    struct lock_command decoded;
    const enum status status =
        lock_command_decode(command, &machine->room, &decoded);
    if (status != STATUS_OK) {
        return status;
    }
    machine->index = index;
    lock_notices_clear(machine);
    *outcome =
        (struct lock_outcome){.head = decoded.head, .kind = decoded.kind};
    lock_meta_advance_clocks(machine, decoded.head.clock, decoded.head.wall);
    const bool numbered = decoded.head.origin.node != 0;
    if (!numbered ||
        !lock_requests_recall(machine, &decoded.head, &outcome->answer,
                              &outcome->repeated)) {
        lock_machine_effect(machine, &decoded, &outcome->answer);
        if (numbered) {
            lock_requests_remember(machine, &decoded.head, &outcome->answer);
        }
    }
    outcome->notices = machine->notices.notices;
    outcome->notices_count = machine->notices.notices_count;
    return STATUS_OK;
}

void lock_machine_effect(struct lock_machine *machine,
                         const struct lock_command *command,
                         struct lock_answer *answer)
{
    ENSURE(command->kind < LOCK_MACHINE_EFFECTS_COUNT);
    ENSURE(lock_machine_effects[command->kind] != NULL);

    lock_machine_effects[command->kind](machine, command, answer);
}

struct lock_counts lock_count(const struct lock_machine *machine)
{
    return (struct lock_counts){
        .locks = index_count(&machine->table.by_key),
        .grants = machine->table.grants_count,
        .waiters = machine->table.waiters_count,
        .owners = index_count(&machine->table.by_owner),
        .data_keys = lock_data_count(machine),
        .fences = lock_fence_count(machine),
        .origins = lock_requests_count(machine),
        .swept = machine->swept,
    };
}

/* The clocks are all there is to it. */
static void lock_machine_tick(struct lock_machine *machine,
                              const struct lock_command *command,
                              struct lock_answer *answer)
{
    (void)machine;
    (void)command;
    answer->result = LOCK_DONE;
}

/* Origins are freed by lock_requests_close(), and meta is a part of us. */
static void lock_machine_free_records(struct lock_machine *machine)
{
    const struct lock_changes *changes = &machine->changes;

    for (size_t place = 0; place < changes->records_count; place++) {
        struct lock_tracked *record = changes->records[place];
        if (record->kind == LOCK_RECORD_LOCK) {
            lock_table_record_free(record);
        } else if (record->kind == LOCK_RECORD_DATA) {
            lock_data_record_free(record);
        } else if (record->kind == LOCK_RECORD_FENCE) {
            lock_fence_record_free(record);
        }
    }
}
