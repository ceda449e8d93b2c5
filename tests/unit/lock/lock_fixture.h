/* lock_fixture.h - commands on locks, and what came of them as text.
 *
 * On top of machine_fixture.h. Notices, holders and waiters are compared as
 * lines of words, so that a test can be read like a story.
 */
#ifndef HOLDFAST_TESTS_LOCK_FIXTURE_H
#define HOLDFAST_TESTS_LOCK_FIXTURE_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "unit/lock/machine_fixture.h"

static char words[4096];

/* ---- commands ---- */

static inline enum lock_result ask(struct lock_acquire acquire_)
{
    acquire_.ttl_ms = acquire_.ttl_ms > 0 ? acquire_.ttl_ms : 1000;
    return apply((struct lock_command){.kind = LOCK_COMMAND_ACQUIRE,
                                       .acquire = acquire_});
}

static inline struct lock_acquire wish(const char *key, const char *owner,
                                       enum lock_mode mode)
{
    return (struct lock_acquire){.key = text(key),
                                 .owner = text(owner),
                                 .mode = mode,
                                 .ttl_ms = 1000,
                                 .may_queue = true};
}

/* Exclusive, and shared; both queue. */
static inline enum lock_result take(const char *key, const char *owner)
{
    return ask(wish(key, owner, LOCK_EXCLUSIVE));
}

static inline enum lock_result share(const char *key, const char *owner)
{
    return ask(wish(key, owner, LOCK_SHARED));
}

static inline enum lock_result take_seq(const char *key, const char *owner,
                                        uint64_t seq)
{
    struct lock_acquire acquire_ = wish(key, owner, LOCK_EXCLUSIVE);
    acquire_.seq = seq;
    return ask(acquire_);
}

/* With a lock-delay. */
static inline enum lock_result take_delay(const char *key, const char *owner,
                                          time_ms_t delay_ms)
{
    struct lock_acquire acquire_ = wish(key, owner, LOCK_EXCLUSIVE);
    acquire_.delay_ms = delay_ms;
    return ask(acquire_);
}

static inline enum lock_result try(const char *key, const char *owner,
                                   enum lock_mode mode)
{
    struct lock_acquire acquire_ = wish(key, owner, mode);
    acquire_.may_queue = false;
    return ask(acquire_);
}

static inline enum lock_result release(const char *key, const char *owner,
                                       uint64_t token)
{
    return apply(
        (struct lock_command){.kind = LOCK_COMMAND_RELEASE,
                              .release = {text(key), text(owner), token}});
}

static inline enum lock_result renew(const char *key, const char *owner,
                                     uint64_t token, time_ms_t ttl_ms)
{
    return apply((struct lock_command){
        .kind = LOCK_COMMAND_RENEW,
        .renew = {text(key), text(owner), token, ttl_ms}});
}

static inline enum lock_result cancel(const char *key, const char *owner,
                                      uint64_t seq)
{
    return apply((struct lock_command){
        .kind = LOCK_COMMAND_CANCEL, .cancel = {text(key), text(owner), seq}});
}

static inline enum lock_result abandon(const char *key, const char *owner,
                                       enum lock_mode mode, uint64_t ticket)
{
    return apply((struct lock_command){
        .kind = LOCK_COMMAND_ABANDON,
        .abandon = {text(key), text(owner), 0, mode, ticket}});
}

static inline enum lock_result break_lock(const char *key, uint64_t token)
{
    return apply((struct lock_command){.kind = LOCK_COMMAND_BREAK,
                                       .break_ = {text(key), token}});
}

static inline enum lock_result expire(const char *key, uint64_t token,
                                      uint32_t renewals)
{
    return apply((struct lock_command){.kind = LOCK_COMMAND_EXPIRE,
                                       .expire = {text(key), token, renewals}});
}

static inline enum lock_result undelay(const char *key, time_ms_t until)
{
    return apply((struct lock_command){.kind = LOCK_COMMAND_UNDELAY,
                                       .undelay = {text(key), until}});
}

static inline enum lock_result orphans(uint64_t node, uint64_t boot,
                                       uint32_t count_max)
{
    return apply((struct lock_command){.kind = LOCK_COMMAND_ORPHANS,
                                       .orphans = {node, boot, count_max}});
}

/* The next commands come from this node, numbered from 1. */
static inline void speak_as(uint64_t node, uint64_t boot)
{
    from = (struct lock_command_head){
        .origin = {node, boot}, .number = 1, .first_unanswered = 1};
}

/* ---- what is seen ---- */

static inline void say(const char *name, struct bytes key)
{
    const size_t at = strlen(words);
    snprintf(words + at, sizeof(words) - at, "%s%s %.*s", at > 0 ? "; " : "",
             name, (int)key.count, (const char *)key.data);
}

static inline void say_claim(struct bytes owner, uint64_t token)
{
    const size_t at = strlen(words);
    snprintf(words + at, sizeof(words) - at, " %.*s", (int)owner.count,
             (const char *)owner.data);
    if (token != 0) {
        snprintf(words + strlen(words), sizeof(words) - strlen(words),
                 " %" PRIu64, token);
    }
}

/* "acquired key owner token waited; free key": the notices in order. */
static inline const char *notices(void)
{
    static const char *const names[] = {"?",       "acquired", "released",
                                        "expired", "broken",   "cancelled",
                                        "revoke",  "free"};
    words[0] = '\0';
    for (size_t i = 0; i < outcome.notices_count; i++) {
        const struct lock_notice *notice = &outcome.notices[i];
        say(names[notice->kind], notice->key);
        if (notice->kind != LOCK_NOTICE_FREE) {
            say_claim(notice->owner, notice->token);
        } else {
            ck_assert_uint_eq(notice->owner.count, 0);
        }
        if (notice->waited) {
            strcat(words, " waited");
        }
    }
    return words;
}

static inline bool say_view(void *context, const struct lock_claim_view *claim)
{
    (void)context;
    say_claim(claim->owner, claim->token);
    return true;
}

/* "owner token owner token" of those who hold, "owner owner" of those who
 * wait. */
static inline const char *holders(const char *key)
{
    words[0] = '\0';
    lock_visit_holders(machine, text(key), say_view, NULL);
    return words[0] == ' ' ? words + 1 : words;
}

static inline const char *waiters(const char *key)
{
    words[0] = '\0';
    lock_visit_waiters(machine, text(key), say_view, NULL);
    return words[0] == ' ' ? words + 1 : words;
}

static inline time_ms_t delayed_until(const char *key)
{
    struct lock_view view;
    lock_look(machine, text(key), &view);
    return view.delayed_until;
}

static inline bool exists(const char *key)
{
    struct lock_view view;
    return lock_look(machine, text(key), &view);
}

static inline struct lock_claim_view grant_of(const char *key, uint64_t token)
{
    struct lock_claim_view view;
    ck_assert(lock_find_grant(machine, text(key), token, &view));
    return view;
}

#endif
