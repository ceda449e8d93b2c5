/* test_cmd_lock_inspect.c - LOCK.STATUS, LOCK.QUEUE, LOCK.OWNED, LOCK.SCAN. */
#include "unit/command/state_fixture.h"

/* ---- LOCK.STATUS ---- */

START_TEST(the_status_of_a_key_is_asked_with_its_holders)
{
    session.database = 2;
    run("LOCK.STATUS k");
    ck_assert_int_eq(verdict, COMMAND_PLANNED);
    ck_assert_int_eq(call.plan.kind, COMMAND_PLAN_READ);
    ck_assert_int_eq(call.plan.read.kind, COMMAND_QUERY_HOLDERS);
    check_bytes(call.plan.read.text, "k");
    ck_assert_uint_eq(call.plan.read.count, UINT32_MAX);
    ck_assert_uint_eq(call.plan.read.cursor, 0);
    ck_assert_uint_eq(call.plan.read.database, 2);
}
END_TEST

START_TEST(a_free_lock_has_no_holders)
{
    run("LOCK.STATUS k");
    ck_assert_str_eq(finish_read(answer_now()),
                     "*10\r\n$3\r\nkey\r\n$1\r\nk\r\n$4\r\nmode\r\n"
                     "$4\r\nfree\r\n$7\r\nholders\r\n*0\r\n"
                     "$7\r\nwaiters\r\n:0\r\n$10\r\nlast-token\r\n:0\r\n");
}
END_TEST

START_TEST(a_held_lock_shows_holder_and_waiters)
{
    hold("k", "ann", LOCK_EXCLUSIVE);
    hold("k", "ben", LOCK_EXCLUSIVE);
    hold("k", "cid", LOCK_SHARED);
    now += 700;
    session.protocol = 3;
    run("LOCK.STATUS k");
    ck_assert_str_eq(
        finish_read(answer_now()),
        "%5\r\n$3\r\nkey\r\n$1\r\nk\r\n$4\r\nmode\r\n$9\r\nexclusive\r\n"
        "$7\r\nholders\r\n*1\r\n%5\r\n$5\r\nowner\r\n$3\r\nann\r\n"
        "$5\r\ntoken\r\n:1\r\n$4\r\nmode\r\n$9\r\nexclusive\r\n"
        "$8\r\nttl-left\r\n:4300\r\n$8\r\nheld-for\r\n:700\r\n"
        "$7\r\nwaiters\r\n:2\r\n$10\r\nlast-token\r\n:1\r\n");
}
END_TEST

START_TEST(a_shared_lock_shows_all_holders)
{
    hold("k", "ann", LOCK_SHARED);
    now += 100;
    hold("k", "ben", LOCK_SHARED);
    run("LOCK.STATUS k");
    ck_assert_str_eq(
        finish_read(answer_now()),
        "*10\r\n$3\r\nkey\r\n$1\r\nk\r\n$4\r\nmode\r\n$6\r\nshared\r\n"
        "$7\r\nholders\r\n*2\r\n"
        "*10\r\n$5\r\nowner\r\n$3\r\nann\r\n"
        "$5\r\ntoken\r\n:1\r\n$4\r\nmode\r\n$6\r\nshared\r\n"
        "$8\r\nttl-left\r\n:4900\r\n$8\r\nheld-for\r\n:100\r\n"
        "*10\r\n$5\r\nowner\r\n$3\r\nben\r\n"
        "$5\r\ntoken\r\n:2\r\n$4\r\nmode\r\n$6\r\nshared\r\n"
        "$8\r\nttl-left\r\n:5000\r\n$8\r\nheld-for\r\n:0\r\n"
        "$7\r\nwaiters\r\n:0\r\n$10\r\nlast-token\r\n:2\r\n");
}
END_TEST

START_TEST(a_damaged_answer_never_breaks_the_protocol)
{
    hold("k", "ann", LOCK_SHARED);
    hold("k", "ben", LOCK_SHARED);
    run("LOCK.STATUS k");
    const struct bytes whole = answer_now();
    for (size_t count = 0; count < whole.count; count++) {
        const char *reply = finish_read(bytes_of(whole.data, count));
        if (reply[0] == '-') {
            ck_assert_str_eq(reply,
                             "-ERR the answer of the leader cannot be read"
                             "\r\n");
            continue;
        }
        /* One holder, or none, and as many as announced. */
        const bool has_ann = strstr(reply, "\nann\r") != NULL;
        ck_assert(strstr(reply, "\nben\r") == NULL);
        ck_assert(
            strstr(reply, has_ann ? "holders\r\n*1\r" : "holders\r\n*0\r"));
    }
}
END_TEST

