/* command.h - what a command is: its row of facts, and two functions.
 *
 * A command that concerns only the connection or this server answers at once:
 * start() writes the reply. One that concerns the cluster makes a plan; when
 * the cluster has answered, finish() words the reply. Neither function waits,
 * and neither knows where the client is or who leads.
 *
 *     const struct command cmd_lock_release = {
 *         .name = "lock.release",
 *         .arity = 4,
 *         .flags = COMMAND_WRITE,
 *         .group = "lock",
 *         .summary = "Gives a lock back; the next waiter gets it.",
 *         .keys = {1, 1, 1},
 *         .start = cmd_lock_release_start,
 *         .finish = cmd_lock_release_finish,
 *     };
 *
 * To add one: a file with such a row, and a line in command_table.c. COMMAND,
 * help texts, arity and key checks all come from the row.
 */
#ifndef HOLDFAST_COMMAND_H
#define HOLDFAST_COMMAND_H

#include "command/command_plan.h"
#include "command/command_world.h"
#include "lock/lock_outcome.h"
#include "wire/resp_reply.h"

/* Words of COMMAND's flags, and what the server needs to know. */
enum command_flag {
    COMMAND_WRITE = 1u << 0,
    COMMAND_READONLY = 1u << 1,
    COMMAND_FAST = 1u << 2,
    COMMAND_BLOCKING = 1u << 3,
    COMMAND_ADMIN = 1u << 4,
    COMMAND_PUBSUB = 1u << 5,
    COMMAND_NO_AUTH = 1u << 6,      /* may be asked before AUTH */
    COMMAND_LOADING = 1u << 7,      /* is served at any time */
    COMMAND_SKIP_MONITOR = 1u << 8, /* not shown by MONITOR: it has secrets */
    COMMAND_NOSCRIPT = 1u << 9,
    COMMAND_SUBSCRIBED = 1u << 10, /* a RESP2 subscriber may ask it */
    COMMAND_MULTI = 1u << 11,      /* can be part of a transaction */
    COMMAND_UNQUEUED = 1u << 12,   /* and never is: it is about it */
    COMMAND_MOVABLE = 1u << 13,    /* last_key tells where its keys end */
};

/* Which arguments are keys, as in COMMAND: positions of the first and the
 * last (negative: from the end) and the step; all 0: none. Of a command whose
 * keys end nowhere in particular the last is the first. */
struct command_keys {
    int first;
    int last;
    int step;
};

/* One argument in COMMAND DOCS. A list ends with an empty name. */
struct command_argument {
    const char *name;
    const char *type;  /* key, string, integer, pure-token, oneof, block */
    const char *token; /* the word before it, or NULL */
    bool optional;
    bool multiple;
};

struct command_call {
    const struct bytes *args; /* args[0] is the name, as sent */
    size_t args_count;
    struct command_session *session;
    const struct command_world *world;
    struct resp_reply reply; /* where to write, in the client's protocol */
    struct command_plan plan;
    /* For the lists of a plan; lent, and used until the plan is taken. */
    struct lock_command_room *room;
};

/* What start() did. */
enum command_verdict {
    COMMAND_ANSWERED = 1, /* the reply is written; also: refused */
    COMMAND_PLANNED,      /* call->plan is to be carried out */
    COMMAND_CLOSES,       /* the reply is written; close after it */
    COMMAND_SILENT,       /* nothing is written: messages may follow */
};

/* What the cluster said; one of the two is set, by the kind of the plan. */
struct command_outcome {
    const struct lock_answer *answer; /* of a write or a renewal */
    struct bytes query_reply;         /* of a read: command_query_read() */
    uint64_t index;                   /* of a change or a checkpoint */
    time_ms_t wall;                   /* for "expires-at" */
};

struct command {
    const char *name; /* in small letters */
    int arity;        /* with the name; negative: at least */
    unsigned flags;   /* enum command_flag */
    const char *group;
    const char *since;
    const char *summary;
    const char *complexity;
    struct command_keys keys;
    /* Where the last key may be in a request; 0: it is none. NULL: as in keys.
     */
    size_t (*last_key)(const struct bytes *args, size_t args_count);
    const struct command_argument *arguments; /* NULL: none */
    const struct command *const *subcommands; /* NULL: none; ends with NULL.
                                                 Their names are the second
                                                 word alone */
    enum command_verdict (*start)(struct command_call *call);
    /* args are those of start(), the session is as it is now. */
    void (*finish)(struct command_call *call,
                   const struct command_outcome *outcome);
};

/* The command of a request, its subcommand if it has some; NULL: unknown, and
 * the error is written. Also checks the number of arguments. */
const struct command *command_find(struct command_call *call);

/* Walk all commands, in the order of the table. */
const struct command *command_at(size_t place); /* NULL at the end */

/* The place of a command; the end if it is not in the table, because it belongs
 * to another one. */
size_t command_place(const struct command *command);

/* Replies that several commands share; all return COMMAND_ANSWERED. */
enum command_verdict command_error(struct command_call *call, const char *text);
enum command_verdict command_syntax_error(struct command_call *call);
enum command_verdict command_ok(struct command_call *call);

/* Lines of help, as simple strings; the list ends with NULL. */
enum command_verdict command_help(struct command_call *call,
                                  const char *const *lines);

/* The error for an answer that is not among those a command expects: a key of
 * another type, a window that is full. For finish(). */
void command_unserved(struct command_call *call,
                      const struct lock_answer *answer);

/* The answer of a command that ends one thing: 1 if it was `ended`, 0 if there
 * was `none`, else command_unserved(). For finish(). */
void command_ended(struct command_call *call, const struct lock_answer *answer,
                   enum lock_result ended, enum lock_result none);

#endif
