/* store_model.c - what should be in a data directory, step by step. */
#include "unit/store/store_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ensure.h"

struct world world;

static struct raft_entry payload_of(raft_index_t index, raft_term_t term)
{
    char words[1000];
    const int used =
        snprintf(words, sizeof(words), "%" PRIu64 "/%" PRIu64 " ", index, term);
    const size_t padding = (size_t)(index * 7919 % 900);
    memset(words + used, 'x', padding);
    words[(size_t)used + padding] = '\0';
    return entry_of(term, words);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash ^= value + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) + (hash >> 2);
    return hash * UINT64_C(0xff51afd7ed558ccd);
}

static void hash_log(void)
{
    struct state *state = &world.state;
    uint64_t hash = 0;
    for (raft_index_t i = state->boundary_index + 1; i <= state->last_index;
         i++) {
        hash = mix(mix(hash, i), world.log[i]);
    }
    state->log_hash = hash;
    state->last_term = state->last_index > state->boundary_index
                           ? world.log[state->last_index]
                           : state->boundary_term;
}

/* Bring the machine to index; every entry sets one of a few keys. */
static void apply_to(raft_index_t index)
{
    for (raft_index_t i = world.state.checkpoint_index + 1; i <= index; i++) {
        char key[16];
        char value[48];
        snprintf(key, sizeof(key), "k%d", (int)(i % 37));
        snprintf(value, sizeof(value), "%" PRIu64 "/%" PRIu64, i, world.log[i]);
        machine_set(world.machine, i, key, value);
    }
    world.state.checkpoint_index = index;
    world.state.machine_hash = lock_hash(world.machine);
}

static void put_write(struct node_write *write)
{
    write->number = world.steps + 1;
    if (world.real) {
        store_write(store, write);
    }
}

/* Entries of the present term from first on, behind what is in write. */
static void step_entries(struct node_write *write, raft_index_t first,
                         size_t count)
{
    struct raft_entry entries[8];
    ENSURE(count <= 8 && first + count < MODEL_LOG_MAX);
    for (size_t i = 0; i < count; i++) {
        world.log[first + i] = world.state.term;
        entries[i] = payload_of(first + i, world.state.term);
    }
    write->first_index = first;
    write->entries = entries;
    write->entries_count = count;
    world.state.last_index = first + count - 1;
    put_write(write);
}

static void step_promise(struct node_write *write)
{
    write->promise = true;
    write->term = world.state.term + random_below(&world.random, 2);
    write->vote = random_below(&world.random, 4);
    if (write->term == world.state.term && world.state.vote != 0) {
        write->vote = world.state.vote;
    }
    write->term = write->term > 0 ? write->term : 1;
    world.state.term = write->term;
    world.state.vote = write->vote;
}

/* A new leader replaces what is not committed. */
static void step_replace(void)
{
    struct node_write write = {0};
    struct state *state = &world.state;
    if (state->last_index <= state->checkpoint_index) {
        put_write(&write); /* every step is reported, if only as nothing */
        return;
    }
    const raft_index_t first = random_between(
        &world.random, state->checkpoint_index + 1, state->last_index);
    world.cut_index = first;
    state->term++;
    state->vote = 0;
    write.promise = true;
    write.term = state->term;
    step_entries(&write, first, (size_t)random_between(&world.random, 1, 3));
}

static void forget_record(void *context, const struct lock_record *record)
{
    (void)context;
    (void)record;
}

static void step_checkpoint(void)
{
    struct state *state = &world.state;
    if (state->last_index <= state->checkpoint_index) {
        put_write(&(struct node_write){0});
        return;
    }
    const raft_index_t index = random_between(
        &world.random, state->checkpoint_index + 1, state->last_index);
    const raft_index_t boundary =
        random_between(&world.random, state->boundary_index, index);
    struct raft_members members = {.count = 0};
    raft_members_set(&members, 2, RAFT_VOTER, bytes_of_text("two:2"));
    apply_to(index);
    if (boundary > state->boundary_index) {
        state->boundary_term = world.log[boundary];
    }
    state->boundary_index = boundary;
    if (world.real) {
        store_checkpoint(store, &(struct node_checkpoint){
                                    .index = index,
                                    .machine = world.machine,
                                    .boundary_index = boundary,
                                    .boundary_term = state->boundary_term,
                                    .boundary_members = &members});
    } else {
        /* The store tells the machine that its changes are stored. */
        lock_visit_changes(world.machine, true, forget_record, NULL);
    }
}

static void feed_record(void *context, const struct lock_record *record)
{
    ck_assert_int_eq(lock_loader_feed(context, record->key, record->value),
                     STATUS_OK);
}

static void stage_record(void *context, const struct lock_record *record)
{
    (void)context;
    store_stage(store, record->key, record->value);
}

/* Hand the records of a snapshot over, behind one that was given up if it
 * happens so; *staged: the install that follows has them. */
