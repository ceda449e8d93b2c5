/* check_asks.c - requests and log entries, counted by their marks.
 *
 * To extend: a command that is known by more than it was gets a better mark in
 * sim_wish.c; nothing here knows commands but the one that acquires.
 */
#include "sim/check_asks.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"

static struct check_asks_line *check_asks_at(struct check_asks *check,
                                             uint64_t mark);
static void check_asks_grow(struct check_asks *check);
static uint32_t check_asks_ends(struct check_asks *check,
                                const struct lock_acquire *acquire);
static void check_asks_compare(struct check_asks *check, const char *text,
                               const struct check_asks_line *line,
                               uint32_t ends);

void check_asks_init(struct check_asks *check, struct sim_report *report,
                     struct sim_faults *faults)
{
    memset(check, 0, sizeof *check);
    check->report = report;
    check->faults = faults;
}

void check_asks_close(struct check_asks *check)
{
    memory_free(check->table);
}

void check_asks_asked(struct check_asks *check, const struct sim_wish *wish)
{
    if (!sim_wish_is_question(wish)) {
        check_asks_at(check, sim_wish_mark(wish))->asked++;
    }
}

void check_asks_replied(struct check_asks *check, const struct sim_wish *wish,
                        const struct node_reply *reply)
{
    const bool renewal = wish->kind == SIM_WISH_RENEW;
    uint32_t ends = 0;

    sim_faults_add(check->faults, SIM_FAULT_NOT_DONE,
                   reply->reply_class == NODE_NOT_DONE);
    sim_faults_add(check->faults, SIM_FAULT_BUSY,
                   reply->reply_class == NODE_NOT_DONE &&
                       reply->reason == NODE_REASON_BUSY);
    sim_faults_add(check->faults, SIM_FAULT_UNKNOWN,
                   reply->reply_class == NODE_UNKNOWN);
    if (sim_wish_is_question(wish)) {
        if (reply->reply_class == NODE_UNKNOWN) {
            sim_report_fail(check->report, SIM_UNSAFE,
                            "a question may or may not have been applied");
        }
        return;
    }
    if (wish->kind == SIM_WISH_ACQUIRE) {
        const uint64_t claim =
            sim_wish_claim(bytes_of_text(wish->key), bytes_of_text(wish->owner),
                           wish->seq, wish->mode);
        ends = check_asks_at(check, claim)->ends;
    }
    struct check_asks_line *line = check_asks_at(check, sim_wish_mark(wish));
    line->not_done += reply->reply_class == NODE_NOT_DONE;
    line->done += reply->reply_class == NODE_DONE && reply->last;
    check_asks_compare(check, sim_wish_text(wish->kind), line, ends);
    if (!renewal && line->entries < line->done) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "%s was said to be done %u times, and %u are in the "
                        "log",
                        sim_wish_text(wish->kind), line->done, line->entries);
    }
}

void check_asks_applied(struct check_asks *check, raft_index_t index,
                        const struct lock_command *command,
                        const struct lock_outcome *outcome)
{
    const uint64_t mark = sim_wish_mark_of(command);
    const enum lock_result result = outcome->answer.result;

    (void)index;
    if (outcome->repeated || result == LOCK_OUTDATED ||
        result == LOCK_WINDOW_FULL) {
        return;
    }
    for (size_t i = 0; i < outcome->notices_count; i++) {
        const struct lock_notice *notice = &outcome->notices[i];
        if (notice->kind != LOCK_NOTICE_ACQUIRED &&
            notice->kind != LOCK_NOTICE_REVOKE &&
            notice->kind != LOCK_NOTICE_FREE) {
            check_asks_at(check, sim_wish_claim(notice->key, notice->owner,
                                                notice->seq, notice->mode))
                ->ends++;
        }
    }
    if (mark == 0) {
        return;
    }
    const uint32_t ends = command->kind == LOCK_COMMAND_ACQUIRE
                              ? check_asks_ends(check, &command->acquire)
                              : 0;
    struct check_asks_line *line = check_asks_at(check, mark);
    line->entries++;
    sim_faults_add(check->faults, SIM_FAULT_ASKED_AGAIN,
                   line->entries > line->asked - line->not_done);
    check_asks_compare(check, lock_command_kind_text(command->kind), line,
                       ends);
}

uint32_t check_asks_entries(struct check_asks *check, uint64_t mark)
{
    return check_asks_at(check, mark)->entries;
}

static uint32_t check_asks_ends(struct check_asks *check,
                                const struct lock_acquire *acquire)
{
    return check_asks_at(check, sim_wish_claim(acquire->key, acquire->owner,
                                               acquire->seq, acquire->mode))
        ->ends;
}

static void check_asks_compare(struct check_asks *check, const char *text,
                               const struct check_asks_line *line,
                               uint32_t ends)
{
    if (line->entries > line->asked - line->not_done + ends) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "%s was asked %u times, of which %u were said not to "
                        "be done, and is in the log %u times",
                        text, line->asked, line->not_done, line->entries);
    }
}

static struct check_asks_line *check_asks_at(struct check_asks *check,
                                             uint64_t mark)
{
    check_asks_grow(check);
    size_t at = mark % check->capacity;
    while (check->table[at].mark != 0 && check->table[at].mark != mark) {
        at = (at + 1) % check->capacity;
    }
    if (check->table[at].mark == 0) {
        check->table[at].mark = mark;
        check->count++;
    }
    return &check->table[at];
}

/* Before it is half full, so that a pointer handed out stays good until the
 * next call. */
static void check_asks_grow(struct check_asks *check)
{
    if (check->count * 2 < check->capacity) {
        return;
    }
    struct check_asks_line *old = check->table;
    const size_t old_capacity = check->capacity;

    check->capacity = old_capacity == 0 ? 1024 : old_capacity * 2;
    check->table = memory_new(check->capacity, sizeof *check->table);
    check->count = 0;
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i].mark != 0) {
            *check_asks_at(check, old[i].mark) = old[i];
        }
    }
    memory_free(old);
}
