/* lock_batch.h - several commands as one entry of the log: MULTI and EXEC.
 *
 * A batch is a list of watched keys, each with the revision it had when it was
 * watched, and a list of operations. If every watched key is as it was, all
 * operations are carried out, one after the other and with nothing in between;
 * if not, none is. An operation that is refused (a key of another type, not a
 * number) changes nothing and is answered so; the others go on.
 *
 * The answers of all operations together are one value, which is remembered
 * like any other. It is bounded: an operation whose answer might not fit any
 * more is not carried out and answered LOCK_TOO_LONG. It is taken to need
 * LOCK_BATCH_ANSWER_BYTES_MAX and the bytes of the value that it hands out,
 * whether or not that is still alive; each operation after it is sure of
 * LOCK_BATCH_ANSWER_BYTES_MIN.
 *
 * To allow another kind of command: its row in lock_batch_kinds. It may not
 * depend on having an entry, a number or a ticket of its own.
 */
#ifndef HOLDFAST_LOCK_BATCH_H
#define HOLDFAST_LOCK_BATCH_H

#include "lock/lock_command.h"
#include "lock/lock_outcome.h"
#include "lock/lock_read.h"

/* All answers of a batch, encoded. */
#define LOCK_BATCH_ANSWERS_BYTES LIMIT_VALUE_BYTES

/* An answer without fields, and one with all but its value's bytes. */
#define LOCK_BATCH_ANSWER_BYTES_MIN 2
#define LOCK_BATCH_ANSWER_BYTES_MAX (2 + 8 + 8 + 4)

/* A key as it was seen when it was watched. */
struct lock_watch {
    uint32_t database;
    struct bytes key;
    enum lock_read_type type;
    uint64_t revision;
};

/* ---- making one ---- */

void lock_batch_add_watch(struct buffer *watches,
                          const struct lock_watch *watch);

/* Append an operation; its head is not looked at. What lock_command_encode()
 * says; STATUS_BAD_TYPE also for a kind that cannot be in a batch. */
enum status lock_batch_add(struct buffer *operations,
                           const struct lock_command *command);

/* ---- reading one ---- */

/* STATUS_OK if the lists have what their counts say, and each item is good. */
enum status lock_batch_check(const struct lock_batch *batch);

bool lock_batch_next_watch(struct reader *watches, struct lock_watch *watch);

/* The next operation: STATUS_OK, or what is wrong with it. Views point into
 * the batch, lists into room. */
enum status lock_batch_next(struct reader *operations,
                            struct lock_command_room *room,
                            struct lock_command *command);

/* ---- answers ---- */

/* Append an answer, and read the next one; false at the end. */
void lock_batch_put_answer(struct buffer *out,
                           const struct lock_answer *answer);
bool lock_batch_next_answer(struct reader *answers, struct lock_answer *answer);

/* Carry it out. The answer's value has the answers of the operations; it is
 * LOCK_REFUSED if a watched key is not as it was. */
void lock_batch_apply(struct lock_machine *machine,
                      const struct lock_command *command,
                      struct lock_answer *answer);

#endif
