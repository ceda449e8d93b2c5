/* test_server_options.c - defaults, CONFIG GET and SET, help. */
#include "server/server_options.h"

#include "unit/server/options_fixture.h"

static char seen[4096];

static const char *set(const char *name, const char *value)
{
    const char *why_not = server_options_check(&options, bytes_of_text(name),
                                               bytes_of_text(value));
    const char *again =
        server_options_set(&options, bytes_of_text(name), bytes_of_text(value));
    ck_assert((why_not == NULL) == (again == NULL));
    return again;
}

static void note(void *context, const char *name, const char *value)
{
    (void)context;
    const size_t used = strlen(seen);
    (void)snprintf(seen + used, sizeof(seen) - used, "%s=%s;", name, value);
}

/* ---- defaults ---- */

START_TEST(without_anything_a_node_is_alone_on_7001)
{
    ck_assert_int_eq(RUN2(NULL, NULL), SERVER_OPTIONS_RUN);

    ck_assert_uint_eq(options.id, 1);
    ck_assert_uint_eq(options.port, 7001);
    ck_assert_uint_eq(options.cluster_port, 7101);
    ck_assert_uint_eq(options.sentinel_port, 7201);
    ck_assert_uint_eq(options.raft_port, 17001);
    ck_assert_uint_eq(options.bind.count, 1);
    ck_assert_str_eq(options.bind.items[0], "127.0.0.1");
    ck_assert_str_eq(options.dir, "./holdfast-data");
    ck_assert_uint_eq(options.hold_ms, 400);
    ck_assert_uint_eq(options.proto_max_bulk_len, 4 * 1024 * 1024);
    ck_assert(options.protected_mode);
    ck_assert_int_eq(options.slowlog_log_slower_than, 10000);
    ck_assert_int_eq(options.loglevel, SERVER_LOG_NOTICE);
    ck_assert_uint_eq(options.members_count, 1);
    ck_assert_uint_eq(options.members[0].id, 1);
    ck_assert_str_eq(options.members[0].host, "127.0.0.1");
    ck_assert_uint_eq(options.members[0].port, 7001);
    ck_assert_uint_eq(options.members[0].raft_port, 17001);
}
END_TEST

START_TEST(every_row_has_a_name_a_help_and_a_default_that_it_accepts)
{
    for (size_t i = 0; i < server_options_table_count; i++) {
        const struct server_option *row = &server_options_table[i];
        ck_assert_uint_gt(strlen(row->help), 10);
        ck_assert_uint_le(strlen(row->help), 75);
        ck_assert_int_eq(row->help[strlen(row->help) - 1], '.');
        ck_assert_ptr_eq(server_options_table_find(bytes_of_text(row->name)),
                         row);
        ck_assert_uint_eq(strspn(row->name, "abcdefghijklmnopqrstuvwxyz-"),
                          strlen(row->name));
    }
}
END_TEST

START_TEST(no_two_rows_share_a_field)
{
    for (size_t i = 0; i < server_options_table_count; i++) {
        for (size_t j = 0; j < i; j++) {
            ck_assert_uint_ne(server_options_table[i].offset,
                              server_options_table[j].offset);
        }
    }
}
END_TEST

/* ---- another program ---- */

static const struct server_program_option other_options[] = {
    {"port", "8000"},
    {"bind", NULL},
    {"maxclients", NULL},
    {"fence-cluster-id", NULL},
    {"", NULL}};
static const struct server_program other_program = {
    .name = "other", .manuals = "other(8)", .options = other_options};

START_TEST(a_program_has_its_own_options_and_defaults)
{
    server_options_close(&options);
    server_options_init_for(&options, &other_program);
    ck_assert_int_eq(RUN2("--maxclients", "7"), SERVER_OPTIONS_RUN);

    ck_assert_uint_eq(options.port, 8000);
    ck_assert_uint_eq(options.cluster_port, 0);
    ck_assert_uint_eq(options.raft_port, 0);
    ck_assert_uint_eq(options.members_count, 0);
    ck_assert_uint_eq(options.maxclients, 7);
    server_options_visit(&options, bytes_of_text("*"), note, NULL);
    ck_assert_str_eq(seen, "port=8000;bind=127.0.0.1;maxclients=7;"
                           "fence-cluster-id=;");
}
END_TEST

