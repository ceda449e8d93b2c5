/* test_lock_read.c - questions about data keys. */
#include "lock/lock_read.h"

#include "unit/lock/machine_fixture.h"

static struct buffer question;
static struct buffer answer;
static struct reader reader;

static void open_both(void)
{
    open_machine();
    buffer_init(&question);
    buffer_init(&answer);
}

static void close_both(void)
{
    buffer_close(&question);
    buffer_close(&answer);
    close_machine();
}

static bool ask(const struct bytes *keys, size_t count, unsigned want,
                size_t bytes_max)
{
    buffer_clear(&question);
    buffer_clear(&answer);
    lock_read_encode(&(struct lock_question){.kind = LOCK_READ_LOOKUP,
                                             .want = want,
                                             .keys = keys,
                                             .keys_count = count},
                     &question);
    ck_assert_int_eq(lock_read_check(buffer_view(&question)), STATUS_OK);
    const bool fits = lock_read_answer(machine, now, buffer_view(&question),
                                       bytes_max, &answer);
    reader = reader_of(buffer_view(&answer));
    return fits;
}

static struct lock_read_item ask_one(const char *key, unsigned want)
{
    const struct bytes name = text(key);
    struct lock_read_item item;
    ck_assert(ask(&name, 1, want, 1000));
    ck_assert(lock_read_next(&reader, want, &item));
    ck_assert(!lock_read_next(&reader, want, &(struct lock_read_item){0}));
    return item;
}

START_TEST(a_name_is_nothing_a_string_or_a_held_lock)
{
    set("s", "v");
    acquire("l", "ann");
    set_for("old", "v", 5);
    now += 5;
    set("s", "v");

    ck_assert_int_eq(ask_one("n", LOCK_READ_WANTS).type, LOCK_READ_NONE);
    ck_assert_int_eq(ask_one("s", LOCK_READ_WANTS).type, LOCK_READ_STRING);
    ck_assert_int_eq(ask_one("l", LOCK_READ_WANTS).type, LOCK_READ_LOCK);
    ck_assert_int_eq(ask_one("old", LOCK_READ_WANTS).type, LOCK_READ_NONE);
}
END_TEST

START_TEST(a_key_is_there_until_an_entry_is_behind_its_end)
{
    set_for("k", "v", 5);
    now += 6;

    /* Else the next leader, whose clock may be behind, would bring it back. */
    const struct lock_read_item item = ask_one("k", LOCK_READ_WANTS);
    ck_assert_int_eq(item.type, LOCK_READ_STRING);
    ck_assert_uint_eq(item.left_ms, 0);
}
END_TEST

START_TEST(only_what_is_wanted_is_told)
{
    set_as((struct lock_set){.key = text("k"),
                             .value = text("value"),
                             .lifetime = LOCK_LIFE_WALL,
                             .time_ms = wall + 70});
    now += 20;

    struct lock_read_item item = ask_one("k", LOCK_READ_WANTS);
    ck_assert(bytes_equal(item.value, text("value")));
    ck_assert_uint_eq(item.length, 5);
    ck_assert_uint_eq(item.left_ms, 50);
    ck_assert_uint_eq(item.wall, wall + 70);
    ck_assert_uint_eq(item.revision, 1);
    item = ask_one("k", LOCK_READ_LENGTH);
    ck_assert_uint_eq(item.value.count, 0);
    ck_assert_uint_eq(item.length, 5);
    ck_assert_uint_eq(item.wall, 0);
    set("k", "for ever");
    ck_assert_uint_eq(ask_one("k", LOCK_READ_TIMES).left_ms, TIME_NEVER);
}
END_TEST

START_TEST(every_change_is_another_revision)
{
    set("k", "1");
    ck_assert_uint_eq(ask_one("k", LOCK_READ_REVISION).revision, 1);
    add("k", 1);
    ck_assert_uint_eq(ask_one("k", LOCK_READ_REVISION).revision, 2);
    append("k", "x");
    ck_assert_uint_eq(ask_one("k", LOCK_READ_REVISION).revision, 3);
    limit("k", LOCK_LIFE_RELATIVE, 9, LOCK_DEADLINE_ALWAYS);
    ck_assert_uint_eq(ask_one("k", LOCK_READ_REVISION).revision, 4);
    limit("k", LOCK_LIFE_RELATIVE, 9, LOCK_DEADLINE_IF_NONE);
    ck_assert_uint_eq(ask_one("k", LOCK_READ_REVISION).revision, 4);
    limit("k", LOCK_LIFE_FOREVER, 0, LOCK_DEADLINE_ALWAYS);
    reload();
    ck_assert_uint_eq(ask_one("k", LOCK_READ_REVISION).revision, 6);
    acquire("other", "ann");
    ck_assert_uint_eq(ask_one("k", LOCK_READ_REVISION).revision, 6);
    ck_assert_uint_eq(ask_one("other", LOCK_READ_REVISION).revision,
                      outcome.answer.token);
}
END_TEST

