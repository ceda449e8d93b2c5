/* call_fixture.h - a client's words, what they plan, and the bytes they get.
 *
 *     run("LOCK.RELEASE k o 7");              arguments are split at blanks
 *     ck_assert_int_eq(verdict, COMMAND_PLANNED);
 *     ck_assert_str_eq(finish(&answer), ":1\r\n");
 *
 * The world is a cluster of three seen by node 1, with facts to change.
 */
#ifndef HOLDFAST_TESTS_CALL_FIXTURE_H
#define HOLDFAST_TESTS_CALL_FIXTURE_H

#include <stdio.h>
#include <string.h>

#include "command/command_table.h"
#include "lib/check_runner.h"

#define CALL_ARGS_MAX 64

static struct bytes call_args[CALL_ARGS_MAX];
static char call_text[16384];
static struct buffer call_out;
static struct command_session session;
static struct command_member members[3];
static struct command_facts facts_now;
static struct command_call call;
static struct lock_command_room call_room;
static const struct command *command;
static enum command_verdict verdict;

static inline void call_facts(void *context, struct command_facts *facts)
{
    (void)context;
    *facts = facts_now;
}

static const struct command_world world = {
    .facts = call_facts,
};

static inline void setup(void)
{
    static const char *const addresses[] = {"10.0.0.1:7001", "10.0.0.2:7001",
                                            "10.0.0.3:7001"};
    static const char *const hosts[] = {"10.0.0.1", "10.0.0.2", "10.0.0.3"};
    session = (struct command_session){
        .id = 5, .face = COMMAND_FACE_PLAIN, .protocol = 2};
    for (size_t i = 0; i < 3; i++) {
        members[i] = (struct command_member){
            .id = i + 1,
            .address = addresses[i],
            .host = hosts[i],
            .port = 7001,
            .cluster_port = 7101,
            .voter = true,
            .alive = true,
            .self = i == 0,
        };
    }
    members[0].leads = true;
    facts_now = (struct command_facts){
        .node_id = 1,
        .role = "leader",
        .leader_id = 1,
        .term = 4,
        .last_index = 90,
        .commit = 88,
        .applied = 87,
        .first_index = 3,
        .cluster_id = "0123456789abcdef0123456789abcdef",
        .boot = 6,
        .checkpoint = 70,
        .state_hash = 0xab,
        .members = members,
        .members_count = 3,
    };
    command = NULL;
    verdict = 0;
}

static inline void teardown(void)
{
    buffer_close(&call_out);
    lock_command_room_close(&call_room);
}

static inline struct bytes text(const char *word)
{
    return bytes_of_text(word);
}

/* What was written, as a string; none of the tests writes a zero byte. */
static inline const char *said(void)
{
    buffer_u8(&call_out, 0);
    call_out.count--;
    return (const char *)call_out.data;
}

static inline void clear(void)
{
    buffer_clear(&call_out);
    call.reply = (struct resp_reply){&call_out, session.protocol};
}

/* Find the command of these arguments and start it, if it is found. */
static inline void run_args(const struct bytes *args, size_t args_count)
{
    call = (struct command_call){
        .args = args,
        .args_count = args_count,
        .session = &session,
        .world = &world,
        .room = &call_room,
    };
    clear();
    verdict = COMMAND_ANSWERED;
    command = command_find(&call);
    if (command != NULL) {
        verdict = command->start(&call);
    }
}

static inline void run(const char *words)
{
    size_t count = 0;
    ck_assert_uint_lt(strlen(words), sizeof(call_text));
    memcpy(call_text, words, strlen(words) + 1);
    for (char *word = strtok(call_text, " "); word != NULL;
         word = strtok(NULL, " ")) {
        ck_assert_uint_lt(count, CALL_ARGS_MAX);
        call_args[count++] = text(word);
    }
    run_args(call_args, count);
}

/* What a client gets that is answered at once. */
static inline const char *reply_to(const char *words)
{
    run(words);
    ck_assert_int_eq(verdict, COMMAND_ANSWERED);
    return said();
}

/* What a client gets when the cluster has answered. */
static inline const char *finish(const struct lock_answer *answer)
{
    const struct command_outcome outcome = {.answer = answer, .wall = 1000000};
    ck_assert_int_eq(verdict, COMMAND_PLANNED);
    clear();
    command->finish(&call, &outcome);
    return said();
}

static inline const char *finish_result(enum lock_result result)
{
    const struct lock_answer answer = {.result = result};
    return finish(&answer);
}

static inline const char *finish_read(struct bytes query_reply)
{
    const struct command_outcome outcome = {.query_reply = query_reply};
    ck_assert_int_eq(verdict, COMMAND_PLANNED);
    clear();
    command->finish(&call, &outcome);
    return said();
}

static inline void check_bytes(struct bytes found, const char *wanted)
{
    ck_assert_uint_eq(found.count, strlen(wanted));
    ck_assert_mem_eq(found.data, wanted, found.count);
}

/* Both protocols say this. */
#define CHECK_ERROR(words, line) ck_assert_str_eq(reply_to(words), line "\r\n")

#endif
