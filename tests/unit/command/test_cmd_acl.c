/* test_cmd_acl.c - ACL: one user who may do everything. */
#include "command/command_category.h"
#include "unit/command/world_fixture.h"

START_TEST(there_is_one_user)
{
    EXPECT_BOTH("ACL WHOAMI", "$7\r\ndefault\r\n");
    EXPECT_BOTH("ACL USERS", "*1\r\n$7\r\ndefault\r\n");
    EXPECT_BOTH("ACL LIST",
                "*1\r\n$34\r\nuser default on nopass ~* &* +@all\r\n");
    fake_password = "sekret";
    EXPECT_BOTH("ACL LIST", "*1\r\n$27\r\nuser default on ~* &* +@all\r\n");
}
END_TEST

START_TEST(categories_are_listed)
{
    EXPECT_BOTH("ACL CAT",
                "*24\r\n$8\r\nkeyspace\r\n$4\r\nread\r\n$5\r\nwrite\r\n"
                "$3\r\nset\r\n$9\r\nsortedset\r\n$4\r\nlist\r\n$4\r\nhash\r\n"
                "$6\r\nstring\r\n$6\r\nbitmap\r\n$11\r\nhyperloglog\r\n"
                "$3\r\ngeo\r\n$6\r\nstream\r\n$6\r\npubsub\r\n$5\r\nadmin\r\n"
                "$4\r\nfast\r\n$4\r\nslow\r\n$8\r\nblocking\r\n"
                "$9\r\ndangerous\r\n$10\r\nconnection\r\n"
                "$11\r\ntransaction\r\n$9\r\nscripting\r\n$4\r\nlock\r\n"
                "$5\r\nfence\r\n$4\r\nraft\r\n");
}
END_TEST

START_TEST(the_commands_of_a_category_are_listed)
{
    const char *names = ask(2, "ACL CAT Connection");
    ck_assert_ptr_nonnull(strstr(names, "$4\r\nping\r\n"));
    ck_assert_ptr_nonnull(strstr(names, "$14\r\nclient|setname\r\n"));
    ck_assert_ptr_nonnull(strstr(names, "$7\r\ncommand\r\n"));
    ck_assert_ptr_null(strstr(names, "$6\r\nclient\r\n"));
    ck_assert_ptr_null(strstr(names, "$4\r\ninfo\r\n"));
    ck_assert_ptr_nonnull(
        strstr(ask(3, "ACL CAT blocking"), "$12\r\nlock.acquire\r\n"));
    ck_assert_ptr_nonnull(
        strstr(ask(2, "ACL CAT dangerous"), "$8\r\nshutdown\r\n"));
    EXPECT_BOTH("ACL CAT geo", "*0\r\n");
}
END_TEST

START_TEST(every_command_is_fast_or_slow)
{
    size_t fast;
    size_t slow;
    ck_assert(command_category_find(bytes_of_text("FAST"), &fast));
    ck_assert(command_category_find(bytes_of_text("slow"), &slow));
    for (size_t i = 0; command_at(i) != NULL; i++) {
        ck_assert(command_category_has(fast, command_at(i)) !=
                  command_category_has(slow, command_at(i)));
    }
}
END_TEST

START_TEST(what_acl_does_not_know)
{
    EXPECT_ERROR("ACL", "ERR wrong number of arguments for 'acl' command");
    EXPECT_ERROR("ACL SETUSER joe",
                 "ERR unknown subcommand 'SETUSER'. Try ACL HELP.");
    EXPECT_ERROR("ACL CAT foo", "ERR Unknown category 'foo'");
    EXPECT_ERROR("ACL CAT a b",
                 "ERR unknown subcommand or wrong number of arguments for "
                 "'CAT'. Try ACL HELP.");
    ck_assert_int_eq(strncmp(ask(2, "ACL HELP"), "*11\r\n", 5), 0);
}
END_TEST

WORLD_MAIN("cmd_acl", there_is_one_user, categories_are_listed,
           the_commands_of_a_category_are_listed, every_command_is_fast_or_slow,
           what_acl_does_not_know)
