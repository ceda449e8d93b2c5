/* test_command_query.c - questions and answers, as bytes and back. */
#include "unit/command/state_fixture.h"

static struct command_query_reply reply;
static struct command_claim claim;

static void ask(struct command_query query)
{
    ck_assert_int_eq(command_query_read(answer_query(&query), &reply),
                     STATUS_OK);
    ck_assert_int_eq(reply.kind, query.kind);
}

static enum status decode(const struct command_query *query, size_t cut,
                          struct command_query *read)
{
    struct buffer bytes = {0};
    command_query_encode(query, &bytes);
    buffer_cut(&bytes, bytes.count - cut);
    const enum status status = command_query_decode(buffer_view(&bytes), read);
    buffer_close(&bytes);
    return status;
}

START_TEST(a_question_comes_back_as_it_was)
{
    const struct command_query query = {.kind = COMMAND_QUERY_WAITERS,
                                        .database = 15,
                                        .text = text("key"),
                                        .count = 77,
                                        .cursor = UINT64_MAX};
    struct buffer bytes = {0};
    struct command_query read;
    command_query_encode(&query, &bytes);
    ck_assert_int_eq(command_query_decode(buffer_view(&bytes), &read),
                     STATUS_OK);
    ck_assert_int_eq(read.kind, COMMAND_QUERY_WAITERS);
    ck_assert_uint_eq(read.database, 15);
    check_bytes(read.text, "key");
    ck_assert_uint_eq(read.count, 77);
    ck_assert_uint_eq(read.cursor, UINT64_MAX);
    buffer_close(&bytes);
}
END_TEST

START_TEST(what_is_no_question_is_refused)
{
    static char big[LIMIT_KEY_BYTES + 1];
    struct command_query read;
    struct command_query query = {.kind = COMMAND_QUERY_FENCED,
                                  .text = text("k")};
    for (size_t cut = 1; cut < 20; cut++) {
        ck_assert_int_eq(decode(&query, cut, &read), STATUS_BAD_LENGTH);
    }
    query.database = LIMIT_DATABASES;
    ck_assert_int_eq(decode(&query, 0, &read), STATUS_BAD_VALUE);
    query.database = 0;
    query.kind = 0;
    ck_assert_int_eq(decode(&query, 0, &read), STATUS_BAD_VALUE);
    query.kind = COMMAND_QUERY_SCAN; /* has no text */
    ck_assert_int_eq(decode(&query, 0, &read), STATUS_BAD_VALUE);
    query.kind = (enum command_query_kind)99;
    ck_assert_int_eq(decode(&query, 0, &read), STATUS_BAD_VALUE);
    query.kind = COMMAND_QUERY_FENCED;
    query.text = bytes_of(big, sizeof(big));
    ck_assert_int_eq(decode(&query, 0, &read), STATUS_BAD_VALUE);
    query.text = bytes_of("", 0);
    ck_assert_int_eq(decode(&query, 0, &read), STATUS_BAD_VALUE);
}
END_TEST

static void three_on_k(void)
{
    hold("k", "ann", LOCK_SHARED);
    hold("k", "ben", LOCK_SHARED);
    hold_seq("k", "cid", LOCK_EXCLUSIVE, 3);
}

START_TEST(a_lock_that_is_kept_back_is_told_with_what_is_left)
{
    const struct command_query query = {
        .kind = COMMAND_QUERY_LOCK, .text = text("k"), .count = 10};
    apply((struct lock_command){.kind = LOCK_COMMAND_ACQUIRE,
                                .acquire = {.key = text("k"),
                                            .owner = text("ann"),
                                            .mode = LOCK_EXCLUSIVE,
                                            .ttl_ms = 10,
                                            .delay_ms = 500}});
    ask(query);
    ck_assert_uint_eq(reply.delay_left_ms, 0);
    apply((struct lock_command){.kind = LOCK_COMMAND_EXPIRE,
                                .expire = {text("k"), 1, 0}});

    now += 200;
    ask(query);
    ck_assert_uint_eq(reply.lock.delayed_until, 1500);
    ck_assert_uint_eq(reply.delay_left_ms, 300);
    now += 400;
    ask(query);
    ck_assert_uint_eq(reply.delay_left_ms, 0);
}
END_TEST

