/* check_ledger.h - who holds and who waits, as told by outcomes alone.
 *
 * Somebody who sees only the commands of a log and what each of them produced
 * can keep a book of grants, queues and delays. The rules of the checkers are
 * stated over this book; no machine is asked. A simulator keeps one book for
 * each replica's stream.
 *
 * Nothing is judged here. What does not fit into the book is left out of it,
 * and the checkers, which see each step before it is entered, complain.
 */
#ifndef HOLDFAST_TESTS_CHECK_LEDGER_H
#define HOLDFAST_TESTS_CHECK_LEDGER_H

#include "base/buffer.h"
#include "lock/lock_outcome.h"

struct check_ledger_claim {
    struct buffer key;
    struct buffer owner;
    uint64_t seq;
    enum lock_mode mode;
    uint64_t ticket;
    uint64_t token; /* 0: it waits */
    time_ms_t ttl_ms;
    time_ms_t delay_ms;
    time_ms_t logged; /* clock of the last logged renewal */
};

struct check_ledger_delay {
    struct buffer key;
    time_ms_t until;
};

struct check_ledger {
    time_ms_t clock;
    struct check_ledger_claim *claims; /* of a key, in the order of tickets */
    size_t claims_count;
    struct check_ledger_delay *delays;
    size_t delays_count;
};

/* A zeroed ledger is an empty one. */
void check_ledger_close(struct check_ledger *ledger);

/* The steps of one outcome, in this order: its clock, each notice, its
 * answer. A repeated answer is no step. */
void check_ledger_clock(struct check_ledger *ledger, time_ms_t clock);
void check_ledger_notice(struct check_ledger *ledger,
                         const struct lock_command *command,
                         const struct lock_notice *notice);
void check_ledger_answer(struct check_ledger *ledger,
                         const struct lock_command *command,
                         const struct lock_answer *answer);

/* ---- looking ---- */

/* The claim of this identity, or NULL. */
struct check_ledger_claim *check_ledger_find(const struct check_ledger *ledger,
                                             struct bytes key,
                                             struct bytes owner, uint64_t seq,
                                             enum lock_mode mode);

/* The grant with this token, or NULL. */
struct check_ledger_claim *
check_ledger_find_token(const struct check_ledger *ledger, struct bytes key,
                        uint64_t token);

/* Its first waiter, its number of grants of a mode, the end of its delay. */
struct check_ledger_claim *
check_ledger_first_waiter(const struct check_ledger *ledger, struct bytes key);
size_t check_ledger_grants(const struct check_ledger *ledger, struct bytes key,
                           enum lock_mode mode);
time_ms_t check_ledger_delay(const struct check_ledger *ledger,
                             struct bytes key);

/* The lock key that a command names; empty if it names none. */
struct bytes check_ledger_key(const struct lock_command *command);

#endif
