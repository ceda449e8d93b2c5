/* lock_command.h - the commands that enter the log, as structs and as bytes.
 *
 * A command is a head of fixed size and a body that depends on its kind. The
 * head is made by the node that took the request, except for the clocks, which
 * the leader stamps into the bytes when it proposes them: lock_command_stamp().
 *
 *     offset  bytes
 *          0      1  version
 *          1      1  kind
 *          2      8  cluster clock, ms
 *         10      8  wall clock of the leader, ms
 *         18      8  origin: node
 *         26      8  origin: boot
 *         34      8  number of the request at its origin
 *         42      8  first number that the origin has no answer to
 *         50         body
 *
 * Integers are little-endian, texts are preceded by their length. A command
 * has one encoding only. Everything that could differ between replicas
 * (limits, options, permissions) is decided before a command is proposed; what
 * is here is applied by everybody in the same way.
 *
 * To add a command: a kind and a struct here, a row in lock_command.c, a
 * function that applies it and its case in lock_machine.c. A change of an
 * existing body is a new LOCK_COMMAND_VERSION, and the old one stays readable.
 */
#ifndef HOLDFAST_LOCK_COMMAND_H
#define HOLDFAST_LOCK_COMMAND_H

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/units.h"

#define LOCK_COMMAND_VERSION 1
#define LOCK_COMMAND_HEAD_BYTES 50

enum lock_command_kind {
    LOCK_COMMAND_TICK = 1, /* nothing but the clocks */
    LOCK_COMMAND_ACQUIRE,
    LOCK_COMMAND_RELEASE,
    LOCK_COMMAND_RENEW,
    LOCK_COMMAND_CANCEL,
    LOCK_COMMAND_ABANDON,
    LOCK_COMMAND_BREAK,
    LOCK_COMMAND_EXPIRE,
    LOCK_COMMAND_UNDELAY,
    LOCK_COMMAND_ORPHANS,
    LOCK_COMMAND_SET = 32,
    LOCK_COMMAND_DELETE,
    LOCK_COMMAND_ADD,
    LOCK_COMMAND_APPEND,
    LOCK_COMMAND_DEADLINE,
    LOCK_COMMAND_SWEEP,
    LOCK_COMMAND_FENCE_SET,
    LOCK_COMMAND_FENCE_DELETE,
    LOCK_COMMAND_SET_MANY,
    LOCK_COMMAND_FETCH,
    LOCK_COMMAND_FLUSH,
    LOCK_COMMAND_READ,
    LOCK_COMMAND_BATCH,
};

enum lock_mode {
    LOCK_EXCLUSIVE = 1,
    LOCK_SHARED,
};

/* Who numbered a request. A node's boots only grow, one for each start, so a
 * request of an earlier boot can be told from a new one for ever. node 0 is
 * the leader itself: such commands are conditional and may be repeated. Ticks,
 * ends and orphans come from nobody else. */
struct lock_origin {
    uint64_t node;
    uint64_t boot;
};

struct lock_command_head {
    time_ms_t clock;
    time_ms_t wall;
    struct lock_origin origin;
    uint64_t number;           /* from 1 up; 0 if origin.node is 0 */
    uint64_t first_unanswered; /* <= number */
};

/* Take a lock, or queue for it. */
struct lock_acquire {
    struct bytes key;
    struct bytes owner;
    uint64_t seq; /* 0: none */
    enum lock_mode mode;
    time_ms_t ttl_ms;
    time_ms_t delay_ms; /* after an expiry the key stays unavailable */
    bool may_queue;     /* false: try only */
    bool cache;         /* the holder wants to hear when others queue */
    uint32_t database;  /* in which a string of that name is in the way */
};

/* Give a grant back. */
struct lock_release {
    struct bytes key;
    struct bytes owner;
    uint64_t token;
};

/* Extend a lease, and let the log know. */
struct lock_renew {
    struct bytes key;
    struct bytes owner;
    uint64_t token;
    time_ms_t ttl_ms;
};

