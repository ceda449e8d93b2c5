/* test_store_model.c - whatever is written, and wherever it is killed: what
 * was reported is there.
 *
 * A round: a player opens the store and hands over a random run of writes,
 * checkpoints and installs; it tells what was reported to it, and dies at a
 * random point without a word to the store. A judge makes the same run on a
 * model, from a copy of the directory as it was before, and has a list of
 * states, one after each step. What it then finds in the directory must be one
 * of these states, and none before the last that was reported. The next round
 * goes on from what was found.
 *
 * In some rounds the end of LevelDB's log is cut off as well. Then an earlier
 * state may be found, but if that misses an entry or a promise that was
 * reported, the store has to know: repair_index, or the promise put back.
 *
 * Players and judges are processes of their own, because a fork keeps the locks
 * of LevelDB's threads but not the threads. Pauses of the player are real, so
 * that a seed gives the same steps but not the same kill.
 *
 * HOLDFAST_STORE_SEED and HOLDFAST_STORE_ROUNDS choose other runs.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/store/store_model.h"

#define STEPS_MAX 60

static struct state states[STEPS_MAX + 1];
static raft_index_t cuts[STEPS_MAX + 1]; /* first entry a step replaced, or 0 */
static int reports;                      /* the pipe, in the player */

/* ---- the player ---- */

static void report(void)
{
    ck_assert_int_eq(write(reports, "x", 1), 1);
}

static void on_written(void *context, uint64_t number)
{
    (void)context;
    (void)number;
    report();
}

static void on_checkpointed(void *context, raft_index_t index)
{
    (void)context;
    (void)index;
    report();
}

static void play_round(uint64_t seed, uint64_t steps, int pipe_end)
{
    const struct store_callbacks callbacks = {.written = on_written,
                                              .checkpointed = on_checkpointed};
    reports = pipe_end;
    open_found();
    model_start(seed, true);
    struct random pauses;
    random_init(&pauses, seed + 1);
    for (uint64_t i = 0; i < steps; i++) {
        model_step();
        if (random_chance(&pauses, 1, 3)) {
            store_collect(store, fixture_now, &callbacks);
        }
        if (random_chance(&pauses, 1, 10)) {
            usleep((useconds_t)random_below(&pauses, 3000));
        }
    }
    if (random_chance(&pauses, 1, 2)) {
        usleep((useconds_t)random_below(&pauses, 3000));
        store_collect(store, fixture_now, &callbacks);
    }
    kill(getpid(), SIGKILL);
}

/* ---- the judge ---- */

/* Shared by all processes. */
struct tally {
    uint64_t rounds, steps, reported, unreported, cut, lost, repairs, restored;
    bool repairing; /* a log that was cut has not been made whole yet */
    raft_index_t last_index;
};
static struct tally *tally;

struct round {
    uint64_t seed;
    uint64_t steps;
    uint64_t reported;
    bool cut;
};

/* The state found after a plain kill. */
static void check_kill(const struct round *round)
{
    const uint64_t seed = round->seed;
    const uint64_t steps = round->steps;
    const uint64_t reported = round->reported;
    bool good = false;
    uint64_t place = reported;
    for (; place <= steps && !good; place++) {
        good = model_same(&world.state, &states[place]);
    }
    ck_assert_msg(good,
                  "seed %" PRIu64 ": after %" PRIu64 " of %" PRIu64
                  " reported, found term %" PRIu64 ", log %" PRIu64 "..%" PRIu64
                  ", state %" PRIu64,
                  seed, reported, steps, world.state.term,
                  world.state.boundary_index, world.state.last_index,
                  world.state.checkpoint_index);
    ck_assert(!found.promise_restored);
    ck_assert_msg(found.repair_index == 0 || tally->repairing,
                  "seed %" PRIu64 ": a false alarm", seed);
    tally->unreported += place - 1 - reported;
}

/* A step that was still under way may have lowered the mark already, because
 * it replaces entries: these may go unnoticed, nobody will miss them. */
static bool may_go_unnoticed(uint64_t reported, uint64_t steps,
                             raft_index_t last_index)
{
    for (uint64_t i = reported + 1; i <= steps; i++) {
        if (cuts[i] != 0 && cuts[i] <= last_index + 1) {
            return true;
        }
    }
    return false;
}

/* The state found after the end of the log was cut off. */
static void check_cut(const struct round *round)
{
    const uint64_t seed = round->seed;
    const uint64_t steps = round->steps;
    const uint64_t reported = round->reported;
    bool good = false;
    uint64_t place = 0;
    for (; place <= steps && !good; place++) {
        good = found.promise_restored
                   ? model_same_but_promise(&world.state, states[place])
                   : model_same(&world.state, &states[place]);
    }
    place--;
    ck_assert_msg(good, "seed %" PRIu64 ": no state of ours", seed);
    const struct state *told = &states[reported];
    ck_assert_msg(world.state.term >= told->term, "seed %" PRIu64 ": term",
                  seed);
    ck_assert_msg(world.state.term > told->term || told->vote == 0 ||
                      world.state.vote == told->vote,
                  "seed %" PRIu64 ": vote", seed);
    if (place < reported) {
        tally->lost++;
        /* Which steps added to the log is what matters. */
        const struct state *kept = &states[place];
        const bool same_log = told->last_index == kept->last_index &&
                              told->last_term == kept->last_term;
        ck_assert_msg(same_log || found.repair_index != 0 ||
                          may_go_unnoticed(reported, steps, kept->last_index),
                      "seed %" PRIu64 ": %" PRIu64 " of %" PRIu64
                      " steps are lost and nobody knows: the log ended at "
                      "%" PRIu64 " and ends at %" PRIu64,
                      seed, reported - place, reported, told->last_index,
                      kept->last_index);
    }
    tally->repairs += found.repair_index != 0 ? 1 : 0;
    tally->restored += found.promise_restored ? 1 : 0;
}

