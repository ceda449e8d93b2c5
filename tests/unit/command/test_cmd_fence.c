/* test_cmd_fence.c - FENCE.SET, DEL, GET and LAST: plans and replies. */
#include "unit/command/state_fixture.h"

static const struct lock_fence_set *set_of(const char *words)
{
    run(words);
    ck_assert_int_eq(verdict, COMMAND_PLANNED);
    ck_assert_int_eq(call.plan.kind, COMMAND_PLAN_WRITE);
    ck_assert_int_eq(call.plan.write.kind, LOCK_COMMAND_FENCE_SET);
    return &call.plan.write.fence_set;
}

static const struct lock_fence_delete *delete_of(const char *words)
{
    run(words);
    ck_assert_int_eq(verdict, COMMAND_PLANNED);
    ck_assert_int_eq(call.plan.kind, COMMAND_PLAN_WRITE);
    ck_assert_int_eq(call.plan.write.kind, LOCK_COMMAND_FENCE_DELETE);
    return &call.plan.write.fence_delete;
}

/* Carry out what was planned, as the cluster does, and word the reply. */
static const char *carried_out(const char *words)
{
    run(words);
    ck_assert_int_eq(verdict, COMMAND_PLANNED);
    if (call.plan.kind == COMMAND_PLAN_READ) {
        return finish_read(answer_now());
    }
    const struct lock_answer answer = apply(call.plan.write);
    return finish(&answer);
}

/* ---- plans ---- */

START_TEST(a_set_has_pairs_lock_and_token)
{
    session.database = 3;
    const struct lock_fence_set *set =
        set_of("FENCE.SET a 1 b 2 lock k token 83");

    ck_assert_uint_eq(set->database, 3);
    ck_assert_uint_eq(set->pairs_count, 2);
    check_bytes(set->pairs[0].key, "a");
    check_bytes(set->pairs[0].value, "1");
    check_bytes(set->pairs[1].key, "b");
    check_bytes(set->pairs[1].value, "2");
    check_bytes(set->lock_key, "k");
    ck_assert_uint_eq(set->token, 83);
}
END_TEST

START_TEST(a_delete_has_keys_lock_and_token)
{
    const struct lock_fence_delete *delete_ =
        delete_of("FENCE.DEL a b c LOCK k TOKEN 1");

    ck_assert_uint_eq(delete_->keys_count, 3);
    check_bytes(delete_->keys[0], "a");
    check_bytes(delete_->keys[2], "c");
    check_bytes(delete_->lock_key, "k");
    ck_assert_uint_eq(delete_->token, 1);
}
END_TEST

START_TEST(owner_and_signature_may_follow)
{
    ck_assert_uint_eq(
        set_of("FENCE.SET a 1 LOCK k TOKEN 2 OWNER o SIG s")->pairs_count, 1);
    ck_assert_uint_eq(
        delete_of("FENCE.DEL a LOCK k TOKEN 2 OWNER o SIG s")->keys_count, 1);
}
END_TEST

START_TEST(keys_and_values_may_be_the_words_themselves)
{
    const struct lock_fence_set *set =
        set_of("FENCE.SET LOCK k TOKEN 9 OWNER SIG LOCK LOCK TOKEN 2");
    ck_assert_uint_eq(set->pairs_count, 3);
    check_bytes(set->pairs[2].key, "OWNER");
    check_bytes(set->pairs[2].value, "SIG");
    check_bytes(set->lock_key, "LOCK");
    ck_assert_uint_eq(set->token, 2);

    const struct lock_fence_delete *delete_ =
        delete_of("FENCE.DEL OWNER o SIG s LOCK k TOKEN 2");
    ck_assert_uint_eq(delete_->keys_count, 4);
}
END_TEST

START_TEST(what_is_not_complete_is_refused)
{
    CHECK_ERROR("FENCE.SET a LOCK k TOKEN 2 x", "-ERR syntax error");
    CHECK_ERROR("FENCE.SET a 1 b LOCK k TOKEN 2", "-ERR syntax error");
    CHECK_ERROR("FENCE.SET a 1 TOKEN 2 LOCK k", "-ERR syntax error");
    CHECK_ERROR("FENCE.SET a 1 LOCK k TOKEN 2 OWNER o", "-ERR syntax error");
    CHECK_ERROR("FENCE.SET a 1 LOCK k TOKEN 2 SIG s OWNER o",
                "-ERR syntax error");
    CHECK_ERROR("FENCE.SET LOCK k TOKEN 2 OWNER o SIG s", "-ERR syntax error");
    CHECK_ERROR("FENCE.DEL LOCK k TOKEN 2 OWNER o SIG s", "-ERR syntax error");
    CHECK_ERROR("FENCE.DEL a b c d e", "-ERR syntax error");
    CHECK_ERROR("FENCE.DEL a LOCK k TOKEN",
                "-ERR wrong number of arguments for 'fence.del' command");
}
END_TEST