START_TEST(the_key_of_a_status_is_looked_at)
{
    const struct bytes args[] = {text("LOCK.STATUS"), text("")};
    run_args(args, 2);
    ck_assert_str_eq(said(), "-ERR key is empty\r\n");
}
END_TEST

/* ---- LOCK.QUEUE ---- */

START_TEST(a_queue_is_asked_whole_or_in_part)
{
    run("LOCK.QUEUE k");
    ck_assert_int_eq(verdict, COMMAND_PLANNED);
    ck_assert_int_eq(call.plan.kind, COMMAND_PLAN_READ);
    ck_assert_int_eq(call.plan.read.kind, COMMAND_QUERY_WAITERS);
    check_bytes(call.plan.read.text, "k");
    ck_assert_uint_eq(call.plan.read.count, UINT32_MAX);
    run("lock.queue k count 3");
    ck_assert_int_eq(verdict, COMMAND_PLANNED);
    ck_assert_uint_eq(call.plan.read.count, 3);
}
END_TEST

START_TEST(a_queue_is_a_list_in_order)
{
    hold("k", "ann", LOCK_EXCLUSIVE);
    hold_seq("k", "ben", LOCK_EXCLUSIVE, 7);
    now += 50;
    hold("k", "cid", LOCK_SHARED);
    now += 10;
    run("LOCK.QUEUE k");
    ck_assert_str_eq(finish_read(answer_now()),
                     "*2\r\n*8\r\n$5\r\nowner\r\n$3\r\nben\r\n$4\r\nmode\r\n"
                     "$9\r\nexclusive\r\n$3\r\nseq\r\n:7\r\n"
                     "$6\r\nwaited\r\n:60\r\n"
                     "*8\r\n$5\r\nowner\r\n$3\r\ncid\r\n$4\r\nmode\r\n"
                     "$6\r\nshared\r\n$3\r\nseq\r\n:0\r\n"
                     "$6\r\nwaited\r\n:10\r\n");
    session.protocol = 3;
    run("LOCK.QUEUE k COUNT 1");
    ck_assert_str_eq(finish_read(answer_now()),
                     "*1\r\n%4\r\n$5\r\nowner\r\n$3\r\nben\r\n$4\r\nmode\r\n"
                     "$9\r\nexclusive\r\n$3\r\nseq\r\n:7\r\n"
                     "$6\r\nwaited\r\n:60\r\n");
    run("LOCK.QUEUE other");
    ck_assert_str_eq(finish_read(answer_now()), "*0\r\n");
    ck_assert_str_eq(finish_read(bytes_of("", 0)),
                     "-ERR the answer of the leader cannot be read\r\n");
}
END_TEST

START_TEST(a_queue_takes_nothing_but_a_count)
{
    const struct bytes args[] = {text("LOCK.QUEUE"), text("")};
    CHECK_ERROR("LOCK.QUEUE k COUNT", "-ERR syntax error");
    CHECK_ERROR("LOCK.QUEUE k FOO 1", "-ERR syntax error");
    CHECK_ERROR("LOCK.QUEUE k COUNT 1 COUNT 1", "-ERR syntax error");
    CHECK_ERROR("LOCK.QUEUE k COUNT 0", "-ERR COUNT is not an integer or out "
                                        "of range: 1 to 4294967295");
    CHECK_ERROR("LOCK.QUEUE k COUNT 4294967296",
                "-ERR COUNT is not an integer or out of range: 1 to "
                "4294967295");
    run_args(args, 2);
    ck_assert_str_eq(said(), "-ERR key is empty\r\n");
}
END_TEST

/* ---- LOCK.OWNED ---- */

START_TEST(grants_of_an_owner_are_a_list)
{
    hold("k", "ann", LOCK_EXCLUSIVE);
    hold_seq("m", "ann", LOCK_SHARED, 4);
    hold("m", "ben", LOCK_EXCLUSIVE);
    run("LOCK.OWNED ann");
    ck_assert_int_eq(call.plan.read.kind, COMMAND_QUERY_OWNED);
    check_bytes(call.plan.read.text, "ann");
    ck_assert_uint_eq(call.plan.read.count, UINT32_MAX);
    ck_assert_str_eq(
        finish_read(answer_now()),
        "*2\r\n*12\r\n$3\r\nkey\r\n$1\r\nk\r\n$5\r\ntoken\r\n:1\r\n"
        "$4\r\nmode\r\n$9\r\nexclusive\r\n$3\r\nseq\r\n:0\r\n"
        "$8\r\nttl-left\r\n:5000\r\n$8\r\nheld-for\r\n:0\r\n"
        "*12\r\n$3\r\nkey\r\n$1\r\nm\r\n$5\r\ntoken\r\n:2\r\n"
        "$4\r\nmode\r\n$6\r\nshared\r\n$3\r\nseq\r\n:4\r\n"
        "$8\r\nttl-left\r\n:5000\r\n$8\r\nheld-for\r\n:0\r\n");
    session.protocol = 3;
    run("LOCK.OWNED ben"); /* waits only */
    ck_assert_str_eq(finish_read(answer_now()), "*0\r\n");
    run("LOCK.OWNED ann");
    ck_assert_mem_eq(finish_read(answer_now()), "*2\r\n%6\r\n", 8);
}
END_TEST

