/* lock_notices.c - the notices of one command.
 *
 * Both arrays grow to what the largest command needed and stay that large.
 */
#include "lock/lock_notices.h"

#include "base/memory.h"
#include "lock/lock_machine.h"

#define LOCK_NOTICES_CAPACITY_MIN 16

static struct lock_notice *lock_notices_new(struct lock_notices *notices);

void lock_notices_init(struct lock_machine *machine)
{
    machine->notices = (struct lock_notices){0};
}

void lock_notices_close(struct lock_machine *machine)
{
    lock_notices_clear(machine);
    memory_free(machine->notices.notices);
    memory_free(machine->notices.dead);
    lock_notices_init(machine);
}

void lock_notices_clear(struct lock_machine *machine)
{
    struct lock_notices *notices = &machine->notices;

    notices->notices_count = 0;
    while (notices->dead_count > 0) {
        notices->dead_count--;
        memory_free(notices->dead[notices->dead_count]);
    }
}

struct lock_notice *lock_notices_add(struct lock_machine *machine,
                                     enum lock_notice_kind kind,
                                     const struct lock_claim *claim)
{
    struct lock_notice *notice = lock_notices_new(&machine->notices);

    *notice = (struct lock_notice){
        .kind = kind,
        .key = lock_table_key(claim->lock),
        .owner = lock_table_owner(claim),
        .seq = claim->seq,
        .mode = (enum lock_mode)claim->mode,
        .token = claim->token,
        .ticket = claim->ticket,
        .origin = lock_sources_origin(machine, claim->source),
        .number = claim->number,
    };
    return notice;
}

void lock_notices_add_free(struct lock_machine *machine,
                           const struct lock *lock)
{
    *lock_notices_new(&machine->notices) = (struct lock_notice){
        .kind = LOCK_NOTICE_FREE,
        .key = lock_table_key(lock),
    };
}

void lock_notices_bury(struct lock_machine *machine, void *block)
{
    struct lock_notices *notices = &machine->notices;

    if (notices->dead_count == notices->dead_capacity) {
        notices->dead_capacity = notices->dead_capacity > 0
                                     ? notices->dead_capacity * 2
                                     : LOCK_NOTICES_CAPACITY_MIN;
        notices->dead = memory_resize(notices->dead, notices->dead_capacity,
                                      sizeof(*notices->dead));
    }
    notices->dead[notices->dead_count++] = block;
}

static struct lock_notice *lock_notices_new(struct lock_notices *notices)
{
    if (notices->notices_count == notices->notices_capacity) {
        notices->notices_capacity = notices->notices_capacity > 0
                                        ? notices->notices_capacity * 2
                                        : LOCK_NOTICES_CAPACITY_MIN;
        notices->notices =
            memory_resize(notices->notices, notices->notices_capacity,
                          sizeof(*notices->notices));
    }
    return &notices->notices[notices->notices_count++];
}
