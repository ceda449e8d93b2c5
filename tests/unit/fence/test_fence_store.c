/* test_fence_store.c - fenced writes on disk: checked in order, kept for good.
 */
#include "fence/fence_store.h"

#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "lib/check_runner.h"

#define ANSWERS_MAX 8192

/* What was answered, by ask. */
struct told {
    bool there;
    struct lock_answer answer;
    struct command_query_reply query;
    struct buffer bytes; /* what query points into */
};

static char path[64];
static struct fence_store *store;
static struct told told[ANSWERS_MAX];
static uint64_t last_ask;
static uint64_t answered;
static uint64_t last_answered_write;
static uint64_t last_answered_read;
static char reason[STORE_REASON_BYTES];

/* In the place of the C library's: directories are counted. */
static atomic_uint directories_synced;

int fsync(int fd)
{
    struct stat state;
    if (fstat(fd, &state) == 0 && S_ISDIR(state.st_mode)) {
        atomic_fetch_add(&directories_synced, 1);
    }
    return (int)syscall(SYS_fsync, fd);
}

/* And the time of day stands still where a test wants it to; 0: it does not. */
static _Atomic int64_t wall_ms;

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const int64_t wall = atomic_load(&wall_ms);
    if (clock != CLOCK_REALTIME || wall == 0) {
        return (int)syscall(SYS_clock_gettime, clock, now);
    }
    *now = (struct timespec){.tv_sec = (time_t)(wall / 1000),
                             .tv_nsec = (long)(wall % 1000) * 1000000};
    return 0;
}

static int remove_one(const char *name, const struct stat *state, int kind,
                      struct FTW *walk)
{
    (void)state;
    (void)kind;
    (void)walk;
    return remove(name);
}

static enum store_result open_store(void)
{
    return fence_store_open(path, (struct table_seed){{1, 2}}, &store, reason,
                            sizeof(reason));
}

