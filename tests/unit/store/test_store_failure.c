/* test_store_failure.c - a write or a sync that fails ends the process.
 *
 * One failure is made here: this program has a fdatasync() of its own, which
 * LevelDB finds before that of the C library. The others are libfiu's (Debian:
 * fiu-utils), put below the C library's calls with LD_PRELOAD. They are
 * switched on when the store is open, by a second run of this program:
 * "--victim POINT ONCE DIRECTORY". It says on its standard output how many
 * writes were reported to it. Where libfiu is not installed, or a sanitizer is
 * in its place, these say so and pass.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/store/store_fixture.h"

#define FIU_RUN "/usr/lib/fiu/fiu_run_preload.so"
#define FIU_POSIX "/usr/lib/fiu/fiu_posix_preload.so"

/* Of fiu-control.h, which need not be there. */
typedef int fiu_enable_fn(const char *name, int failnum, void *failinfo,
                          unsigned flags);
#define FIU_ONCE 1

struct fate {
    int exit_code;
    int reported;
    char line[512]; /* of standard error */
};

/* The sync that fails, counted from 1; those after it succeed. */
static atomic_int sync_to_fail;
static atomic_int syncs_count;

int fdatasync(int file)
{
    if (atomic_fetch_sub(&sync_to_fail, 1) == 1) {
        errno = EIO;
        return -1;
    }
    atomic_fetch_add(&syncs_count, 1);
    int (*next)(int);
    void *symbol = dlsym(RTLD_NEXT, "fdatasync");
    memcpy(&next, &symbol, sizeof(next));
    return next(file);
}

/* LevelDB syncs with fdatasync() only: these are the store's own, of names. */
static atomic_int names_synced_count;

int fsync(int file)
{
    atomic_fetch_add(&names_synced_count, 1);
    int (*next)(int);
    void *symbol = dlsym(RTLD_NEXT, "fsync");
    memcpy(&next, &symbol, sizeof(next));
    return next(file);
}

static bool libfiu_is_there(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    fprintf(stderr, "libfiu and sanitizers exclude each other\n");
    return false;
#endif
    const bool there =
        access(FIU_RUN, R_OK) == 0 && access(FIU_POSIX, R_OK) == 0;
    if (!there) {
        fprintf(stderr, "libfiu is not installed: nothing is proven here\n");
    }
    return there;
}

/* ---- the victim, without libcheck around it ---- */

static void count_written(void *context, uint64_t number)
{
    int *reported = context;
    (void)number;
    (*reported)++;
}

static int collect_written(struct store *opened, int timeout_ms)
{
    int reported = 0;
    struct pollfd wanted = {.fd = store_wakeup_fd(opened), .events = POLLIN};
    const struct store_callbacks callbacks = {.context = &reported,
                                              .written = count_written};
    poll(&wanted, 1, timeout_ms);
    store_collect(opened, fixture_now, &callbacks);
    return reported;
}

static int victim(const char *point, bool once, const char *path)
{
    void *symbol = dlsym(RTLD_DEFAULT, "fiu_enable");
    fiu_enable_fn *enable;
    memcpy(&enable, &symbol, sizeof(enable));
    /* The pace lets the mark's own writes have their turn. */
    const struct store_options fast = {
        .group = 7, .mark_entries = 1, .mark_ms = 1, .mark_sync_ms = 1};
    struct store *opened;
    struct store_recovered start;
    if (symbol == NULL) {
        return 91;
    }
    if (store_open(path, &fast, &opened, &start, NULL, 0) != STORE_OK) {
        return 92;
    }
    const struct raft_entry entries[5] = {{2, RAFT_ENTRY_NOOP, {0}},
                                          {2, RAFT_ENTRY_NOOP, {0}},
                                          {2, RAFT_ENTRY_NOOP, {0}},
                                          {2, RAFT_ENTRY_NOOP, {0}},
                                          {2, RAFT_ENTRY_NOOP, {0}}};
    struct node_write write = {.number = 1,
                               .promise = true,
                               .term = 2,
                               .vote = 2,
                               .first_index = 1,
                               .entries = entries,
                               .entries_count = 5};
    store_write(opened, &write);
    if (collect_written(opened, 10000) != 1) {
        return 93;
    }
    if (enable(point, 1, (void *)(intptr_t)EIO, once ? FIU_ONCE : 0) != 0) {
        return 94;
    }
    /* Go on as if nothing had happened, for as long as we are let. */
    int reported = 0;
    for (raft_index_t index = 6; index < 40; index++) {
        write = (struct node_write){.number = index,
                                    .first_index = index,
                                    .entries = entries,
                                    .entries_count = 1};
        store_write(opened, &write);
        reported += collect_written(opened, 20);
        printf("%d\n", reported);
        fflush(stdout);
    }
    return 96;
}

/* ---- the tests ---- */

static void read_all(int file, char *text, size_t room)
{
    size_t used = 0;
    for (ssize_t count = 1;
         count > 0 && used<room - 1; used += count> 0 ? (size_t)count : 0) {
        count = read(file, text + used, room - 1 - used);
    }
    text[used] = '\0';
    close(file);
}

static struct fate run_victim(const char *point, bool once)
{
    int out[2];
    int err[2];
    char text[4096];
    struct fate fate = {.reported = 0};
    close_store();
    ck_assert(pipe(out) == 0 && pipe(err) == 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(out[1], STDOUT_FILENO);
        dup2(err[1], STDERR_FILENO);
        setenv("LD_PRELOAD", FIU_RUN " " FIU_POSIX, 1);
        execl("/proc/self/exe", "test_store_failure", "--victim", point,
              once ? "once" : "always", data_path, NULL);
        _exit(95);
    }
    close(out[1]);
    close(err[1]);
    read_all(out[0], text, sizeof(text));
    read_all(err[0], fate.line, sizeof(fate.line));
    int code;
    ck_assert_int_eq(waitpid(child, &code, 0), child);
    ck_assert_msg(WIFEXITED(code), "signal %d: %s", WTERMSIG(code), fate.line);
    fate.exit_code = WEXITSTATUS(code);
    char *last = strrchr(text, '\n');
    while (last != NULL && last > text && last[-1] != '\n') {
        last--;
    }
    fate.reported = last != NULL ? (int)strtol(last, NULL, 10) : 0;
    return fate;
}

