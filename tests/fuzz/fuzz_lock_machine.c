/* fuzz_lock_machine.c - sequences of commands against the lock machine.
 *
 * An input is a program: each step is a byte for what happens and a few more
 * for its details, out of a small world of keys, owners and nodes, so that
 * steps meet. Details such as tokens and tickets are looked up in the machine
 * more often than not, because a fuzzer does not guess them.
 *
 * Two machines with different seeds run the same program. The twin is saved
 * and loaded at some steps and the leader's notes of what is due are moved in
 * the first one only; neither may make a difference. What must hold, beside
 * no ENSURE and no report of a sanitizer:
 *
 *  - Every command that encodes is applied, with the same answer and the same
 *    notices by both, and leaves both without contradiction and with the same
 *    hash.
 *  - The records of a checkpoint, kept up to date by what is handed out as
 *    changed, are all records of the machine.
 *  - A saved machine can be loaded, and has the same image.
 *
 * tests/fuzz/corpus/lock_machine is written by this program, from the programs
 * at the end of this file:  fuzz_lock_machine --write-corpus DIRECTORY
 *
 * To extend: a command that is new is made in fuzz_lock_steps.h, and used by a
 * program below.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "fuzz/fuzz_lock_steps.h"
#include "lock/lock.h"

#define FUZZ_STEPS_MAX 400

/* Steps that are no commands. */
enum fuzz_step {
    FUZZ_REIGN = 64,
    FUZZ_RELOAD,
    FUZZ_CHECKPOINT,
    FUZZ_MOVE_DUE,
    FUZZ_EPOCH,
    FUZZ_STEPS_END,
};

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

static void fuzz_step(struct fuzz_world *world, uint8_t step);
static void fuzz_apply(struct fuzz_world *world, uint8_t kind);
static void fuzz_compare(const struct lock_outcome *a,
                         const struct lock_outcome *b);
static void fuzz_reload(struct fuzz_world *world);
static void fuzz_checkpoint(struct fuzz_world *world);
static void fuzz_move_due(struct fuzz_world *world);
static void fuzz_write_corpus(const char *directory);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    if (*argc == 3 && strcmp((*argv)[1], "--write-corpus") == 0) {
        fuzz_write_corpus((*argv)[2]);
        exit(EXIT_SUCCESS);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
    static struct fuzz_world world;
    world = (struct fuzz_world){
        .input = reader_of(bytes_of(data, count)),
        .first = lock_machine_new((struct table_seed){{1, 2}}),
        .twin = lock_machine_new((struct table_seed){{3, 4}}),
        .wall = 1000,
    };

    for (int i = 0; i < FUZZ_STEPS_MAX && world.input.rest.count > 0; i++) {
        fuzz_step(&world, reader_u8(&world.input));
        lock_check_invariants(world.first);
        lock_check_invariants(world.twin);
        ENSURE(lock_hash(world.first) == lock_hash(world.twin));
    }
    fuzz_checkpoint(&world);
    fuzz_reload(&world);

    for (size_t i = 0; i < world.kept_count; i++) {
        buffer_close(&world.kept[i].key);
        buffer_close(&world.kept[i].value);
    }
    lock_machine_free(world.first);
    lock_machine_free(world.twin);
    ENSURE(memory_blocks_live() == 0);
    return 0;
}

static void fuzz_step(struct fuzz_world *world, uint8_t step)
{
    switch (step) {
    case FUZZ_REIGN:
        lock_open_reign(world->first);
        lock_open_reign(world->twin);
        break;
    case FUZZ_EPOCH:
        lock_raise_epoch(world->first);
        lock_raise_epoch(world->twin);
        break;
    case FUZZ_RELOAD:
        fuzz_reload(world);
        break;
    case FUZZ_CHECKPOINT:
        fuzz_checkpoint(world);
        break;
    case FUZZ_MOVE_DUE:
        fuzz_move_due(world);
        break;
    default:
        fuzz_apply(world, step);
        break;
    }
}

/* ---- applying ---- */