static void setup(void)
{
    (void)snprintf(path, sizeof(path), "/tmp/holdfast-fence-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(path));
    ck_assert_int_eq(open_store(), STORE_OK);
}

static void teardown(void)
{
    fence_store_close(store);
    store = NULL;
    for (size_t i = 0; i < ANSWERS_MAX; i++) {
        buffer_close(&told[i].bytes);
    }
    (void)nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static void reopen(void)
{
    fence_store_close(store);
    ck_assert_int_eq(open_store(), STORE_OK);
}

/* ---- asking ---- */

static uint64_t set(const char *key, const char *value, const char *lock,
                    uint64_t token)
{
    const struct lock_pair pair = {bytes_of_text(key), bytes_of_text(value)};
    const struct lock_command command = {
        .kind = LOCK_COMMAND_FENCE_SET,
        .fence_set = {0, bytes_of_text(lock), token, &pair, 1}};
    last_ask++;
    ck_assert_int_eq(fence_store_write(store, last_ask, &command), STATUS_OK);
    return last_ask;
}

static uint64_t delete_two(const char *a, const char *b, const char *lock,
                           uint64_t token)
{
    const struct bytes keys[] = {bytes_of_text(a), bytes_of_text(b)};
    const struct lock_command command = {
        .kind = LOCK_COMMAND_FENCE_DELETE,
        .fence_delete = {0, bytes_of_text(lock), token, keys, 2}};
    last_ask++;
    ck_assert_int_eq(fence_store_write(store, last_ask, &command), STATUS_OK);
    return last_ask;
}

static uint64_t ask(enum command_query_kind kind, const char *text)
{
    const struct command_query query = {.kind = kind,
                                        .text = bytes_of_text(text)};
    last_ask++;
    ck_assert_int_eq(fence_store_read(store, last_ask, &query), STATUS_OK);
    return last_ask;
}

static void note(void *context, uint64_t number,
                 const struct lock_answer *answer, struct bytes query_reply)
{
    (void)context;
    struct told *here = &told[number % ANSWERS_MAX];
    here->there = true;
    here->answer = *answer;
    answered++;
    if (query_reply.count == 0) {
        ck_assert_uint_gt(number, last_answered_write);
        last_answered_write = number;
        return;
    }
    ck_assert_uint_gt(number, last_answered_read);
    last_answered_read = number;
    buffer_clear(&here->bytes);
    buffer_append(&here->bytes, query_reply);
    ck_assert_int_eq(
        command_query_read(buffer_view(&here->bytes), &here->query), STATUS_OK);
}

static void wait_all(void)
{
    while (answered < last_ask) {
        fence_store_turn(store);
        struct pollfd fds[] = {{fence_store_writes_fd(store), POLLIN, 0},
                               {fence_store_reads_fd(store), POLLIN, 0}};
        ck_assert_int_ge(poll(fds, 2, 60000), 1);
        for (size_t i = 0; i < 2; i++) {
            if (fds[i].revents != 0) {
                fence_store_collect(store, fds[i].fd, note, NULL);
            }
        }
    }
}

static const struct told *answer_to(uint64_t number)
{
    wait_all();
    ck_assert(told[number % ANSWERS_MAX].there);
    return &told[number % ANSWERS_MAX];
}

static void check_fenced(uint64_t number, uint64_t highest)
{
    const struct lock_answer *answer = &answer_to(number)->answer;
    ck_assert_int_eq(answer->result, LOCK_FENCED);
    ck_assert_uint_eq(answer->token, highest);
}

static void check_done(uint64_t number, int64_t count)
{
    const struct lock_answer *answer = &answer_to(number)->answer;
    ck_assert_int_eq(answer->result, LOCK_DONE);
    ck_assert_int_eq(answer->count, count);
}

static void check_value(const char *key, const char *value, const char *lock,
                        uint64_t token)
{
    const struct command_query_reply *query =
        &answer_to(ask(COMMAND_QUERY_FENCED, key))->query;
    ck_assert(query->found);
    ck_assert(bytes_equal(query->value, bytes_of_text(value)));
    ck_assert(bytes_equal(query->lock_key, bytes_of_text(lock)));
    ck_assert_uint_eq(query->token, token);
}

static void check_absent(const char *key)
{
    ck_assert(!answer_to(ask(COMMAND_QUERY_FENCED, key))->query.found);
}

static void check_last(const char *lock, uint64_t token)
{
    ck_assert_uint_eq(
        answer_to(ask(COMMAND_QUERY_FENCE, lock))->query.last_token, token);
}

/* ---- tests ---- */

START_TEST(a_newer_token_writes_and_an_older_one_does_not)
{
    check_last("k", 0);
    check_done(set("a", "1", "k", 84), 1);
    check_fenced(set("a", "2", "k", 83), 84);
    check_fenced(delete_two("a", "b", "k", 1), 84);
    check_value("a", "1", "k", 84);
    check_last("k", 84);
    check_done(set("a", "3", "k", 84), 1);
    check_value("a", "3", "k", 84);
}
END_TEST

START_TEST(locks_have_fences_of_their_own)
{
    check_done(set("a", "1", "k", 84), 1);
    check_done(set("a", "2", "other", 3), 1);
    check_value("a", "2", "other", 3);
    check_last("k", 84);
    check_last("other", 3);
}
END_TEST

START_TEST(a_delete_counts_what_was_there_and_raises_the_fence)
{
    check_done(set("a", "1", "k", 5), 1);
    check_done(delete_two("a", "b", "k", 7), 1);
    check_absent("a");
    check_last("k", 7);
    check_done(delete_two("a", "b", "k", 7), 0);
    check_fenced(set("a", "1", "k", 6), 7);
}
END_TEST

/* All of these are handed over at once and share a batch; each must see those
 * before it. */
START_TEST(writes_of_one_batch_see_each_other)
{
    uint64_t newer[300];
    uint64_t older[300];
    uint64_t gone[300];
    for (uint64_t i = 0; i < 300; i++) {
        newer[i] = set("a", "1", "k", 10 + 2 * i);
        older[i] = set("a", "stale", "k", 9 + 2 * i);
        gone[i] = delete_two("a", "a", "k", 10 + 2 * i);
    }
    for (uint64_t i = 0; i < 300; i++) {
        check_done(newer[i], 1);
        check_fenced(older[i], 10 + 2 * i);
        check_done(gone[i], 1); /* a key named twice is there once */
    }
    check_absent("a");
    check_last("k", 608);
    ck_assert_uint_eq(fence_store_count(store).syncs, 1);
    ck_assert_uint_eq(fence_store_count(store).writes, 600);
    ck_assert_uint_eq(fence_store_count(store).refused, 300);
}
END_TEST

/* The first delete comes after writes that kept no account. */
START_TEST(a_delete_sees_what_its_batch_did_before_it)
{
    check_done(set("old", "1", "k", 1), 1);
    check_done(set("kept", "1", "k", 1), 1);
    set("new", "1", "k", 2);
    set("old", "2", "k", 2);
    const uint64_t gone = delete_two("new", "old", "k", 2);
    const uint64_t again = delete_two("new", "old", "k", 3);
    set("new", "3", "k", 3);
    const uint64_t last = delete_two("new", "kept", "k", 3);
    check_done(gone, 2);
    check_done(again, 0);
    check_done(last, 2);
    check_absent("new");
    check_absent("old");
    check_absent("kept");
}
END_TEST

START_TEST(more_fences_than_are_remembered_still_hold)
{
    uint64_t asks[5000];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 5000; i++) {
            char lock[16];
            (void)snprintf(lock, sizeof(lock), "lock%d", i);
            asks[i] = set("a", "1", lock, round == 1 ? 6 : 7);
        }
        for (int i = 0; i < 5000; i++) {
            if (round == 1) {
                check_fenced(asks[i], 7);
            } else {
                check_done(asks[i], 1);
            }
        }
    }
    check_last("lock0", 7);
    check_last("lock4999", 7);
}
END_TEST

