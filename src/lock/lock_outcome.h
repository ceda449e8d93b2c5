/* lock_outcome.h - what applying a command produced.
 *
 * One answer, for whoever asked; and notices, for everybody whom the change
 * concerns: waiters that were granted, holders that others now wait for,
 * subscribers of a key. Every replica produces the same ones, so that each
 * node can serve its own clients from its own copy of the log.
 */
#ifndef HOLDFAST_LOCK_OUTCOME_H
#define HOLDFAST_LOCK_OUTCOME_H

#include "lock/lock_command.h"

/* Results. The comment says which fields of struct lock_answer count. */
#define LOCK_RESULT_LIST(X)                                                    \
    X(LOCK_DONE, "done")       /* count: keys deleted, value length ... */     \
    X(LOCK_GRANTED, "granted") /* token, ticket, time_ms: the lease */         \
    X(LOCK_QUEUED, "queued")   /* ticket */                                    \
    X(LOCK_REFUSED, "refused") /* try failed, condition false; value */        \
    X(LOCK_RELEASED, "released")                                               \
    X(LOCK_RENEWED, "renewed") /* token, time_ms: the lease */                 \
    X(LOCK_NOT_HELD, "not held")                                               \
    X(LOCK_CANCELLED, "cancelled") /* count */                                 \
    X(LOCK_NOTHING, "nothing")     /* there was nothing to do */               \
    X(LOCK_BROKEN, "broken")       /* count */                                 \
    X(LOCK_EXPIRED, "expired")                                                 \
    X(LOCK_WRONG_TYPE, "wrong type")                                           \
    X(LOCK_NOT_A_NUMBER, "not a number")                                       \
    X(LOCK_OVERFLOW, "overflow")                                               \
    X(LOCK_TOO_LONG, "too long")                                               \
    X(LOCK_FENCED, "fenced")     /* token: the highest seen */                 \
    X(LOCK_OUTDATED, "outdated") /* of an earlier boot, or answered before  \
                                       and forgotten: not applied, and nobody  \
                                       waits for an answer */  \
    X(LOCK_WINDOW_FULL, "window full") /* not applied: too many unanswered */

enum lock_result {
#define LOCK_RESULT_VALUE(name, text) name,
    LOCK_RESULT_LIST(LOCK_RESULT_VALUE)
#undef LOCK_RESULT_VALUE
    LOCK_RESULTS_COUNT
};

const char *lock_result_text(enum lock_result result);

/* Fields that a result does not name are zero. */
struct lock_answer {
    enum lock_result result;
    uint64_t token;
    uint64_t ticket;
    time_ms_t time_ms;
    int64_t count;      /* also: the sum after LOCK_COMMAND_ADD */
    bool has_value;     /* there was an old value ... */
    struct bytes value; /* ... and it is this */
};

enum lock_notice_kind {
    LOCK_NOTICE_ACQUIRED = 1, /* granted, at once or after waiting */
    LOCK_NOTICE_RELEASED,
    LOCK_NOTICE_EXPIRED,
    LOCK_NOTICE_BROKEN,
    LOCK_NOTICE_CANCELLED, /* a waiter left the queue ungranted */
    LOCK_NOTICE_REVOKE,    /* somebody wants what is held with cache set */
    LOCK_NOTICE_FREE,      /* nobody holds or waits for the key: a try may
                              succeed now */
};

/* Texts point into the machine or the command and are valid until the next
 * lock_apply(). */
struct lock_notice {
    enum lock_notice_kind kind;
    struct bytes key;
    struct bytes owner; /* empty for FREE, like all that follows */
    uint64_t seq;
    enum lock_mode mode;
    uint64_t token;            /* 0 for a waiter */
    uint64_t ticket;           /* log index of the request */
    struct lock_origin origin; /* of the request, as last asked */
    uint64_t number;
    bool waited; /* ACQUIRED: it was in the queue before */
};

struct lock_outcome {
    struct lock_command_head head; /* of the command */
    enum lock_command_kind kind;
    struct lock_answer answer;
    bool repeated; /* the answer was remembered: nothing changed, no notices */
    const struct lock_notice *notices;
    size_t notices_count;
};

#endif