static void fuzz_apply(struct fuzz_world *world, uint8_t step)
{
    struct lock_command command;
    struct lock_outcome outcomes[2];
    struct buffer bytes = {0};
    fuzz_make_command(world, step, &command);
    if (lock_command_encode(&command, &bytes) == STATUS_OK) {
        world->index++;
        ENSURE(lock_apply(world->first, world->index, buffer_view(&bytes),
                          &outcomes[0]) == STATUS_OK);
        ENSURE(lock_apply(world->twin, world->index, buffer_view(&bytes),
                          &outcomes[1]) == STATUS_OK);
        ENSURE(lock_clock(world->first) >= world->clock);
        fuzz_compare(&outcomes[0], &outcomes[1]);
    }
    buffer_close(&bytes);
}

static void fuzz_compare(const struct lock_outcome *a,
                         const struct lock_outcome *b)
{
    ENSURE(a->kind == b->kind && a->repeated == b->repeated);
    ENSURE(a->answer.result == b->answer.result);
    ENSURE(strcmp(lock_result_text(a->answer.result), "unknown") != 0);
    ENSURE(a->answer.token == b->answer.token);
    ENSURE(a->answer.ticket == b->answer.ticket);
    ENSURE(a->answer.time_ms == b->answer.time_ms);
    ENSURE(a->answer.count == b->answer.count);
    ENSURE(a->answer.has_value == b->answer.has_value);
    ENSURE(bytes_equal(a->answer.value, b->answer.value));
    ENSURE(a->notices_count == b->notices_count);
    ENSURE(!a->repeated || a->notices_count == 0);
    for (size_t i = 0; i < a->notices_count; i++) {
        const struct lock_notice *x = &a->notices[i];
        const struct lock_notice *y = &b->notices[i];
        ENSURE(x->kind == y->kind && bytes_equal(x->key, y->key));
        ENSURE(bytes_equal(x->owner, y->owner) && x->seq == y->seq);
        ENSURE(x->mode == y->mode && x->token == y->token);
        ENSURE(x->ticket == y->ticket && x->number == y->number);
        ENSURE(x->origin.node == y->origin.node);
        ENSURE(x->origin.boot == y->origin.boot && x->waited == y->waited);
    }
}

/* ---- saving and loading ---- */

static void fuzz_feed(void *context, const struct lock_record *record)
{
    ENSURE(!record->deleted);
    ENSURE(lock_loader_feed(context, record->key, record->value) == STATUS_OK);
}

/* The twin becomes what it is when loaded. */
static void fuzz_reload(struct fuzz_world *world)
{
    struct buffer images[2] = {{0}};
    struct lock_loader *loader = lock_loader_new((struct table_seed){{5, 6}});
    struct lock_machine *loaded = NULL;
    lock_visit_records(world->twin, fuzz_feed, loader);
    ENSURE(lock_loader_finish(loader, &loaded) == STATUS_OK);
    lock_loader_free(loader);
    lock_image(world->first, &images[0]);
    lock_image(loaded, &images[1]);
    ENSURE(bytes_equal(buffer_view(&images[0]), buffer_view(&images[1])));
    ENSURE(lock_changes_count(loaded) == 0);
    lock_machine_free(world->twin);
    world->twin = loaded;
    buffer_close(&images[0]);
    buffer_close(&images[1]);
}

static struct fuzz_kept *fuzz_find_kept(struct fuzz_world *world,
                                        struct bytes key)
{
    for (size_t i = 0; i < world->kept_count; i++) {
        if (bytes_equal(buffer_view(&world->kept[i].key), key)) {
            return &world->kept[i];
        }
    }
    return NULL;
}

/* A change is news: what goes was there. */
static void fuzz_keep(void *context, const struct lock_record *record)
{
    struct fuzz_world *world = context;
    struct fuzz_kept *kept = fuzz_find_kept(world, record->key);
    world->seen_count++;
    if (record->deleted) {
        ENSURE(kept != NULL && record->value.count == 0);
        buffer_close(&kept->key);
        buffer_close(&kept->value);
        world->kept_count--;
        *kept = world->kept[world->kept_count];
        return;
    }
    if (kept == NULL) {
        ENSURE(world->kept_count < FUZZ_KEEP_MAX);
        kept = &world->kept[world->kept_count];
        *kept = (struct fuzz_kept){{0}, {0}};
        world->kept_count++;
        buffer_append(&kept->key, record->key);
    }
    buffer_clear(&kept->value);
    buffer_append(&kept->value, record->value);
}

