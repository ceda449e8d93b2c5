/* test_server_log.c - a line of the log is one line, whatever is in it. */
#include "server/server_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "lib/check_runner.h"

static struct server_log log_;
static char directory[] = "/tmp/test_server_log.XXXXXX";
static char path[64];
static char moved[64];
static char text[16384];

static void open_log(void)
{
    ck_assert_ptr_nonnull(mkdtemp(directory));
    (void)snprintf(path, sizeof(path), "%s/log", directory);
    (void)snprintf(moved, sizeof(moved), "%s/log.1", directory);
    ck_assert_int_eq(setenv("TZ", "XST-5:30", 1), 0);
    tzset();
    server_log_init(&log_);
    ck_assert(server_log_open(&log_, path));
}

static void close_log(void)
{
    server_log_close(&log_);
    (void)unlink(path);
    (void)unlink(moved);
    (void)rmdir(directory);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static const char *contents(const char *of)
{
    const int fd = open(of, O_RDONLY);
    ck_assert_int_ge(fd, 0);
    const ssize_t got = read(fd, text, sizeof(text) - 1);
    ck_assert_int_ge(got, 0);
    text[got] = '\0';
    (void)close(fd);
    return text;
}

/* The line without its time. */
static const char *behind_time(const char *line)
{
    const char *blank = strchr(line, ' ');
    ck_assert_ptr_nonnull(blank);
    return blank + 1;
}

START_TEST(a_line_has_time_level_and_text)
{
    server_log(&log_, SERVER_LOG_NOTICE, "node %d leads", 1);

    const char *line = contents(path);
    int year, month, day, hour, minute, second, ms, end = 0;
    ck_assert_int_eq(sscanf(line, "%4d-%2d-%2dT%2d:%2d:%2d.%3d+05:30 %n", &year,
                            &month, &day, &hour, &minute, &second, &ms, &end),
                     7);
    ck_assert_int_eq(end, 30);
    ck_assert_str_eq(behind_time(line), "notice node 1 leads\n");
}
END_TEST

START_TEST(time_is_local_with_milliseconds)
{
    char when[40];

    server_log_time(UINT64_C(1700000000123456), when, sizeof(when));

    ck_assert_str_eq(when, "2023-11-15T03:43:20.123+05:30");
}
END_TEST

START_TEST(lines_below_the_level_are_dropped)
{
    server_log(&log_, SERVER_LOG_VERBOSE, "no");
    log_.level = SERVER_LOG_VERBOSE;
    server_log(&log_, SERVER_LOG_VERBOSE, "yes");
    log_.level = SERVER_LOG_NOTHING;
    server_log(&log_, SERVER_LOG_WARNING, "no");

    ck_assert_str_eq(behind_time(contents(path)), "verbose yes\n");
}
END_TEST

START_TEST(control_bytes_are_escaped)
{
    server_log(&log_, SERVER_LOG_WARNING, "%s",
               "a\nb\r\tc\x1b[2J\\\x7f\xc3\xa4");

    ck_assert_str_eq(behind_time(contents(path)),
                     "warning a\\nb\\r\\tc\\x1b[2J\\\\\\x7f\\xc3\\xa4\n");
}
END_TEST

START_TEST(a_long_line_is_cut_and_says_so)
{
    char longer[2 * SERVER_LOG_LINE_BYTES];
    memset(longer, '\n', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';

    server_log(&log_, SERVER_LOG_NOTICE, "%s", longer);
    server_log(&log_, SERVER_LOG_NOTICE, "next");

    const char *line = contents(path);
    const char *end = strchr(line, '\n');
    ck_assert_int_le(end - line, SERVER_LOG_LINE_BYTES);
    ck_assert_int_gt(end - line, SERVER_LOG_LINE_BYTES - 16);
    ck_assert_int_eq(strncmp(end - 5, "\\n...", 5), 0);
    ck_assert_str_eq(behind_time(end + 1), "notice next\n");
}
END_TEST

START_TEST(a_line_that_just_fits_is_whole)
{
    char half[SERVER_LOG_LINE_BYTES / 2];
    memset(half, 'x', sizeof(half) - 1);
    half[sizeof(half) - 1] = '\0';

    server_log(&log_, SERVER_LOG_NOTICE, "%s", half);

    ck_assert_int_eq(
        strncmp(behind_time(contents(path)) + 7, half, sizeof(half) - 1), 0);
    ck_assert_ptr_null(strstr(text, "..."));
}
END_TEST

START_TEST(reopen_follows_a_file_that_was_moved)
{
    server_log(&log_, SERVER_LOG_NOTICE, "old");
    ck_assert_int_eq(rename(path, moved), 0);
    server_log(&log_, SERVER_LOG_NOTICE, "still old");
    const int fd = log_.fd;
    ck_assert(server_log_reopen(&log_));
    ck_assert_int_eq(log_.fd, fd); /* a thread may be about to use it */
    server_log(&log_, SERVER_LOG_NOTICE, "new");

    ck_assert_str_eq(behind_time(contents(path)), "notice new\n");
    ck_assert_ptr_nonnull(strstr(contents(moved), "notice still old\n"));
}
END_TEST

START_TEST(reopen_appends)
{
    server_log(&log_, SERVER_LOG_NOTICE, "one");
    ck_assert(server_log_reopen(&log_));
    server_log(&log_, SERVER_LOG_NOTICE, "two");

    ck_assert_ptr_nonnull(strstr(contents(path), "notice one\n"));
    ck_assert_ptr_nonnull(strstr(text, "notice two\n"));
}
END_TEST

START_TEST(a_file_that_cannot_be_opened_leaves_the_log_as_it_was)
{
    ck_assert(!server_log_open(&log_, "/nowhere/log"));
    ck_assert_int_eq(errno, ENOENT);
    server_log(&log_, SERVER_LOG_NOTICE, "here");

    ck_assert_str_eq(behind_time(contents(path)), "notice here\n");
}
END_TEST

START_TEST(standard_error_needs_no_reopening)
{
    struct server_log other;
    server_log_init(&other);

    ck_assert(server_log_reopen(&other));
    ck_assert(server_log_open(&other, ""));

    ck_assert_int_eq(other.fd, STDERR_FILENO);
    server_log_close(&other);
}
END_TEST

START_TEST(errno_survives_a_line)
{
    errno = EEXIST;
    server_log(&log_, SERVER_LOG_NOTICE, "line");

    ck_assert_int_eq(errno, EEXIST);
}
END_TEST

START_TEST(escaping_never_cuts_an_escape)
{
    char out[6];

    const size_t used = server_log_escape(out, sizeof(out), "ab\x01z", 4);

    ck_assert_str_eq(out, "ab");
    ck_assert_uint_eq(used, 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("server_log");
    TCase *tcase = tcase_create("lines");
    tcase_add_checked_fixture(tcase, open_log, close_log);
    tcase_add_test(tcase, a_line_has_time_level_and_text);
    tcase_add_test(tcase, time_is_local_with_milliseconds);
    tcase_add_test(tcase, lines_below_the_level_are_dropped);
    tcase_add_test(tcase, control_bytes_are_escaped);
    tcase_add_test(tcase, a_long_line_is_cut_and_says_so);
    tcase_add_test(tcase, a_line_that_just_fits_is_whole);
    tcase_add_test(tcase, reopen_follows_a_file_that_was_moved);
    tcase_add_test(tcase, reopen_appends);
    tcase_add_test(tcase,
                   a_file_that_cannot_be_opened_leaves_the_log_as_it_was);
    tcase_add_test(tcase, standard_error_needs_no_reopening);
    tcase_add_test(tcase, errno_survives_a_line);
    tcase_add_test(tcase, escaping_never_cuts_an_escape);
    suite_add_tcase(suite, tcase);
    return check_run(suite);
}