START_TEST(too_many_grants_are_an_error_and_not_half_a_list)
{
    hold("k", "ann", LOCK_EXCLUSIVE);
    hold("m", "ann", LOCK_EXCLUSIVE);
    run("LOCK.OWNED ann");
    call.plan.read.count = 1;
    ck_assert_str_eq(finish_read(answer_now()),
                     "-ERR owner holds more grants than one reply can list: "
                     "use LOCK.SCAN and LOCK.STATUS\r\n");
    ck_assert_str_eq(finish_read(bytes_of("", 0)),
                     "-ERR the answer of the leader cannot be read\r\n");
}
END_TEST

START_TEST(the_owner_is_looked_at)
{
    const struct bytes args[] = {text("LOCK.OWNED"), text("")};
    run_args(args, 2);
    ck_assert_str_eq(said(), "-ERR owner is empty\r\n");
}
END_TEST

/* ---- LOCK.SCAN ---- */

START_TEST(a_scan_begins_anywhere)
{
    run("LOCK.SCAN 0");
    ck_assert_int_eq(verdict, COMMAND_PLANNED);
    ck_assert_int_eq(call.plan.kind, COMMAND_PLAN_READ);
    ck_assert_int_eq(call.plan.read.kind, COMMAND_QUERY_SCAN);
    ck_assert_uint_eq(call.plan.read.text.count, 0);
    ck_assert_uint_eq(call.plan.read.cursor, 0);
    ck_assert_uint_eq(call.plan.read.count, 10);
    run("LOCK.SCAN 18446744073709551615 COUNT 5 MATCH *");
    ck_assert_int_eq(verdict, COMMAND_PLANNED);
    ck_assert_uint_eq(call.plan.read.cursor, UINT64_MAX);
    ck_assert_uint_eq(call.plan.read.count, 5);
    run("lock.scan 0 match x count 9223372036854775807");
    ck_assert_int_eq(verdict, COMMAND_PLANNED);
    ck_assert_uint_eq(call.plan.read.count, COMMAND_QUERY_SCAN_MAX);
}
END_TEST

START_TEST(a_scan_has_the_errors_of_redis)
{
    CHECK_ERROR("LOCK.SCAN x", "-ERR invalid cursor");
    CHECK_ERROR("LOCK.SCAN -1", "-ERR invalid cursor");
    CHECK_ERROR("LOCK.SCAN 18446744073709551616", "-ERR invalid cursor");
    CHECK_ERROR("LOCK.SCAN 0 COUNT 0", "-ERR syntax error");
    CHECK_ERROR("LOCK.SCAN 0 COUNT -1", "-ERR syntax error");
    CHECK_ERROR("LOCK.SCAN 0 COUNT x",
                "-ERR value is not an integer or out of range");
    CHECK_ERROR("LOCK.SCAN 0 COUNT", "-ERR syntax error");
    CHECK_ERROR("LOCK.SCAN 0 MATCH", "-ERR syntax error");
    CHECK_ERROR("LOCK.SCAN 0 TYPE lock", "-ERR syntax error");
    CHECK_ERROR("LOCK.SCAN 0 MATCH a MATCH a", "-ERR syntax error");
    CHECK_ERROR("LOCK.SCAN 0 COUNT 1 COUNT 1", "-ERR syntax error");
}
END_TEST

START_TEST(a_scan_tells_held_locks_only)
{
    const uint64_t token = hold("free", "ann", LOCK_EXCLUSIVE);
    hold("job:1", "ann", LOCK_EXCLUSIVE);
    let_go("free", "ann", token);
    run("LOCK.SCAN 0 COUNT 1000");
    ck_assert_str_eq(finish_read(answer_now()),
                     "*2\r\n$1\r\n0\r\n*1\r\n$5\r\njob:1\r\n");
    session.protocol = 3;
    ck_assert_str_eq(finish_read(answer_now()),
                     "*2\r\n$1\r\n0\r\n*1\r\n$5\r\njob:1\r\n");
    run("LOCK.SCAN 0 COUNT 1000 MATCH job:?");
    ck_assert_str_eq(finish_read(answer_now()),
                     "*2\r\n$1\r\n0\r\n*1\r\n$5\r\njob:1\r\n");
    run("LOCK.SCAN 0 COUNT 1000 MATCH JOB:*");
    ck_assert_str_eq(finish_read(answer_now()), "*2\r\n$1\r\n0\r\n*0\r\n");
    ck_assert_str_eq(finish_read(bytes_of("", 0)),
                     "-ERR the answer of the leader cannot be read\r\n");
}
END_TEST

