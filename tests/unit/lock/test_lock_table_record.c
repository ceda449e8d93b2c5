/* test_lock_table_record.c - a record says what can be, or is refused.
 *
 * Records are written here field by field, each with one thing that no machine
 * would have written.
 */
#include "unit/lock/lock_fixture.h"

struct fields {
    uint8_t mode;
    uint8_t cache;
    const char *owner;
    uint64_t seq;
    uint64_t ticket;
    time_ms_t since;
    time_ms_t ttl_ms;
    time_ms_t delay_ms;
    uint64_t token; /* 0: a waiter */
    time_ms_t clock;
    uint64_t reign;
};

static void write_claim(struct buffer *out, struct fields fields)
{
    buffer_u8(out, fields.mode);
    buffer_u8(out, fields.cache);
    buffer_bytes16(out, text(fields.owner));
    buffer_u64(out, fields.seq);
    buffer_u64(out, fields.ticket);
    buffer_u64(out, fields.since);
    buffer_u64(out, fields.ttl_ms);
    buffer_u64(out, fields.delay_ms);
    buffer_u64(out, 0);
    buffer_u64(out, 0);
    buffer_u64(out, 0);
    if (fields.token != 0) {
        buffer_u64(out, fields.token);
        buffer_u64(out, fields.clock);
        buffer_u64(out, fields.reign);
        buffer_u32(out, 0);
    }
}

/* A machine at clock 2000 in reign 5, with tokens up to 50, and reign 3 ended
 * at 1500; and one lock. */
static enum status load_lock(time_ms_t delayed_until, size_t holders_count,
                             size_t waiters_count, const struct fields *claims)
{
    struct lock_loader *loader = lock_loader_new((struct table_seed){{3, 4}});
    struct lock_machine *loaded = NULL;
    struct buffer value = {0};
    bool ended = false;
    for (size_t i = 0; i < holders_count; i++) {
        ended = ended || claims[i].reign == 3;
    }
    const uint64_t numbers[6] = {2000, 9000, 5, 0, 50, 50};
    buffer_u8(&value, 1);
    for (size_t i = 0; i < 6; i++) {
        buffer_u64(&value, numbers[i]);
    }
    buffer_u32(&value, ended ? 1 : 0);
    if (ended) {
        buffer_u64(&value, 3);
        buffer_u64(&value, 1500);
    }
    ck_assert_int_eq(
        lock_loader_feed(loader, text("\x01"), buffer_view(&value)), STATUS_OK);
    buffer_clear(&value);
    buffer_u8(&value, 1);
    buffer_u64(&value, delayed_until);
    buffer_u32(&value, (uint32_t)holders_count);
    buffer_u32(&value, (uint32_t)waiters_count);
    for (size_t i = 0; i < holders_count + waiters_count; i++) {
        write_claim(&value, claims[i]);
    }
    enum status status =
        lock_loader_feed(loader, text("\x02k"), buffer_view(&value));
    if (status == STATUS_OK) {
        status = lock_loader_finish(loader, &loaded);
    }
    if (loaded != NULL) {
        lock_check_invariants(loaded);
        lock_machine_free(loaded);
    }
    buffer_close(&value);
    lock_loader_free(loader);
    return status;
}

static const struct fields good_holder = {
    LOCK_EXCLUSIVE, 1, "ann", 7, 20, 1100, 1000, 5, 30, 1200, 5};
static const struct fields good_waiter = {LOCK_SHARED, 0, "bob", 7, 21, 1100,
                                          1000,        5, 0,     0, 0};

static enum status load_holder(struct fields holder)
{
    return load_lock(0, 1, 0, &holder);
}

static enum status load_waiter(struct fields waiter)
{
    const struct fields claims[2] = {good_holder, waiter};
    return load_lock(0, 1, 1, claims);
}

START_TEST(good_fields_are_accepted)
{
    ck_assert_int_eq(load_holder(good_holder), STATUS_OK);
    ck_assert_int_eq(load_waiter(good_waiter), STATUS_OK);
    struct fields old = good_holder;
    old.reign = 3;
    ck_assert_int_eq(load_holder(old), STATUS_OK);
    ck_assert_int_eq(load_lock(1, 0, 0, NULL), STATUS_OK);
}
END_TEST

