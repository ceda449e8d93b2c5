/* test_cmd_lock_acquire.c - LOCK.ACQUIRE: options, plans and replies. */
#include "unit/command/call_fixture.h"

static const struct lock_acquire *planned(const char *words)
{
    run(words);
    ck_assert_msg(verdict == COMMAND_PLANNED, "%s: %s", words, said());
    ck_assert_uint_eq(call_out.count, 0);
    ck_assert_int_eq(call.plan.kind, COMMAND_PLAN_WRITE);
    ck_assert_int_eq(call.plan.write.kind, LOCK_COMMAND_ACQUIRE);
    return &call.plan.write.acquire;
}

START_TEST(without_options_it_waits_for_ever)
{
    session.database = 3;

    const struct lock_acquire *acquire = planned("LOCK.ACQUIRE k o 5000");

    check_bytes(acquire->key, "k");
    check_bytes(acquire->owner, "o");
    ck_assert_uint_eq(acquire->ttl_ms, 5000);
    ck_assert_uint_eq(acquire->seq, 0);
    ck_assert_int_eq(acquire->mode, LOCK_EXCLUSIVE);
    ck_assert_uint_eq(acquire->delay_ms, 0);
    ck_assert(acquire->may_queue);
    ck_assert(!acquire->cache);
    ck_assert_uint_eq(acquire->database, 3);
    ck_assert_uint_eq(call.plan.wait_ms, TIME_NEVER);
    ck_assert(!call.plan.async);
    ck_assert(!call.plan.notify);
}
END_TEST

static void check_all_options(const char *words)
{
    const struct lock_acquire *acquire = planned(words);
    check_bytes(acquire->key, "k");
    check_bytes(acquire->owner, "o");
    ck_assert_uint_eq(acquire->ttl_ms, 1);
    ck_assert_int_eq(acquire->mode, LOCK_SHARED);
    ck_assert_uint_eq(call.plan.wait_ms, 250);
    ck_assert_uint_eq(acquire->seq, 9);
    ck_assert(acquire->may_queue);
    ck_assert(acquire->cache);
    ck_assert_uint_eq(acquire->delay_ms, 77);
    ck_assert(call.plan.async);
    ck_assert(!call.plan.notify);
}

START_TEST(options_come_in_any_order_and_case)
{
    check_all_options("LOCK.ACQUIRE k o 1 SHARED WAIT 250 SEQ 9 CACHE ASYNC "
                      "DELAY 77 WITHINFO");
    check_all_options("lock.acquire k o 1 withinfo delay 77 async cache seq 9 "
                      "wait 250 shared");
    check_all_options("lock.acquire k o 1 Seq 9 Shared Async Wait 250 Withinfo "
                      "Cache Delay 77");
}
END_TEST

START_TEST(wait_0_is_a_try)
{
    ck_assert(!planned("LOCK.ACQUIRE k o 1 WAIT 0")->may_queue);
    ck_assert_uint_eq(call.plan.wait_ms, 0);
    ck_assert(!planned("LOCK.ACQUIRE k o 1 WAIT 0 ASYNC")->may_queue);
    ck_assert(call.plan.async);
}
END_TEST

START_TEST(notify_goes_with_a_try_only)
{
    ck_assert(!planned("LOCK.ACQUIRE k o 1 NOTIFY WAIT 0")->may_queue);
    ck_assert(call.plan.notify);
    ck_assert(!call.plan.async);

    CHECK_ERROR("LOCK.ACQUIRE k o 1 NOTIFY",
                "-ERR syntax error: NOTIFY needs WAIT 0");
    CHECK_ERROR("LOCK.ACQUIRE k o 1 NOTIFY WAIT 1",
                "-ERR syntax error: NOTIFY needs WAIT 0");
    CHECK_ERROR("LOCK.ACQUIRE k o 1 NOTIFY WAIT 0 ASYNC", "-ERR syntax error");
}
END_TEST

START_TEST(an_option_comes_once)
{
    static const char *const options[] = {
        "SHARED", "WAIT 0", "SEQ 1", "CACHE", "ASYNC", "DELAY 1", "WITHINFO"};
    char words[128];
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        snprintf(words, sizeof(words), "LOCK.ACQUIRE k o 1 %s %s", options[i],
                 options[i]);
        ck_assert_str_eq(reply_to(words), "-ERR syntax error\r\n");
    }
    CHECK_ERROR("LOCK.ACQUIRE k o 1 WAIT 0 NOTIFY NOTIFY", "-ERR syntax error");
}
END_TEST

