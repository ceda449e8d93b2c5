/* test_cmd_module.c - MODULE: there are none. */
#include "unit/command/world_fixture.h"

START_TEST(there_are_no_modules)
{
    EXPECT_BOTH("MODULE LIST", "*0\r\n");
    EXPECT_ERROR("MODULE LOAD /tmp/x.so",
                 "ERR unknown subcommand 'LOAD'. Try MODULE HELP.");
    EXPECT_ERROR("MODULE",
                 "ERR wrong number of arguments for 'module' command");
    EXPECT_BOTH("MODULE HELP",
                "*5\r\n+MODULE is followed by one of:\r\n+HELP\r\n"
                "+    This text.\r\n+LIST\r\n"
                "+    Loaded modules: always none.\r\n");
}
END_TEST

WORLD_MAIN("cmd_module", there_are_no_modules)