static void fuzz_verify(void *context, const struct lock_record *record)
{
    struct fuzz_world *world = context;
    struct fuzz_kept *kept = fuzz_find_kept(world, record->key);
    ENSURE(kept != NULL && !record->deleted);
    ENSURE(bytes_equal(buffer_view(&kept->value), record->value));
    world->seen_count++;
}

static void fuzz_checkpoint(struct fuzz_world *world)
{
    const size_t changes_count = lock_changes_count(world->first);
    world->seen_count = 0;
    lock_visit_changes(world->first, true, fuzz_keep, world);
    ENSURE(world->seen_count == changes_count);
    ENSURE(lock_changes_count(world->first) == 0);

    world->seen_count = 0;
    lock_visit_records(world->first, fuzz_verify, world);
    ENSURE(world->seen_count == world->kept_count);
}

/* What is due first is looked at later, or never. */
static void fuzz_move_due(struct fuzz_world *world)
{
    struct lock_due due;
    const uint8_t later = reader_u8(&world->input);
    if (!lock_next_due(world->first, &due)) {
        return;
    }
    const time_ms_t at = later > 250 ? TIME_NEVER : due.at + later;
    switch (due.kind) {
    case LOCK_DUE_LEASE:
        ENSURE(due.claim.token != 0);
        lock_move_lease(world->first, due.claim.key, due.claim.token, at);
        break;
    case LOCK_DUE_DELAY:
        lock_move_delay(world->first, due.claim.key, at);
        break;
    case LOCK_DUE_DATA:
        lock_move_data(world->first, due.database, due.claim.key, at);
        break;
    }
}

/* ---- the corpus ---- */

struct fuzz_program {
    const char *name;
    size_t count;
    const uint8_t *bytes;
};

/* A step's kind, as fuzz_kind() reads it; 128 added: of a node. */
#define STEP(kind) (LOCK_COMMAND_##kind - LOCK_COMMAND_TICK)
#define NODE 128
#define PROGRAM(...)                                                           \
    sizeof((const uint8_t[]){__VA_ARGS__}), (const uint8_t[])                  \
    {                                                                          \
        __VA_ARGS__                                                            \
    }

/* Keys: 0 to 3. Owners: the next two bits. 32: shared. Wishes: 1 queue, 2
 * cache, 4 delay. */