START_TEST(holders_and_waiters_can_be_asked_for_alone)
{
    three_on_k();
    now += 5;
    ask((struct command_query){
        .kind = COMMAND_QUERY_LOCK, .text = text("k"), .count = 10});
    ck_assert_uint_eq(reply.holders_count, 2);
    ck_assert_uint_eq(reply.waiters_count, 1);
    ck_assert(!reply.cut);

    ask((struct command_query){
        .kind = COMMAND_QUERY_HOLDERS, .text = text("k"), .count = 10});
    ck_assert_uint_eq(reply.lock.holders_count, 2);
    ck_assert_int_eq(reply.lock.mode, LOCK_SHARED);
    ck_assert_uint_eq(reply.lock.waiters_count, 1);
    ck_assert_uint_eq(reply.last_token, 2);
    ck_assert_uint_eq(reply.holders_count, 2);
    ck_assert_uint_eq(reply.waiters_count, 0);
    ck_assert(command_query_next(&reply, &claim));
    check_bytes(claim.key, "k");
    check_bytes(claim.owner, "ann");
    ck_assert_uint_eq(claim.token, 1);
    ck_assert_uint_eq(claim.ticket, 1);
    ck_assert_uint_eq(claim.age_ms, 5);
    ck_assert_uint_eq(claim.left_ms, 4995);
    ck_assert(command_query_next(&reply, &claim));
    ck_assert(!command_query_next(&reply, &claim));

    ask((struct command_query){
        .kind = COMMAND_QUERY_WAITERS, .text = text("k"), .count = 10});
    ck_assert_uint_eq(reply.lock.holders_count, 2);
    ck_assert_uint_eq(reply.holders_count, 0);
    ck_assert_uint_eq(reply.waiters_count, 1);
    ck_assert(command_query_next(&reply, &claim));
    check_bytes(claim.owner, "cid");
    ck_assert_uint_eq(claim.seq, 3);
    ck_assert_uint_eq(claim.token, 0);
    ck_assert_int_eq(claim.mode, LOCK_EXCLUSIVE);
    ck_assert(!command_query_next(&reply, &claim));
}
END_TEST

START_TEST(a_list_that_is_cut_says_so)
{
    three_on_k();
    ask((struct command_query){
        .kind = COMMAND_QUERY_HOLDERS, .text = text("k"), .count = 1});
    ck_assert_uint_eq(reply.holders_count, 1);
    ck_assert_uint_eq(reply.lock.holders_count, 2);
    ck_assert(reply.cut);
    ask((struct command_query){
        .kind = COMMAND_QUERY_LOCK, .text = text("k"), .count = 1});
    ck_assert(reply.cut);
    ask((struct command_query){
        .kind = COMMAND_QUERY_WAITERS, .text = text("k"), .count = 1});
    ck_assert(!reply.cut);
}
END_TEST

/* The reply of a follower's leader is one frame. */
START_TEST(an_answer_never_outgrows_a_frame)
{
    static char key[LIMIT_KEY_BYTES + 1];
    char owner[LIMIT_OWNER_BYTES + 1];
    memset(key, 'k', LIMIT_KEY_BYTES);
    memset(owner, 'o', LIMIT_OWNER_BYTES);
    owner[LIMIT_OWNER_BYTES] = '\0';
    for (unsigned i = 0; i < 2000; i++) {
        snprintf(owner, 8, "%07u", i);
        owner[7] = 'o';
        hold(key, owner, LOCK_SHARED);
    }
    ask((struct command_query){
        .kind = COMMAND_QUERY_HOLDERS, .text = text(key), .count = UINT32_MAX});
    ck_assert(reply.cut);
    ck_assert_uint_eq(reply.lock.holders_count, 2000);
    ck_assert_uint_gt(reply.holders_count, 1500);
    ck_assert_uint_le(answer_bytes.count, COMMAND_QUERY_BYTES_MAX + 64);
    size_t count = 0;
    while (command_query_next(&reply, &claim)) {
        count++;
    }
    ck_assert_uint_eq(count, reply.holders_count);
}
END_TEST