START_TEST(a_token_is_a_number_that_can_be_one)
{
    static const char error[] = "-ERR token is not an integer or out of range: "
                                "1 to 9007199254740991\r\n";
    ck_assert_str_eq(reply_to("FENCE.SET a 1 LOCK k TOKEN 0"), error);
    ck_assert_str_eq(reply_to("FENCE.SET a 1 LOCK k TOKEN -1"), error);
    ck_assert_str_eq(reply_to("FENCE.DEL a LOCK k TOKEN 9007199254740992"),
                     error);
    ck_assert_uint_eq(
        set_of("FENCE.SET a 1 LOCK k TOKEN 9007199254740991")->token,
        9007199254740991);
}
END_TEST

START_TEST(keys_are_looked_at)
{
    struct bytes args[] = {text("FENCE.SET"), text(""),      text("v"),
                           text("LOCK"),      text("k"),     text("TOKEN"),
                           text("1"),         text("OWNER"), text(""),
                           text("SIG"),       text("s")};
    run_args(args, 7);
    ck_assert_str_eq(said(), "-ERR key is empty\r\n");
    args[1] = text("a");
    args[4] = text("");
    run_args(args, 7);
    ck_assert_str_eq(said(), "-ERR key is empty\r\n");
    args[4] = text("k");
    run_args(args, 11);
    ck_assert_str_eq(said(), "-ERR owner is empty\r\n");
}
END_TEST

/* ---- signatures ---- */

static char judged[128]; /* lock, owner, token and signature as asked */
static bool verdict_of_keys;

static bool judge(void *context, const struct command_token *token,
                  struct bytes signature)
{
    (void)context;
    (void)snprintf(judged, sizeof(judged), "%.*s %.*s %llu %.*s",
                   (int)token->lock_key.count,
                   (const char *)token->lock_key.data, (int)token->owner.count,
                   (const char *)token->owner.data,
                   (unsigned long long)token->token, (int)signature.count,
                   (const char *)signature.data);
    return verdict_of_keys;
}

static const struct command_world checking = {.facts = call_facts,
                                              .token_holds = judge};

static void run_checked(const char *words)
{
    run(words);
    judged[0] = '\0';
    call.world = &checking;
    clear();
    verdict = command->start(&call);
}

START_TEST(a_write_is_planned_if_its_signature_holds)
{
    verdict_of_keys = true;
    run_checked("FENCE.SET a 1 LOCK k TOKEN 2 OWNER o SIG s");
    ck_assert_int_eq(verdict, COMMAND_PLANNED);
    ck_assert_str_eq(judged, "k o 2 s");
    run_checked("FENCE.DEL a LOCK k TOKEN 3 OWNER p SIG t");
    ck_assert_int_eq(verdict, COMMAND_PLANNED);
    ck_assert_str_eq(judged, "k p 3 t");
}
END_TEST

START_TEST(a_write_is_refused_if_its_signature_does_not_hold_or_is_missing)
{
    static const char *const writes[] = {
        "FENCE.SET a 1 LOCK k TOKEN 2 OWNER o SIG s",
        "FENCE.SET a 1 LOCK k TOKEN 2",
        "FENCE.DEL a LOCK k TOKEN 2 OWNER o SIG s",
        "FENCE.DEL a LOCK k TOKEN 2",
    };
    verdict_of_keys = false;
    for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
        run_checked(writes[i]);
        ck_assert_int_eq(verdict, COMMAND_ANSWERED);
        ck_assert_str_eq(said(), "-BADTOKEN this token was not granted so\r\n");
        ck_assert_str_eq(judged, i % 2 == 0 ? "k o 2 s" : "k  2 ");
    }
}
END_TEST

START_TEST(whoever_only_reads_needs_no_signature)
{
    verdict_of_keys = false;
    run_checked("FENCE.GET a");
    ck_assert_int_eq(verdict, COMMAND_PLANNED);
    run_checked("FENCE.LAST k");
    ck_assert_int_eq(verdict, COMMAND_PLANNED);
    ck_assert_str_eq(judged, "");
}
END_TEST

