/* test_lock_batch.c - several commands as one entry. */
#include "lock/lock_batch.h"

#include <string.h>

#include "unit/lock/machine_fixture.h"

static struct buffer watches;
static struct buffer operations;
static size_t watches_count;
static size_t operations_count;
static struct reader answers;

static void open_both(void)
{
    open_machine();
    buffer_init(&watches);
    buffer_init(&operations);
    watches_count = 0;
    operations_count = 0;
}

static void close_both(void)
{
    buffer_close(&watches);
    buffer_close(&operations);
    close_machine();
}

static void also(struct lock_command command)
{
    ck_assert_int_eq(lock_batch_add(&operations, &command), STATUS_OK);
    operations_count++;
}

static void also_set(const char *key, struct bytes value, bool get)
{
    also((struct lock_command){
        .kind = LOCK_COMMAND_SET,
        .set = {.key = text(key), .value = value, .get = get}});
}

static void also_add(const char *key, int64_t amount)
{
    also((struct lock_command){.kind = LOCK_COMMAND_ADD,
                               .add = {0, text(key), amount}});
}

/* As it is now. */
static void watch(const char *key)
{
    struct lock_watch seen = {.key = text(key)};
    seen.type = lock_read_look(machine, now, 0, seen.key, &seen.revision);
    lock_batch_add_watch(&watches, &seen);
    watches_count++;
}

static struct lock_batch batch(void)
{
    return (struct lock_batch){buffer_view(&watches), watches_count,
                               buffer_view(&operations), operations_count};
}

static enum lock_result run(void)
{
    apply((struct lock_command){.kind = LOCK_COMMAND_BATCH, .batch = batch()});
    answers = reader_of(outcome.answer.value);
    return outcome.answer.result;
}

static struct lock_answer next(void)
{
    struct lock_answer answer;
    ck_assert(lock_batch_next_answer(&answers, &answer));
    return answer;
}

START_TEST(operations_see_what_those_before_them_did)
{
    also_set("k", text("41"), false);
    also_add("k", 1);
    also((struct lock_command){.kind = LOCK_COMMAND_APPEND,
                               .append = {0, text("k"), text("x")}});
    also_add("k", 1);
    also_set("k", text("end"), true);

    ck_assert_int_eq(run(), LOCK_DONE);

    ck_assert_int_eq(outcome.answer.count, 5);
    ck_assert_int_eq(next().result, LOCK_DONE);
    ck_assert_int_eq(next().count, 42);
    ck_assert_int_eq(next().count, 3);
    ck_assert_int_eq(next().result, LOCK_NOT_A_NUMBER);
    const struct lock_answer last = next();
    ck_assert(last.has_value);
    ck_assert(bytes_equal(last.value, text("42x")));
    ck_assert_uint_eq(answers.rest.count, 0);
    assert_value("k", "end");
}
END_TEST

START_TEST(nothing_happens_if_a_watched_key_changed)
{
    set("w", "1");
    watch("w");
    watch("none");
    also_set("k", text("v"), false);
    ck_assert_int_eq(run(), LOCK_DONE);
    ck_assert_int_eq(apply((struct lock_command){
                         .kind = LOCK_COMMAND_DELETE,
                         .delete_ = {.keys = &(struct bytes){text("k").data, 1},
                                     .keys_count = 1}}),
                     LOCK_DONE);
    ck_assert_int_eq(run(), LOCK_DONE);
    set("k", "old");

    set("w", "1");
    ck_assert_int_eq(run(), LOCK_REFUSED);
    ck_assert(!outcome.answer.has_value);
    assert_value("k", "old");
}
END_TEST

START_TEST(a_watched_key_that_ends_or_comes_is_a_change)
{
    set_for("w", "1", 10);
    watch("w");
    also_add("k", 1);
    now += 9;
    ck_assert_int_eq(run(), LOCK_DONE);
    now += 1;
    ck_assert_int_eq(run(), LOCK_REFUSED);

    buffer_clear(&watches);
    watches_count = 0;
    watch("w");
    ck_assert_int_eq(run(), LOCK_DONE);
    set("w", "");
    ck_assert_int_eq(run(), LOCK_REFUSED);
}
END_TEST

