/* state_fixture.h - a leader's machine for commands that ask it.
 *
 *     hold("k", "o", LOCK_EXCLUSIVE);
 *     run("LOCK.STATUS k");
 *     ck_assert_str_eq(finish_read(answer_now()), ...);
 *
 * On top of call_fixture.h. The question goes to the machine and back as
 * bytes, as it does between nodes.
 */
#ifndef HOLDFAST_TESTS_STATE_FIXTURE_H
#define HOLDFAST_TESTS_STATE_FIXTURE_H

#include "lock/lock.h"
#include "unit/command/call_fixture.h"

static struct lock_machine *machine;
static uint64_t log_index;
static time_ms_t now;
static struct buffer answer_bytes;

static inline void setup_state(void)
{
    setup();
    machine = lock_machine_new((struct table_seed){{1, 2}});
    lock_open_reign(machine);
    log_index = 0;
    now = 1000;
}

static inline void teardown_state(void)
{
    lock_machine_free(machine);
    buffer_close(&answer_bytes);
    teardown();
}

/* Apply a command at the time of now. */
static inline struct lock_answer apply(struct lock_command wish)
{
    struct buffer bytes = {0};
    struct lock_outcome outcome;
    wish.head = (struct lock_command_head){.clock = now, .wall = now};
    ck_assert_int_eq(lock_command_encode(&wish, &bytes), STATUS_OK);
    log_index++;
    ck_assert_int_eq(
        lock_apply(machine, log_index, buffer_view(&bytes), &outcome),
        STATUS_OK);
    buffer_close(&bytes);
    return outcome.answer;
}

/* Ask for a lock, queue if it is held, for 5 s; returns the token or 0. */
static inline uint64_t hold_seq(const char *key, const char *owner,
                                enum lock_mode mode, uint64_t seq)
{
    return apply((struct lock_command){.kind = LOCK_COMMAND_ACQUIRE,
                                       .acquire = {.key = text(key),
                                                   .owner = text(owner),
                                                   .seq = seq,
                                                   .mode = mode,
                                                   .ttl_ms = 5000,
                                                   .may_queue = true}})
        .token;
}

static inline uint64_t hold(const char *key, const char *owner,
                            enum lock_mode mode)
{
    return hold_seq(key, owner, mode, 0);
}

static inline void let_go(const char *key, const char *owner, uint64_t token)
{
    ck_assert_int_eq(
        apply((struct lock_command){.kind = LOCK_COMMAND_RELEASE,
                                    .release = {text(key), text(owner), token}})
            .result,
        LOCK_RELEASED);
}

static inline struct bytes answer_query(const struct command_query *query)
{
    struct buffer bytes = {0};
    struct command_query read;
    command_query_encode(query, &bytes);
    ck_assert_int_eq(command_query_decode(buffer_view(&bytes), &read),
                     STATUS_OK);
    buffer_clear(&answer_bytes);
    command_query_answer(machine, now, &read, &answer_bytes);
    buffer_close(&bytes);
    return buffer_view(&answer_bytes);
}

/* The leader's answer to what the last command planned. */
static inline struct bytes answer_now(void)
{
    ck_assert_int_eq(verdict, COMMAND_PLANNED);
    ck_assert_int_eq(call.plan.kind, COMMAND_PLAN_READ);
    return answer_query(&call.plan.read);
}

#endif
