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

WORLD_MAIN("cmd_command_keys", keys_are_found, what_has_no_keys_says_so)
