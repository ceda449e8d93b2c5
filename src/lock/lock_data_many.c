/* lock_data_many.c - what the commands for many data keys do, and FETCH.
 *
 * They have the course that lock_data_apply.c describes, and are refused as a
 * whole if any of their keys is a held lock. A flush names no key: a held lock
 * is not in its way.
 */
#include "base/container.h"
#include "lock/lock_machine.h"

static bool lock_data_many_is_held(const struct lock_machine *machine,
                                   const struct lock_set_many *many,
                                   struct lock_answer *answer);
static bool lock_data_many_is_there(struct lock_machine *machine,
                                    const struct lock_set_many *many);

void lock_data_apply_set_many(struct lock_machine *machine,
                              const struct lock_command *command,
                              struct lock_answer *answer)
{
    const struct lock_set_many *many = &command->set_many;
    if (lock_data_many_is_held(machine, many, answer)) {
        return;
    }
    if (many->absent && lock_data_many_is_there(machine, many)) {
        *answer = (struct lock_answer){.result = LOCK_REFUSED};
        return;
    }
    for (size_t i = 0; i < many->pairs_count; i++) {
        const struct bytes name = many->words[2 * i];
        struct lock_data_key *key =
            lock_data_touch(machine, many->database, name);
        if (key == NULL) {
            key = lock_data_create(machine, many->database, name);
        }
        lock_data_write(machine, key, many->words[2 * i + 1]);
        lock_data_clear_note(machine, key);
        lock_data_limit(machine, key, 0);
    }
    *answer = (struct lock_answer){.result = LOCK_DONE,
                                   .count = (int64_t)many->pairs_count};
}

static bool lock_data_many_is_held(const struct lock_machine *machine,
                                   const struct lock_set_many *many,
                                   struct lock_answer *answer)
{
    for (size_t i = 0; i < many->pairs_count; i++) {
        if (lock_data_is_held(machine, &many->words[2 * i], 1, answer)) {
            return true;
        }
    }
    return false;
}

static bool lock_data_many_is_there(struct lock_machine *machine,
                                    const struct lock_set_many *many)
{
    bool found = false;
    for (size_t i = 0; i < many->pairs_count; i++) {
        found =
            lock_data_is_alive(machine, many->database, many->words[2 * i]) ||
            found;
    }
    return found;
}

void lock_data_apply_fetch(struct lock_machine *machine,
                           const struct lock_command *command,
                           struct lock_answer *answer)
{
    const struct lock_fetch *fetch = &command->fetch;
    if (lock_data_is_held(machine, &fetch->key, 1, answer)) {
        return;
    }
    struct lock_data_key *key =
        lock_data_touch(machine, fetch->database, fetch->key);
    *answer = (struct lock_answer){.result = LOCK_DONE};
    lock_data_hand_out(key, answer);
    if (key != NULL && fetch->lifetime != LOCK_LIFE_KEEP) {
        const struct lock_deadline wanted = {.lifetime = fetch->lifetime,
                                             .time_ms = fetch->time_ms};
        (void)lock_data_change_deadline(machine, &wanted, key);
    }
}

/* The list of all records is the one thing that can be walked. A record that
 * goes is replaced by one from behind it, which was looked at before. */
void lock_data_apply_flush(struct lock_machine *machine,
                           const struct lock_command *command,
                           struct lock_answer *answer)
{
    const struct lock_flush *flush = &command->flush;
    const struct lock_changes *changes = &machine->changes;
    *answer = (struct lock_answer){.result = LOCK_DONE};
    for (size_t place = changes->records_count; place > 0; place--) {
        struct lock_tracked *record = changes->records[place - 1];
        if (record->kind != LOCK_RECORD_DATA) {
            continue;
        }
        struct lock_data_key *key =
            CONTAINER_OF(record, struct lock_data_key, tracked);
        if (flush->all || key->name[0] == flush->database) {
            lock_data_remove(machine, key);
            answer->count++;
        }
    }
}
