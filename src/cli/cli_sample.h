/* cli_sample.h - what a cluster looks like at one moment.
 *
 * A sample owns everything in it. It is filled by cli_ask.c and shown by
 * cli_screen.c and cli_sample_json(), which ask nobody.
 */
#ifndef HOLDFAST_CLI_SAMPLE_H
#define HOLDFAST_CLI_SAMPLE_H

#include "base/limits.h"
#include "cli/cli_json.h"

struct cli_holder {
    struct buffer owner;
    int64_t token;
    int64_t left_ms;
    int64_t held_ms;
    bool shared;
};

struct cli_waiter {
    struct buffer owner;
    int64_t seq;
    int64_t waited_ms;
    bool shared;
};

struct cli_lock {
    struct buffer key;
    char mode[12]; /* free, exclusive or shared */
    struct cli_holder *holders;
    size_t holders_count;
    struct cli_waiter *waiters; /* those that were asked for */
    size_t waiters_count;
    int64_t waiting; /* all of them */
};

struct cli_member {
    uint64_t id;
    char address[LIMIT_ADDRESS_BYTES + 1];
    char vote[12]; /* voter or learner */
    bool joining;
    bool alive;    /* as the node says that was asked for the list */
    bool answered; /* itself; only then what follows is known */
    char role[12];
    uint64_t leader;
    uint64_t term;
    uint64_t last_index;
    uint64_t commit;
    uint64_t applied;
    uint64_t clients;
    uint64_t commands;
    uint64_t memory_bytes;
    uint64_t up_s;
    char version[24];
};

struct cli_sample {
    int64_t at_ms;      /* for rates */
    char time_text[12]; /* of the day */
    char cluster_id[40];
    uint64_t leader; /* 0: none is known */
    uint64_t term;
    struct cli_member members[LIMIT_MEMBERS];
    size_t members_count;

    /* Of the leader or, while there is none, of the node that knows most. */
    uint64_t applied;
    uint64_t locks_held;
    uint64_t grants;
    uint64_t waiters;
    uint64_t owners;
    uint64_t last_token;
    uint64_t expired;
    uint64_t handovers;

    struct cli_lock *locks; /* sorted by key; perhaps not all that are held */
    size_t locks_count;
    size_t locks_room;
};

void cli_sample_init(struct cli_sample *sample);
void cli_sample_close(struct cli_sample *sample);

/* One more lock, zeroed, with this key. */
struct cli_lock *cli_sample_add(struct cli_sample *sample, struct bytes key);

/* Sort by key and drop what is there twice. */
void cli_sample_sort(struct cli_sample *sample);

void cli_lock_close(struct cli_lock *lock);

/* The longest hold and the longest wait; -1 if there is none. */
int64_t cli_lock_held_ms(const struct cli_lock *lock);
int64_t cli_lock_waited_ms(const struct cli_lock *lock);

/* The members of an object: the caller opens and closes it. */
void cli_lock_json(const struct cli_lock *lock, struct cli_json *json);
void cli_sample_json_cluster(const struct cli_sample *sample,
                             struct cli_json *json);
void cli_sample_json_totals(const struct cli_sample *sample,
                            struct cli_json *json);

/* What happened between two samples, a second. */
struct cli_rates {
    uint64_t commands;
    uint64_t grants;
    uint64_t handovers;
    uint64_t expired;
    uint64_t entries;
};

/* All zero if before is NULL or not earlier. A count that went down, because a
 * node was started again, is 0. */
struct cli_rates cli_sample_rates(const struct cli_sample *now,
                                  const struct cli_sample *before);

#endif
