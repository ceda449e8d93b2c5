/* fuzz_lock_steps.h - bytes of a fuzzer's input as commands of a small world.
 *
 * Part of fuzz_lock_machine.c, which says what is done with them. There are
 * four keys, four owners, two databases and two nodes, so that steps meet.
 * Tokens, tickets, delays and deadlines are looked up in the machine more
 * often than not, because a fuzzer does not guess them.
 *
 * To extend: a command that is new gets a case in fuzz_make_lock() or
 * fuzz_make_data().
 */
#ifndef HOLDFAST_FUZZ_LOCK_STEPS_H
#define HOLDFAST_FUZZ_LOCK_STEPS_H

#include "base/ensure.h"
#include "lock/lock.h"

#define FUZZ_CLAIMS_MAX 8
#define FUZZ_KEEP_MAX 256

/* A record as last heard of by the checkpoint. */
struct fuzz_kept {
    struct buffer key;
    struct buffer value;
};

struct fuzz_world {
    struct reader input;
    struct lock_machine *first;
    struct lock_machine *twin;
    uint64_t index;
    time_ms_t clock;
    time_ms_t wall;
    struct fuzz_kept kept[FUZZ_KEEP_MAX];
    size_t kept_count;
    size_t seen_count;
    struct bytes keys[4];
    struct lock_pair pairs[4];
};

/* Some claims of a key, copied out of the machine. */
struct fuzz_claims {
    struct lock_claim_view views[FUZZ_CLAIMS_MAX];
    size_t count;
};

/* What no command is becomes one, so that few bytes are wasted. */
static enum lock_command_kind fuzz_kind(uint8_t step)
{
    const uint8_t kind = step & 63;
    if (kind >= LOCK_COMMAND_SET) {
        return (enum lock_command_kind)(LOCK_COMMAND_SET + (kind & 7));
    }
    return (enum lock_command_kind)(LOCK_COMMAND_TICK + kind % 10);
}

static uint8_t fuzz_byte(struct fuzz_world *world)
{
    return reader_u8(&world->input);
}

static struct bytes fuzz_name(uint8_t byte)
{
    static const char *const names[] = {"a", "b", "c", "dd"};
    return bytes_of_text(names[byte & 3]);
}

static struct bytes fuzz_value(uint8_t byte)
{
    static const char *const values[] = {
        "", "x", "17", "-3", "yes", "00", "9223372036854775807", "a value"};
    return bytes_of_text(values[byte & 7]);
}

/* Steps below 128 are the leader's own; others are numbered by one of two
 * nodes, in a boot, at a distance from the first that it has no answer to. */
static void fuzz_make_head(struct fuzz_world *world,
                           struct lock_command_head *head, uint8_t step)
{
    const uint8_t elapsed = fuzz_byte(world);
    world->clock += elapsed & 15;
    world->wall += elapsed >> 4;
    head->clock = world->clock;
    head->wall = world->wall;
    if (step >= 128) {
        const uint8_t who = fuzz_byte(world);
        const uint8_t number = fuzz_byte(world);
        head->origin.node = 1 + (who & 1);
        head->origin.boot = 1 + (who >> 1 & 3);
        head->first_unanswered = 1 + (who >> 3);
        head->number =
            head->first_unanswered + (number < 255 ? number & 31U : 65536U);
    }
}

static bool fuzz_note_claim(void *context, const struct lock_claim_view *claim)
{
    struct fuzz_claims *claims = context;
    claims->views[claims->count] = *claim;
    claims->count++;
    return claims->count < FUZZ_CLAIMS_MAX;
}