/* Ended with the code that store.h promises, one line, and nothing reported
 * that is not there at the next start. */
static void assert_stopped(const struct fate *fate, const char *words)
{
    ck_assert_msg(fate->exit_code == STORE_EXIT_FAILED, "code %d: %s",
                  fate->exit_code, fate->line);
    ck_assert_msg(strstr(fate->line, words) != NULL, "%s", fate->line);
    ck_assert_ptr_eq(strchr(fate->line, '\n'),
                     fate->line + strlen(fate->line) - 1);
    open_found();
    ck_assert_uint_eq(found.term, 2);
    ck_assert_uint_ge(found.entries_count, 5 + (size_t)fate->reported);
    ck_assert_uint_eq(found.repair_index, 0);
}

/* As a log file would have it. */
static void say_again(void *context, const char *line)
{
    (void)context;
    (void)dprintf(STDERR_FILENO, "log: %s\n", line);
}

/* The promise needs two syncs, the log's and the mark's: whichever fails, the
 * promise is not reported. */
START_TEST(a_sync_that_fails_is_never_acknowledged)
{
    int err[2];
    char text[512];
    close_store();
    ck_assert_int_eq(pipe(err), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(err[1], STDERR_FILENO);
        store_when_failed(say_again, NULL);
        if (open_store() != STORE_OK) {
            _exit(92);
        }
        const int before = atomic_load(&syncs_count);
        if (before == 0) {
            _exit(93); /* it is not ours that is called */
        }
        atomic_store(&sync_to_fail, _i + 1);
        write_promise(9, 3);
        for (int tries = 0; tries < 100; tries++) {
            if (collect_written(store, 20) > 0) {
                _exit(96);
            }
        }
        _exit(97);
    }
    close(err[1]);
    read_all(err[0], text, sizeof(text));
    int code;
    ck_assert_int_eq(waitpid(child, &code, 0), child);
    ck_assert(WIFEXITED(code));
    ck_assert_int_eq(WEXITSTATUS(code), STORE_EXIT_FAILED);
    const char *second = strchr(text, '\n');
    ck_assert_ptr_nonnull(strstr(text, "failed: "));
    ck_assert_ptr_nonnull(second);
    ck_assert_int_eq(strncmp(text, "holdfast: ", 10), 0);
    ck_assert_int_eq(strncmp(second, "\nlog: ", 6), 0);
    ck_assert_int_eq(
        strncmp(text + 10, second + 6, (size_t)(second - text) - 10), 0);

    /* Whether it is there is chance; that the store can be used is not. */
    open_found();
    ck_assert(found.term == 0 || found.term == 9);
}
END_TEST

/* LevelDB begins a file when its table in memory is full, and does not sync
 * the name of it: a power cut could take the file with all that is in it. */
START_TEST(the_name_of_a_new_log_file_is_synced)
{
    char before[300];
    char after[300];
    off_t bytes;
    options.buffer_bytes = 64 * 1024;
    reopen();
    newest_log(before, sizeof(before), &bytes);
    raft_index_t first = 1;
    int synced;
    do {
        synced = atomic_load(&names_synced_count);
        write_entries(first, 1, 100);
        wait_all();
        first += 100;
        newest_log(after, sizeof(after), &bytes);
    } while (strcmp(before, after) == 0);

    ck_assert_int_gt(atomic_load(&names_synced_count), synced);
}
END_TEST

/* Once: the second sync would succeed, and must not be asked (fsyncgate). */
START_TEST(a_failed_sync_ends_the_process)
{
    if (!libfiu_is_there()) {
        return;
    }
    const struct fate fate = run_victim("posix/io/sync/fdatasync", _i == 0);

    assert_stopped(&fate, "failed: ");
    ck_assert_int_eq(fate.reported, 0);
}
END_TEST

START_TEST(a_failed_write_ends_the_process)
{
    if (!libfiu_is_there()) {
        return;
    }
    const struct fate fate = run_victim("posix/io/rw/write", false);

    assert_stopped(&fate, "writing to the database failed: ");
    ck_assert_int_eq(fate.reported, 0);
}
END_TEST

START_TEST(a_failed_write_of_the_mark_ends_the_process)
{
    if (!libfiu_is_there()) {
        return;
    }
    const struct fate fate = run_victim("posix/io/rw/pwrite", false);

    assert_stopped(&fate, "writing the mark failed: ");
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("store_failure");
    TCase *failures = tcase_create("failures");
    tcase_add_checked_fixture(failures, fixture_setup, fixture_teardown);
    tcase_set_timeout(failures, 60);
    tcase_add_loop_test(failures, a_sync_that_fails_is_never_acknowledged, 0,
                        2);
    tcase_add_test(failures, the_name_of_a_new_log_file_is_synced);
    tcase_add_loop_test(failures, a_failed_sync_ends_the_process, 0, 2);
    tcase_add_test(failures, a_failed_write_ends_the_process);
    tcase_add_test(failures, a_failed_write_of_the_mark_ends_the_process);
    suite_add_tcase(suite, failures);
    return suite;
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "--victim") == 0) {
        return victim(argv[2], strcmp(argv[3], "once") == 0, argv[4]);
    }
    return fixture_main(suite());
}