START_TEST(a_step_of_a_scan_lists_about_what_was_asked_for)
{
    size_t total = 0;
    uint64_t cursor = 0;
    for (unsigned i = 0; i < 500; i++) {
        char key[16];
        snprintf(key, sizeof(key), "%u", i);
        hold(key, "ann", LOCK_EXCLUSIVE);
    }
    do {
        ask((struct command_query){
            .kind = COMMAND_QUERY_SCAN, .count = 20, .cursor = cursor});
        ck_assert_uint_le(reply.holders_count, 20 + 8);
        ck_assert_uint_eq(reply.waiters_count, 0);
        total += reply.holders_count;
        cursor = reply.cursor;
    } while (cursor != 0);
    ck_assert_uint_eq(total, 500);
}
END_TEST

/* Locks that nobody holds are places without a result. */
START_TEST(a_step_of_a_scan_that_finds_nothing_ends_too)
{
    for (unsigned i = 0; i < 500; i++) {
        char key[16];
        snprintf(key, sizeof(key), "%u", i);
        apply((struct lock_command){.kind = LOCK_COMMAND_ACQUIRE,
                                    .acquire = {.key = text(key),
                                                .owner = text("ann"),
                                                .mode = LOCK_EXCLUSIVE,
                                                .ttl_ms = 10,
                                                .delay_ms = 90000}});
        apply((struct lock_command){.kind = LOCK_COMMAND_EXPIRE,
                                    .expire = {text(key), i + 1, 0}});
    }
    ask((struct command_query){.kind = COMMAND_QUERY_SCAN, .count = 1});
    ck_assert_uint_eq(reply.holders_count, 0);
    ck_assert_uint_ne(reply.cursor, 0);
    size_t calls = 1;
    while (reply.cursor != 0) {
        ask((struct command_query){
            .kind = COMMAND_QUERY_SCAN, .count = 1, .cursor = reply.cursor});
        calls++;
    }
    ck_assert_uint_gt(calls, 20);
    ck_assert_uint_le(calls, 512 / COMMAND_QUERY_SCAN_PLACES + 1);
}
END_TEST

START_TEST(count_0_of_a_scan_goes_on_all_the_same)
{
    hold("k", "ann", LOCK_EXCLUSIVE);
    uint64_t cursor = 0;
    size_t calls = 0;
    do {
        ask((struct command_query){.kind = COMMAND_QUERY_SCAN,
                                   .cursor = cursor});
        cursor = reply.cursor;
        calls++;
    } while (cursor != 0 && calls < 100);
    ck_assert_uint_eq(cursor, 0);
}
END_TEST

static void set(const char *key, const char *value, time_ms_t ttl_ms)
{
    apply((struct lock_command){
        .kind = LOCK_COMMAND_SET,
        .set = {.key = text(key),
                .value = text(value),
                .lifetime = ttl_ms > 0 ? LOCK_LIFE_RELATIVE : LOCK_LIFE_FOREVER,
                .time_ms = ttl_ms}});
}

static bool keys_are_told(const char *pattern)
{
    ask((struct command_query){.kind = COMMAND_QUERY_KEYS,
                               .text = text(pattern)});
    return reply.found;
}