/* Leave the queue: every waiting request of (owner, seq), in either mode. */
struct lock_cancel {
    struct bytes key;
    struct bytes owner;
    uint64_t seq;
};

/* The request that got this ticket is not wanted any more: out of the queue
 * if it waits, given back if it was granted, for nobody was told. Has no
 * effect if the same was asked for again since: origin and number must be
 * those of whoever asked last. */
struct lock_abandon {
    struct bytes key;
    struct bytes owner;
    uint64_t seq;
    enum lock_mode mode;
    uint64_t ticket; /* 0: nobody's. Under the number of the request itself it
                        then only has that count as answered */
    uint64_t number; /* of the request, at the origin of this command */
};

/* An operator ends one grant, or all of the key (token 0). */
struct lock_break {
    struct bytes key;
    uint64_t token;
};

/* The leader found a lease run out. Has effect only if nothing was logged of
 * the grant since: same token, same number of renewals. */
struct lock_expire {
    struct bytes key;
    uint64_t token;
    uint32_t renewals;
};

/* The leader found a lock-delay run out. */
struct lock_undelay {
    struct bytes key;
    time_ms_t until; /* must be the delay's end and have come */
};

/* A node is gone: take up to count_max of its waiters out of their queues,
 * those of boots up to boot. */
struct lock_orphans {
    uint64_t node;
    uint64_t boot;
    uint32_t count_max;
};

enum lock_condition {
    LOCK_ALWAYS,
    LOCK_IF_ABSENT,  /* NX */
    LOCK_IF_PRESENT, /* XX */
    LOCK_IF_EQUAL,   /* IFEQ; not if absent */
    LOCK_IF_OTHER,   /* IFNE; also if absent */
};

/* How long a data key is to live. */
enum lock_lifetime {
    LOCK_LIFE_FOREVER,
    LOCK_LIFE_KEEP,     /* as long as it would have */
    LOCK_LIFE_RELATIVE, /* time_ms from the entry's cluster clock */
    LOCK_LIFE_WALL,     /* until the wall clock shows time_ms */
};

struct lock_set {
    uint32_t database;
    struct bytes key;
    struct bytes value;
    enum lock_condition condition;
    struct bytes compare; /* for IF_EQUAL and IF_OTHER */
    bool get;             /* answer with the old value */
    enum lock_lifetime lifetime;
    time_ms_t time_ms;
};

/* Delete keys. A condition (only IF_EQUAL or IF_OTHER) goes with one key. */
struct lock_delete {
    uint32_t database;
    const struct bytes *keys;
    size_t keys_count;
    enum lock_condition condition;
    struct bytes compare;
    bool get; /* answer with the value of the only key, as GETDEL does */
};

struct lock_add {
    uint32_t database;
    struct bytes key;
    int64_t amount;
};

struct lock_append {
    uint32_t database;
    struct bytes key;
    struct bytes value;
};

enum lock_deadline_condition {
    LOCK_DEADLINE_ALWAYS,
    LOCK_DEADLINE_IF_NONE,    /* NX */
    LOCK_DEADLINE_IF_SOME,    /* XX */
    LOCK_DEADLINE_IF_LATER,   /* GT; none counts as never ending */
    LOCK_DEADLINE_IF_EARLIER, /* LT */
    LOCK_DEADLINE_IF_SOONER,  /* XX LT: earlier than the one there is */
};

/* EXPIRE and PERSIST (lifetime FOREVER). KEEP makes no sense here. A time
 * that has passed deletes the key. */
struct lock_deadline {
    uint32_t database;
    struct bytes key;
    enum lock_lifetime lifetime;
    time_ms_t time_ms;
    enum lock_deadline_condition condition;
};

/* The leader found the deadline of a data key passed. Has effect only if that
 * still is its deadline. */
struct lock_sweep {
    uint32_t database;
    struct bytes key;
    time_ms_t deadline;
};

/* One pair of FENCE.SET. */
struct lock_pair {
    struct bytes key;
    struct bytes value;
};

