/* check_reads.c - what each key looked like, and answers held against it.
 *
 * To extend: a question gets a hash of what its answer says, and the same hash
 * made from the machine.
 */
#include "sim/check_reads.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"

static void check_reads_see(struct check_reads *check, size_t key,
                            raft_index_t index, uint64_t hash, bool may_end);
static uint64_t check_reads_look_at_lock(const struct lock_machine *machine,
                                         struct bytes key);
static bool check_reads_mix_claim(void *context,
                                  const struct lock_claim_view *claim);
static enum lock_read_type check_reads_type(const struct lock_machine *machine,
                                            struct bytes key,
                                            struct bytes *value,
                                            time_ms_t *deadline);
static uint64_t check_reads_hash_value(enum lock_read_type type,
                                       struct bytes value);
static bool check_reads_fits(const struct check_reads_key *key,
                             raft_index_t floor, uint64_t hash, bool found);
static size_t check_reads_number(const struct sim_wish *wish);

void check_reads_init(struct check_reads *check, struct sim_report *report,
                      struct sim_faults *faults)
{
    memset(check, 0, sizeof *check);
    check->report = report;
    check->faults = faults;
}

void check_reads_close(struct check_reads *check)
{
    for (size_t i = 0; i < CHECK_READS_KEYS; i++) {
        memory_free(check->keys[i].looks);
    }
}

void check_reads_applied(struct check_reads *check, raft_index_t index,
                         const struct lock_machine *machine)
{
    char name[SIM_WISH_TEXT];
    size_t key = 0;

    for (size_t i = 0; i < SIM_LOCKS_MAX; i++) {
        sim_wish_name_lock(name, i);
        check_reads_see(check, key++, index,
                        check_reads_look_at_lock(machine, bytes_of_text(name)),
                        false);
    }
    for (size_t i = 0; i < SIM_DATA_MAX; i++) {
        struct bytes value = bytes_of(NULL, 0);
        time_ms_t deadline = 0;
        sim_wish_name_data(name, i);
        const enum lock_read_type type =
            check_reads_type(machine, bytes_of_text(name), &value, &deadline);
        check_reads_see(check, key++, index,
                        check_reads_hash_value(type, value), deadline != 0);
    }
    for (size_t i = 0; i < SIM_LOCKS_MAX; i++) {
        sim_wish_name_lock(name, i);
        check_reads_see(check, key++, index,
                        lock_fence_last(machine, bytes_of_text(name)), false);
    }
    check->last_token = lock_last_token(machine);
}

void check_reads_answered(struct check_reads *check,
                          const struct sim_wish *wish, raft_index_t floor,
                          struct bytes answer)
{
    struct command_query_reply reply;
    struct command_claim claim;
    struct lock_read_item item;
    uint64_t hash = 0;
    bool found = true;

    sim_faults_add(check->faults, SIM_FAULT_READ, 1);
    if (command_query_read(answer, &reply) != STATUS_OK) {
        sim_report_fail(check->report, SIM_UNSAFE, "an answer is no answer");
        return;
    }
    switch (reply.kind) {
    case COMMAND_QUERY_LOCK:
        hash = reply.lock.delayed_until;
        while (command_query_next(&reply, &claim)) {
            hash = sim_wish_mix(hash, claim.token);
            hash = sim_wish_mix(hash, claim.ticket);
            hash = sim_wish_mix_bytes(hash, claim.owner);
        }
        if (reply.last_token > check->last_token) {
            sim_report_fail(check->report, SIM_UNSAFE,
                            "an answer knows token %" PRIu64
                            " before any log does",
                            reply.last_token);
        }
        break;
    case COMMAND_QUERY_DATA:
        found = lock_read_next(&reply.claims, LOCK_READ_VALUE, &item) &&
                item.type != LOCK_READ_NONE;
        hash = check_reads_hash_value(item.type, item.value);
        break;
    case COMMAND_QUERY_FENCE:
        hash = reply.last_token;
        break;
    default:
        return;
    }
    const size_t key = check_reads_number(wish);
    if (!check_reads_fits(&check->keys[key], floor, hash, found)) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "a stale read: %s of %s is not what it was at %" PRIu64
                        " or since",
                        sim_wish_text(wish->kind), wish->key, floor);
    }
}

static void check_reads_see(struct check_reads *check, size_t key,
                            raft_index_t index, uint64_t hash, bool may_end)
{
    struct check_reads_key *it = &check->keys[key];

    if (it->count > 0 && it->looks[it->count - 1].hash == hash &&
        it->looks[it->count - 1].may_end == may_end) {
        return;
    }
    if (it->count == it->capacity) {
        it->capacity = it->capacity * 2 + 64;
        it->looks = memory_resize(it->looks, it->capacity, sizeof *it->looks);
    }
    it->looks[it->count++] = (struct check_reads_look){index, hash, may_end};
}

static uint64_t check_reads_look_at_lock(const struct lock_machine *machine,
                                         struct bytes key)
{
    struct lock_view view;
    uint64_t hash;

    if (!lock_look(machine, key, &view)) {
        return 0;
    }
    hash = view.delayed_until;
    lock_visit_holders(machine, key, check_reads_mix_claim, &hash);
    lock_visit_waiters(machine, key, check_reads_mix_claim, &hash);
    return hash;
}

static bool check_reads_mix_claim(void *context,
                                  const struct lock_claim_view *claim)
{
    uint64_t *hash = context;

    *hash = sim_wish_mix(*hash, claim->token);
    *hash = sim_wish_mix(*hash, claim->ticket);
    *hash = sim_wish_mix_bytes(*hash, claim->owner);
    return true;
}

/* What a name stands for: a held lock hides the string of that name. */
static enum lock_read_type check_reads_type(const struct lock_machine *machine,
                                            struct bytes key,
                                            struct bytes *value,
                                            time_ms_t *deadline)
{
    struct lock_view view;

    if (lock_look(machine, key, &view) && view.holders_count > 0) {
        return LOCK_READ_LOCK;
    }
    return lock_get(machine, 0, key, 0, value, deadline) ? LOCK_READ_STRING
                                                         : LOCK_READ_NONE;
}

static uint64_t check_reads_hash_value(enum lock_read_type type,
                                       struct bytes value)
{
    return type == LOCK_READ_NONE ? 0
                                  : sim_wish_mix_bytes((uint64_t)type, value);
}

/* True if a look from the one in force at floor on is the one wanted. Before
 * the first entry every key is empty. */
static bool check_reads_fits(const struct check_reads_key *key,
                             raft_index_t floor, uint64_t hash, bool found)
{
    for (size_t i = key->count; i > 0; i--) {
        const struct check_reads_look *look = &key->looks[i - 1];
        if (look->hash == hash || (!found && look->may_end)) {
            return true;
        }
        if (look->index <= floor) {
            return false;
        }
    }
    return hash == 0;
}

static size_t check_reads_number(const struct sim_wish *wish)
{
    char name[SIM_WISH_TEXT];

    if (wish->kind == SIM_WISH_GET) {
        for (size_t i = 0; i < SIM_DATA_MAX; i++) {
            sim_wish_name_data(name, i);
            if (strcmp(name, wish->key) == 0) {
                return SIM_LOCKS_MAX + i;
            }
        }
    }
    for (size_t i = 0; i < SIM_LOCKS_MAX; i++) {
        sim_wish_name_lock(name, i);
        if (strcmp(name, wish->key) == 0) {
            return wish->kind == SIM_WISH_FENCE
                       ? SIM_LOCKS_MAX + SIM_DATA_MAX + i
                       : i;
        }
    }
    return 0;
}