START_TEST(a_program_refuses_what_only_others_have)
{
    server_options_close(&options);
    server_options_init_for(&options, &other_program);
    char value[64];

    ck_assert_str_eq(set("waiters-max", "5"), "no such directive");
    ck_assert(!server_options_get(&options, bytes_of_text("dir"), value,
                                  sizeof(value)));
    assert_refused(RUN2("--id", "5"), "command line: id: no such directive");
    static const char wrong[] = "command line: fence-cluster-id: must be 32 "
                                "hexadecimal digits, as in RAFT.STATUS";
    assert_refused(RUN2("--fence-cluster-id", "abc"), wrong);
    assert_refused(
        RUN2("--fence-cluster-id", "0123456789ABCDEF0123456789ABCDEF"), wrong);
    ck_assert_int_eq(
        RUN2("--fence-cluster-id", "0123456789abcdef0123456789abcdef"),
        SERVER_OPTIONS_RUN);
}
END_TEST

START_TEST(a_program_lists_and_explains_its_own_options)
{
    char *text = NULL;
    size_t count = 0;
    FILE *out = open_memstream(&text, &count);
    server_options_help(out, &other_program);
    server_options_list(out, &other_program);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(text, "Usage: other [FILE]"));
    ck_assert_ptr_nonnull(strstr(text, "--port port (8000)"));
    ck_assert_ptr_null(strstr(text, "--dir "));
    ck_assert_ptr_nonnull(strstr(text,
                                 "other(8) say more.\nport\nbind\nmaxclients\n"
                                 "fence-cluster-id\n"));
    free(text);
}
END_TEST

/* ---- CONFIG ---- */

START_TEST(visit_shows_what_matches)
{
    server_options_visit(&options, bytes_of_text("*Waiters*"), note, NULL);

    ck_assert_str_eq(seen, "waiters-per-key-max=100000;waiters-max=1000000;");
}
END_TEST

START_TEST(redis_benchmark_gets_its_answers)
{
    server_options_visit(&options, bytes_of_text("save"), note, NULL);
    server_options_visit(&options, bytes_of_text("appendonly"), note, NULL);

    ck_assert_str_eq(seen, "save=;appendonly=yes;");
}
END_TEST

START_TEST(set_changes_what_may_change)
{
    ck_assert_ptr_null(set("MaxClients", "5"));
    ck_assert_ptr_null(set("client-output-buffer-limit", "2mb"));
    ck_assert_ptr_null(set("slowlog-log-slower-than", "-1"));
    ck_assert_ptr_null(set("loglevel", "WARNING"));
    ck_assert_ptr_null(set("protected-mode", "no"));
    ck_assert_ptr_null(set("requirepass", "a b"));

    ck_assert_uint_eq(options.maxclients, 5);
    assert_value("client-output-buffer-limit", "2097152");
    assert_value("slowlog-log-slower-than", "-1");
    ck_assert_int_eq(options.loglevel, SERVER_LOG_WARNING);
    ck_assert(!options.protected_mode);
    ck_assert_str_eq(options.requirepass, "a b");
}
END_TEST

START_TEST(set_refuses_and_leaves_all_as_it_was)
{
    ck_assert_str_eq(set("port", "1"), "can't set immutable config");
    ck_assert_str_eq(set("databases", "16"), "can't set immutable config");
    ck_assert_str_eq(set("no-such", "1"), "no such directive");
    ck_assert_str_eq(set("maxclients", "0"),
                     "argument must be between 1 and 1000000 inclusive");
    ck_assert_str_eq(set("slowlog-log-slower-than", "-2"),
                     "argument must be between -1 and 9223372036854775807 "
                     "inclusive");

    ck_assert_uint_eq(options.maxclients, 10000);
    ck_assert_uint_eq(options.port, 7001);
}
END_TEST

START_TEST(check_changes_nothing)
{
    ck_assert_ptr_null(server_options_check(
        &options, bytes_of_text("requirepass"), bytes_of_text("x")));

    ck_assert_str_eq(options.requirepass, "");
}
END_TEST

