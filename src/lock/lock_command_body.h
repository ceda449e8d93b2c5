/* lock_command_body.h - how each kind of command looks behind its head.
 *
 * Private to the codec: lock_command.h is the face. Each kind is one struct
 * lock_command_body, a name and three functions that share the work so that
 * each stays plain:
 *
 *  encode   writes the fields in their order and cannot fail, because
 *  check    has said before that the values are such as a command can have;
 *  decode   reads the fields in their order, whatever they are. Lengths are
 *           the reader's business, values are check's, which runs afterwards.
 *
 * The same check guards both directions: what would not be applied is not
 * proposed. Fields that a kind does not use with the values of its others have
 * to be zero, so that a command has one encoding only.
 */
#ifndef HOLDFAST_LOCK_COMMAND_BODY_H
#define HOLDFAST_LOCK_COMMAND_BODY_H

#include "lock/lock_command.h"

/* A body being read. problem is STATUS_OK until a field has a form that the
 * struct could not even hold, such as a truth value of 2; the first stays. */
struct lock_command_source {
    struct reader reader;
    enum status problem;
    struct lock_command_room *room;
};

struct lock_command_body {
    const char *name;
    void (*encode)(const struct lock_command *command, struct buffer *out);
    void (*decode)(struct lock_command_source *source,
                   struct lock_command *command);
    enum status (*check)(const struct lock_command *command);
    bool of_leader; /* what a leader proposes by itself: nobody asks for it */
};

/* Note that a field has a form that no encoder writes. */
void lock_command_object(struct lock_command_source *source,
                         enum status problem);

/* A truth value is one byte, 0 or 1. */
void lock_command_put_bool(struct buffer *out, bool value);
bool lock_command_take_bool(struct lock_command_source *source);

/* STATUS_OK or STATUS_BAD_VALUE. */
enum status lock_command_verdict(bool is_possible);

/* The first that is not STATUS_OK. */
enum status lock_command_first(enum status first, enum status second);

/* Texts: STATUS_BAD_VALUE if empty, STATUS_TOO_LONG above their limit. */
enum status lock_command_check_key(struct bytes key);
enum status lock_command_check_owner(struct bytes owner);

/* A key in a database, and a value. */
enum status lock_command_check_place(uint32_t database, struct bytes key);
enum status lock_command_check_value(struct bytes value);

/* The least that a pair takes in a list: its lengths, and a key of one byte. */
#define LOCK_COMMAND_PAIR_BYTES_MIN (2 + 1 + 4)

/* How many things of a list are coming, or 0 with the problem noted; and room
 * for so many keys. */
uint32_t lock_command_take_count(struct lock_command_source *source,
                                 size_t item_bytes_min);
void lock_command_room_keys(struct lock_command_room *room, size_t count);

/* True if a value can be set to live so. */
bool lock_command_is_set_life(enum lock_lifetime lifetime, time_ms_t time_ms);

/* The row of a kind, or NULL. */
const struct lock_command_body *lock_command_find(enum lock_command_kind kind);

extern const struct lock_command_body lock_command_tick;
extern const struct lock_command_body lock_command_acquire;
extern const struct lock_command_body lock_command_release;
extern const struct lock_command_body lock_command_renew;
extern const struct lock_command_body lock_command_cancel;
extern const struct lock_command_body lock_command_abandon;
extern const struct lock_command_body lock_command_break;
extern const struct lock_command_body lock_command_expire;
extern const struct lock_command_body lock_command_undelay;
extern const struct lock_command_body lock_command_orphans;

extern const struct lock_command_body lock_command_set;
extern const struct lock_command_body lock_command_delete;
extern const struct lock_command_body lock_command_add;
extern const struct lock_command_body lock_command_append;
extern const struct lock_command_body lock_command_deadline;
extern const struct lock_command_body lock_command_sweep;
extern const struct lock_command_body lock_command_fence_set;
extern const struct lock_command_body lock_command_fence_delete;
extern const struct lock_command_body lock_command_set_many;
extern const struct lock_command_body lock_command_fetch;
extern const struct lock_command_body lock_command_flush;
extern const struct lock_command_body lock_command_read;
extern const struct lock_command_body lock_command_batch;

#endif