static const struct fuzz_program fuzz_programs[] = {
    {"acquire_queue_release",
     PROGRAM(STEP(ACQUIRE), 1, 0, 3, STEP(ACQUIRE), 1, 4, 1, STEP(ACQUIRE), 1,
             32 + 8, 1, STEP(ACQUIRE), 1, 32 + 12, 1, STEP(RELEASE), 1, 0, 0,
             FUZZ_RELOAD, STEP(RELEASE), 1, 0, 0)},
    {"renew_and_expire_with_delay",
     PROGRAM(FUZZ_REIGN, STEP(ACQUIRE), 1, 0, 5 + 16, STEP(RENEW), 1, 0, 0,
             STEP(ACQUIRE), 1, 4, 1, FUZZ_REIGN, FUZZ_MOVE_DUE, 9, STEP(EXPIRE),
             15, 0, 0, FUZZ_RELOAD, STEP(UNDELAY), 1, 0, 0, STEP(TICK), 15,
             STEP(TICK), 15, STEP(UNDELAY), 15, 0, 0)},
    {"cancel_abandon_break",
     PROGRAM(STEP(ACQUIRE), 1, 0, 1, STEP(ACQUIRE), 1, 4, 1, STEP(ACQUIRE), 1,
             8, 1, STEP(CANCEL), 1, 0, 1, STEP(ABANDON), 1, 0, 1, STEP(BREAK),
             1, 0, 0, FUZZ_CHECKPOINT)},
    {"orphans",
     PROGRAM(STEP(ACQUIRE), 1, 0, 1, NODE + STEP(ACQUIRE), 1, 0, 0, 4, 1,
             NODE + STEP(ACQUIRE), 1, 0, 1, 32 + 8, 1, FUZZ_CHECKPOINT,
             FUZZ_RELOAD, STEP(ORPHANS), 1, 128 + 16 + 4, 0, FUZZ_CHECKPOINT)},
    {"remembered",
     PROGRAM(NODE + STEP(ACQUIRE), 1, 0, 3, 0, 1, NODE + STEP(ACQUIRE), 1, 0, 3,
             0, 1, NODE + STEP(ACQUIRE), 1, 32, 0, 0, 1, FUZZ_RELOAD,
             NODE + STEP(ACQUIRE), 1, 0, 3, 0, 1, NODE + STEP(ACQUIRE), 1, 2, 1,
             1, 1, NODE + STEP(ACQUIRE), 1, 0, 3, 0, 1, NODE + STEP(TICK), 0, 2,
             255)},
    {"set_add_append_delete",
     PROGRAM(LOCK_COMMAND_SET, 1, 0, 2, 0, LOCK_COMMAND_ADD, 1, 80,
             LOCK_COMMAND_APPEND, 1, 8, NODE + LOCK_COMMAND_SET, 1, 0, 1, 0, 65,
             0, FUZZ_CHECKPOINT, FUZZ_RELOAD, LOCK_COMMAND_DELETE, 1, 0, 4, 0,
             FUZZ_CHECKPOINT)},
    {"remembered_value",
     PROGRAM(LOCK_COMMAND_SET, 1, 0, 7, 0, NODE + LOCK_COMMAND_SET, 1, 0, 1, 0,
             64 + 16, 0, FUZZ_RELOAD, NODE + LOCK_COMMAND_SET, 1, 0, 1, 0,
             64 + 16, 0)},
    {"acknowledged",
     PROGRAM(NODE + STEP(TICK), 1, 0, 0, NODE + STEP(TICK), 1, 0, 9,
             FUZZ_CHECKPOINT, NODE + STEP(TICK), 1, 32, 5, FUZZ_RELOAD,
             NODE + STEP(TICK), 1, 40, 4, FUZZ_CHECKPOINT)},
    {"deadlines",
     PROGRAM(LOCK_COMMAND_SET, 1, 0, 1, 128 + 9, LOCK_COMMAND_SET, 1, 1, 1,
             192 + 63, LOCK_COMMAND_DEADLINE, 1, 0, 1, 20,
             LOCK_COMMAND_DEADLINE, 1, 0, 0, LOCK_COMMAND_DEADLINE, 1, 0, 1, 5,
             FUZZ_MOVE_DUE, 3, FUZZ_RELOAD, LOCK_COMMAND_SWEEP, 15, 0,
             LOCK_COMMAND_SET, 15, 0, 1, 0)},
    {"fences",
     PROGRAM(LOCK_COMMAND_FENCE_SET, 1, 32 + 1, 0, 5, LOCK_COMMAND_FENCE_SET, 1,
             16, 0, STEP(ACQUIRE), 1, 0, 0, LOCK_COMMAND_FENCE_SET, 1, 48, 1,
             FUZZ_RELOAD, LOCK_COMMAND_FENCE_DELETE, 1, 48 + 1, 1, 2,
             FUZZ_CHECKPOINT)},
    {"epochs", PROGRAM(STEP(ACQUIRE), 1, 0, 0, FUZZ_EPOCH, FUZZ_RELOAD,
                       STEP(ACQUIRE), 1, 1, 0, FUZZ_CHECKPOINT)},
};

static void fuzz_write_corpus(const char *directory)
{
    for (size_t i = 0; i < sizeof(fuzz_programs) / sizeof(*fuzz_programs);
         i++) {
        char path[512];
        const struct fuzz_program *program = &fuzz_programs[i];
        snprintf(path, sizeof(path), "%s/%s", directory, program->name);
        FILE *file = fopen(path, "wb");
        if (file == NULL ||
            fwrite(program->bytes, program->count, 1, file) != 1) {
            perror(path);
            exit(EXIT_FAILURE);
        }
        fclose(file);
    }
}
