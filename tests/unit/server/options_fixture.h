/* options_fixture.h - options, command lines and what they come to. */
#ifndef HOLDFAST_TESTS_OPTIONS_FIXTURE_H
#define HOLDFAST_TESTS_OPTIONS_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lib/check_runner.h"
#include "server/server_options.h"
#include "server/server_options_table.h"

/* An initial-cluster. */
#define THREE "3=c.example:7001,1=[::1]:7001@9001,2=10.0.0.2:7002"

static struct server_options options;

static inline void open_options(void)
{
    server_options_init(&options);
}

static inline void close_options(void)
{
    server_options_close(&options);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static inline void reset_options(void)
{
    close_options();
    open_options();
}

/* Up to seven words of a command line. */
static inline enum server_options_action run(const char *a, const char *b,
                                             const char *c, const char *d,
                                             const char *e, const char *f,
                                             const char *g)
{
    const char *const words[] = {"holdfastd", a, b, c, d, e, f, g, NULL};
    char *copies[10] = {NULL};
    int count = 0;
    while (words[count] != NULL) {
        copies[count] = strdup(words[count]);
        count++;
    }
    const enum server_options_action action =
        server_options_read(&options, count, copies);
    for (int i = 0; i < count; i++) {
        free(copies[i]);
    }
    return action;
}

#define RUN2(A, B) run(A, B, NULL, NULL, NULL, NULL, NULL)
#define RUN3(A, B, C) run(A, B, C, NULL, NULL, NULL, NULL)
#define RUN4(A, B, C, D) run(A, B, C, D, NULL, NULL, NULL)
#define RUN6(A, B, C, D, E, F) run(A, B, C, D, E, F, NULL)

static inline void assert_refused(enum server_options_action action,
                                  const char *line)
{
    ck_assert_int_eq(action, SERVER_OPTIONS_FAILED);
    ck_assert_str_eq(options.reason, line);
}

static inline void assert_value(const char *name, const char *value)
{
    char text[5000];
    ck_assert(
        server_options_get(&options, bytes_of_text(name), text, sizeof(text)));
    ck_assert_str_eq(text, value);
}

static inline bool read_text(const char *text)
{
    return server_options_text(&options, bytes_of_text(text));
}

static inline void add(Suite *suite, const char *name,
                       const TTest *const *tests)
{
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, open_options, close_options);
    for (size_t i = 0; tests[i] != NULL; i++) {
        tcase_add_test(tcase, tests[i]);
    }
    suite_add_tcase(suite, tcase);
}

#endif
