/* data_fixture.h - commands for data keys, from their words to their replies.
 *
 *     ck_assert_str_eq(says("SET k v"), "+OK\r\n");
 *
 * On top of state_fixture.h: what a command plans is done by the machine, as a
 * write or as a question, and the reply is worded. Transactions work, too.
 */
#ifndef HOLDFAST_TESTS_DATA_FIXTURE_H
#define HOLDFAST_TESTS_DATA_FIXTURE_H

#include "command/command_multi.h"
#include "unit/command/state_fixture.h"

static inline void setup_data(void)
{
    setup_state();
}

static inline void teardown_data(void)
{
    command_multi_close(&session);
    teardown_state();
}

/* What the server does with a request. */
static inline const char *says_args(const struct bytes *args, size_t count)
{
    call = (struct command_call){.args = args,
                                 .args_count = count,
                                 .session = &session,
                                 .world = &world};
    clear();
    verdict = COMMAND_ANSWERED;
    command = command_find(&call);
    if (command == NULL) {
        command_multi_spoil(&session);
        return said();
    }
    verdict = command_multi_start(command, &call);
    if (verdict != COMMAND_PLANNED) {
        return said();
    }
    if (call.plan.kind == COMMAND_PLAN_READ) {
        return finish_read(answer_now());
    }
    const struct lock_answer answer = apply(call.plan.write);
    return finish(&answer);
}

static inline const char *says(const char *words)
{
    size_t count = 0;
    memcpy(call_text, words, strlen(words) + 1);
    for (char *word = strtok(call_text, " "); word != NULL;
         word = strtok(NULL, " ")) {
        call_args[count++] = text(word);
    }
    return says_args(call_args, count);
}

/* One request, one reply; lines of a reply are joined by blanks. */
static inline void check_says(const char *words, const char *reply)
{
    char flat[4096];
    size_t count = 0;
    for (const char *at = says(words); *at != '\0'; at++) {
        if (*at != '\r') {
            flat[count++] = *at == '\n' ? ' ' : *at;
        }
    }
    flat[count > 0 ? count - 1 : 0] = '\0';
    ck_assert_msg(strcmp(flat, reply) == 0, "%s: %s, not %s", words, flat,
                  reply);
}

#endif
