/* fence_store.h - the data of holdfast-store: fenced writes on LevelDB.
 *
 * Writes are handed over by the loop and checked, written and synced by a
 * thread of their own, all that wait at once in one synced batch. A write and
 * the fence it raises are in the same batch: after a crash both are there or
 * neither. Reads have a second thread, so that they do not wait for a sync;
 * LevelDB shows nothing before it is synced, and the thread itself sees to the
 * names of files (store_writer.h).
 *
 * An answer is handed out only after what it is based on is on disk: an
 * acceptance after its own write, a refusal after the write whose token is
 * newer.
 *
 * Whatever fails on disk ends the process, as in store.h. All functions belong
 * to the loop's thread; none of them waits for the disk but open and close.
 */
#ifndef HOLDFAST_FENCE_STORE_H
#define HOLDFAST_FENCE_STORE_H

#include "command/command_query.h"
#include "lock/lock_outcome.h"
#include "store/store.h"

struct fence_store;

/* Open the data directory at path, or make it. Anything but STORE_OK: no
 * handle, and one line in reason. */
enum store_result fence_store_open(const char *path, struct table_seed seed,
                                   struct fence_store **store, char *reason,
                                   size_t reason_bytes);

/* Finish the writes that are queued, then give everything back. NULL is
 * allowed. */
void fence_store_close(struct fence_store *store);

/* A FENCE_SET or FENCE_DELETE, or the questions FENCED and FENCE, to be handed
 * over with the next fence_store_turn(). The answer is collected later under
 * the number ask. Other than STATUS_OK: it cannot even be asked. */
enum status fence_store_write(struct fence_store *store, uint64_t ask,
                              const struct lock_command *command);
enum status fence_store_read(struct fence_store *store, uint64_t ask,
                             const struct command_query *query);

/* Hand over what was asked for since the last call, so that it shares a sync.
 * Reads that find LIMIT_STORE_ANSWERS_BYTES of answers not collected are left
 * for later, so it is also to be called after a collection. */
void fence_store_turn(struct fence_store *store);

/* Readable when there is something to collect; one of writes, one of reads. */
int fence_store_writes_fd(const struct fence_store *store);
int fence_store_reads_fd(const struct fence_store *store);

/* Hand out all answers that are there: of writes or of reads, as fd is one or
 * the other, the latter with the bytes of command_query_read(). */
typedef void fence_store_answer_fn(void *context, uint64_t ask,
                                   const struct lock_answer *answer,
                                   struct bytes query_reply);
void fence_store_collect(struct fence_store *store, int fd,
                         fence_store_answer_fn *answer, void *context);

/* True while more waits for the disk than is good; clients should be told to
 * come again. */
bool fence_store_is_full(const struct fence_store *store);

struct fence_store_counts {
    size_t open;      /* asked and not collected */
    uint64_t writes;  /* accepted */
    uint64_t refused; /* for an old token */
    uint64_t reads;
    uint64_t syncs;
};
struct fence_store_counts fence_store_count(struct fence_store *store);

#endif