START_TEST(values_and_fences_survive_a_restart)
{
    check_done(set("a", "1", "k", 84), 1);
    check_done(set("gone", "1", "m", 2), 1);
    check_done(delete_two("gone", "x", "m", 9), 1);
    reopen();
    check_value("a", "1", "k", 84);
    check_absent("gone");
    check_last("k", 84);
    check_last("m", 9);
    check_fenced(set("a", "2", "k", 83), 84);
}
END_TEST

START_TEST(what_was_handed_over_is_written_before_the_end)
{
    for (uint64_t i = 1; i <= 500; i++) {
        set("a", "v", "k", i);
    }
    reopen(); /* nothing was collected */
    answered = last_ask;
    check_last("k", 500);
}
END_TEST

/* LevelDB begins a new file now and then, and what is in it may be read before
 * the writer has synced its name. */
START_TEST(a_value_is_told_when_the_name_of_its_file_is_durable)
{
    char name[96];
    check_done(set("a", "1", "k", 84), 1);
    check_value("a", "1", "k", 84);
    (void)snprintf(name, sizeof(name), "%s/db/new", path);
    const int file = open(name, O_WRONLY | O_CREAT, 0600);
    ck_assert_int_ge(file, 0);
    (void)close(file);
    const unsigned before = atomic_load(&directories_synced);
    check_value("a", "1", "k", 84);
    ck_assert_uint_gt(atomic_load(&directories_synced), before);
}
END_TEST

/* Whether a read at this time of day, with the directory changed at that, syncs
 * the directory's names. */
static bool syncs_names(int64_t now_ms, int64_t changed_ms, long changed_ns)
{
    char name[96];
    const struct timespec changed = {
        .tv_sec = (time_t)(changed_ms / 1000),
        .tv_nsec = (long)(changed_ms % 1000) * 1000000 + changed_ns};
    const struct timespec times[] = {changed, changed};
    (void)snprintf(name, sizeof(name), "%s/db", path);
    ck_assert_int_eq(utimensat(AT_FDCWD, name, times, 0), 0);
    atomic_store(&wall_ms, now_ms);
    const unsigned before = atomic_load(&directories_synced);
    check_absent("a");
    atomic_store(&wall_ms, 0);
    return atomic_load(&directories_synced) > before;
}

START_TEST(names_are_synced_until_the_directory_must_have_another_time)
{
    const int64_t changed = INT64_C(1700000000000);
    ck_assert(syncs_names(changed + 15, changed, 1));
    ck_assert(syncs_names(changed + 25, changed, 1));
    ck_assert(!syncs_names(changed + 26, changed, 1));
}
END_TEST

/* A time of whole seconds, or of every second one, is that of later changes
 * too. */
START_TEST(names_are_synced_for_longer_where_times_are_coarse)
{
    const int64_t changed = INT64_C(1700000001000);
    ck_assert(syncs_names(changed + 900, changed, 0));
    ck_assert(syncs_names(changed + 2050, changed, 0));
    ck_assert(syncs_names(changed + 2150, changed, 0));
    ck_assert(!syncs_names(changed + 2151, changed, 0));
    ck_assert(syncs_names(changed + 900, changed + 10, 0));
    ck_assert(syncs_names(changed + 2200, changed + 10, 0));
    ck_assert(!syncs_names(changed + 2201, changed + 10, 0));
}
END_TEST

/* Answers are what takes memory. Those that were not made at first follow, and
 * all come in the order of their questions. */
