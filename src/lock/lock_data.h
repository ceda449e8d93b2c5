/* lock_data.h - the data keys: names with a value, and perhaps a deadline.
 *
 * A key is known by its database and its name, and its value is a string. A
 * deadline is a time of the cluster clock: once an entry's clock has come to
 * it the key counts as gone. It still takes its place until a command names
 * it, an acquire of a lock of that name included, or a sweep finds it.
 *
 * The time at which a deadline is looked at next is beside the state: it starts
 * as the deadline and is moved by lock_move_data().
 *
 * There may be millions of keys, so that what only some have, a deadline or a
 * note of the fenced write that made it, is in a block of its own.
 */
#ifndef HOLDFAST_LOCK_DATA_H
#define HOLDFAST_LOCK_DATA_H

#include "base/heap.h"
#include "base/index.h"
#include "base/table.h"
#include "lock/lock_changes.h"
#include "lock/lock_command.h"
#include "lock/lock_outcome.h"

struct lock_due;

/* The clock can pass no later deadline; entries can ask for one up to here. */
#define LOCK_DATA_DEADLINE_MAX (2 * LIMIT_TIME_MS)

/* What a wall clock will show then, if it is as late itself as can be. */
#define LOCK_DATA_WALL_MAX (LIMIT_TIME_MS + LOCK_DATA_DEADLINE_MAX)

/* Of a key that is not to live for ever. The wall time is what the deadline
 * was when it was set: it is only ever shown, and does not move with clocks. */
struct lock_data_life {
    struct heap_node due;
    time_ms_t deadline;
    time_ms_t wall;
    struct lock_data_key *key;
};

/* Of a key that was last written under a fence. */
struct lock_data_note {
    uint64_t token;
    uint16_t lock_key_count;
    uint8_t lock_key[];
};

struct lock_data_key {
    struct lock_tracked tracked;
    struct index_node by_name;
    struct lock_data_life *life; /* NULL: for ever */
    struct lock_data_note *note; /* NULL: not by a fenced write */
    uint64_t revision;           /* index of the entry that last changed it */
    uint8_t *value;              /* owned; NULL if empty */
    uint32_t value_count;
    uint16_t name_count;
    uint8_t name[]; /* the database as one byte, then the key */
};

/* The members belong to lock_data*.c. May not be moved. */
struct lock_data_keys {
    struct table_seed seed;
    struct index by_name[LIMIT_DATABASES];
    size_t limited_count[LIMIT_DATABASES]; /* keys that have a deadline */
    struct heap due;
    uint8_t *kept; /* an old value that was handed out, owned */
};

void lock_data_init(struct lock_data_keys *data, struct table_seed seed);

/* Give back all but the keys, which go by lock_data_record_free(). */
void lock_data_close(struct lock_data_keys *data);

size_t lock_data_count(const struct lock_machine *machine);

/* ---- commands (lock_data_apply.c) ---- */

/* Each fills in the answer. A value in it is valid until the next of these. */
void lock_data_apply_set(struct lock_machine *machine,
                         const struct lock_command *command,
                         struct lock_answer *answer);
void lock_data_apply_delete(struct lock_machine *machine,
                            const struct lock_command *command,
                            struct lock_answer *answer);
void lock_data_apply_add(struct lock_machine *machine,
                         const struct lock_command *command,
                         struct lock_answer *answer);
void lock_data_apply_append(struct lock_machine *machine,
                            const struct lock_command *command,
                            struct lock_answer *answer);
void lock_data_apply_deadline(struct lock_machine *machine,
                              const struct lock_command *command,
                              struct lock_answer *answer);
void lock_data_apply_sweep(struct lock_machine *machine,
                           const struct lock_command *command,
                           struct lock_answer *answer);

/* Those for many keys, and those that read (lock_data_many.c). */
void lock_data_apply_set_many(struct lock_machine *machine,
                              const struct lock_command *command,
                              struct lock_answer *answer);
void lock_data_apply_fetch(struct lock_machine *machine,
                           const struct lock_command *command,
                           struct lock_answer *answer);
void lock_data_apply_flush(struct lock_machine *machine,
                           const struct lock_command *command,
                           struct lock_answer *answer);

/* For them: if one of the keys is a held lock, say so in the answer; the key's
 * value as the answer's, or that there is none; a new deadline, or a key gone
 * because that has come (true if something was done). */
bool lock_data_is_held(const struct lock_machine *machine,
                       const struct bytes *keys, size_t keys_count,
                       struct lock_answer *answer);
void lock_data_hand_out(const struct lock_data_key *key,
                        struct lock_answer *answer);
bool lock_data_change_deadline(struct lock_machine *machine,
                               const struct lock_deadline *wanted,
                               struct lock_data_key *key);

/* True if there is a key of that name as of the machine's clock. One whose
 * deadline has come is removed. */
bool lock_data_is_alive(struct lock_machine *machine, uint32_t database,
                        struct bytes key);

/* ---- single keys, for commands and fences ---- */

/* The key, whether or not its deadline has come, or NULL. */
struct lock_data_key *lock_data_find(const struct lock_machine *machine,
                                     uint32_t database, struct bytes key);

/* The key if it is alive, or NULL; one whose deadline has come is removed. */
struct lock_data_key *lock_data_touch(struct lock_machine *machine,
                                      uint32_t database, struct bytes key);

/* A new key: it may not be there. It has no value, lives for ever. */
struct lock_data_key *lock_data_create(struct lock_machine *machine,
                                       uint32_t database, struct bytes key);

void lock_data_remove(struct lock_machine *machine, struct lock_data_key *key);

/* Replace the value, or add to its end. The result is within its limit. */
void lock_data_write(struct lock_machine *machine, struct lock_data_key *key,
                     struct bytes value);
void lock_data_extend(struct lock_machine *machine, struct lock_data_key *key,
                      struct bytes more);

/* A deadline above 0; or 0, to live for ever. */
void lock_data_limit(struct lock_machine *machine, struct lock_data_key *key,
                     time_ms_t deadline);

/* Say who wrote it, or that nobody did under a fence. */
void lock_data_set_note(struct lock_machine *machine, struct lock_data_key *key,
                        struct bytes lock_key, uint64_t token);
void lock_data_clear_note(struct lock_machine *machine,
                          struct lock_data_key *key);

/* Views of a key's own bytes. */
struct bytes lock_data_value(const struct lock_data_key *key);
time_ms_t lock_data_deadline(const struct lock_data_key *key); /* 0: none */
time_ms_t lock_data_wall(const struct lock_data_key *key);     /* 0: none */

/* ---- what is due ---- */

/* The data part of lock_next_due(): the key to look at first, at the time for
 * that; false if there is none, or none before it is moved. */
bool lock_data_next_due(const struct lock_machine *machine,
                        struct lock_due *due);

/* ---- records; see lock_records.h (lock_data_record.c) ---- */

struct bytes lock_data_record_name(const struct lock_tracked *record);
void lock_data_record_value(const struct lock_machine *machine,
                            const struct lock_tracked *record,
                            struct buffer *out);
enum status lock_data_record_load(struct lock_machine *machine,
                                  struct bytes name, struct bytes value);

/* The machine goes and takes the record with it: nobody is told. */
void lock_data_record_free(struct lock_tracked *record);

/* Stop the process if this key contradicts itself, the fences or the heap. */
void lock_data_record_check(const struct lock_machine *machine,
                            const struct lock_tracked *record);

/* True if what the note of a record says agrees with the fences: to be asked
 * when all records are loaded. */
bool lock_data_record_is_fenced(const struct lock_machine *machine,
                                const struct lock_tracked *record);

#endif
