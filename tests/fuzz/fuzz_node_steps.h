/* fuzz_node_steps.h - bytes of a fuzzer's input as asks, commands and frames.
 *
 * Part of fuzz_node_receive.c, which says what is done with them. There are two
 * keys and two owners, so that steps meet, and numbers are near those that the
 * node gave out, because a fuzzer does not guess them.
 *
 * To extend: a plan or a command that is new gets a case below.
 */
#ifndef HOLDFAST_FUZZ_NODE_STEPS_H
#define HOLDFAST_FUZZ_NODE_STEPS_H

#include "base/ensure.h"
#include "command/command_plan.h"
#include "node/node.h"
#include "node/node_answer.h"

#define FUZZ_SELF 1
#define FUZZ_BOOT 7

#define FUZZ_PLANS 15
#define FUZZ_COMMANDS 14

static inline struct bytes fuzz_key(uint8_t byte)
{
    return bytes_of_text(byte & 1 ? "a" : "b");
}

static inline struct bytes fuzz_owner(uint8_t byte)
{
    return bytes_of_text(byte & 2 ? "ann" : "bob");
}

static inline struct lock_acquire fuzz_acquire(uint8_t byte)
{
    return (struct lock_acquire){
        .key = fuzz_key(byte),
        .owner = fuzz_owner(byte),
        .seq = byte >> 2 & 1,
        .mode = byte & 8 ? LOCK_SHARED : LOCK_EXCLUSIVE,
        .ttl_ms = byte & 16 ? 50 : 5000,
        .delay_ms = byte & 32 ? 30 : 0,
        .may_queue = (byte & 64) == 0,
        .cache = (byte & 128) != 0,
    };
}

/* A command without its head. The last ones only a leader proposes. */
static inline struct lock_command fuzz_command(uint8_t which, uint8_t byte)
{
    const struct bytes key = fuzz_key(byte);
    const struct bytes owner = fuzz_owner(byte);
    const uint64_t token = byte >> 2 & 7;
    const enum lock_mode mode = byte & 128 ? LOCK_SHARED : LOCK_EXCLUSIVE;
    switch (which % FUZZ_COMMANDS) {
    case 0:
        return (struct lock_command){.kind = LOCK_COMMAND_ACQUIRE,
                                     .acquire = fuzz_acquire(byte)};
    case 1:
        return (struct lock_command){.kind = LOCK_COMMAND_RELEASE,
                                     .release = {key, owner, token}};
    case 2:
        return (struct lock_command){.kind = LOCK_COMMAND_RENEW,
                                     .renew = {key, owner, token, 5000}};
    case 3:
        return (struct lock_command){.kind = LOCK_COMMAND_CANCEL,
                                     .cancel = {key, owner, token & 1}};
    case 4:
        return (struct lock_command){
            .kind = LOCK_COMMAND_ABANDON,
            .abandon = {key, owner, token & 1, mode, token, byte >> 5}};
    case 5:
        return (struct lock_command){.kind = LOCK_COMMAND_BREAK,
                                     .break_ = {key, token}};
    case 6:
        return (struct lock_command){
            .kind = LOCK_COMMAND_SET,
            .set = {.key = key,
                    .value = owner,
                    .lifetime =
                        byte & 64 ? LOCK_LIFE_RELATIVE : LOCK_LIFE_FOREVER,
                    .time_ms = byte & 64 ? 20 : 0}};
    case 7:
        return (struct lock_command){.kind = LOCK_COMMAND_ADD,
                                     .add = {0, key, byte}};
    case 8:
        return (struct lock_command){.kind = LOCK_COMMAND_APPEND,
                                     .append = {0, key, owner}};
    case 9:
        return (struct lock_command){.kind = LOCK_COMMAND_TICK};
    case 10:
        return (struct lock_command){.kind = LOCK_COMMAND_EXPIRE,
                                     .expire = {key, token, byte >> 5}};
    case 11:
        return (struct lock_command){.kind = LOCK_COMMAND_UNDELAY,
                                     .undelay = {key, byte}};
    case 12:
        return (struct lock_command){
            .kind = LOCK_COMMAND_ORPHANS,
            .orphans = {byte & 15, byte & 16 ? FUZZ_BOOT : UINT64_MAX, 4}};
    default:
        return (struct lock_command){.kind = LOCK_COMMAND_SWEEP,
                                     .sweep = {0, key, byte}};
    }
}

/* Encoded, from one of several origins; empty if it cannot be. Sealed all the
 * same if it is one of a leader's own with an origin, which no encoder makes:
 * those below offset 50 are the fields of the head. */
static inline void fuzz_command_bytes(struct lock_command command,
                                      struct lock_origin origin,
                                      uint64_t number, struct buffer *out)
{
    const size_t at = out->count;
    if (origin.node != 0) {
        command.head.origin = origin;
        command.head.number = number;
        command.head.first_unanswered = number;
    }
    if (lock_command_encode(&command, out) == STATUS_OK) {
        return;
    }
    command.head = (struct lock_command_head){0};
    if (lock_command_encode(&command, out) == STATUS_OK) {
        buffer_patch_u32(out, at + 18, (uint32_t)origin.node);
        buffer_patch_u32(out, at + 26, (uint32_t)origin.boot);
        buffer_patch_u32(out, at + 34, (uint32_t)number);
        buffer_patch_u32(out, at + 42, (uint32_t)number);
    }
}

static inline struct command_query fuzz_query(uint8_t byte)
{
    static const enum command_query_kind kinds[] = {
        COMMAND_QUERY_LOCK,   COMMAND_QUERY_OWNED, COMMAND_QUERY_FENCE,
        COMMAND_QUERY_FENCED, COMMAND_QUERY_SCAN,  COMMAND_QUERY_HOLDERS};
    const enum command_query_kind kind = kinds[(byte >> 2) % 6];
    return (struct command_query){
        .kind = kind,
        .text = kind == COMMAND_QUERY_SCAN    ? bytes_of(NULL, 0)
                : kind == COMMAND_QUERY_OWNED ? fuzz_owner(byte)
                                              : fuzz_key(byte),
        .count = 3};
}

static inline struct command_plan fuzz_plan(uint8_t which, uint8_t byte)
{
    static const char *const addresses[] = {"h4:7001", "h5:7001"};
    const uint8_t plan = which % FUZZ_PLANS;
    if (plan < 9) {
        return (struct command_plan){.kind = COMMAND_PLAN_WRITE,
                                     .write = fuzz_command(plan, byte),
                                     .wait_ms = which & 128 ? 100 : TIME_NEVER,
                                     .async = (which & 64) != 0};
    }
    switch (plan) {
    case 9:
    case 10:
        return (struct command_plan){
            .kind = COMMAND_PLAN_RENEW,
            .renew = fuzz_command(2, byte).renew,
        };
    case 11:
    case 12:
        return (struct command_plan){.kind = COMMAND_PLAN_READ,
                                     .read = fuzz_query(byte)};
    case 13: {
        const enum command_change_kind kind =
            (enum command_change_kind)(COMMAND_CHANGE_ADD + byte % 5);
        const bool adds =
            kind == COMMAND_CHANGE_ADD || kind == COMMAND_CHANGE_ADD_LEARNER;
        return (struct command_plan){
            .kind = COMMAND_PLAN_CHANGE,
            .change = {.kind = kind,
                       .id = 1 + byte / 5 % 5,
                       .address = bytes_of_text(adds ? addresses[byte / 25 % 2]
                                                     : "")}};
    }
    default:
        return (struct command_plan){.kind = COMMAND_PLAN_SNAPSHOT};
    }
}

#endif