/* A claim that is there, or one that may be. */
static struct lock_claim_view fuzz_claim(struct fuzz_world *world,
                                         struct bytes key)
{
    struct fuzz_claims claims = {.count = 0};
    struct lock_view view;
    struct lock_claim_view found;
    const uint8_t byte = fuzz_byte(world);
    lock_look(world->first, key, &view);
    lock_visit_holders(world->first, key, fuzz_note_claim, &claims);
    if (claims.count < FUZZ_CLAIMS_MAX) {
        lock_visit_waiters(world->first, key, fuzz_note_claim, &claims);
    }
    ENSURE(claims.count == FUZZ_CLAIMS_MAX ||
           claims.count == view.holders_count + view.waiters_count);
    if (claims.count == 0 || byte >= 240) {
        return (struct lock_claim_view){.owner = fuzz_name(byte),
                                        .mode = LOCK_EXCLUSIVE,
                                        .token = byte & 7};
    }
    const struct lock_claim_view *claim = &claims.views[byte % claims.count];
    ENSURE(lock_find_ticket(world->first, key, claim->owner, claim->seq,
                            claim->mode, claim->ticket, &found));
    ENSURE(claim->token == 0 ||
           lock_find_grant(world->first, key, claim->token, &found));
    return *claim;
}

static void fuzz_make_acquire(struct fuzz_world *world,
                              struct lock_acquire *acquire)
{
    const uint8_t names = fuzz_byte(world);
    const uint8_t wishes = fuzz_byte(world);
    *acquire = (struct lock_acquire){
        .key = fuzz_name(names),
        .owner = fuzz_name(names >> 2),
        .seq = names >> 4 & 1,
        .mode = names & 32 ? LOCK_SHARED : LOCK_EXCLUSIVE,
        .may_queue = (wishes & 1) != 0,
        .cache = (wishes & 2) != 0,
        .delay_ms = wishes & 4 ? 20 : 0,
        .ttl_ms = 1 + (wishes >> 4) * 10U,
        .database = wishes & 8 ? 1 : 0,
    };
}

static void fuzz_make_lock(struct fuzz_world *world,
                           struct lock_command *command)
{
    if (command->kind == LOCK_COMMAND_TICK) {
        return;
    }
    if (command->kind == LOCK_COMMAND_ACQUIRE) {
        fuzz_make_acquire(world, &command->acquire);
        return;
    }
    const uint8_t byte = fuzz_byte(world);
    const struct bytes key = fuzz_name(byte);
    struct lock_view view;
    const struct lock_claim_view claim = fuzz_claim(world, key);
    lock_look(world->first, key, &view);
    switch (command->kind) {
    case LOCK_COMMAND_RELEASE:
        command->release = (struct lock_release){key, claim.owner, claim.token};
        break;
    case LOCK_COMMAND_RENEW:
        command->renew =
            (struct lock_renew){key, claim.owner, claim.token, 1U + byte};
        break;
    case LOCK_COMMAND_CANCEL:
        command->cancel = (struct lock_cancel){key, claim.owner, claim.seq};
        break;
    case LOCK_COMMAND_ABANDON:
        command->abandon =
            (struct lock_abandon){key,        claim.owner,  claim.seq,
                                  claim.mode, claim.ticket, claim.number};
        if (claim.origin.node != 0 && (byte & 64) != 0) {
            command->head.origin = claim.origin;
            command->head.first_unanswered = 1;
            command->head.number = claim.number + 1 + (byte >> 2 & 3);
        }
        break;
    case LOCK_COMMAND_BREAK:
        command->break_ = (struct lock_break){key, byte & 4 ? claim.token : 0};
        break;
    case LOCK_COMMAND_EXPIRE:
        command->expire =
            (struct lock_expire){key, claim.token, claim.renewals};
        break;
    case LOCK_COMMAND_UNDELAY:
        command->undelay = (struct lock_undelay){key, view.delayed_until};
        break;
    default:
        command->orphans =
            (struct lock_orphans){byte >> 2 & 3, byte >> 4 & 3, byte >> 6};
        break;
    }
}

static size_t fuzz_list(struct fuzz_world *world, uint8_t byte)
{
    const size_t count = 1 + (byte & 3);
    for (size_t i = 0; i < count; i++) {
        const uint8_t item = fuzz_byte(world);
        world->keys[i] = fuzz_name(item);
        world->pairs[i] =
            (struct lock_pair){fuzz_name(item), fuzz_value(item >> 2)};
    }
    return count;
}

static time_ms_t fuzz_time(struct fuzz_world *world,
                           enum lock_lifetime lifetime, uint8_t byte)
{
    switch (lifetime) {
    case LOCK_LIFE_RELATIVE:
        return byte;
    case LOCK_LIFE_WALL:
        return world->wall + byte - 100;
    default:
        return 0;
    }
}