START_TEST(a_watched_lock_changes_with_its_holder)
{
    acquire("l", "ann");
    watch("l");
    const uint64_t token = outcome.answer.token;
    also_add("k", 1);
    ck_assert_int_eq(run(), LOCK_DONE);
    apply((struct lock_command){.kind = LOCK_COMMAND_RELEASE,
                                .release = {text("l"), text("ann"), token}});
    ck_assert_int_eq(run(), LOCK_REFUSED);
    acquire("l", "ann");
    ck_assert_int_eq(run(), LOCK_REFUSED);
    also_set("l", text("v"), false);
    buffer_clear(&watches);
    watches_count = 0;
    ck_assert_int_eq(run(), LOCK_DONE);
    next();
    ck_assert_int_eq(next().result, LOCK_WRONG_TYPE);
}
END_TEST

START_TEST(an_operation_whose_answer_does_not_fit_is_not_carried_out)
{
    static uint8_t large[LIMIT_VALUE_BYTES - 2000];
    memset(large, 'x', sizeof(large));
    set_as((struct lock_set){.key = text("k"),
                             .value = bytes_of(large, sizeof(large))});
    also_set("k", text("new"), true);
    also_add("n", 1);
    ck_assert_int_eq(run(), LOCK_DONE);
    ck_assert_uint_eq(next().value.count, sizeof(large));

    set_as((struct lock_set){.key = text("k"),
                             .value = bytes_of(large, sizeof(large))});
    buffer_clear(&operations);
    operations_count = 0;
    for (int i = 0; i < 1100; i++) {
        also_set("other", text(""), false);
    }
    also_set("k", text("new"), true);
    also_add("n", 1);
    ck_assert_int_eq(run(), LOCK_DONE);
    for (int i = 0; i < 1100; i++) {
        next();
    }
    ck_assert_int_eq(next().result, LOCK_TOO_LONG);
    ck_assert_int_eq(next().count, 2);
    struct bytes value;
    ck_assert(lock_get(machine, 0, text("k"), now, &value, NULL));
    ck_assert_uint_eq(value.count, sizeof(large));
}
END_TEST

START_TEST(a_repeated_batch_is_answered_and_not_carried_out_again)
{
    from = (struct lock_command_head){
        .origin = {1, 1}, .number = 1, .first_unanswered = 1};
    also_add("n", 5);
    run();
    reload();
    ck_assert_int_eq(run(), LOCK_DONE);
    ck_assert(outcome.repeated);
    ck_assert_int_eq(next().count, 5);
    assert_value("n", "5");
}
END_TEST

START_TEST(what_is_no_batch_is_refused)
{
    const struct lock_command wrong[] = {
        {.kind = LOCK_COMMAND_TICK},
        {.kind = LOCK_COMMAND_ACQUIRE,
         .acquire = {.key = text("k"),
                     .owner = text("o"),
                     .mode = LOCK_EXCLUSIVE,
                     .ttl_ms = 1}},
        {.kind = LOCK_COMMAND_SWEEP, .sweep = {0, text("k"), 1}},
        {.kind = LOCK_COMMAND_BATCH},
        {.kind = 200},
    };
    struct lock_batch made;
    for (size_t i = 0; i < 5; i++) {
        ck_assert_int_eq(lock_batch_add(&operations, &wrong[i]),
                         STATUS_BAD_TYPE);
    }
    ck_assert_uint_eq(operations.count, 0);
    watch("w");
    also_add("k", 1);
    also_add("k", 2);
    made = batch();
    ck_assert_int_eq(lock_batch_check(&made), STATUS_OK);
    made.operations_count = 3;
    ck_assert_int_eq(lock_batch_check(&made), STATUS_BAD_LENGTH);
    made = batch();
    made.watches_count = 0;
    ck_assert_int_eq(lock_batch_check(&made), STATUS_BAD_LENGTH);
    for (size_t count = 0; count < operations.count; count++) {
        made = batch();
        made.operations.count = count;
        ck_assert_int_ne(lock_batch_check(&made), STATUS_OK);
    }
    made = batch();
    operations.data[0] = LOCK_COMMAND_SWEEP;
    ck_assert_int_eq(lock_batch_check(&made), STATUS_BAD_TYPE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_batch");
    TCase *tests = tcase_create("batches");

    tcase_add_checked_fixture(tests, open_both, close_both);
    tcase_add_test(tests, operations_see_what_those_before_them_did);
    tcase_add_test(tests, nothing_happens_if_a_watched_key_changed);
    tcase_add_test(tests, a_watched_key_that_ends_or_comes_is_a_change);
    tcase_add_test(tests, a_watched_lock_changes_with_its_holder);
    tcase_add_test(tests,
                   an_operation_whose_answer_does_not_fit_is_not_carried_out);
    tcase_add_test(tests,
                   a_repeated_batch_is_answered_and_not_carried_out_again);
    tcase_add_test(tests, what_is_no_batch_is_refused);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}