START_TEST(what_is_no_option_is_a_syntax_error)
{
    CHECK_ERROR("LOCK.ACQUIRE k o 1 FOO", "-ERR syntax error");
    CHECK_ERROR("LOCK.ACQUIRE k o 1 5", "-ERR syntax error");
    CHECK_ERROR("LOCK.ACQUIRE k o 1 SHARE", "-ERR syntax error");
    CHECK_ERROR("LOCK.ACQUIRE k o 1 WAIT", "-ERR syntax error");
    CHECK_ERROR("LOCK.ACQUIRE k o 1 SEQ", "-ERR syntax error");
    CHECK_ERROR("LOCK.ACQUIRE k o 1 DELAY", "-ERR syntax error");
}
END_TEST

START_TEST(numbers_have_bounds)
{
    ck_assert_uint_eq(planned("LOCK.ACQUIRE k o 31622400000")->ttl_ms,
                      LIMIT_TTL_MS);
    CHECK_ERROR("LOCK.ACQUIRE k o 0", "-ERR ttl-ms is not an integer or out of "
                                      "range: 1 to 31622400000");
    CHECK_ERROR("LOCK.ACQUIRE k o 31622400001",
                "-ERR ttl-ms is not an integer or out of range: 1 to "
                "31622400000");
    CHECK_ERROR("LOCK.ACQUIRE k o -1", "-ERR ttl-ms is not an integer or out "
                                       "of range: 1 to 31622400000");
    CHECK_ERROR("LOCK.ACQUIRE k o 1.5", "-ERR ttl-ms is not an integer or out "
                                        "of range: 1 to 31622400000");
    CHECK_ERROR("LOCK.ACQUIRE k o 1 WAIT x",
                "-ERR WAIT is not an integer or out of range: 0 to "
                "281474976710655");
    CHECK_ERROR("LOCK.ACQUIRE k o 1 WAIT 281474976710656",
                "-ERR WAIT is not an integer or out of range: 0 to "
                "281474976710655");
    CHECK_ERROR("LOCK.ACQUIRE k o 1 SEQ 0",
                "-ERR SEQ is not an integer or out of range: 1 to "
                "9223372036854775807");
    CHECK_ERROR("LOCK.ACQUIRE k o 1 DELAY 31622400001",
                "-ERR DELAY is not an integer or out of range: 0 to "
                "31622400000");
    planned("LOCK.ACQUIRE k o 1 WAIT 281474976710655 SEQ 9223372036854775807 "
            "DELAY 31622400000");
}
END_TEST

/* What was planned can be encoded: the node need not refuse it. */
START_TEST(keys_and_owners_have_bounds)
{
    static char big[LIMIT_KEY_BYTES + 2];
    struct buffer encoded = {0};
    memset(big, 'x', sizeof(big) - 1);
    struct bytes args[] = {text("LOCK.ACQUIRE"), bytes_of(big, LIMIT_KEY_BYTES),
                           bytes_of(big, LIMIT_OWNER_BYTES), text("1")};
    run_args(args, 4);
    ck_assert_int_eq(verdict, COMMAND_PLANNED);
    ck_assert_int_eq(lock_command_encode(&call.plan.write, &encoded),
                     STATUS_OK);
    buffer_close(&encoded);

    args[1] = bytes_of(big, LIMIT_KEY_BYTES + 1);
    run_args(args, 4);
    ck_assert_str_eq(said(), "-ERR key is longer than 1024 bytes\r\n");
    args[1] = bytes_of("", 0);
    run_args(args, 4);
    ck_assert_str_eq(said(), "-ERR key is empty\r\n");
    args[1] = text("k");
    args[2] = bytes_of(big, LIMIT_OWNER_BYTES + 1);
    run_args(args, 4);
    ck_assert_str_eq(said(), "-ERR owner is longer than 256 bytes\r\n");
    args[2] = bytes_of("", 0);
    run_args(args, 4);
    ck_assert_str_eq(said(), "-ERR owner is empty\r\n");
}
END_TEST

START_TEST(a_grant_is_its_token)
{
    const struct lock_answer answer = {.result = LOCK_GRANTED,
                                       .token = LIMIT_TOKEN - 1,
                                       .ticket = 4,
                                       .time_ms = 5000};
    planned("LOCK.ACQUIRE k o 5000");
    ck_assert_str_eq(finish(&answer), ":9007199254740991\r\n");
}
END_TEST

START_TEST(a_refusal_is_null)
{
    planned("LOCK.ACQUIRE k o 5000 WAIT 0 WITHINFO");
    ck_assert_str_eq(finish_result(LOCK_REFUSED), "$-1\r\n");
    session.protocol = 3;
    ck_assert_str_eq(finish_result(LOCK_REFUSED), "_\r\n");
}
END_TEST

START_TEST(an_async_request_is_queued)
{
    planned("LOCK.ACQUIRE k o 5000 ASYNC");
    ck_assert_str_eq(finish_result(LOCK_QUEUED), "+QUEUED\r\n");
}
END_TEST

