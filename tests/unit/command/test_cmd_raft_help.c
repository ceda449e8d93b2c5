/* test_cmd_raft_help.c - RAFT.HELP has a line for each raft command. */
#include "unit/command/call_fixture.h"

#include <ctype.h>

START_TEST(every_raft_command_has_its_line)
{
    size_t count = 0;
    char line[64];
    const char *help = reply_to("RAFT.HELP");
    for (size_t i = 0; command_at(i) != NULL; i++) {
        const char *name = command_at(i)->name;
        if (strncmp(name, "raft.", 5) == 0) {
            size_t at = (size_t)snprintf(line, sizeof(line), "\n+");
            for (const char *letter = name; *letter != '\0'; letter++) {
                line[at++] = (char)toupper((unsigned char)*letter);
            }
            memcpy(line + at, " ", 2);
            ck_assert_msg(strstr(help, line) != NULL, "no line for %s", name);
            count++;
        }
    }
    snprintf(line, sizeof(line), "*%zu\r\n", count);
    ck_assert_mem_eq(help, line, strlen(line));
}
END_TEST

static Suite *suite(void)
{
    Suite *suite_ = suite_create("cmd_raft_help");
    TCase *help = tcase_create("help");
    tcase_add_checked_fixture(help, setup, teardown);
    tcase_add_test(help, every_raft_command_has_its_line);
    suite_add_tcase(suite_, help);
    return suite_;
}

int main(void)
{
    return check_run(suite());
}
