/* test_server_options_read.c - every way to give an option, every
 * refusal. */
#include "server/server_options_read.h"

#include <unistd.h>

#include "unit/server/options_fixture.h"

static char path[] = "/tmp/test_server_options.XXXXXX";

static void write_file(const char *text)
{
    (void)snprintf(path, sizeof(path), "/tmp/test_server_options.XXXXXX");
    const int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    (void)close(fd);
}

/* ---- command line ---- */

START_TEST(the_other_ports_follow_port)
{
    ck_assert_int_eq(RUN4("--port", "6001", "--cluster-port", "0"),
                     SERVER_OPTIONS_RUN);

    ck_assert_uint_eq(options.cluster_port, 0);
    ck_assert_uint_eq(options.sentinel_port, 6201);
    ck_assert_uint_eq(options.raft_port, 16001);
}
END_TEST

START_TEST(a_list_takes_words_up_to_the_next_directive)
{
    ck_assert_int_eq(RUN6("--bind", "10.0.0.1", "-::1", "*", "--id", "3"),
                     SERVER_OPTIONS_RUN);

    assert_value("bind", "10.0.0.1 -::1 *");
    ck_assert_uint_eq(options.id, 3);
    ck_assert_uint_eq(options.members[0].id, 3);
}
END_TEST

START_TEST(a_value_may_follow_an_equals_sign)
{
    ck_assert_int_eq(RUN2("--requirepass=--secret=", NULL), SERVER_OPTIONS_RUN);

    ck_assert_str_eq(options.requirepass, "--secret=");
}
END_TEST

START_TEST(names_are_known_in_either_case)
{
    ck_assert_int_eq(RUN2("--PORT", "6001"), SERVER_OPTIONS_RUN);

    ck_assert_uint_eq(options.port, 6001);
}
END_TEST

START_TEST(wildcards_are_no_address_to_be_known_by)
{
    ck_assert_int_eq(RUN2("--bind", "0.0.0.0"), SERVER_OPTIONS_RUN);

    ck_assert_str_eq(options.members[0].host, "127.0.0.1");
}
END_TEST

START_TEST(words_that_are_no_directives_say_what_to_do)
{
    ck_assert_int_eq(RUN2("--help", NULL), SERVER_OPTIONS_HELP);
    ck_assert_int_eq(RUN2("-h", NULL), SERVER_OPTIONS_HELP);
    ck_assert_int_eq(RUN2("--version", NULL), SERVER_OPTIONS_VERSION);
    ck_assert_int_eq(RUN2("--list-options", NULL), SERVER_OPTIONS_LIST);
}
END_TEST

START_TEST(a_bad_command_line_is_named)
{
    assert_refused(RUN2("--prot", "1"),
                   "command line: prot: no such directive");
    assert_refused(RUN2("--port", NULL), "command line: port: needs a value");
    assert_refused(RUN3("--port", "--id", "1"),
                   "command line: port: needs a value");
    assert_refused(RUN2("-p", "1"),
                   "command line: -p: directives begin with --");
    assert_refused(RUN2("--check-config", NULL),
                   "command line: check-config: needs the name of a file");
    assert_refused(RUN2("one", "two"),
                   "command line: two: there is a file already");
    assert_refused(RUN2("--a\nb\x1b", "1"),
                   "command line: a\\nb\\x1b: no such directive");
}
END_TEST

START_TEST(a_bad_value_is_refused_in_the_words_of_redis)
{
    assert_refused(RUN2("--port", "65536"),
                   "command line: port: argument must be between 0 and 65535 "
                   "inclusive");
    assert_refused(RUN2("--port", "x"),
                   "command line: port: argument couldn't be parsed into an "
                   "integer");
    assert_refused(RUN2("--port", ""),
                   "command line: port: argument couldn't be parsed into an "
                   "integer");
    assert_refused(RUN2("--proto-max-bulk-len", "1tb"),
                   "command line: proto-max-bulk-len: argument must be a "
                   "memory value");
    assert_refused(RUN2("--proto-max-bulk-len", "9223372036854775807gb"),
                   "command line: proto-max-bulk-len: argument must be a "
                   "memory value");
    assert_refused(RUN2("--protected-mode", "maybe"),
                   "command line: protected-mode: argument must be 'yes' or "
                   "'no'");
    assert_refused(RUN2("--loglevel", "loud"),
                   "command line: loglevel: argument(s) must be one of the "
                   "following: debug, verbose, notice, warning, nothing");
    assert_refused(RUN2("--unixsocketperm", "778"),
                   "command line: unixsocketperm: argument couldn't be parsed "
                   "as an octal number");
    assert_refused(RUN2("--unixsocketperm", "7777"),
                   "command line: unixsocketperm: argument must be between 0 "
                   "and 777 inclusive");
    assert_refused(RUN2("--dir", ""),
                   "command line: dir: argument must not be empty");
    assert_refused(RUN2("--bind", "  "),
                   "command line: bind: argument must not be empty");
    assert_refused(RUN2("--bind", "-"),
                   "command line: bind: that is no address");
}
END_TEST

START_TEST(a_text_that_is_too_long_is_refused)
{
    char text[5001];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';

    assert_refused(RUN2("--dir", text),
                   "command line: dir: argument must not be longer than 4096 "
                   "bytes");
}
END_TEST