START_TEST(details_are_a_map)
{
    const struct lock_answer answer = {
        .result = LOCK_GRANTED, .token = 83, .time_ms = 5000};
    planned("LOCK.ACQUIRE k o 5000 withinfo");
    ck_assert_str_eq(finish(&answer),
                     "*10\r\n$5\r\ntoken\r\n:83\r\n$3\r\nttl\r\n:5000\r\n"
                     "$10\r\nexpires-at\r\n:1005000\r\n"
                     "$4\r\nmode\r\n$9\r\nexclusive\r\n"
                     "$9\r\nsignature\r\n$0\r\n\r\n");
    session.protocol = 3;
    planned("LOCK.ACQUIRE k o 5000 WITHINFO SHARED");
    ck_assert_str_eq(finish(&answer),
                     "%5\r\n$5\r\ntoken\r\n:83\r\n$3\r\nttl\r\n:5000\r\n"
                     "$10\r\nexpires-at\r\n:1005000\r\n"
                     "$4\r\nmode\r\n$6\r\nshared\r\n"
                     "$9\r\nsignature\r\n$0\r\n\r\n");
}
END_TEST

/* The key and the owner may be called like options. */
START_TEST(names_are_no_options)
{
    const struct lock_answer answer = {.result = LOCK_GRANTED, .token = 1};
    ck_assert_int_eq(planned("LOCK.ACQUIRE WITHINFO SHARED 5")->mode,
                     LOCK_EXCLUSIVE);
    ck_assert_str_eq(finish(&answer), ":1\r\n");
}
END_TEST

START_TEST(a_string_is_in_the_way)
{
    planned("LOCK.ACQUIRE k o 5000");
    ck_assert_str_eq(finish_result(LOCK_WRONG_TYPE),
                     "-WRONGTYPE Operation against a key holding the wrong "
                     "kind of value\r\n");
}
END_TEST

static void sign(void *context, const struct command_token *token,
                 char signature[COMMAND_SIGNATURE_BYTES])
{
    (void)context;
    (void)snprintf(signature, COMMAND_SIGNATURE_BYTES, "%.*s/%.*s/%d/%llu",
                   (int)token->lock_key.count,
                   (const char *)token->lock_key.data, (int)token->owner.count,
                   (const char *)token->owner.data, (int)token->mode,
                   (unsigned long long)token->token);
}

START_TEST(the_signature_is_of_what_was_granted)
{
    static const struct command_world signing = {.facts = call_facts,
                                                 .token_sign = sign};
    const struct lock_answer answer = {
        .result = LOCK_GRANTED, .token = 83, .time_ms = 5000};
    planned("LOCK.ACQUIRE k o 5000 WITHINFO");
    call.world = &signing;
    ck_assert_ptr_nonnull(
        strstr(finish(&answer), "$9\r\nsignature\r\n$8\r\nk/o/1/83\r\n"));
    planned("LOCK.ACQUIRE k o 5000 SHARED WITHINFO");
    call.world = &signing;
    ck_assert_ptr_nonnull(
        strstr(finish(&answer), "$9\r\nsignature\r\n$8\r\nk/o/2/83\r\n"));
    planned("LOCK.ACQUIRE k o 5000");
    call.world = &signing;
    ck_assert_str_eq(finish(&answer), ":83\r\n");
}
END_TEST

static Suite *suite(void)
{
    Suite *suite_ = suite_create("cmd_lock_acquire");
    TCase *plan = tcase_create("plan");
    tcase_add_checked_fixture(plan, setup, teardown);
    tcase_add_test(plan, without_options_it_waits_for_ever);
    tcase_add_test(plan, options_come_in_any_order_and_case);
    tcase_add_test(plan, wait_0_is_a_try);
    tcase_add_test(plan, notify_goes_with_a_try_only);
    tcase_add_test(plan, an_option_comes_once);
    tcase_add_test(plan, what_is_no_option_is_a_syntax_error);
    tcase_add_test(plan, numbers_have_bounds);
    tcase_add_test(plan, keys_and_owners_have_bounds);
    suite_add_tcase(suite_, plan);
    TCase *reply = tcase_create("reply");
    tcase_add_checked_fixture(reply, setup, teardown);
    tcase_add_test(reply, a_grant_is_its_token);
    tcase_add_test(reply, a_refusal_is_null);
    tcase_add_test(reply, an_async_request_is_queued);
    tcase_add_test(reply, details_are_a_map);
    tcase_add_test(reply, names_are_no_options);
    tcase_add_test(reply, a_string_is_in_the_way);
    tcase_add_test(reply, the_signature_is_of_what_was_granted);
    suite_add_tcase(suite_, reply);
    return suite_;
}

int main(void)
{
    return check_run(suite());
}
