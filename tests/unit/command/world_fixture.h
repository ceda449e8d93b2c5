/* world_fixture.h - a client's words, and the bytes it gets, in a fake world.
 *
 *     EXPECT("CLIENT SETNAME joe", "+OK\r\n");      in protocol 2
 *     EXPECT3("CLIENT GETNAME", "$3\r\njoe\r\n");   in protocol 3
 *     EXPECT_BOTH("PING", "+PONG\r\n");             in one and the other
 *
 * Words are split at blanks; 'one word' in quotes may have them, or be empty.
 * The protocol that HELLO chose is the session's again after each.
 */
#ifndef HOLDFAST_TESTS_WORLD_FIXTURE_H
#define HOLDFAST_TESTS_WORLD_FIXTURE_H

#include "base/memory.h"
#include "command/command_table.h"
#include "lib/check_runner.h"
#include "unit/command/fake_world.h"

#define WORLD_ARGS_MAX 32

static struct command_session session;
static struct command_call call;
static const struct command *found;
static enum command_verdict verdict;
static struct buffer out;
static char words_text[4096];
static struct bytes words[WORLD_ARGS_MAX];

static inline void setup(void)
{
    fake_setup_world();
    session = (struct command_session){
        .id = 5,
        .face = COMMAND_FACE_PLAIN,
        .protocol = 2,
        .authenticated = true,
    };
    buffer_init(&out);
}

static inline void teardown(void)
{
    buffer_close(&out);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

/* What was written, as a string. */
static inline const char *written(void)
{
    buffer_u8(&out, 0);
    out.count--;
    return (const char *)out.data;
}

static inline void run_args(const struct bytes *args, size_t args_count)
{
    buffer_clear(&out);
    call = (struct command_call){
        .args = args,
        .args_count = args_count,
        .session = &session,
        .world = &fake_world,
        .reply = {&out, session.protocol},
    };
    verdict = COMMAND_ANSWERED;
    found = command_find(&call);
    if (found != NULL) {
        verdict = found->start(&call);
    }
}

static inline size_t split(const char *line)
{
    size_t count = 0;
    ck_assert_uint_lt(strlen(line), sizeof(words_text));
    memcpy(words_text, line, strlen(line) + 1);
    char *at = words_text;
    while (*at != '\0') {
        const char end = *at == '\'' ? '\'' : ' ';
        at += end == '\'' ? 1 : 0;
        char *start = at;
        while (*at != '\0' && *at != end) {
            at++;
        }
        ck_assert_uint_lt(count, WORLD_ARGS_MAX);
        words[count++] = bytes_of(start, (size_t)(at - start));
        at += *at == '\'' ? 1 : 0;
        at += *at == ' ' ? 1 : 0;
    }
    return count;
}

static inline const char *run(const char *line)
{
    run_args(words, split(line));
    return written();
}

/* In this protocol, and it stays so. */
static inline const char *ask(int protocol, const char *line)
{
    session.protocol = protocol;
    return run(line);
}

#define EXPECT(line, reply) ck_assert_str_eq(ask(2, line), reply)
#define EXPECT3(line, reply) ck_assert_str_eq(ask(3, line), reply)
#define EXPECT_BOTH(line, reply)                                               \
    do {                                                                       \
        EXPECT(line, reply);                                                   \
        EXPECT3(line, reply);                                                  \
    } while (0)

/* An error is the same in both, and nothing closes. */
#define EXPECT_ERROR(line, text)                                               \
    do {                                                                       \
        EXPECT_BOTH(line, "-" text "\r\n");                                    \
        ck_assert_int_eq(verdict, COMMAND_ANSWERED);                           \
    } while (0)

#define EXPECT_DONE(text)                                                      \
    do {                                                                       \
        ck_assert_str_eq(fake_done, text);                                     \
        fake_done[0] = '\0';                                                   \
    } while (0)

/* The main() of a test program with one case. */
#define WORLD_MAIN(name, ...)                                                  \
    int main(void)                                                             \
    {                                                                          \
        const TTest *const tests[] = {__VA_ARGS__};                            \
        Suite *suite = suite_create(name);                                     \
        TCase *tcase = tcase_create(name);                                     \
        tcase_add_checked_fixture(tcase, setup, teardown);                     \
        for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {        \
            tcase_add_test(tcase, tests[i]);                                   \
        }                                                                      \
        suite_add_tcase(suite, tcase);                                         \
        return check_run(suite);                                               \
    }

#endif
