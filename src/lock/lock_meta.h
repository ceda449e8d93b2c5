/* lock_meta.h - the machine's own numbers: clocks, reigns and tokens.
 *
 * One record of the state. The clocks never run back. A reign is one leader's
 * period; of those that are over only the ones are kept in which a grant was
 * last logged, for their end says how long its lease may have been renewed
 * unseen (DESIGN.md, leases, rule 4). Grants name a reign by its slot.
 */
#ifndef HOLDFAST_LOCK_META_H
#define HOLDFAST_LOCK_META_H

#include "base/status.h"
#include "base/units.h"
#include "lock/lock_changes.h"

struct lock_reign {
    uint64_t number;
    time_ms_t end;       /* TIME_NEVER: the present one */
    size_t grants_count; /* last logged in it; at 0 an ended one is over */
};

/* clock, wall, reign and last_token may be read by anyone in this folder. */
struct lock_meta {
    struct lock_tracked tracked;
    time_ms_t clock;
    time_ms_t wall;
    uint64_t reign;      /* number of the present one */
    uint64_t epoch;      /* tokens: epoch << LIMIT_TOKEN_COUNTER_BITS | ... */
    uint64_t counter;    /* ... counter, as last given */
    uint64_t last_token; /* 0: none was given */
    struct lock_reign *reigns;
    size_t reigns_count; /* slots, free ones included */
    uint32_t present;    /* slot of the present reign */
};

void lock_meta_init(struct lock_machine *machine);
void lock_meta_close(struct lock_machine *machine);

/* An entry shows these clocks; ours do not run back. */
void lock_meta_advance_clocks(struct lock_machine *machine, time_ms_t clock,
                              time_ms_t wall);

/* The next token, higher than all before. */
uint64_t lock_meta_next_token(struct lock_machine *machine);

/* One more grant was last logged in the present reign; returns its slot. */
uint32_t lock_meta_take_reign(struct lock_machine *machine);

/* One grant less was last logged in this reign. */
void lock_meta_drop_reign(struct lock_machine *machine, uint32_t slot);

const struct lock_reign *lock_meta_reign(const struct lock_machine *machine,
                                         uint32_t slot);

/* ---- its record: lock_records.h ---- */

struct bytes lock_meta_record_name(const struct lock_tracked *record);
void lock_meta_record_value(const struct lock_machine *machine,
                            const struct lock_tracked *record,
                            struct buffer *out);
enum status lock_meta_record_load(struct lock_machine *machine,
                                  struct bytes name, struct bytes value);

/* While loading, grants may come before the record that knows their reign:
 * begin makes a machine forget its first reign, take counts one more grant in
 * a reign known only by number, and finish tells whether all of them are known
 * by now and none is too many. */
void lock_meta_load_begin(struct lock_machine *machine);
uint32_t lock_meta_load_reign(struct lock_machine *machine, uint64_t number);
enum status lock_meta_load_finish(struct lock_machine *machine);

#endif
