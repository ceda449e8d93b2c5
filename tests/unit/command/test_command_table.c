/* test_command_table.c - the list of commands, and what every row must have.
 *
 * redis-compat/commands.txt is the list for people. When commands or their
 * arguments change, write it anew and read the difference:
 *
 *     test_command_table --print > redis-compat/commands.txt
 */
#include <stdlib.h>

#include "unit/command/call_fixture.h"

#define LIST_PATH "redis-compat/commands.txt"

/* ---- the list, as text ---- */

static void put(struct buffer *out, const char *words)
{
    buffer_append(out, text(words));
}

static void put_argument(struct buffer *out,
                         const struct command_argument *argument)
{
    const bool is_word = strcmp(argument->type, "pure-token") == 0;
    put(out, argument->optional ? " [" : " ");
    if (argument->token != NULL) {
        put(out, argument->token);
        put(out, is_word ? "" : " ");
    }
    put(out, is_word ? "" : argument->name);
    put(out, argument->multiple ? " ..." : "");
    put(out, argument->optional ? "]" : "");
}

static void put_line(struct buffer *out, const struct command *container,
                     const struct command *row)
{
    if (container != NULL) {
        put(out, container->name);
        put(out, " ");
    }
    put(out, row->name);
    for (const struct command_argument *argument = row->arguments;
         argument != NULL && argument->name[0] != '\0'; argument++) {
        put_argument(out, argument);
    }
    put(out, " -- ");
    put(out, row->summary);
    put(out, "\n");
}

static void put_list(struct buffer *out)
{
    for (size_t i = 0; command_at(i) != NULL; i++) {
        const struct command *row = command_at(i);
        put_line(out, NULL, row);
        for (const struct command *const *sub = row->subcommands;
             sub != NULL && *sub != NULL; sub++) {
            put_line(out, row, *sub);
        }
    }
}

/* ---- tests ---- */

START_TEST(names_are_sorted_and_unique)
{
    ck_assert_uint_gt(command_table_count(), 10);
    for (size_t i = 1; i < command_table_count(); i++) {
        const char *before = command_at(i - 1)->name;
        const char *name = command_at(i)->name;
        ck_assert_msg(strcmp(before, name) < 0, "%s, %s", before, name);
    }
    ck_assert_ptr_eq(command_at(command_table_count()), NULL);
    ck_assert_ptr_eq(command_at(SIZE_MAX), NULL);
}
END_TEST

START_TEST(every_command_is_found_by_its_name)
{
    for (size_t i = 0; i < command_table_count(); i++) {
        char capitals[64] = "";
        const char *name = command_at(i)->name;
        ck_assert_ptr_eq(command_table_find(text(name)), command_at(i));
        for (size_t j = 0; name[j] != '\0'; j++) {
            const bool is_small = name[j] >= 'a' && name[j] <= 'z';
            capitals[j] = (char)(is_small ? name[j] - 'a' + 'A' : name[j]);
        }
        ck_assert_ptr_eq(command_table_find(text(capitals)), command_at(i));
    }
}
END_TEST

START_TEST(nothing_else_is_found)
{
    ck_assert_ptr_eq(command_table_find(bytes_of("", 0)), NULL);
    ck_assert_ptr_eq(command_table_find(text("a")), NULL);
    ck_assert_ptr_eq(command_table_find(text("zzzzzz")), NULL);
    ck_assert_ptr_eq(command_table_find(text("lock.help ")), NULL);
    ck_assert_ptr_eq(command_table_find(bytes_of("lock.help\0", 10)), NULL);
    ck_assert_ptr_eq(command_table_find(bytes_of("\0", 1)), NULL);
    ck_assert_ptr_eq(command_table_find(bytes_of("\xff\xfe", 2)), NULL);
}
END_TEST

static void check_text(const struct command *row, const char *what,
                       const char *value)
{
    ck_assert_msg(value != NULL && value[0] != '\0', "%s has no %s", row->name,
                  what);
}

/* Words are what COMMAND DOCS and redis-cli print: no line breaks. */
static void check_arguments(const struct command *row)
{
    static const char *const types[] = {"key",        "string",    "integer",
                                        "pure-token", "oneof",     "block",
                                        "pattern",    "unix-time", "double"};
    for (const struct command_argument *argument = row->arguments;
         argument != NULL && argument->name[0] != '\0'; argument++) {
        bool known = false;
        for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
            known = known || strcmp(argument->type, types[i]) == 0;
        }
        ck_assert_msg(known, "%s: type %s", row->name, argument->type);
        ck_assert_msg(strcmp(argument->type, "pure-token") != 0 ||
                          argument->token != NULL,
                      "%s: %s has no token", row->name, argument->name);
    }
}

/* Keys are among the arguments that the arity asks for; a list of keys up to
 * the end may be empty. */
static void check_keys(const struct command *row, int names, int arguments_min)
{
    const struct command_keys keys = row->keys;
    const int end = names + arguments_min;
    if (keys.first == 0) {
        ck_assert_msg(keys.last == 0 && keys.step == 0, "%s: keys", row->name);
        return;
    }
    ck_assert_msg(keys.step >= 1, "%s: step", row->name);
    ck_assert_msg(keys.first >= names, "%s: first key", row->name);
    if (keys.last < 0) {
        ck_assert_msg(keys.first < end || (row->arity < 0 && keys.first == end),
                      "%s: first key", row->name);
    } else {
        ck_assert_msg(keys.first <= keys.last && keys.last < end,
                      "%s: last key", row->name);
    }
}

