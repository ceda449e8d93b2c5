/* test_lock_loader.c - records become the machine they came from, or nothing.
 *
 * Damaged records are made from good ones by changing a field, a byte, or a
 * whole record. Whatever comes, the answer is a status, and what is accepted
 * is a machine without contradictions.
 */
#include "base/random.h"
#include "lock/lock_machine.h"
#include "unit/lock/lock_fixture.h"

#define RECORDS_MAX 64

static struct {
    struct buffer key;
    struct buffer value;
} records[RECORDS_MAX];
static size_t records_count;

static void keep_record(void *context, const struct lock_record *record)
{
    (void)context;
    ck_assert_uint_lt(records_count, RECORDS_MAX);
    buffer_append(&records[records_count].key, record->key);
    buffer_append(&records[records_count].value, record->value);
    records_count++;
}

static void drop_records(void)
{
    for (size_t i = 0; i < records_count; i++) {
        buffer_close(&records[i].key);
        buffer_close(&records[i].value);
    }
    records_count = 0;
}

static void keep_records(void)
{
    drop_records();
    lock_visit_records(machine, keep_record, NULL);
}

/* Feed what is kept, last record first if so wished. A machine that comes out
 * is looked at and freed. */
static enum status load(bool backwards)
{
    struct lock_loader *loader = lock_loader_new((struct table_seed){{3, 4}});
    struct lock_machine *loaded = NULL;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < records_count; i++) {
        const size_t at = backwards ? records_count - 1 - i : i;
        status = lock_loader_feed(loader, buffer_view(&records[at].key),
                                  buffer_view(&records[at].value));
    }
    if (status == STATUS_OK) {
        status = lock_loader_finish(loader, &loaded);
    }
    ck_assert((status == STATUS_OK) == (loaded != NULL));
    if (loaded != NULL) {
        lock_check_invariants(loaded);
        lock_machine_free(loaded);
    }
    lock_loader_free(loader);
    return status;
}

/* Every kind of state a lock can be in. */
static void fill_machine(void)
{
    lock_open_reign(machine);
    take_delay("a", "ann", 500);
    take("a", "bob");
    share("a", "eve");
    share("b", "ann");
    now += 100;
    struct lock_acquire cached = wish("b", "bob", LOCK_SHARED);
    cached.seq = 3;
    cached.cache = true;
    ask(cached);
    take("b", "eve");
    lock_open_reign(machine);
    take_delay("c", "ann", 5000);
    take("d", "ann");
    share("c", "bob");
    expire("c", 4, 0);
    renew("b", "ann", 2, 700);
    speak_as(2, 5);
    take("b", "far");
    speak_as(3, 5);
    share("e", "far");
    from = (struct lock_command_head){0};
    lock_open_reign(machine);
    set_for("s", "v", 1000);
    now += 50;
    tick();
}

static void open_full(void)
{
    open_machine();
    fill_machine();
    keep_records();
}

static void close_full(void)
{
    drop_records();
    close_machine();
}

START_TEST(records_may_come_in_any_order)
{
    ck_assert_int_eq(load(false), STATUS_OK);
    ck_assert_int_eq(load(true), STATUS_OK);
}
END_TEST

/* One machine goes through saving and loading, its twin does not. */
START_TEST(a_loaded_machine_goes_on_as_if_nothing_had_happened)
{
    struct lock_machine *twin;
    struct random random;
    random_init(&random, 5);
    keep_records();
    struct lock_loader *loader = lock_loader_new((struct table_seed){{8, 1}});
    for (size_t i = 0; i < records_count; i++) {
        lock_loader_feed(loader, buffer_view(&records[i].key),
                         buffer_view(&records[i].value));
    }
    ck_assert_int_eq(lock_loader_finish(loader, &twin), STATUS_OK);
    lock_loader_free(loader);

    for (int i = 0; i < 3000; i++) {
        static const char *const keys[] = {"a", "b", "c", "d", "e"};
        static const char *const owners[] = {"ann", "bob", "eve", "far"};
        const char *key = keys[random_below(&random, 5)];
        const char *owner = owners[random_below(&random, 4)];
        const uint64_t token = 1 + random_below(&random, 8) +
                               (i > 20 ? lock_last_token(machine) - 8 : 0);
        const uint64_t verb = random_below(&random, 7);
        char said[2][sizeof(words)];
        now += random_below(&random, 30);
        for (int round = 0; round < 2; round++) {
            struct lock_machine *const other = machine;
            log_index -= round == 1 ? 1 : 0;
            verb == 0   ? take_delay(key, owner, 40)
            : verb == 1 ? share(key, owner)
            : verb == 2 ? release(key, owner, token)
            : verb == 3 ? expire(key, token, 0)
            : verb == 4 ? cancel(key, owner, 0)
            : verb == 5 ? orphans(2, 9, 1)
                        : break_lock(key, 0);
            strcpy(said[round], notices());
            machine = twin;
            twin = other;
        }
        ck_assert_str_eq(said[0], said[1]);
        ck_assert_uint_eq(lock_hash(machine), lock_hash(twin));
        if (i % 100 == 0) {
            reload();
        }
    }
    lock_machine_free(twin);
}
END_TEST