static void set_to_itself(void *context, const char *name, const char *value)
{
    struct server_options *other = context;
    const struct server_option *row = server_options_table_row(name);
    ck_assert_ptr_null(server_options_value_read(row, bytes_of_text(value),
                                                 other, other->reason,
                                                 sizeof(other->reason)));
    const char *why_not =
        server_options_set(other, bytes_of_text(name), bytes_of_text(value));
    ck_assert((why_not == NULL) == (row->change == SERVER_OPTION_ANYTIME));
}

START_TEST(what_get_shows_set_takes)
{
    struct server_options other;
    char all[sizeof(seen)];
    ck_assert(read_text("bind 10.0.0.1 ::1\nunixsocketperm 750\nport 6000\n"
                        "requirepass \"x y\"\nprotected-mode no\n"
                        "client-query-buffer-limit 32m\nloglevel verbose\n"
                        "slowlog-log-slower-than -1\n"));
    ck_assert(server_options_settle(&options));
    server_options_visit(&options, bytes_of_text("*"), note, NULL);
    memcpy(all, seen, sizeof(all));
    server_options_init(&other);

    server_options_visit(&options, bytes_of_text("*"), set_to_itself, &other);

    seen[0] = '\0';
    server_options_visit(&other, bytes_of_text("*"), note, NULL);
    ck_assert_str_eq(seen, all);
    ck_assert_ptr_nonnull(strstr(all, "unixsocketperm=750;"));
    ck_assert_ptr_nonnull(strstr(all, "client-query-buffer-limit=32000000;"));
    server_options_close(&other);
}
END_TEST

START_TEST(a_copy_owns_everything_it_has)
{
    struct server_options other;
    ck_assert_int_eq(
        RUN6("--id", "2", "--initial-cluster", THREE, "--bind", "::1"),
        SERVER_OPTIONS_RUN);

    server_options_copy(&other, &options);
    server_options_close(&options);
    server_options_init(&options);

    ck_assert_uint_eq(other.members_count, 3);
    ck_assert_str_eq(other.members[2].host, "c.example");
    ck_assert_str_eq(other.bind.items[0], "::1");
    ck_assert_str_eq(other.initial_cluster, THREE);
    server_options_close(&other);
}
END_TEST

/* ---- printing ---- */

START_TEST(help_and_list_name_every_option)
{
    char *text = NULL;
    size_t count = 0;
    FILE *out = open_memstream(&text, &count);
    server_options_help(out, &server_options_holdfastd);
    server_options_list(out, &server_options_holdfastd);
    (void)fclose(out);

    for (size_t i = 0; i < server_options_table_count; i++) {
        char name[80];
        (void)snprintf(name, sizeof(name), " --%s ",
                       server_options_table[i].name);
        const bool ours = !server_options_table[i].elsewhere;
        ck_assert((strstr(text, name) != NULL) == ours);
        (void)snprintf(name, sizeof(name), "\n%s\n",
                       server_options_table[i].name);
        ck_assert((strstr(text, name) != NULL) == ours);
    }
    ck_assert_ptr_nonnull(
        strstr(text, "+ --loglevel debug|verbose|notice|warning|nothing"));
    ck_assert_ptr_nonnull(strstr(text, "--raft-port port (port + 10000)"));
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("server_options");
    add(suite, "defaults",
        (const TTest *const[]){
            without_anything_a_node_is_alone_on_7001,
            every_row_has_a_name_a_help_and_a_default_that_it_accepts,
            no_two_rows_share_a_field, NULL});
    add(suite, "another program",
        (const TTest *const[]){a_program_has_its_own_options_and_defaults,
                               a_program_refuses_what_only_others_have,
                               a_program_lists_and_explains_its_own_options,
                               NULL});
    add(suite, "config",
        (const TTest *const[]){
            visit_shows_what_matches, redis_benchmark_gets_its_answers,
            set_changes_what_may_change, set_refuses_and_leaves_all_as_it_was,
            check_changes_nothing, what_get_shows_set_takes,
            a_copy_owns_everything_it_has, help_and_list_name_every_option,
            NULL});
    return check_run(suite);
}