START_TEST(few_big_answers_are_there_at_a_time)
{
    char big[LIMIT_VALUE_BYTES];
    memset(big, 'v', sizeof(big));
    big[sizeof(big) - 1] = '\0';
    check_done(set("a", big, "k", 1), 1);
    const uint64_t before = answered;
    for (int i = 0; i < 1000; i++) {
        ask(COMMAND_QUERY_FENCED, "a");
    }
    fence_store_turn(store);
    struct pollfd reads = {fence_store_reads_fd(store), POLLIN, 0};
    ck_assert_int_eq(poll(&reads, 1, 60000), 1);
    fence_store_collect(store, reads.fd, note, NULL);
    const uint64_t at_once = LIMIT_STORE_ANSWERS_BYTES / sizeof(big) + 1;
    ck_assert_uint_ge(answered, before + 1);
    ck_assert_uint_le(answered, before + at_once);
    ck_assert_uint_eq(fence_store_count(store).open,
                      1000 - (answered - before));
    check_value("a", big, "k", 1);
}
END_TEST

START_TEST(reads_that_were_not_begun_end_with_the_store)
{
    for (int i = 0; i < 1000; i++) {
        ask(COMMAND_QUERY_FENCED, "a");
    }
    reopen();
    answered = last_ask;
    check_absent("a");
}
END_TEST

START_TEST(nothing_else_is_taken)
{
    const struct lock_command acquire = {.kind = LOCK_COMMAND_ACQUIRE};
    const struct command_query scan = {.kind = COMMAND_QUERY_SCAN};
    ck_assert_int_eq(fence_store_write(store, 1, &acquire), STATUS_BAD_TYPE);
    ck_assert_int_eq(fence_store_read(store, 1, &scan), STATUS_BAD_TYPE);
    const struct lock_command empty = {
        .kind = LOCK_COMMAND_FENCE_SET,
        .fence_set = {0, bytes_of_text("k"), 1, NULL, 0}};
    ck_assert_int_eq(fence_store_write(store, 1, &empty), STATUS_BAD_VALUE);
    ck_assert_uint_eq(fence_store_count(store).open, 0);
}
END_TEST

START_TEST(a_directory_has_one_user)
{
    struct fence_store *second = NULL;
    ck_assert_int_eq(fence_store_open(path, (struct table_seed){{1, 2}},
                                      &second, reason, sizeof(reason)),
                     STORE_IN_USE);
    ck_assert_ptr_null(second);
}
END_TEST

START_TEST(the_directory_of_a_node_is_refused)
{
    struct store *node = NULL;
    struct store_recovered found;
    struct raft_members members = {0};
    const struct store_options options = {.self = 2};
    const struct store_identity identity = {.self = 2, .incarnation = 7};
    char name[96];
    (void)snprintf(name, sizeof(name), "%s/node", path);
    ck_assert_int_eq(
        store_open(name, &options, &node, &found, reason, sizeof(reason)),
        STORE_OK);
    ck_assert_int_eq(
        store_create(node, &identity, &members, &found, reason, sizeof(reason)),
        STORE_OK);
    store_recovered_close(&found);
    store_close(node);

    struct fence_store *second = NULL;
    ck_assert_int_eq(fence_store_open(name, (struct table_seed){{1, 2}},
                                      &second, reason, sizeof(reason)),
                     STORE_FOREIGN);
    ck_assert_str_eq(reason, "it is not of holdfast-store");
}
END_TEST

static Suite *suite(void)
{
    Suite *suite_ = suite_create("fence_store");
    TCase *tests = tcase_create("store");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_newer_token_writes_and_an_older_one_does_not);
    tcase_add_test(tests, locks_have_fences_of_their_own);
    tcase_add_test(tests, a_delete_counts_what_was_there_and_raises_the_fence);
    tcase_add_test(tests, writes_of_one_batch_see_each_other);
    tcase_add_test(tests, a_delete_sees_what_its_batch_did_before_it);
    tcase_add_test(tests, more_fences_than_are_remembered_still_hold);
    tcase_add_test(tests, values_and_fences_survive_a_restart);
    tcase_add_test(tests, what_was_handed_over_is_written_before_the_end);
    tcase_add_test(tests, a_value_is_told_when_the_name_of_its_file_is_durable);
    tcase_add_test(tests,
                   names_are_synced_until_the_directory_must_have_another_time);
    tcase_add_test(tests, names_are_synced_for_longer_where_times_are_coarse);
    tcase_add_test(tests, few_big_answers_are_there_at_a_time);
    tcase_add_test(tests, reads_that_were_not_begun_end_with_the_store);
    tcase_add_test(tests, nothing_else_is_taken);
    tcase_add_test(tests, a_directory_has_one_user);
    tcase_add_test(tests, the_directory_of_a_node_is_refused);
    suite_add_tcase(suite_, tests);
    return suite_;
}

int main(void)
{
    return check_run(suite());
}
