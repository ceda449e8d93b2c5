/* test_cmd_command_keys.c - COMMAND GETKEYS and GETKEYSANDFLAGS. */
#include "unit/command/world_fixture.h"

START_TEST(keys_are_found)
{
    EXPECT_BOTH("COMMAND GETKEYS memory usage k", "*1\r\n$1\r\nk\r\n");
    EXPECT_BOTH("COMMAND GETKEYS lock.release k o 7", "*1\r\n$1\r\nk\r\n");
    EXPECT("COMMAND GETKEYSANDFLAGS MEMORY USAGE k",
           "*1\r\n*2\r\n$1\r\nk\r\n*2\r\n+RO\r\n+access\r\n");
    EXPECT3("COMMAND GETKEYSANDFLAGS lock.release k o 7",
            "*1\r\n*2\r\n$1\r\nk\r\n~3\r\n+RW\r\n+access\r\n+update\r\n");
}
END_TEST

/* The words behind the keys of a fenced write are not always as many, and its
 * keys and values may be like them. */
START_TEST(keys_before_other_words_are_found)
{
    EXPECT_BOTH("COMMAND GETKEYS mset a b c d", "*2\r\n$1\r\na\r\n$1\r\nc\r\n");
    EXPECT_BOTH("COMMAND GETKEYS fence.set a b LOCK l TOKEN 7",
                "*1\r\n$1\r\na\r\n");
    EXPECT_BOTH("COMMAND GETKEYS FENCE.SET a b c d lock l token 7",
                "*2\r\n$1\r\na\r\n$1\r\nc\r\n");
    EXPECT_BOTH(
        "COMMAND GETKEYS fence.set a b c d LOCK l TOKEN 7 OWNER o SIG s",
        "*2\r\n$1\r\na\r\n$1\r\nc\r\n");
    EXPECT_BOTH("COMMAND GETKEYS fence.set LOCK l TOKEN 7 LOCK l TOKEN 7",
                "*2\r\n$4\r\nLOCK\r\n$5\r\nTOKEN\r\n");
    EXPECT_BOTH("COMMAND GETKEYS fence.del a b c LOCK l TOKEN 7",
                "*3\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n");
    EXPECT_BOTH("COMMAND GETKEYS fence.del a LOCK l TOKEN 7 OWNER o SIG s",
                "*1\r\n$1\r\na\r\n");
    EXPECT_ERROR("COMMAND GETKEYS fence.set a b c d e f",
                 "ERR Invalid arguments specified for command");
    EXPECT_ERROR("COMMAND GETKEYS fence.del LOCK l TOKEN 7 a",
                 "ERR Invalid arguments specified for command");
    EXPECT_ERROR("COMMAND GETKEYS fence.set LOCK l TOKEN 7 OWNER o SIG s",
                 "ERR Invalid arguments specified for command");
}
END_TEST

START_TEST(what_has_no_keys_says_so)
{
    EXPECT_ERROR("COMMAND GETKEYS ping a",
                 "ERR The command has no key arguments");
    EXPECT_ERROR("COMMAND GETKEYS config get a",
                 "ERR The command has no key arguments");
    EXPECT_ERROR("COMMAND GETKEYS spublish a b",
                 "ERR The command has no key arguments");
    EXPECT_ERROR("COMMAND GETKEYS foo a", "ERR Invalid command specified");
    EXPECT_ERROR("COMMAND GETKEYS config foo a",
                 "ERR Invalid command specified");
    EXPECT_ERROR("COMMAND GETKEYS memory usage",
                 "ERR Invalid number of arguments specified for command");
    EXPECT_ERROR("COMMAND GETKEYS lock.release k o 7 x",
                 "ERR Invalid number of arguments specified for command");
    EXPECT_ERROR("COMMAND GETKEYS ping",
                 "ERR wrong number of arguments for 'command|getkeys' "
                 "command");
}
END_TEST

WORLD_MAIN("cmd_command_keys", keys_are_found,
           keys_before_other_words_are_found, what_has_no_keys_says_so)
