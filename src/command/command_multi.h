/* command_multi.h - a transaction of a session: what is queued, what is
 * watched.
 *
 * Between MULTI and EXEC commands are kept and not run. EXEC makes one plan of
 * them, a batch for one entry of the log (lock_batch.h), and words the replies
 * when it has been carried out. A watched key is remembered with the revision
 * it had; the entry itself compares, so that nothing can come in between.
 *
 * Commands that concern the cluster run inside the machine. The few others
 * that are allowed run here: SELECT when the batch is made, because it says
 * what those after it mean, and the rest when it has been carried out, so that
 * nothing is published for a transaction that did not happen.
 *
 * A command can be part of a transaction if its row has COMMAND_MULTI. What it
 * plans must then be a write that a batch can hold, or a lookup.
 */
#ifndef HOLDFAST_COMMAND_MULTI_H
#define HOLDFAST_COMMAND_MULTI_H

#include "command/command.h"
#include "lock/lock_batch.h"

extern const struct command cmd_discard;
extern const struct command cmd_exec;
extern const struct command cmd_multi;
extern const struct command cmd_unwatch;
extern const struct command cmd_watch;

/* Queued commands and their bytes, more than an entry can hold. A word counts
 * for a byte more than it has: those of none take room as well. */
#define COMMAND_MULTI_MAX 16384
#define COMMAND_MULTI_BYTES_MAX (4 * LIMIT_ENTRY_BYTES)

/* Watched keys, also those of one WATCH, for each is compared with all; and
 * their bytes, so that half an entry is left for operations. */
#define COMMAND_MULTI_WATCHES_MAX 1024
#define COMMAND_MULTI_WATCH_BYTES_MAX (LIMIT_ENTRY_BYTES / 2)

/* Start a command, or queue it if a transaction is open: what the server calls
 * in the place of start(). */
enum command_verdict command_multi_start(const struct command *command,
                                         struct command_call *call);

/* A request was refused before it could be queued: EXEC will refuse all. */
void command_multi_spoil(struct command_session *session);

/* True if a command writes, or is the EXEC of one that does. */
bool command_multi_writes(const struct command *command,
                          const struct command_session *session);

/* The commands that are queued, or -1. */
int64_t command_multi_count(const struct command_session *session);

/* The session ends, or RESET: forget everything. */
void command_multi_close(struct command_session *session);

/* ---- for cmd_multi.c ---- */

bool command_multi_is_open(const struct command_session *session);
bool command_multi_is_spoiled(const struct command_session *session);
void command_multi_open(struct command_session *session);

/* Forget what is queued, and what is watched. */
void command_multi_discard(struct command_session *session);
void command_multi_unwatch(struct command_session *session);

/* Watch a key, unless it is already; false: there is no room for it. */
bool command_multi_watch(struct command_session *session,
                         const struct lock_watch *watch);

/* Make the plan; the transaction is over then, whatever comes of it. */
enum command_verdict command_multi_plan(struct command_call *call);

/* Word the replies of what command_multi_plan() planned. */
void command_multi_finish(struct command_call *call,
                          const struct command_outcome *outcome);

#endif
