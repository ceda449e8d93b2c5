/* model_compare.c - drives machine, model and checkers side by side. */
#include "model/model_compare.h"

#include <inttypes.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "model/model_due.h"
#include "model/model_look.h"
#include "model/model_print.h"

static const char *model_compare_command(struct model_compare *compare);
static const char *model_compare_now_and_then(struct model_compare *compare);

void model_compare_init(struct model_compare *compare, uint64_t seed,
                        struct model_compare_counts *counts)
{
    memset(compare, 0, sizeof *compare);
    model_init(&compare->model);
    model_history_init(&compare->history, seed, &compare->model);
    model_store_init(&compare->store, seed);
    random_init(&compare->random, seed ^ UINT64_C(0xc03));
    compare->machine = model_store_machine(&compare->store);
    compare->watch.early_expiry = compare->history.early_expiry;
    compare->counts = counts;
}

void model_compare_close(struct model_compare *compare)
{
    lock_machine_free(compare->machine);
    model_close(&compare->model);
    model_history_close(&compare->history);
    model_store_close(&compare->store);
    check_watch_close(&compare->watch);
    model_outcome_clear(&compare->expected);
    for (size_t i = 0; i < MODEL_COMPARE_LAST; i++) {
        buffer_close(&compare->last[i].bytes);
    }
}

static void model_compare_note(struct model_compare *compare)
{
    const struct model_operation *operation = &compare->operation;
    struct model_store_entry *last =
        &compare->last[compare->operations_count % MODEL_COMPARE_LAST];
    compare->operations_count++;
    last->kind = operation->kind;
    last->index = operation->index;
    buffer_clear(&last->bytes);
    buffer_append(&last->bytes, operation->bytes);
    model_store_note(&compare->store, operation);
}

/* Do the operation on both sides. */
static const char *model_compare_operate(struct model_compare *compare)
{
    const char *what = NULL;
    const struct model_operation *operation = &compare->operation;
    compare->outcome_valid = false;
    model_compare_note(compare);
    switch (operation->kind) {
    case MODEL_COMMAND:
        what = model_compare_command(compare);
        break;
    case MODEL_OPEN_REIGN:
        model_open_reign(&compare->model);
        lock_open_reign(compare->machine);
        compare->counts->reigns++;
        break;
    case MODEL_RAISE_EPOCH:
        model_raise_epoch(&compare->model);
        lock_raise_epoch(compare->machine);
        compare->counts->epochs++;
        break;
    }
    if (what == NULL) {
        what = model_look_counts(&compare->model, compare->machine);
    }
    return what;
}

const char *model_compare_step(struct model_compare *compare)
{
    const char *what = NULL;
    model_history_next(&compare->history, &compare->operation);
    /* Between two checkpoints it must tell of all its changes by itself. */
    const bool alone =
        random_chance(&compare->random,
                      compare->operation.kind == MODEL_COMMAND ? 1 : 50, 100);
    if (alone) {
        what = model_store_checkpoint(&compare->store, compare->machine);
    }
    if (what == NULL) {
        what = model_compare_operate(compare);
    }
    if (what == NULL) {
        compare->outcome_valid = false;
        if (alone) {
            what = model_store_checkpoint(&compare->store, compare->machine);
        }
    }
    return what != NULL ? what : model_compare_now_and_then(compare);
}

/* ---- one command ---- */

/* The keys that a command names. */
static size_t model_compare_keys(const struct lock_command *command,
                                 struct bytes keys[MODEL_HISTORY_LIST + 1])
{
    size_t count = 0;
    switch (command->kind) {
    case LOCK_COMMAND_SET:
        keys[0] = command->set.key;
        return 1;
    case LOCK_COMMAND_ADD:
        keys[0] = command->add.key;
        return 1;
    case LOCK_COMMAND_APPEND:
        keys[0] = command->append.key;
        return 1;
    case LOCK_COMMAND_DEADLINE:
        keys[0] = command->deadline.key;
        return 1;
    case LOCK_COMMAND_SWEEP:
        keys[0] = command->sweep.key;
        return 1;
    case LOCK_COMMAND_DELETE:
        for (; count < command->delete_.keys_count; count++) {
            keys[count] = command->delete_.keys[count];
        }
        return count;
    case LOCK_COMMAND_FENCE_SET:
        for (; count < command->fence_set.pairs_count; count++) {
            keys[count] = command->fence_set.pairs[count].key;
        }
        keys[count] = command->fence_set.lock_key;
        return count + 1;
    case LOCK_COMMAND_FENCE_DELETE:
        for (; count < command->fence_delete.keys_count; count++) {
            keys[count] = command->fence_delete.keys[count];
        }
        keys[count] = command->fence_delete.lock_key;
        return count + 1;
    case LOCK_COMMAND_SET_MANY:
        for (; count < command->set_many.pairs_count; count++) {
            keys[count] = command->set_many.words[2 * count];
        }
        return count;
    case LOCK_COMMAND_FETCH:
        keys[0] = command->fetch.key;
        return 1;
    default:
        keys[0] = check_ledger_key(command);
        return keys[0].count > 0 ? 1 : 0;
    }
}

static const char *model_compare_all_keys(const struct model_compare *compare)
{
    const char *what = NULL;
    for (size_t i = 0; i < MODEL_HISTORY_KEYS && what == NULL; i++) {
        what = model_look_key(&compare->model, compare->machine,
                              model_history_key(i));
    }
    return what;
}

