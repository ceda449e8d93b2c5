/* test_cmd_command_docs.c - COMMAND DOCS: types that clients insist on. */
#include "unit/command/world_fixture.h"

START_TEST(a_document_is_a_map)
{
    EXPECT("COMMAND DOCS time foo",
           "*2\r\n$4\r\ntime\r\n*8\r\n"
           "$7\r\nsummary\r\n"
           "$42\r\nThe time of day: seconds and microseconds.\r\n"
           "$5\r\nsince\r\n$5\r\n2.6.0\r\n$5\r\ngroup\r\n$6\r\nserver\r\n"
           "$10\r\ncomplexity\r\n$4\r\nO(1)\r\n");
    EXPECT3("COMMAND DOCS PING",
            "%1\r\n$4\r\nping\r\n%5\r\n"
            "$7\r\nsummary\r\n$29\r\nAnswers PONG, or the message.\r\n"
            "$5\r\nsince\r\n$5\r\n1.0.0\r\n"
            "$5\r\ngroup\r\n$10\r\nconnection\r\n"
            "$10\r\ncomplexity\r\n$4\r\nO(1)\r\n"
            "$9\r\narguments\r\n*1\r\n%3\r\n$4\r\nname\r\n$7\r\nmessage\r\n"
            "$4\r\ntype\r\n$6\r\nstring\r\n"
            "$5\r\nflags\r\n~1\r\n+optional\r\n");
    EXPECT("COMMAND DOCS foo", "*0\r\n");
    EXPECT3("COMMAND DOCS foo", "%0\r\n");
}
END_TEST

START_TEST(words_to_choose_from_are_members)
{
    EXPECT3("COMMAND DOCS client|no-touch",
            "%1\r\n$15\r\nclient|no-touch\r\n%4\r\n"
            "$7\r\nsummary\r\n"
            "$42\r\nTaken and kept; reads leave no trace here.\r\n"
            "$5\r\nsince\r\n$5\r\n7.2.0\r\n"
            "$5\r\ngroup\r\n$10\r\nconnection\r\n"
            "$9\r\narguments\r\n*1\r\n%3\r\n$4\r\nname\r\n$6\r\non|off\r\n"
            "$4\r\ntype\r\n$5\r\noneof\r\n$9\r\narguments\r\n*2\r\n"
            "%3\r\n$4\r\nname\r\n$2\r\non\r\n"
            "$4\r\ntype\r\n$10\r\npure-token\r\n$5\r\ntoken\r\n$2\r\nON\r\n"
            "%3\r\n$4\r\nname\r\n$3\r\noff\r\n"
            "$4\r\ntype\r\n$10\r\npure-token\r\n$5\r\ntoken\r\n$3\r\nOFF\r\n");
}
END_TEST

START_TEST(strings_of_a_block_are_members)
{
    EXPECT("COMMAND DOCS config|set",
           "*2\r\n$10\r\nconfig|set\r\n*10\r\n"
           "$7\r\nsummary\r\n$59\r\nChanges options while the server runs: "
           "all of them or none.\r\n"
           "$5\r\nsince\r\n$5\r\n2.0.0\r\n$5\r\ngroup\r\n$6\r\nserver\r\n"
           "$10\r\ncomplexity\r\n$19\r\nO(N) with N options\r\n"
           "$9\r\narguments\r\n*1\r\n*8\r\n"
           "$4\r\nname\r\n$15\r\nparameter value\r\n"
           "$4\r\ntype\r\n$5\r\nblock\r\n$5\r\nflags\r\n*1\r\n+multiple\r\n"
           "$9\r\narguments\r\n*2\r\n"
           "*4\r\n$4\r\nname\r\n$9\r\nparameter\r\n"
           "$4\r\ntype\r\n$6\r\nstring\r\n"
           "*4\r\n$4\r\nname\r\n$5\r\nvalue\r\n"
           "$4\r\ntype\r\n$6\r\nstring\r\n");
}
END_TEST

START_TEST(keys_and_tokens_are_told)
{
    const char *docs = ask(2, "COMMAND DOCS memory|usage");
    ck_assert_ptr_nonnull(strstr(docs,
                                 "$9\r\narguments\r\n*2\r\n*6\r\n$4\r\nname\r\n"
                                 "$3\r\nkey\r\n$4\r\ntype\r\n$3\r\nkey\r\n"
                                 "$14\r\nkey_spec_index\r\n:0\r\n"
                                 "*8\r\n$4\r\nname\r\n$5\r\ncount\r\n"
                                 "$4\r\ntype\r\n$7\r\ninteger\r\n"
                                 "$5\r\ntoken\r\n$7\r\nSAMPLES\r\n"
                                 "$5\r\nflags\r\n*1\r\n+optional\r\n"));
}
END_TEST

START_TEST(subcommands_are_a_map)
{
    const char *docs = ask(3, "COMMAND DOCS module");
    ck_assert_ptr_nonnull(strstr(docs, "$11\r\nsubcommands\r\n%2\r\n"
                                       "$11\r\nmodule|help\r\n%3\r\n"
                                       "$7\r\nsummary\r\n"));
}
END_TEST

START_TEST(every_row_can_be_shown)
{
    for (size_t i = 0; command_at(i) != NULL; i++) {
        const struct command *row = command_at(i);
        ck_assert_ptr_nonnull(row->summary);
        ck_assert_ptr_nonnull(row->group);
    }
    ck_assert_int_eq(ask(2, "COMMAND DOCS")[0], '*');
    ck_assert_int_eq(ask(3, "COMMAND DOCS")[0], '%');
}
END_TEST

WORLD_MAIN("cmd_command_docs", a_document_is_a_map,
           words_to_choose_from_are_members, strings_of_a_block_are_members,
           keys_and_tokens_are_told, subcommands_are_a_map,
           every_row_can_be_shown)