/* As a loop of redis-cli --scan does it: by the bytes of the replies. */
START_TEST(a_loop_by_cursor_tells_every_lock)
{
    static bool seen[300];
    char words[64] = "LOCK.SCAN 0 COUNT 7";
    char cursor[32];
    size_t calls = 0;
    memset(seen, 0, sizeof(seen));
    for (int i = 0; i < 300; i++) {
        char key[16];
        snprintf(key, sizeof(key), "k%d", i);
        hold(key, "ann", LOCK_EXCLUSIVE);
    }
    do {
        run(words);
        const char *reply = finish_read(answer_now());
        ck_assert_int_eq(sscanf(reply, "*2 $%*d %31[0-9]", cursor), 1);
        for (const char *at = strchr(reply, 'k'); at != NULL;
             at = strchr(at + 1, 'k')) {
            int key;
            ck_assert_int_eq(sscanf(at, "k%d", &key), 1);
            seen[key] = true;
        }
        snprintf(words, sizeof(words), "LOCK.SCAN %s COUNT 7", cursor);
        calls++;
    } while (strcmp(cursor, "0") != 0);
    for (int i = 0; i < 300; i++) {
        ck_assert_msg(seen[i], "k%d is missing", i);
    }
    ck_assert_uint_le(calls, 300 / 7 + 1);
    ck_assert_uint_ge(calls, 20);
}
END_TEST

START_TEST(a_pattern_that_takes_too_long_is_an_error)
{
    char key[LIMIT_KEY_BYTES + 1];
    char words[2 * LIMIT_KEY_BYTES];
    size_t at = 0;
    memset(key, 'a', sizeof(key) - 1);
    key[LIMIT_KEY_BYTES] = '\0';
    for (char last = 'a'; last <= 'p'; last++) {
        key[0] = last;
        hold(key, "ann", LOCK_EXCLUSIVE);
    }
    at = (size_t)snprintf(words, sizeof(words), "LOCK.SCAN 0 COUNT 99 MATCH *");
    memset(words + at, 'a', 512);
    memcpy(words + at + 512, "b", 2);
    run(words);
    ck_assert_str_eq(finish_read(answer_now()),
                     "-ERR MATCH takes too long with so many keys: use a "
                     "smaller COUNT\r\n");
}
END_TEST

static Suite *suite(void)
{
    Suite *suite_ = suite_create("cmd_lock_inspect");
    TCase *status = tcase_create("status");
    tcase_add_checked_fixture(status, setup_state, teardown_state);
    tcase_add_test(status, the_status_of_a_key_is_asked_with_its_holders);
    tcase_add_test(status, a_free_lock_has_no_holders);
    tcase_add_test(status, a_held_lock_shows_holder_and_waiters);
    tcase_add_test(status, a_shared_lock_shows_all_holders);
    tcase_add_test(status, a_damaged_answer_never_breaks_the_protocol);
    tcase_add_test(status, the_key_of_a_status_is_looked_at);
    suite_add_tcase(suite_, status);
    TCase *queue = tcase_create("queue");
    tcase_add_checked_fixture(queue, setup_state, teardown_state);
    tcase_add_test(queue, a_queue_is_asked_whole_or_in_part);
    tcase_add_test(queue, a_queue_is_a_list_in_order);
    tcase_add_test(queue, a_queue_takes_nothing_but_a_count);
    suite_add_tcase(suite_, queue);
    TCase *owned = tcase_create("owned");
    tcase_add_checked_fixture(owned, setup_state, teardown_state);
    tcase_add_test(owned, grants_of_an_owner_are_a_list);
    tcase_add_test(owned, too_many_grants_are_an_error_and_not_half_a_list);
    tcase_add_test(owned, the_owner_is_looked_at);
    suite_add_tcase(suite_, owned);
    TCase *scan = tcase_create("scan");
    tcase_add_checked_fixture(scan, setup_state, teardown_state);
    tcase_add_test(scan, a_scan_begins_anywhere);
    tcase_add_test(scan, a_scan_has_the_errors_of_redis);
    tcase_add_test(scan, a_scan_tells_held_locks_only);
    tcase_add_test(scan, a_loop_by_cursor_tells_every_lock);
    tcase_add_test(scan, a_pattern_that_takes_too_long_is_an_error);
    suite_add_tcase(suite_, scan);
    return suite_;
}

int main(void)
{
    return check_run(suite());
}
