/* sim_wish.h - what a client wants, as a value that can be sent and sent again.
 *
 * Keys are few, so that clients meet. A wish names its texts in itself, and is
 * turned into a plan where it is handed to a node.
 *
 * Log entries and wishes are matched by a mark: a hash of what both say. What
 * a client draws is made such that wishes with the same mark are the same wish
 * asked again.
 */
#ifndef HOLDFAST_SIM_WISH_H
#define HOLDFAST_SIM_WISH_H

#include "command/command_plan.h"

enum {
    SIM_LOCKS_MAX = 6,
    SIM_DATA_MAX = 3,
    SIM_WISH_TEXT = 24,
};

enum sim_wish_kind {
    SIM_WISH_ACQUIRE = 1,
    SIM_WISH_RELEASE,
    SIM_WISH_RENEW,
    SIM_WISH_CANCEL,
    SIM_WISH_BREAK,
    SIM_WISH_SET,
    SIM_WISH_ADD,
    SIM_WISH_APPEND,
    SIM_WISH_DELETE,
    SIM_WISH_DEADLINE,
    SIM_WISH_FENCE_SET,
    SIM_WISH_FENCE_DELETE,
    SIM_WISH_STATUS, /* from here on questions */
    SIM_WISH_OWNED,
    SIM_WISH_GET,
    SIM_WISH_FENCED,
    SIM_WISH_FENCE,
};

struct sim_wish {
    enum sim_wish_kind kind;
    char key[SIM_WISH_TEXT];     /* a lock's or a data key's */
    char owner[SIM_WISH_TEXT];   /* locks */
    char value[SIM_WISH_TEXT];   /* data; its key, of fenced writes */
    char written[SIM_WISH_TEXT]; /* the value of a fenced write */
    uint64_t seq;
    enum lock_mode mode;
    time_ms_t ttl_ms;
    time_ms_t delay_ms;
    time_ms_t wait_ms; /* 0: try; TIME_NEVER: for ever */
    bool cache;
    bool async;
    uint64_t token;
    int64_t amount;
    enum lock_condition condition;
    enum lock_lifetime lifetime;
    time_ms_t time_ms;
};

/* The names of locks, data keys and counters. */
void sim_wish_name_lock(char *text, size_t number);
void sim_wish_name_data(char *text, size_t number);

bool sim_wish_is_question(const struct sim_wish *wish);
const char *sim_wish_text(enum sim_wish_kind kind);

/* The plan borrows from wish and pair. */
void sim_wish_plan(const struct sim_wish *wish, struct lock_pair *pair,
                   struct bytes *key, struct command_plan *plan);

/* What identifies the wish in a log; 0 for questions. */
uint64_t sim_wish_mark(const struct sim_wish *wish);

/* The mark of a command of the log; 0 if no client asks for such. */
uint64_t sim_wish_mark_of(const struct lock_command *command);

/* What identifies a claim on a lock. */
uint64_t sim_wish_claim(struct bytes key, struct bytes owner, uint64_t seq,
                        enum lock_mode mode);

/* Mixing, for whoever makes marks. */
uint64_t sim_wish_mix(uint64_t hash, uint64_t word);
uint64_t sim_wish_mix_bytes(uint64_t hash, struct bytes bytes);

#endif