struct lock_fence_set {
    uint32_t database;
    struct bytes lock_key;
    uint64_t token;
    const struct lock_pair *pairs;
    size_t pairs_count;
};

struct lock_fence_delete {
    uint32_t database;
    struct bytes lock_key;
    uint64_t token;
    const struct bytes *keys;
    size_t keys_count;
};

/* Set all of these, to live for ever; or none, if absent is set and one of the
 * keys is there. Of a key that is named twice the last value counts. */
struct lock_set_many {
    uint32_t database;
    bool absent;
    const struct bytes *words; /* a key, its value, a key ... */
    size_t pairs_count;
};

/* Answer with the value, and change the deadline: KEEP leaves it alone. */
struct lock_fetch {
    uint32_t database;
    struct bytes key;
    enum lock_lifetime lifetime;
    time_ms_t time_ms;
};

/* Delete every data key of a database, or of all. Locks and fences stay. */
struct lock_flush {
    uint32_t database; /* 0 if all is set */
    bool all;
};

/* A question to the state, as bytes: see lock_read.h. */
struct lock_read {
    struct bytes question;
};

/* Several commands as one: see lock_batch.h. Nothing happens if a watched key
 * is not as it was. */
struct lock_batch {
    struct bytes watches;
    size_t watches_count;
    struct bytes operations;
    size_t operations_count;
};

struct lock_command {
    enum lock_command_kind kind;
    struct lock_command_head head;
    union {
        struct lock_acquire acquire;
        struct lock_release release;
        struct lock_renew renew;
        struct lock_cancel cancel;
        struct lock_abandon abandon;
        struct lock_break break_;
        struct lock_expire expire;
        struct lock_undelay undelay;
        struct lock_orphans orphans;
        struct lock_set set;
        struct lock_delete delete_;
        struct lock_add add;
        struct lock_append append;
        struct lock_deadline deadline;
        struct lock_sweep sweep;
        struct lock_fence_set fence_set;
        struct lock_fence_delete fence_delete;
        struct lock_set_many set_many;
        struct lock_fetch fetch;
        struct lock_flush flush;
        struct lock_read read;
        struct lock_batch batch;
    };
};

/* Room for the lists of decoded commands; keep one and reuse it. */
struct lock_command_room {
    struct bytes *keys;
    size_t keys_capacity;
    struct lock_pair *pairs;
    size_t pairs_capacity;
};

/* A zeroed room is an empty one. */
void lock_command_room_close(struct lock_command_room *room);

/* Append the bytes of a command.
 *
 *  STATUS_OK
 *  STATUS_BAD_TYPE   no such kind;
 *  STATUS_BAD_VALUE  decoding would refuse it: an empty key or owner, a ttl of
 *                    0, a database that does not exist, a condition where
 *                    there can be none, times above LIMIT_TIME_MS ...
 *  STATUS_TOO_LONG   a key, an owner or the whole above its limit.
 *
 * On failure out is unchanged. */
enum status lock_command_encode(const struct lock_command *command,
                                struct buffer *out);

/* Read a command. Beside the answers of encoding: STATUS_BAD_VERSION, and
 * STATUS_BAD_LENGTH when lengths do not add up. Views point into bytes, lists
 * into room; both are valid until either changes. */
enum status lock_command_decode(struct bytes bytes,
                                struct lock_command_room *room,
                                struct lock_command *command);

/* Set the clocks in the bytes of an encoded command. */
void lock_command_stamp(uint8_t *bytes, size_t count, time_ms_t clock,
                        time_ms_t wall);

/* The kind of an encoded command. */
enum lock_command_kind lock_command_kind_of(struct bytes command);

/* Set first_unanswered in the bytes of an encoded command, when its origin
 * sends it; it may not exceed the command's number. */
void lock_command_acknowledge(uint8_t *bytes, size_t count,
                              uint64_t first_unanswered);

/* The name of a kind, for logs and tests; "unknown" for any other value. */
const char *lock_command_kind_text(enum lock_command_kind kind);

#endif