static void stage(const struct lock_machine *machine, bool *staged)
{
    const bool abandoned = random_chance(&world.random, 1, 2);
    *staged = random_chance(&world.random, 3, 4);
    if (world.real) {
        store_unstage(store);
    }
    if (world.real && abandoned) {
        lock_visit_records(world.machine, stage_record, NULL);
        store_unstage(store);
    }
    if (world.real && *staged) {
        lock_visit_records(machine, stage_record, NULL);
    }
}

/* A snapshot of which no more comes for now. */
static void step_stage_in_vain(void)
{
    if (world.real) {
        store_unstage(store);
        lock_visit_records(world.machine, stage_record, NULL);
    }
}

/* A snapshot from a leader: ahead of the log, or in place of entries that are
 * not committed. */
static void step_install(void)
{
    struct node_write write = {0};
    struct state *state = &world.state;
    struct raft_members members = {.count = 0};
    raft_members_set(&members, 1, RAFT_VOTER, bytes_of_text("one:1"));
    state->term++;
    state->vote = 0;
    const raft_index_t index = random_between(
        &world.random, state->checkpoint_index + 1, state->last_index + 20);
    struct lock_machine *made = lock_machine_new(options.seed);
    for (uint64_t i = 1; i <= index && i < 20; i++) {
        char key[16];
        snprintf(key, sizeof(key), "i%d", (int)((i + index) % 30));
        machine_set(made, i, key, "installed");
    }
    struct lock_loader *loader = lock_loader_new(options.seed);
    lock_visit_records(made, feed_record, loader);
    stage(made, &write.install_staged);
    lock_machine_free(world.machine);
    ck_assert_int_eq(lock_loader_finish(loader, &world.machine), STATUS_OK);
    lock_loader_free(loader);
    lock_machine_free(made);

    world.cut_index = index < state->last_index ? index + 1 : 0;
    state->boundary_index = index;
    state->boundary_term = state->term;
    state->last_index = index;
    state->checkpoint_index = index;
    state->machine_hash = lock_hash(world.machine);
    write.promise = true;
    write.term = state->term;
    write.install = true;
    write.install_index = index;
    write.install_term = state->boundary_term;
    write.install_members = &members;
    write.install_machine = world.machine;
    write.install_hash = state->machine_hash;
    if (random_chance(&world.random, 1, 2)) {
        step_entries(&write, index + 1,
                     (size_t)random_between(&world.random, 1, 3));
    } else {
        put_write(&write);
    }
}

void model_step(void)
{
    struct node_write write = {0};
    const uint64_t kind = random_below(&world.random, 100);
    world.cut_index = 0;
    if (kind == 0) {
        step_stage_in_vain(); /* and a step that is reported */
    }
    if (kind < 15 || world.state.term == 0) {
        step_promise(&write);
        put_write(&write);
    } else if (kind < 20) {
        put_write(&write); /* nothing */
    } else if (kind < 70) {
        if (random_chance(&world.random, 1, 8)) {
            step_promise(&write);
        }
        step_entries(&write, world.state.last_index + 1,
                     (size_t)random_between(&world.random, 1, 5));
    } else if (kind < 82) {
        step_replace();
    } else if (kind < 95) {
        step_checkpoint();
    } else {
        step_install();
    }
    hash_log();
    world.steps++;
}

/* The world as found in the directory; takes the machine. */
void model_start(uint64_t seed, bool real)
{
    model_close();
    memset(&world, 0, sizeof(world));
    random_init(&world.random, seed);
    world.real = real;
    struct state *state = &world.state;
    state->term = found.term;
    state->vote = found.vote;
    state->boundary_index = found.boundary_index;
    state->boundary_term = found.boundary_term;
    state->last_index = found.boundary_index + found.entries_count;
    state->checkpoint_index = found.checkpoint_index;
    state->machine_hash = lock_hash(found.machine);
    ck_assert_uint_lt(state->last_index, MODEL_LOG_MAX);
    for (size_t i = 0; i < found.entries_count; i++) {
        const raft_index_t index = found.boundary_index + 1 + i;
        const struct raft_entry *entry = &found.entries[i];
        const struct raft_entry expected = payload_of(index, entry->term);
        ck_assert_msg(bytes_equal(entry->payload, expected.payload),
                      "entry %" PRIu64, index);
        world.log[index] = entry->term;
    }
    hash_log();
    world.machine = found.machine;
    found.machine = NULL;
}

void model_close(void)
{
    lock_machine_free(world.machine);
    world.machine = NULL;
}

bool model_same(const struct state *a, const struct state *b)
{
    return a->term == b->term && a->vote == b->vote &&
           a->boundary_index == b->boundary_index &&
           a->boundary_term == b->boundary_term &&
           a->last_index == b->last_index && a->log_hash == b->log_hash &&
           a->checkpoint_index == b->checkpoint_index &&
           a->machine_hash == b->machine_hash;
}

bool model_same_but_promise(const struct state *a, struct state b)
{
    b.term = a->term;
    b.vote = a->vote;
    return model_same(a, &b);
}
