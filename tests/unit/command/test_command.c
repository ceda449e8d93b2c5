/* test_command.c - finding commands, and the errors if there is none. */
#include "unit/command/call_fixture.h"

START_TEST(a_command_is_found_in_letters_of_either_case)
{
    run("lock.help");
    ck_assert_ptr_eq(command, &cmd_lock_help);
    run("LoCk.HeLp");
    ck_assert_ptr_eq(command, &cmd_lock_help);
}
END_TEST

START_TEST(a_subcommand_is_found_behind_its_command)
{
    run("CLUSTER KeySlot k");

    ck_assert_ptr_ne(command, NULL);
    ck_assert_str_eq(command->name, "keyslot");
}
END_TEST

START_TEST(an_unknown_command_is_quoted_with_its_arguments)
{
    CHECK_ERROR("Foo", "-ERR unknown command 'Foo', with args beginning "
                       "with: ");
    CHECK_ERROR("foo a bc", "-ERR unknown command 'foo', with args beginning "
                            "with: 'a' 'bc' ");
}
END_TEST

START_TEST(no_name_is_found_by_its_beginning_or_with_more)
{
    CHECK_ERROR("lock.hel", "-ERR unknown command 'lock.hel', with args "
                            "beginning with: ");
    CHECK_ERROR("lock.helpp", "-ERR unknown command 'lock.helpp', with args "
                              "beginning with: ");
    CHECK_ERROR("zzz",
                "-ERR unknown command 'zzz', with args beginning with: ");
    CHECK_ERROR("!", "-ERR unknown command '!', with args beginning with: ");
}
END_TEST

/* As redis-server 7.0.15 does: the arguments share 128 bytes, counted with
 * what stands around them, and the name has 128 for itself. */
START_TEST(what_is_quoted_is_cut)
{
    char wanted[512];
    const char *const x = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                          "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                          "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    const struct bytes long_name[] = {text(x), text("q")};
    const struct bytes long_args[] = {text("foo"), text("a"), text(x),
                                      text("z")};
    const struct bytes whole[] = {text("foo"), bytes_of(x, 128), text("z")};

    run_args(long_name, 2);
    snprintf(wanted, sizeof(wanted),
             "-ERR unknown command '%.128s', with args beginning with: 'q' "
             "\r\n",
             x);
    ck_assert_str_eq(said(), wanted);

    run_args(long_args, 4);
    snprintf(wanted, sizeof(wanted),
             "-ERR unknown command 'foo', with args beginning with: 'a' "
             "'%.124s' \r\n",
             x);
    ck_assert_str_eq(said(), wanted);

    run_args(whole, 3);
    snprintf(wanted, sizeof(wanted),
             "-ERR unknown command 'foo', with args beginning with: '%.128s' "
             "\r\n",
             x);
    ck_assert_str_eq(said(), wanted);
}
END_TEST

START_TEST(no_line_can_be_broken_by_a_client)
{
    const struct bytes args[] = {bytes_of("f\r\n+OK", 6), bytes_of("a\nb", 3),
                                 bytes_of("c\0d", 3), bytes_of("", 0)};
    const struct bytes sub[] = {text("cluster"), bytes_of("a\r\n", 3)};

    run_args(args, 4);
    ck_assert_str_eq(said(), "-ERR unknown command 'f  +OK', with args "
                             "beginning with: 'a b' 'c' '' \r\n");
    run_args(sub, 2);
    ck_assert_str_eq(said(),
                     "-ERR unknown subcommand 'a  '. Try CLUSTER HELP.\r\n");
}
END_TEST

START_TEST(a_wrong_number_of_arguments_names_the_command)
{
    CHECK_ERROR("LOCK.RELEASE k o",
                "-ERR wrong number of arguments for 'lock.release' command");
    CHECK_ERROR("LOCK.RELEASE k o 1 2",
                "-ERR wrong number of arguments for 'lock.release' command");
    CHECK_ERROR("LOCK.ACQUIRE k o",
                "-ERR wrong number of arguments for 'lock.acquire' command");
    CHECK_ERROR("CLUSTER",
                "-ERR wrong number of arguments for 'cluster' command");
    CHECK_ERROR("Cluster KEYSLOT",
                "-ERR wrong number of arguments for 'cluster|keyslot' command");
}
END_TEST

START_TEST(an_unknown_subcommand_is_quoted)
{
    CHECK_ERROR("cluster foo bar",
                "-ERR unknown subcommand 'foo'. Try CLUSTER HELP.");
}
END_TEST

START_TEST(answers_nobody_expects_are_errors)
{
    run("LOCK.RELEASE k o 1");
    ck_assert_str_eq(finish_result(LOCK_WRONG_TYPE),
                     "-WRONGTYPE Operation against a key holding the wrong "
                     "kind of value\r\n");
    ck_assert_str_eq(finish_result(LOCK_WINDOW_FULL),
                     "-TRYAGAIN too much is under way\r\n");
    ck_assert_str_eq(finish_result(LOCK_OUTDATED),
                     "-UNCERTAIN the request is outdated: it may or may not "
                     "have been carried out\r\n");
    ck_assert_str_eq(finish_result(LOCK_BROKEN),
                     "-ERR the answer of the cluster makes no sense here\r\n");
}
END_TEST

START_TEST(shared_replies_have_the_texts_of_redis)
{
    run("lock.help");
    clear();
    ck_assert_int_eq(command_ok(&call), COMMAND_ANSWERED);
    ck_assert_int_eq(command_syntax_error(&call), COMMAND_ANSWERED);
    ck_assert_int_eq(command_error(&call, "ERR x"), COMMAND_ANSWERED);
    ck_assert_str_eq(said(), "+OK\r\n-ERR syntax error\r\n-ERR x\r\n");
}
END_TEST

static Suite *suite(void)
{
    Suite *suite_ = suite_create("command");
    TCase *find = tcase_create("find");
    tcase_add_checked_fixture(find, setup, teardown);
    tcase_add_test(find, a_command_is_found_in_letters_of_either_case);
    tcase_add_test(find, a_subcommand_is_found_behind_its_command);
    tcase_add_test(find, an_unknown_command_is_quoted_with_its_arguments);
    tcase_add_test(find, no_name_is_found_by_its_beginning_or_with_more);
    tcase_add_test(find, what_is_quoted_is_cut);
    tcase_add_test(find, no_line_can_be_broken_by_a_client);
    tcase_add_test(find, a_wrong_number_of_arguments_names_the_command);
    tcase_add_test(find, an_unknown_subcommand_is_quoted);
    suite_add_tcase(suite_, find);
    TCase *shared = tcase_create("shared");
    tcase_add_checked_fixture(shared, setup, teardown);
    tcase_add_test(shared, answers_nobody_expects_are_errors);
    tcase_add_test(shared, shared_replies_have_the_texts_of_redis);
    suite_add_tcase(suite_, shared);
    return suite_;
}

int main(void)
{
    return check_run(suite());
}
