/* command_data.h - what the commands for data keys have in common.
 *
 * Arguments with their errors, as in command_args.h; lookups, which are most
 * of the reading commands; and times, in all the ways Redis takes them.
 *
 *     command_data_look(call, 1, 1, LOCK_READ_VALUE);        in start()
 *     command_data_one(call, outcome, LOCK_READ_VALUE, &item) in finish()
 */
#ifndef HOLDFAST_COMMAND_DATA_H
#define HOLDFAST_COMMAND_DATA_H

#include "command/command.h"
#include "lock/lock_read.h"

extern const struct command cmd_append;
extern const struct command cmd_dbsize;
extern const struct command cmd_decr;
extern const struct command cmd_decrby;
extern const struct command cmd_del;
extern const struct command cmd_delex;
extern const struct command cmd_delifeq;
extern const struct command cmd_exists;
extern const struct command cmd_expire;
extern const struct command cmd_expireat;
extern const struct command cmd_expiretime;
extern const struct command cmd_flushall;
extern const struct command cmd_flushdb;
extern const struct command cmd_get;
extern const struct command cmd_getdel;
extern const struct command cmd_getex;
extern const struct command cmd_getrange;
extern const struct command cmd_getset;
extern const struct command cmd_incr;
extern const struct command cmd_incrby;
extern const struct command cmd_keys;
extern const struct command cmd_mget;
extern const struct command cmd_mset;
extern const struct command cmd_msetnx;
extern const struct command cmd_persist;
extern const struct command cmd_pexpire;
extern const struct command cmd_pexpireat;
extern const struct command cmd_pexpiretime;
extern const struct command cmd_psetex;
extern const struct command cmd_pttl;
extern const struct command cmd_randomkey;
extern const struct command cmd_scan;
extern const struct command cmd_set;
extern const struct command cmd_setex;
extern const struct command cmd_setnx;
extern const struct command cmd_strlen;
extern const struct command cmd_substr;
extern const struct command cmd_touch;
extern const struct command cmd_ttl;
extern const struct command cmd_type;
extern const struct command cmd_unlink;

/* What readers and writers of data keys are marked with. */
#define COMMAND_DATA_READ (COMMAND_READONLY | COMMAND_MULTI)
#define COMMAND_DATA_WRITE (COMMAND_WRITE | COMMAND_MULTI)

/* Ordinary arguments, for COMMAND DOCS. */
extern const struct command_argument command_data_key_argument[];
extern const struct command_argument command_data_keys_argument[];
extern const struct command_argument command_data_key_value_arguments[];

/* ---- start() ---- */

/* A value within its limit. */
bool command_data_value(struct command_call *call, size_t at,
                        struct bytes *value);
bool command_data_fits(struct command_call *call, struct bytes value);

/* An integer, as Redis takes one. */
bool command_data_integer(struct command_call *call, size_t at,
                          int64_t *number);

/* Plan a lookup of count keys from an argument on. */
enum command_verdict command_data_look(struct command_call *call, size_t first,
                                       size_t count, unsigned want);

/* Plan a write. */
enum command_verdict command_data_write(struct command_call *call,
                                        struct lock_command write);

/* ---- finish() ---- */

/* The answer to a lookup, for lock_read_next(). False: the error is written. */
bool command_data_open(struct command_call *call,
                       const struct command_outcome *outcome,
                       struct reader *answer);

/* The only key of a lookup. False: the error is written, also for a lock. */
bool command_data_one(struct command_call *call,
                      const struct command_outcome *outcome, unsigned want,
                      struct lock_read_item *item);

/* A value or null, from the answer of a write that hands one out. */
void command_data_reply_value(struct command_call *call,
                              const struct lock_answer *answer);

/* ---- times ---- */

enum command_data_unit {
    COMMAND_DATA_SECONDS,
    COMMAND_DATA_MILLISECONDS,
};

/* A life given by EX, PX, EXAT, PXAT or by SETEX: a number above 0. name is the
 * command's, for the error. */
bool command_data_life(struct command_call *call, size_t at,
                       enum command_data_unit unit, const char *name,
                       time_ms_t *time_ms);

/* The error for a time that cannot be. */
enum command_verdict command_data_bad_time(struct command_call *call,
                                           const char *name);

/* Which of EX, PX, EXAT, PXAT the argument is, and not another one than was
 * given before: SECONDS or MILLISECONDS, from now or wall time. Options that
 * contradict it are the caller's business. */
struct command_data_expiry {
    const char *word; /* NULL: none yet */
    enum command_data_unit unit;
    bool is_wall;
    size_t at; /* of its number */
};
bool command_data_expiry_word(const struct command_call *call, size_t at,
                              struct command_data_expiry *expiry);

#endif