/* The arity counts the names: two of a subcommand. */
static void check_row(const struct command *row, int names)
{
    const int arguments_min =
        (row->arity < 0 ? -row->arity : row->arity) - names;
    check_text(row, "name", row->name);
    check_text(row, "group", row->group);
    check_text(row, "since", row->since);
    check_text(row, "summary", row->summary);
    ck_assert_msg(arguments_min >= 0, "%s: arity", row->name);
    for (const char *letter = row->name; *letter != '\0'; letter++) {
        ck_assert_msg(
            strchr("abcdefghijklmnopqrstuvwxyz0123456789.-_", *letter) != NULL,
            "%s: name", row->name);
    }
    ck_assert_msg(row->start != NULL || row->subcommands != NULL,
                  "%s does nothing", row->name);
    check_keys(row, names, arguments_min);
    ck_assert_msg((row->flags & COMMAND_WRITE) == 0 ||
                      (row->flags & COMMAND_READONLY) == 0,
                  "%s reads and writes", row->name);
    check_arguments(row);
}

START_TEST(every_row_is_complete)
{
    for (size_t i = 0; i < command_table_count(); i++) {
        const struct command *row = command_at(i);
        check_row(row, 1);
        for (const struct command *const *sub = row->subcommands;
             sub != NULL && *sub != NULL; sub++) {
            check_row(*sub, 2);
            for (const struct command *const *other = row->subcommands;
                 other != sub; other++) {
                ck_assert_str_ne((*other)->name, (*sub)->name);
            }
        }
    }
}
END_TEST

/* A command with keys is read or write, and has someone to word its reply. */
START_TEST(commands_on_locks_are_finished)
{
    for (size_t i = 0; i < command_table_count(); i++) {
        const struct command *row = command_at(i);
        if (strcmp(row->group, "lock") == 0 && row != &cmd_lock_help) {
            ck_assert_ptr_ne(row->finish, NULL);
            ck_assert_ptr_ne(row->arguments, NULL);
            ck_assert_uint_ne(row->flags & (COMMAND_WRITE | COMMAND_READONLY),
                              0);
        }
    }
}
END_TEST

/* What redis-cli shows by "help lock.acquire", from the rows. */
START_TEST(the_syntax_is_that_of_the_contract)
{
    struct buffer list = {0};
    put_list(&list);
    buffer_u8(&list, 0);
    static const char *const lines[] = {
        "lock.acquire key owner ttl-ms [SHARED] [WAIT ms] [SEQ n] [CACHE] "
        "[NOTIFY|ASYNC] [DELAY ms] [WITHINFO] -- ",
        "lock.release key owner token -- ",
        "lock.renew key owner token ttl-ms -- ",
        "lock.status key -- ",
        "lock.queue key [COUNT n] -- ",
        "lock.scan cursor [MATCH glob] [COUNT n] -- ",
        "lock.owned owner -- ",
        "lock.cancel key owner [SEQ n] -- ",
        "lock.break key [token] -- ",
        "raft.add id address [LEARNER] -- ",
        "raft.promote id -- ",
        "raft.remove id -- ",
        "raft.snapshot -- ",
        "raft.transfer [id] -- ",
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        ck_assert_msg(strstr((const char *)list.data, lines[i]) != NULL, "%s",
                      lines[i]);
    }
    buffer_close(&list);
}
END_TEST

START_TEST(the_list_for_people_is_up_to_date)
{
    const char *root = getenv("top_srcdir");
    char path[1024];
    struct buffer wanted = {0};
    struct buffer found = {0};
    put_list(&wanted);
    snprintf(path, sizeof(path), "%s/" LIST_PATH, root != NULL ? root : ".");
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s is missing", path);
    size_t count = 1;
    while (count > 0) {
        count = fread(buffer_reserve(&found, 4096), 1, 4096, file);
        buffer_advance(&found, count);
    }
    fclose(file);
    ck_assert_msg(bytes_equal(buffer_view(&found), buffer_view(&wanted)),
                  "%s is not what test_command_table --print says", path);
    buffer_close(&found);
    buffer_close(&wanted);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite_ = suite_create("command_table");
    TCase *table = tcase_create("table");
    tcase_add_test(table, names_are_sorted_and_unique);
    tcase_add_test(table, every_command_is_found_by_its_name);
    tcase_add_test(table, nothing_else_is_found);
    tcase_add_test(table, every_row_is_complete);
    tcase_add_test(table, commands_on_locks_are_finished);
    tcase_add_test(table, the_syntax_is_that_of_the_contract);
    tcase_add_test(table, the_list_for_people_is_up_to_date);
    suite_add_tcase(suite_, table);
    return suite_;
}

int main(int count, char **words)
{
    if (count == 2 && strcmp(words[1], "--print") == 0) {
        struct buffer list = {0};
        put_list(&list);
        fwrite(list.data, 1, list.count, stdout);
        buffer_close(&list);
        return EXIT_SUCCESS;
    }
    return check_run(suite());
}