static void fuzz_make_set(struct fuzz_world *world, struct lock_set *set,
                          uint32_t database, struct bytes key)
{
    const uint8_t how = fuzz_byte(world);
    const uint8_t time = fuzz_byte(world);
    set->database = database;
    set->key = key;
    set->value = fuzz_value(how);
    set->condition = (enum lock_condition)((how >> 3) % 5);
    if (set->condition >= LOCK_IF_EQUAL) {
        set->compare = fuzz_value(time);
    }
    set->get = (how & 64) != 0;
    set->lifetime = (enum lock_lifetime)(time >> 6);
    set->time_ms = fuzz_time(world, set->lifetime, time & 63);
}

static void fuzz_make_delete(struct fuzz_world *world,
                             struct lock_delete *delete_, uint32_t database)
{
    const uint8_t how = fuzz_byte(world);
    delete_->database = database;
    delete_->keys_count = fuzz_list(world, how);
    delete_->keys = world->keys;
    if (delete_->keys_count == 1) {
        delete_->get = (how & 4) != 0;
        delete_->condition = how & 8 ? LOCK_IF_EQUAL : LOCK_ALWAYS;
        delete_->condition = how & 16 ? LOCK_IF_OTHER : delete_->condition;
        delete_->compare = delete_->condition != LOCK_ALWAYS
                               ? fuzz_value(how >> 5)
                               : bytes_of(NULL, 0);
    }
}

static void fuzz_make_deadline(struct fuzz_world *world,
                               struct lock_deadline *deadline,
                               uint32_t database, struct bytes key)
{
    static const enum lock_lifetime lifetimes[] = {
        LOCK_LIFE_FOREVER, LOCK_LIFE_RELATIVE, LOCK_LIFE_WALL};
    const uint8_t how = fuzz_byte(world);
    deadline->database = database;
    deadline->key = key;
    deadline->lifetime = lifetimes[how % 3];
    deadline->time_ms = fuzz_time(world, deadline->lifetime, fuzz_byte(world));
    if (deadline->lifetime != LOCK_LIFE_FOREVER) {
        deadline->condition = (enum lock_deadline_condition)((how >> 2) % 5);
    }
}

static void fuzz_make_data(struct fuzz_world *world,
                           struct lock_command *command)
{
    const uint8_t byte = fuzz_byte(world);
    const uint32_t database = byte & 4 ? 1 : 0;
    const struct bytes key = fuzz_name(byte);
    struct bytes value;
    switch (command->kind) {
    case LOCK_COMMAND_SET:
        fuzz_make_set(world, &command->set, database, key);
        break;
    case LOCK_COMMAND_DELETE:
        fuzz_make_delete(world, &command->delete_, database);
        break;
    case LOCK_COMMAND_ADD:
        command->add = (struct lock_add){
            database, key, byte >> 3 == 31 ? INT64_MAX : (byte >> 3) - 8};
        break;
    case LOCK_COMMAND_APPEND:
        command->append =
            (struct lock_append){database, key, fuzz_value(byte >> 3)};
        break;
    case LOCK_COMMAND_DEADLINE:
        fuzz_make_deadline(world, &command->deadline, database, key);
        break;
    case LOCK_COMMAND_SWEEP:
        command->sweep = (struct lock_sweep){database, key, byte};
        lock_get(world->first, database, key, 0, &value,
                 &command->sweep.deadline);
        break;
    case LOCK_COMMAND_FENCE_SET:
        command->fence_set = (struct lock_fence_set){
            database, key, byte >> 4, world->pairs, fuzz_list(world, byte)};
        break;
    default:
        command->fence_delete = (struct lock_fence_delete){
            database, key, byte >> 4, world->keys, fuzz_list(world, byte)};
        break;
    }
}

/* The command that the next bytes stand for. It may be one that cannot be. */
static void fuzz_make_command(struct fuzz_world *world, uint8_t step,
                              struct lock_command *command)
{
    *command = (struct lock_command){.kind = fuzz_kind(step)};
    fuzz_make_head(world, &command->head, step);
    if (command->kind < LOCK_COMMAND_SET) {
        fuzz_make_lock(world, command);
    } else {
        fuzz_make_data(world, command);
    }
}

#endif