START_TEST(the_numbers_of_the_machine_must_be_there_once)
{
    struct buffer key = records[0].key;
    ck_assert_uint_eq(key.data[0], LOCK_RECORD_META);
    key.data[0] = LOCK_RECORD_LOCK;
    ck_assert_int_ne(load(false), STATUS_OK);
    key.data[0] = LOCK_RECORD_META;

    struct lock_loader *loader = lock_loader_new((struct table_seed){{3, 4}});
    struct lock_machine *loaded;
    const struct bytes value = buffer_view(&records[0].value);
    ck_assert_int_eq(lock_loader_finish(loader, &loaded), STATUS_BAD_VALUE);
    lock_loader_free(loader);
    loader = lock_loader_new((struct table_seed){{3, 4}});
    ck_assert_int_eq(lock_loader_feed(loader, buffer_view(&key), value),
                     STATUS_OK);
    ck_assert_int_eq(lock_loader_feed(loader, buffer_view(&key), value),
                     STATUS_BAD_VALUE);
    ck_assert_int_eq(lock_loader_finish(loader, &loaded), STATUS_BAD_VALUE);
    ck_assert_ptr_null(loaded);
    lock_loader_free(loader);
}
END_TEST

START_TEST(every_record_must_be_there_once)
{
    for (size_t i = 0; i < records_count; i++) {
        struct lock_loader *loader =
            lock_loader_new((struct table_seed){{3, 4}});
        const struct bytes key = buffer_view(&records[i].key);
        const struct bytes value = buffer_view(&records[i].value);
        ck_assert_int_eq(lock_loader_feed(loader, key, value), STATUS_OK);
        ck_assert_int_ne(lock_loader_feed(loader, key, value), STATUS_OK);
        lock_loader_free(loader);
    }
}
END_TEST

START_TEST(kinds_that_do_not_exist_are_refused)
{
    const uint8_t key[2] = {99, 'k'};
    ck_assert_int_eq(load_record(bytes_of(key, 2), text("x")),
                     STATUS_BAD_VALUE);
    ck_assert_int_eq(load_record(bytes_of(NULL, 0), text("x")),
                     STATUS_BAD_LENGTH);
    const uint8_t zero[1] = {0};
    ck_assert_int_eq(load_record(bytes_of(zero, 1), text("x")),
                     STATUS_BAD_VALUE);
}
END_TEST

START_TEST(a_record_of_any_other_length_is_refused)
{
    for (size_t i = 0; i < records_count; i++) {
        const size_t count = records[i].value.count;
        for (size_t cut = 0; cut < count; cut++) {
            records[i].value.count = cut;
            ck_assert_int_ne(load(false), STATUS_OK);
        }
        records[i].value.count = count;
        buffer_u8(&records[i].value, 0);
        ck_assert_int_ne(load(false), STATUS_OK);
        buffer_cut(&records[i].value, count);
    }
    ck_assert_int_eq(load(false), STATUS_OK);
}
END_TEST

/* Most changes are refused. What is accepted had its invariants checked. */
START_TEST(any_changed_byte_gives_a_status)
{
    size_t refused_count = 0;
    size_t count = 0;
    for (size_t i = 0; i < records_count; i++) {
        for (size_t at = 0; at < records[i].value.count; at++) {
            uint8_t *byte = &records[i].value.data[at];
            const uint8_t good = *byte;
            for (unsigned bit = 0; bit < 8; bit++) {
                *byte = (uint8_t)(good ^ 1U << bit);
                refused_count += load(bit % 2 == 0) != STATUS_OK ? 1 : 0;
                count++;
            }
            *byte = good;
        }
    }
    ck_assert_uint_gt(refused_count * 3, count);
    ck_assert_int_eq(load(false), STATUS_OK);
}
END_TEST

START_TEST(rubbish_gives_a_status)
{
    struct random random;
    random_init(&random, 12);
    for (int i = 0; i < 20000; i++) {
        uint8_t key[12];
        uint8_t value[200];
        const size_t key_count = random_below(&random, sizeof(key));
        const size_t value_count = random_below(&random, sizeof(value));
        for (size_t at = 0; at < sizeof(value); at++) {
            value[at] = random_chance(&random, 2, 3)
                            ? (uint8_t)random_below(&random, 3)
                            : (uint8_t)random_next(&random);
        }
        memcpy(key, value + 100, sizeof(key));
        key[0] = (uint8_t)random_below(&random, 7);
        value[0] = 1;
        load_record(bytes_of(key, key_count), bytes_of(value, value_count));
    }
}
END_TEST

/* More than are hashed at a time, behind the numbers of the machine: those name
 * the reigns that are over, and which these are is only known in the end. */
START_TEST(a_machine_of_many_records_and_reigns_is_loaded)
{
    char key[16];
    uint64_t token = 0;
    lock_open_reign(machine);
    const uint64_t reign = lock_reign(machine);
    for (unsigned i = 0; i < 3000; i++) {
        if (i % 1000 == 1) {
            token = outcome.answer.token;
            lock_open_reign(machine);
        }
        snprintf(key, sizeof(key), "many %u", i);
        take(key, "ann");
    }
    const uint64_t ticket = outcome.answer.ticket;
    lock_open_reign(machine);
    reload();

    ck_assert_uint_eq(lock_loaded_ticket(machine), ticket);
    ck_assert_uint_eq(grant_of("many 2000", token).reign, reign + 2);
}
END_TEST

static TCase *record_tests(void)
{
    TCase *tests = tcase_create("records");

    tcase_add_checked_fixture(tests, open_full, close_full);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, records_may_come_in_any_order);
    tcase_add_test(tests, a_loaded_machine_goes_on_as_if_nothing_had_happened);
    tcase_add_test(tests, a_machine_of_many_records_and_reigns_is_loaded);
    tcase_add_test(tests, the_numbers_of_the_machine_must_be_there_once);
    tcase_add_test(tests, every_record_must_be_there_once);
    tcase_add_test(tests, kinds_that_do_not_exist_are_refused);
    tcase_add_test(tests, a_record_of_any_other_length_is_refused);
    tcase_add_test(tests, any_changed_byte_gives_a_status);
    tcase_add_test(tests, rubbish_gives_a_status);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("lock_loader");

    suite_add_tcase(suite, record_tests());
    return check_run(suite);
}