/* ---- replies, from a real machine ---- */

START_TEST(an_older_token_is_refused_and_changes_nothing)
{
    ck_assert_str_eq(carried_out("FENCE.LAST k"), ":0\r\n");
    ck_assert_str_eq(carried_out("FENCE.SET a 1 LOCK k TOKEN 84"), "+OK\r\n");
    ck_assert_str_eq(carried_out("FENCE.SET a 2 LOCK k TOKEN 83"),
                     "-FENCED token 83 is older than 84\r\n");
    ck_assert_str_eq(carried_out("FENCE.DEL a LOCK k TOKEN 83 OWNER o SIG s"),
                     "-FENCED token 83 is older than 84\r\n");
    ck_assert_str_eq(carried_out("FENCE.GET a"),
                     "*3\r\n$1\r\n1\r\n$1\r\nk\r\n:84\r\n");
    ck_assert_str_eq(carried_out("FENCE.LAST k"), ":84\r\n");
}
END_TEST

START_TEST(the_same_token_may_write_again)
{
    ck_assert_str_eq(carried_out("FENCE.SET a 1 b 2 LOCK k TOKEN 5"),
                     "+OK\r\n");
    ck_assert_str_eq(carried_out("FENCE.SET a 3 LOCK k TOKEN 5"), "+OK\r\n");
    ck_assert_str_eq(carried_out("FENCE.DEL a b c LOCK k TOKEN 6"), ":2\r\n");
    ck_assert_str_eq(carried_out("FENCE.GET a"), "*-1\r\n");
    ck_assert_str_eq(carried_out("FENCE.LAST k"), ":6\r\n");
    session.protocol = 3;
    ck_assert_str_eq(carried_out("FENCE.GET a"), "_\r\n");
}
END_TEST

START_TEST(a_held_lock_is_no_place_for_data)
{
    hold("held", "o", LOCK_EXCLUSIVE);
    ck_assert_str_eq(carried_out("FENCE.SET a 1 held 2 LOCK k TOKEN 5"),
                     "-WRONGTYPE Operation against a key holding the wrong "
                     "kind of value\r\n");
    ck_assert_str_eq(carried_out("FENCE.LAST k"), ":0\r\n");
}
END_TEST

START_TEST(a_damaged_answer_is_no_answer)
{
    run("FENCE.GET a");
    ck_assert_str_eq(finish_read(bytes_of("\1", 1)),
                     "-ERR the answer of the cluster makes no sense here\r\n");
    run("FENCE.LAST a");
    ck_assert_str_eq(finish_read(bytes_of("", 0)),
                     "-ERR the answer of the cluster makes no sense here\r\n");
}
END_TEST

static Suite *suite(void)
{
    Suite *suite_ = suite_create("cmd_fence");
    TCase *plans = tcase_create("plans");
    tcase_add_checked_fixture(plans, setup, teardown);
    tcase_add_test(plans, a_set_has_pairs_lock_and_token);
    tcase_add_test(plans, a_delete_has_keys_lock_and_token);
    tcase_add_test(plans, owner_and_signature_may_follow);
    tcase_add_test(plans, keys_and_values_may_be_the_words_themselves);
    tcase_add_test(plans, what_is_not_complete_is_refused);
    tcase_add_test(plans, a_token_is_a_number_that_can_be_one);
    tcase_add_test(plans, keys_are_looked_at);
    suite_add_tcase(suite_, plans);
    TCase *signatures = tcase_create("signatures");
    tcase_add_checked_fixture(signatures, setup, teardown);
    tcase_add_test(signatures, a_write_is_planned_if_its_signature_holds);
    tcase_add_test(
        signatures,
        a_write_is_refused_if_its_signature_does_not_hold_or_is_missing);
    tcase_add_test(signatures, whoever_only_reads_needs_no_signature);
    suite_add_tcase(suite_, signatures);
    TCase *replies = tcase_create("replies");
    tcase_add_checked_fixture(replies, setup_state, teardown_state);
    tcase_add_test(replies, an_older_token_is_refused_and_changes_nothing);
    tcase_add_test(replies, the_same_token_may_write_again);
    tcase_add_test(replies, a_held_lock_is_no_place_for_data);
    tcase_add_test(replies, a_damaged_answer_is_no_answer);
    suite_add_tcase(suite_, replies);
    return suite_;
}

int main(void)
{
    return check_run(suite());
}