static uint64_t share(const char *owner)
{
    ck_assert_int_eq(
        apply((struct lock_command){.kind = LOCK_COMMAND_ACQUIRE,
                                    .acquire = {.key = text("shared"),
                                                .owner = text(owner),
                                                .mode = LOCK_SHARED,
                                                .ttl_ms = 1000}}),
        LOCK_GRANTED);
    return outcome.answer.token;
}

static void give_back(const char *owner, uint64_t token)
{
    apply(
        (struct lock_command){.kind = LOCK_COMMAND_RELEASE,
                              .release = {text("shared"), text(owner), token}});
}

START_TEST(the_revision_of_a_shared_lock_is_its_last_grant)
{
    const uint64_t first = share("ann");
    ck_assert_uint_eq(ask_one("shared", LOCK_READ_REVISION).revision, first);
    const uint64_t second = share("ben");
    const uint64_t third = share("cat");
    ck_assert_uint_eq(ask_one("shared", LOCK_READ_REVISION).revision, third);
    give_back("ann", first);
    ck_assert_uint_eq(ask_one("shared", LOCK_READ_REVISION).revision, third);
    give_back("cat", third);
    ck_assert_uint_eq(ask_one("shared", LOCK_READ_REVISION).revision, second);
    give_back("ben", second);
    ck_assert_int_eq(ask_one("shared", LOCK_READ_REVISION).type,
                     LOCK_READ_NONE);
}
END_TEST

START_TEST(an_answer_that_is_too_long_is_none)
{
    const struct bytes keys[] = {text("a"), text("b"), text("a")};
    set("a", "1234567890");
    set("b", "1234567890");

    ck_assert(ask(keys, 3, LOCK_READ_VALUE, 45));
    ck_assert_uint_eq(answer.count, 45);
    ck_assert(!ask(keys, 3, LOCK_READ_VALUE, 44));
    ck_assert_uint_eq(answer.count, 0);
}
END_TEST

START_TEST(what_is_no_question_is_refused)
{
    const struct bytes key = text("key");
    ck_assert(ask(&key, 1, LOCK_READ_VALUE, 100));
    for (size_t count = 0; count < question.count; count++) {
        ck_assert_int_ne(lock_read_check(bytes_of(question.data, count)),
                         STATUS_OK);
    }
    for (size_t at = 0; at < 3; at++) {
        const uint8_t before = question.data[at];
        question.data[at] = 99;
        ck_assert_int_eq(lock_read_check(buffer_view(&question)),
                         STATUS_BAD_VALUE);
        question.data[at] = before;
    }
    buffer_u8(&question, 0);
    ck_assert_int_eq(lock_read_check(buffer_view(&question)),
                     STATUS_BAD_LENGTH);
}
END_TEST

START_TEST(keys_are_counted_for_each_database)
{
    size_t limited;
    set("a", "1");
    set_for("b", "1", 10);
    set_as((struct lock_set){.database = 3, .key = text("c")});
    ck_assert_uint_eq(lock_count_database(machine, 0, &limited), 2);
    ck_assert_uint_eq(limited, 1);
    ck_assert_uint_eq(lock_count_database(machine, 3, &limited), 1);
    ck_assert_uint_eq(limited, 0);
    reload();
    ck_assert_uint_eq(lock_count_database(machine, 0, &limited), 2);
    ck_assert_uint_eq(limited, 1);
    limit("b", LOCK_LIFE_FOREVER, 0, LOCK_DEADLINE_ALWAYS);
    ck_assert_uint_eq(lock_count_database(machine, 0, &limited), 2);
    ck_assert_uint_eq(limited, 0);

    buffer_clear(&question);
    lock_read_encode(
        &(struct lock_question){.kind = LOCK_READ_COUNT, .database = 3},
        &question);
    ck_assert_int_eq(
        apply((struct lock_command){.kind = LOCK_COMMAND_READ,
                                    .read = {buffer_view(&question)}}),
        LOCK_DONE);
    reader = reader_of(outcome.answer.value);
    ck_assert_uint_eq(lock_read_count(&reader), 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_read");
    TCase *tests = tcase_create("questions");

    tcase_add_checked_fixture(tests, open_both, close_both);
    tcase_add_test(tests, a_name_is_nothing_a_string_or_a_held_lock);
    tcase_add_test(tests, a_key_is_there_until_an_entry_is_behind_its_end);
    tcase_add_test(tests, only_what_is_wanted_is_told);
    tcase_add_test(tests, every_change_is_another_revision);
    tcase_add_test(tests, the_revision_of_a_shared_lock_is_its_last_grant);
    tcase_add_test(tests, an_answer_that_is_too_long_is_none);
    tcase_add_test(tests, what_is_no_question_is_refused);
    tcase_add_test(tests, keys_are_counted_for_each_database);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}