#define REFUSED(good, field, bad)                                              \
    do {                                                                       \
        struct fields fields = good_##good;                                    \
        fields.field = bad;                                                    \
        ck_assert_int_eq(load_##good(fields), STATUS_BAD_VALUE);               \
    } while (0)

START_TEST(a_field_that_cannot_be_is_refused)
{
    REFUSED(holder, mode, 0);
    REFUSED(holder, mode, 3);
    REFUSED(holder, cache, 4);
    REFUSED(holder, owner, "");
    REFUSED(holder, ttl_ms, 0);
    REFUSED(holder, ttl_ms, LIMIT_TTL_MS + 1);
    REFUSED(holder, ttl_ms, UINT64_MAX);
    REFUSED(holder, delay_ms, LIMIT_TTL_MS + 1);
    REFUSED(holder, since, 1201); /* after it was last logged */
    REFUSED(holder, clock, 2001); /* after now */
    REFUSED(holder, token, 51);   /* not given yet */
    REFUSED(holder, reign, 4);    /* of which nothing is known */
    REFUSED(holder, reign, 6);    /* to come */
    REFUSED(waiter, since, 2001);
    REFUSED(waiter, owner, "");
    struct fields late = good_holder;
    late.reign = 3;
    late.clock = 1501; /* after the end of that reign */
    ck_assert_int_eq(load_holder(late), STATUS_BAD_VALUE);
}
END_TEST

START_TEST(claims_that_cannot_be_together_are_refused)
{
    struct fields claims[2] = {good_holder, good_holder};
    claims[1].owner = "eve";
    claims[1].token = 31;
    claims[1].ticket = 22;
    /* Two writers, a writer beside a reader, a reader beside a writer. */
    ck_assert_int_eq(load_lock(0, 2, 0, claims), STATUS_BAD_VALUE);
    claims[0].mode = LOCK_SHARED;
    ck_assert_int_eq(load_lock(0, 2, 0, claims), STATUS_BAD_VALUE);
    claims[0].mode = LOCK_EXCLUSIVE;
    claims[1].mode = LOCK_SHARED;
    ck_assert_int_eq(load_lock(0, 2, 0, claims), STATUS_BAD_VALUE);
    claims[0].mode = LOCK_SHARED;
    ck_assert_int_eq(load_lock(0, 2, 0, claims), STATUS_OK);
    /* Tokens out of order, or twice; the same ticket, the same identity. */
    claims[1].token = 29;
    ck_assert_int_eq(load_lock(0, 2, 0, claims), STATUS_BAD_VALUE);
    claims[1].token = 30;
    ck_assert_int_eq(load_lock(0, 2, 0, claims), STATUS_BAD_VALUE);
    claims[1].token = 31;
    claims[1].ticket = 20;
    ck_assert_int_eq(load_lock(0, 2, 0, claims), STATUS_BAD_VALUE);
    claims[1].ticket = 22;
    claims[1].owner = "ann";
    ck_assert_int_eq(load_lock(0, 2, 0, claims), STATUS_BAD_VALUE);
    claims[1].seq = 8;
    ck_assert_int_eq(load_lock(0, 2, 0, claims), STATUS_OK);
}
END_TEST

START_TEST(a_queue_that_cannot_be_is_refused)
{
    struct fields claims[3] = {good_holder, good_waiter, good_waiter};
    claims[2].owner = "eve";
    claims[2].ticket = 22;
    ck_assert_int_eq(load_lock(0, 1, 2, claims), STATUS_OK);
    claims[2].ticket = 21;
    ck_assert_int_eq(load_lock(0, 1, 2, claims), STATUS_BAD_VALUE);
    claims[2].ticket = 19;
    ck_assert_int_eq(load_lock(0, 1, 2, claims), STATUS_BAD_VALUE);
    claims[2].ticket = 20; /* that of the holder */
    ck_assert_int_eq(load_lock(0, 1, 2, claims), STATUS_BAD_VALUE);
    claims[2].ticket = 22;
    claims[2].owner = "bob";
    ck_assert_int_eq(load_lock(0, 1, 2, claims), STATUS_BAD_VALUE);
}
END_TEST

START_TEST(a_lock_that_would_have_advanced_is_refused)
{
    struct fields claims[2] = {good_holder, good_waiter};
    ck_assert_int_eq(load_lock(0, 0, 0, NULL), STATUS_BAD_VALUE);
    ck_assert_int_eq(load_lock(0, 0, 1, &claims[1]), STATUS_BAD_VALUE);
    ck_assert_int_eq(load_lock(2500, 0, 1, &claims[1]), STATUS_OK);
    claims[0].mode = LOCK_SHARED;
    ck_assert_int_eq(load_lock(0, 1, 1, claims), STATUS_BAD_VALUE);
    /* Under a delay it waits with reason, even if nobody noticed its end. */
    ck_assert_int_eq(load_lock(1, 1, 1, claims), STATUS_OK);
    ck_assert_int_eq(load_lock(UINT64_MAX, 1, 1, claims), STATUS_BAD_VALUE);
}
END_TEST

/* ---- the machine's numbers ---- */

static enum status load_meta(const uint64_t numbers[6], uint32_t ended_count,
                             const uint64_t *ended)
{
    struct buffer value = {0};
    struct lock_loader *loader = lock_loader_new((struct table_seed){{3, 4}});
    struct lock_machine *loaded = NULL;
    buffer_u8(&value, 1);
    for (size_t i = 0; i < 6; i++) {
        buffer_u64(&value, numbers[i]);
    }
    buffer_u32(&value, ended_count);
    for (size_t i = 0; i < 2 * (size_t)ended_count; i++) {
        buffer_u64(&value, ended[i]);
    }
    enum status status =
        lock_loader_feed(loader, text("\x01"), buffer_view(&value));
    if (status == STATUS_OK) {
        status = lock_loader_finish(loader, &loaded);
    }
    lock_machine_free(loaded);
    lock_loader_free(loader);
    buffer_close(&value);
    return status;
}

START_TEST(numbers_that_cannot_be_are_refused)
{
    const uint64_t good[6] = {2000, 9000, 5, 2, 50, (UINT64_C(1) << 40) + 50};
    const uint64_t bad[][2] = {
        {0, LIMIT_TIME_MS + 1},
        {1, LIMIT_TIME_MS + 1},
        {2, UINT64_MAX},
        {3, 0},
        {3, 8191},
        {4, 51},
        {4, UINT64_C(1) << 40},
        {5, 0},
        {5, UINT64_MAX},
    };
    ck_assert_int_eq(load_meta(good, 0, NULL), STATUS_OK);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        uint64_t numbers[6];
        memcpy(numbers, good, sizeof(numbers));
        numbers[bad[i][0]] = bad[i][1];
        ck_assert_int_eq(load_meta(numbers, 0, NULL), STATUS_BAD_VALUE);
    }
    /* A reign that no grant was logged in; in no order; not over yet. */
    ck_assert_int_eq(load_meta(good, 1, (uint64_t[]){3, 1000}),
                     STATUS_BAD_VALUE);
    ck_assert_int_eq(load_meta(good, 2, (uint64_t[]){3, 1000, 2, 1000}),
                     STATUS_BAD_VALUE);
    ck_assert_int_eq(load_meta(good, 2, (uint64_t[]){2, 1000, 3, 999}),
                     STATUS_BAD_VALUE);
    ck_assert_int_eq(load_meta(good, 1, (uint64_t[]){3, 2001}),
                     STATUS_BAD_VALUE);
    ck_assert_int_eq(load_meta(good, 1, (uint64_t[]){5, 1000}),
                     STATUS_BAD_VALUE);
}
END_TEST

static TCase *field_tests(void)
{
    TCase *tests = tcase_create("fields");

    tcase_add_test(tests, good_fields_are_accepted);
    tcase_add_test(tests, a_field_that_cannot_be_is_refused);
    tcase_add_test(tests, claims_that_cannot_be_together_are_refused);
    tcase_add_test(tests, a_queue_that_cannot_be_is_refused);
    tcase_add_test(tests, a_lock_that_would_have_advanced_is_refused);
    tcase_add_test(tests, numbers_that_cannot_be_are_refused);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("lock_table_record");

    suite_add_tcase(suite, field_tests());
    return check_run(suite);
}