START_TEST(who_joins_says_its_id_and_by_whom)
{
    assert_refused(RUN2("--join", "10.0.0.1:7001"),
                   "command line: join: say with id which number this node "
                   "has");
    assert_refused(RUN4("--id", "4", "--join", "10.0.0.1"),
                   "command line: join: that is not host:port");
    assert_refused(
        RUN6("--id", "4", "--join", "10.0.0.1:7001", "--raft-port", "0"),
        "command line: raft-port: a node that is not alone needs a "
        "port for the others");
    assert_refused(RUN6("--id", "1", "--join", "10.0.0.1:7001",
                        "--initial-cluster", "1=h:1"),
                   "command line: join: a node joins, or is one of the "
                   "initial-cluster, but not both");
}
END_TEST

START_TEST(what_is_fixed_may_be_given_as_it_is_only)
{
    ck_assert_int_eq(RUN4("--databases", "16", "--save", ""),
                     SERVER_OPTIONS_RUN);
    assert_refused(RUN2("--databases", "32"),
                   "command line: databases: cannot be changed, it is always "
                   "\"16\"");
    ck_assert(!read_text("save 900 1\n"));
    assert_value("appendonly", "yes");
    assert_value("save", "");
}
END_TEST

/* ---- files ---- */

START_TEST(a_file_has_comments_quotes_and_blank_lines)
{
    ck_assert(read_text("# \"a comment\n"
                        "\n"
                        "  \t\r\n"
                        "port 6001\r\n"
                        "\tBIND  127.0.0.1   ::1\n"
                        "requirepass \"a \\\"b\\\" \\x41\"\n"
                        "  # another\n"
                        "dir '/var/lib/hold fast'\n"
                        "client-output-buffer-limit 64mb\n"
                        "initial-cluster ''\n"
                        "loglevel debug"));

    ck_assert_uint_eq(options.port, 6001);
    assert_value("bind", "127.0.0.1 ::1");
    ck_assert_str_eq(options.requirepass, "a \"b\" A");
    ck_assert_str_eq(options.dir, "/var/lib/hold fast");
    ck_assert_uint_eq(options.client_output_buffer_limit, 64 * 1024 * 1024);
    ck_assert_int_eq(options.loglevel, SERVER_LOG_DEBUG);
}
END_TEST

START_TEST(the_command_line_wins_over_the_file)
{
    write_file("port 6001\nid 4\n");

    ck_assert_int_eq(RUN3("--port", "6002", path), SERVER_OPTIONS_RUN);

    ck_assert_uint_eq(options.port, 6002);
    ck_assert_uint_eq(options.id, 4);
    ck_assert_str_eq(options.config_file, path);
    (void)unlink(path);
}
END_TEST

START_TEST(a_bad_line_of_a_file_is_named)
{
    char line[128];
    write_file("port 6001\n\nhold-ms -1\n");
    (void)snprintf(line, sizeof(line),
                   "%s:3: hold-ms: argument must be between 0 and 3600000 "
                   "inclusive",
                   path);
    assert_refused(RUN2(path, NULL), line);
    (void)unlink(path);

    write_file("dir \"a");
    (void)snprintf(line, sizeof(line), "%s:1: dir: unbalanced quotes", path);
    assert_refused(RUN2(path, NULL), line);
    (void)unlink(path);

    write_file("port 1 2");
    (void)snprintf(line, sizeof(line), "%s:1: port: takes one value", path);
    assert_refused(RUN2(path, NULL), line);
    (void)unlink(path);

    write_file("initial-cluster 2=a:1");
    (void)snprintf(line, sizeof(line),
                   "%s:1: initial-cluster: id 1, which is this node, is not a "
                   "member",
                   path);
    assert_refused(RUN2(path, NULL), line);
    (void)unlink(path);
}
END_TEST

START_TEST(a_zero_byte_in_a_file_is_refused)
{
    ck_assert(!server_options_text(&options, bytes_of("dir a\0b", 7)));
    ck_assert(!server_options_text(&options, bytes_of("dir \"a\\x00b\"", 11)));
    ck_assert(!server_options_text(&options, bytes_of("po\0rt 1", 7)));
}
END_TEST

START_TEST(a_file_that_is_not_there_is_named)
{
    assert_refused(RUN2("/nowhere/holdfast.conf", NULL),
                   "/nowhere/holdfast.conf: No such file or directory");
    assert_refused(RUN2("/tmp", NULL), "/tmp: Is a directory");
}
END_TEST

START_TEST(check_config_reads_a_file_and_no_more)
{
    write_file("port 6001\n");
    ck_assert_int_eq(RUN2("--check-config", path), SERVER_OPTIONS_CHECKED);
    (void)unlink(path);
    write_file("port 6001x\n");
    ck_assert_int_eq(RUN2("--check-config", path), SERVER_OPTIONS_FAILED);
    (void)unlink(path);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("server_options_read");
    add(suite, "command line",
        (const TTest *const[]){the_other_ports_follow_port,
                               a_list_takes_words_up_to_the_next_directive,
                               a_value_may_follow_an_equals_sign,
                               names_are_known_in_either_case,
                               wildcards_are_no_address_to_be_known_by,
                               words_that_are_no_directives_say_what_to_do,
                               a_bad_command_line_is_named,
                               a_bad_value_is_refused_in_the_words_of_redis,
                               a_text_that_is_too_long_is_refused,
                               who_joins_says_its_id_and_by_whom,
                               what_is_fixed_may_be_given_as_it_is_only, NULL});
    add(suite, "file",
        (const TTest *const[]){
            a_file_has_comments_quotes_and_blank_lines,
            the_command_line_wins_over_the_file, a_bad_line_of_a_file_is_named,
            a_zero_byte_in_a_file_is_refused, a_file_that_is_not_there_is_named,
            check_config_reads_a_file_and_no_more, NULL});
    return check_run(suite);
}