static const char *model_compare_command(struct model_compare *compare)
{
    const struct model_operation *operation = &compare->operation;
    const struct lock_command *command = &operation->command;
    model_apply(&compare->model, operation->index, command, &compare->expected);
    if (lock_apply(compare->machine, operation->index, operation->bytes,
                   &compare->outcome) != STATUS_OK) {
        return "the status of lock_apply";
    }
    if (compare->expected.repeated) {
        compare->counts->repeats++;
    } else {
        compare->counts->seen[command->kind][compare->expected.answer.result]++;
    }
    compare->outcome_valid = true;

    const char *what = NULL;
    if (compare->outcome.kind != command->kind ||
        memcmp(&compare->outcome.head, &command->head, sizeof command->head) !=
            0) {
        return "the head of the outcome";
    }
    what = model_look_outcome(&compare->expected, &compare->outcome);
    if (what == NULL) {
        what = check_watch_see(&compare->watch, operation->index, command,
                               &compare->outcome);
    }
    struct bytes keys[MODEL_HISTORY_LIST + 1];
    const size_t count = model_compare_keys(command, keys);
    for (size_t i = 0; i < count && what == NULL; i++) {
        what = model_look_key(&compare->model, compare->machine, keys[i]);
    }
    if (what == NULL && (command->kind == LOCK_COMMAND_ORPHANS ||
                         command->kind == LOCK_COMMAND_FLUSH ||
                         command->kind == LOCK_COMMAND_BATCH)) {
        what = model_compare_all_keys(compare);
    }
    return what;
}

/* ---- everything ---- */

const char *model_compare_all(struct model_compare *compare)
{
    lock_check_invariants(compare->machine);
    const char *what = model_look_names(&compare->model, compare->machine);
    if (what == NULL) {
        what = model_compare_all_keys(compare);
    }
    for (size_t i = 0; i < MODEL_HISTORY_OWNERS && what == NULL; i++) {
        what = model_look_owner(&compare->model, compare->machine,
                                model_history_owner(i));
    }
    for (size_t i = 0; i < MODEL_HISTORY_NODES && what == NULL; i++) {
        what = model_look_origin(&compare->model, compare->machine, i + 1);
    }
    if (what == NULL) {
        what = model_due_look(&compare->model, compare->machine);
    }
    return what;
}

/* Half a command is none, and changes nothing. */
static const char *model_compare_cut(struct model_compare *compare)
{
    struct lock_outcome outcome;
    const struct model_operation *operation = &compare->operation;
    if (operation->kind != MODEL_COMMAND) {
        return NULL;
    }
    const uint64_t hash = lock_hash(compare->machine);
    struct bytes half = operation->bytes;
    half.count = random_below(&compare->random, half.count);
    if (lock_apply(compare->machine, operation->index + 1, half, &outcome) ==
        STATUS_OK) {
        return "half a command was applied";
    }
    return lock_hash(compare->machine) == hash
               ? NULL
               : "the hash after half a command";
}

static const char *model_compare_now_and_then(struct model_compare *compare)
{
    const char *what = NULL;
    struct random *random = &compare->random;
    if (random_chance(random, 1, 100)) {
        what = model_compare_all(compare);
    }
    if (what == NULL && random_chance(random, 1, 200)) {
        what = model_store_checkpoint(&compare->store, compare->machine);
    }
    if (what == NULL && random_chance(random, 1, 200)) {
        what = model_store_damage(&compare->store, &compare->operation);
    }
    if (what == NULL && random_chance(random, 1, 500)) {
        what = model_compare_cut(compare);
    }
    if (what == NULL && random_chance(random, 1, 500)) {
        what = model_store_reload(&compare->store, &compare->machine);
        compare->counts->reloads++;
    }
    if (what == NULL && random_chance(random, 1, 500)) {
        what = model_store_restart(&compare->store, &compare->machine);
        compare->counts->restarts++;
    }
    return what;
}

/* ---- printing ---- */

static void model_compare_print_entry(const struct model_store_entry *entry,
                                      FILE *out)
{
    struct lock_command command;
    struct lock_command_room room = {0};
    switch (entry->kind) {
    case MODEL_COMMAND:
        if (lock_command_decode(buffer_view(&entry->bytes), &room, &command) ==
            STATUS_OK) {
            model_print_command(out, entry->index, &command);
        }
        lock_command_room_close(&room);
        break;
    case MODEL_OPEN_REIGN:
        fprintf(out, "a reign is opened\n");
        break;
    case MODEL_RAISE_EPOCH:
        fprintf(out, "the epoch is raised\n");
        break;
    }
}

void model_compare_print_last(const struct model_compare *compare, FILE *out)
{
    const uint64_t last = compare->operations_count - 1;
    model_compare_print_entry(&compare->last[last % MODEL_COMPARE_LAST], out);
    if (compare->operation.kind != MODEL_COMMAND) {
        return;
    }
    fprintf(out, "    model:   ");
    model_print_answer(out, &compare->expected.answer,
                       compare->expected.repeated);
    for (size_t i = 0; i < compare->expected.notices_count; i++) {
        fprintf(out, "             ");
        model_print_notice(out, &compare->expected.notices[i]);
    }
    if (!compare->outcome_valid) {
        return;
    }
    fprintf(out, "    machine: ");
    model_print_answer(out, &compare->outcome.answer,
                       compare->outcome.repeated);
    for (size_t i = 0; i < compare->outcome.notices_count; i++) {
        fprintf(out, "             ");
        model_print_notice(out, &compare->outcome.notices[i]);
    }
}

void model_compare_print(const struct model_compare *compare, FILE *out)
{
    const uint64_t end = compare->operations_count;
    uint64_t i = end > MODEL_COMPARE_LAST ? end - MODEL_COMPARE_LAST : 0;
    for (; i + 1 < end; i++) {
        model_compare_print_entry(&compare->last[i % MODEL_COMPARE_LAST], out);
    }
    if (end > 0) {
        model_compare_print_last(compare, out);
    }
}
