/* command_query.h - questions to the leader's state, and their answers.
 *
 * A question may be asked at any node and is answered by the leader; both
 * travel as bytes. command_query_answer() is the only place that looks at the
 * machine, so a question is answered the same way for a client of the leader
 * and for one of a follower.
 *
 * To add a question: a kind, what it asks in struct command_query, a function
 * that answers it.
 */
#ifndef HOLDFAST_COMMAND_QUERY_H
#define HOLDFAST_COMMAND_QUERY_H

#include "lock/lock.h"
#include "lock/lock_read.h"

enum command_query_kind {
    COMMAND_QUERY_LOCK = 1, /* a key: view, holders, waiters up to count */
    COMMAND_QUERY_OWNED,    /* the grants of an owner, in text */
    COMMAND_QUERY_FENCED,   /* a data key written by a fenced write */
    COMMAND_QUERY_FENCE,    /* the highest token of a lock key */
    COMMAND_QUERY_HOLDERS,  /* as LOCK, without the list of waiters */
    COMMAND_QUERY_WAITERS,  /* as LOCK, without the list of holders */
    COMMAND_QUERY_SCAN,     /* held locks from a cursor on; no text */
    COMMAND_QUERY_DATA,     /* a question of lock_read.h about data keys */
    COMMAND_QUERY_KEYS,     /* all data keys that match a pattern, in text */
    COMMAND_QUERY_STEP,     /* data keys from a cursor on; no text */
    COMMAND_QUERY_ANY,      /* one data key; the cursor says which; no text */
};

/* Claims are left out of an answer that would grow beyond this, its head not
 * counted. */
#define COMMAND_QUERY_BYTES_MAX LIMIT_ANSWER_BYTES

/* Locks that one step of a scan lists, and how many places of the table it may
 * look at to find one. */
#define COMMAND_QUERY_SCAN_MAX 1000
#define COMMAND_QUERY_SCAN_PLACES 10

/* What matching all keys with one pattern may cost, and what it costs to look
 * at a key at all: together an eighth of a second or so. A leader that is busy
 * for as long as election-ms loses its place. */
#define COMMAND_QUERY_KEYS_STEPS (16 * 1024 * 1024)
#define COMMAND_QUERY_KEY_STEPS 64

struct command_query {
    enum command_query_kind kind;
    uint32_t database;
    struct bytes text;
    uint32_t count;  /* claims at most, in each list. SCAN: enough, but whole
                        places of the table are listed */
    uint64_t cursor; /* SCAN, STEP: 0, or the one that the last answer gave */
    /* DATA: encoded as the text, in which it is found after decoding. */
    struct lock_question question;
};

/* One holder or waiter in an answer. */
struct command_claim {
    struct bytes key;
    struct bytes owner;
    uint64_t seq;
    enum lock_mode mode;
    uint64_t token; /* 0: a waiter */
    uint64_t ticket;
    time_ms_t age_ms;  /* held or waiting for so long */
    time_ms_t left_ms; /* of the lease: 0 to its ttl */
};

/* Append a question to out. Texts must be within their limits. */
void command_query_encode(const struct command_query *query,
                          struct buffer *out);
enum status command_query_decode(struct bytes bytes,
                                 struct command_query *query);

/* Append the answer. Times are as of the leader's clock; but whether a key is
 * there is as of the last entry, because all readers must agree on that, also
 * those of the next leader. */
void command_query_answer(const struct lock_machine *machine, time_ms_t clock,
                          const struct command_query *query,
                          struct buffer *out);

/* The answers to FENCED and FENCE, from whoever knows. */
void command_query_tell_fenced(bool found, struct bytes value,
                               struct bytes lock_key, uint64_t token,
                               struct buffer *out);
void command_query_tell_fence(uint64_t token, struct buffer *out);

/* An answer being read. The head has the fields of its kind, the others are
 * zero; claims follow one by one. */
struct command_query_reply {
    enum command_query_kind kind;
    struct lock_view lock;   /* LOCK, HOLDERS, WAITERS */
    time_ms_t delay_left_ms; /* LOCK and so on; 0: it is not delayed */
    uint64_t last_token;     /* LOCK and so on: of the whole cluster; FENCE */
    uint64_t cursor;         /* SCAN: where to go on; 0: nowhere */
    bool found;              /* FENCED, ANY; DATA, KEYS: it is all there */
    struct bytes value;      /* FENCED, ANY */
    struct bytes lock_key;   /* FENCED */
    uint64_t token;          /* FENCED */
    size_t holders_count;    /* claims that follow, holders first */
    size_t waiters_count;
    bool cut; /* there are more claims than count or the bytes allow */
    struct reader claims; /* for command_query_next(); DATA: the answer of
                             lock_read.h; KEYS, STEP: the keys */
};

/* Everything but the claims; STATUS_BAD_LENGTH or STATUS_BAD_VALUE if these
 * bytes are no answer. */
enum status command_query_read(struct bytes bytes,
                               struct command_query_reply *reply);

/* The next claim; false at the end. */
bool command_query_next(struct command_query_reply *reply,
                        struct command_claim *claim);

/* The next data key of KEYS or STEP; false at the end. */
bool command_query_next_key(struct command_query_reply *reply,
                            struct bytes *key);

#endif