/* Many keys with a pattern that is cheap, few with one that is not. */
START_TEST(all_keys_are_matched_only_if_that_is_quick)
{
    static char names[4096][8];
    static struct bytes words[2 * 4096];
    const unsigned enough = COMMAND_QUERY_KEYS_STEPS / COMMAND_QUERY_KEY_STEPS;
    for (unsigned from = 0; from <= enough; from += 4096) {
        for (unsigned i = 0; i < 4096; i++) {
            (void)snprintf(names[i], sizeof(names[i]), "%07x", from + i);
            words[2 * i] = text(names[i]);
        }
        apply((struct lock_command){
            .kind = LOCK_COMMAND_SET_MANY,
            .set_many = {.words = words, .pairs_count = 4096}});
        ck_assert(from > 4096 * 10 || keys_are_told("nothing"));
    }
    ck_assert(!keys_are_told("nothing"));
    apply((struct lock_command){.kind = LOCK_COMMAND_FLUSH});
    ck_assert(keys_are_told("nothing"));

    char name[LIMIT_KEY_BYTES + 1];
    char pattern[LIMIT_KEY_BYTES / 2 + 2];
    memset(name, 'a', sizeof(name));
    name[LIMIT_KEY_BYTES] = '\0';
    memset(pattern, 'a', sizeof(pattern));
    pattern[0] = '*';
    pattern[sizeof(pattern) - 2] = 'b';
    pattern[sizeof(pattern) - 1] = '\0';
    for (unsigned i = 0; i < 100; i++) {
        name[0] = (char)('a' + i / 10);
        name[1] = (char)('a' + i % 10);
        set(name, "v", 0);
        ck_assert(i > 10 || keys_are_told(pattern));
    }
    ck_assert(!keys_are_told(pattern));
}
END_TEST

START_TEST(fenced_data_is_answered_with_its_token)
{
    const struct lock_pair pair = {text("d"), text("v")};
    apply((struct lock_command){.kind = LOCK_COMMAND_FENCE_SET,
                                .fence_set = {.lock_key = text("k"),
                                              .token = 9,
                                              .pairs = &pair,
                                              .pairs_count = 1}});
    ask((struct command_query){.kind = COMMAND_QUERY_FENCED,
                               .text = text("d")});
    ck_assert(reply.found);
    check_bytes(reply.value, "v");
    check_bytes(reply.lock_key, "k");
    ck_assert_uint_eq(reply.token, 9);
    ask((struct command_query){.kind = COMMAND_QUERY_FENCE, .text = text("k")});
    ck_assert_uint_eq(reply.last_token, 9);
}
END_TEST

START_TEST(what_is_no_answer_is_refused)
{
    static const uint8_t unknown[40] = {99};
    three_on_k();
    ask((struct command_query){
        .kind = COMMAND_QUERY_LOCK, .text = text("k"), .count = 9});
    const struct bytes whole = buffer_view(&answer_bytes);
    const size_t head = whole.count - reply.claims.rest.count;
    for (size_t count = 0; count < head; count++) {
        ck_assert_int_ne(
            command_query_read(bytes_of(whole.data, count), &reply), STATUS_OK);
    }
    ck_assert_int_eq(command_query_read(bytes_of(unknown, 40), &reply),
                     STATUS_BAD_VALUE);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite_ = suite_create("command_query");
    TCase *query = tcase_create("query");
    tcase_add_checked_fixture(query, setup_state, teardown_state);
    tcase_add_test(query, a_question_comes_back_as_it_was);
    tcase_add_test(query, what_is_no_question_is_refused);
    tcase_add_test(query, a_lock_that_is_kept_back_is_told_with_what_is_left);
    tcase_add_test(query, holders_and_waiters_can_be_asked_for_alone);
    tcase_add_test(query, a_list_that_is_cut_says_so);
    tcase_add_test(query, an_answer_never_outgrows_a_frame);
    tcase_add_test(query, a_step_of_a_scan_lists_about_what_was_asked_for);
    tcase_add_test(query, a_step_of_a_scan_that_finds_nothing_ends_too);
    tcase_add_test(query, count_0_of_a_scan_goes_on_all_the_same);
    tcase_add_test(query, all_keys_are_matched_only_if_that_is_quick);
    tcase_add_test(query, fenced_data_is_answered_with_its_token);
    tcase_add_test(query, what_is_no_answer_is_refused);
    suite_add_tcase(suite_, query);
    return suite_;
}

int main(void)
{
    return check_run(suite());
}