/* before: the directory as the player found it. */
static void judge_round(const struct round *round, const char *before)
{
    char path[sizeof(data_path)];
    strcpy(path, data_path);
    strcpy(data_path, before);
    open_found();
    model_start(round->seed, false);
    close_store();
    states[0] = world.state;
    for (uint64_t i = 0; i < round->steps; i++) {
        model_step();
        states[i + 1] = world.state;
        cuts[i + 1] = world.cut_index;
    }
    strcpy(data_path, path);
    open_found();
    model_start(round->seed, false);
    if (round->cut) {
        check_cut(round);
    } else {
        check_kill(round);
    }
    tally->repairing = found.repair_index != 0;
    tally->last_index = world.state.last_index;
    close_store();
    model_close();
}

/* ---- rounds ---- */

static void create_fresh(void)
{
    if (fork() == 0) {
        remove_directory(data_path);
        ck_assert_int_eq(open_store(), STORE_OK);
        create_found();
        close_store();
        _exit(0);
    }
    int code;
    wait(&code);
    ck_assert_int_eq(code, 0);
    tally->repairing = false;
    tally->last_index = 0;
}

/* Let a player play; how much was reported to it. */
static uint64_t run_player(const struct round *round)
{
    int ends[2];
    char bytes[STEPS_MAX + 8];
    uint64_t reported = 0;
    ck_assert_int_eq(pipe(ends), 0);
    fflush(NULL);
    if (fork() == 0) {
        play_round(round->seed, round->steps, ends[1]);
    }
    close(ends[1]);
    for (ssize_t count = 1; count > 0;
         reported += count > 0 ? (uint64_t)count : 0) {
        count = read(ends[0], bytes, sizeof(bytes));
    }
    close(ends[0]);
    int code;
    wait(&code);
    ck_assert(WIFSIGNALED(code) && WTERMSIG(code) == SIGKILL);
    return reported;
}

static void cut_log(struct random *random)
{
    char name[300];
    off_t bytes;
    newest_log(name, sizeof(name), &bytes);
    const off_t gone = (off_t)random_below(
        random, (uint64_t)(bytes < 2000 ? bytes : 2000) + 1);
    ck_assert_int_eq(truncate(name, bytes - gone), 0);
    tally->cut++;
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

static void run_round(struct random *random, bool cutting)
{
    char before[sizeof(data_path) + 8];
    struct round round = {.seed = random_next(random),
                          .steps = random_between(random, 1, STEPS_MAX)};
    snprintf(before, sizeof(before), "%s.before", data_path);
    copy_directory(data_path, before);
    options.buffer_bytes = random_chance(random, 1, 2) ? 65536 : 0;
    round.reported = run_player(&round);
    round.cut = cutting && random_chance(random, 1, 2);
    if (round.cut) {
        cut_log(random);
    }
    if (fork() == 0) {
        judge_round(&round, before);
        _exit(0);
    }
    int code;
    wait(&code);
    ck_assert_msg(code == 0, "seed %" PRIu64 ": judged wrong", round.seed);
    remove_directory(before);
    tally->rounds++;
    tally->steps += round.steps;
    tally->reported += round.reported;
}

static void play(bool cutting)
{
    const uint64_t seed = setting("HOLDFAST_STORE_SEED", 1);
    const uint64_t rounds = setting("HOLDFAST_STORE_ROUNDS", 60);
    struct random random;
    random_init(&random, seed);
    tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(tally, MAP_FAILED);
    create_fresh();
    /* Where the kills fall is the machine's business. Whole runs without a
     * loss prove nothing, so some more rounds are played then. */
    for (uint64_t i = 0;
         i < rounds || (cutting && tally->lost == 0 && i < 10 * rounds); i++) {
        run_round(&random, cutting);
        if (tally->last_index > MODEL_LOG_MAX - 1600) {
            create_fresh();
        }
    }
    printf("  seed %" PRIu64 ": %" PRIu64 " kills in %" PRIu64
           " steps, %" PRIu64 " reported, %" PRIu64 " found beyond; %" PRIu64
           " logs cut, %" PRIu64 " lost something reported, %" PRIu64
           " in need of repair, %" PRIu64 " promises put back\n",
           seed, tally->rounds, tally->steps, tally->reported,
           tally->unreported, tally->cut, tally->lost, tally->repairs,
           tally->restored);
    fflush(stdout);
    ck_assert_uint_gt(tally->reported, 0);
    ck_assert(!cutting || tally->lost > 0);
    munmap(tally, sizeof(*tally));
}

START_TEST(every_kill_leaves_a_state_that_was_reached)
{
    play(false);
}
END_TEST

START_TEST(what_a_cut_log_loses_is_known)
{
    play(true);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("store_model");
    TCase *model = tcase_create("model");
    tcase_add_checked_fixture(model, fixture_setup_empty, fixture_teardown);
    tcase_set_timeout(model, 3600);
    tcase_add_test(model, every_kill_leaves_a_state_that_was_reached);
    tcase_add_test(model, what_a_cut_log_loses_is_known);
    suite_add_tcase(suite, model);
    return suite;
}

int main(void)
{
    return fixture_main(suite());
}
