/* test_cmd_memory.c - MEMORY: what keys and the server take. */
#include "lock/lock.h"
#include "unit/command/world_fixture.h"

/* What a cluster with nothing in it, or nonsense, answers. */
static const char *finish(struct bytes query_reply)
{
    const struct command_outcome outcome = {.query_reply = query_reply};
    ck_assert_int_eq(verdict, COMMAND_PLANNED);
    buffer_clear(&out);
    found->finish(&call, &outcome);
    return written();
}

/* What a leader answers to the question that was planned. */
static void answer_of(const struct lock_machine *machine, struct buffer *answer)
{
    struct buffer bytes = {0};
    struct command_query query;
    command_query_encode(&call.plan.read, &bytes);
    ck_assert_int_eq(command_query_decode(buffer_view(&bytes), &query),
                     STATUS_OK);
    command_query_answer(machine, 1000, &query, answer);
    buffer_close(&bytes);
}

START_TEST(a_key_is_asked_of_the_cluster)
{
    session.database = 3;
    (void)ask(2, "MEMORY USAGE k SAMPLES 0");
    ck_assert_int_eq(verdict, COMMAND_PLANNED);
    ck_assert_int_eq(call.plan.kind, COMMAND_PLAN_READ);
    ck_assert_int_eq(call.plan.read.kind, COMMAND_QUERY_DATA);
    ck_assert_uint_eq(call.plan.read.database, 3);
    ck_assert_uint_eq(call.plan.read.question.keys_count, 1);
}
END_TEST

START_TEST(a_key_that_is_not_there_is_null)
{
    struct lock_machine *machine =
        lock_machine_new((struct table_seed){{1, 2}});
    struct buffer answer = {0};
    (void)ask(2, "MEMORY USAGE k");
    answer_of(machine, &answer);
    ck_assert_str_eq(finish(buffer_view(&answer)), "$-1\r\n");
    (void)ask(3, "MEMORY USAGE k");
    ck_assert_str_eq(finish(buffer_view(&answer)), "_\r\n");
    buffer_close(&answer);
    lock_machine_free(machine);
}
END_TEST

START_TEST(a_key_takes_its_name_its_value_and_more)
{
    struct lock_machine *machine =
        lock_machine_new((struct table_seed){{1, 2}});
    const struct lock_command wish = {
        .kind = LOCK_COMMAND_SET,
        .head = {.clock = 1000, .wall = 1000},
        .set = {.key = bytes_of_text("k"), .value = bytes_of_text("value")},
    };
    struct buffer bytes = {0};
    struct buffer answer = {0};
    struct lock_outcome outcome;
    ck_assert_int_eq(lock_command_encode(&wish, &bytes), STATUS_OK);
    ck_assert_int_eq(lock_apply(machine, 1, buffer_view(&bytes), &outcome),
                     STATUS_OK);
    (void)ask(2, "MEMORY USAGE k");
    answer_of(machine, &answer);
    ck_assert_str_eq(finish(buffer_view(&answer)), ":102\r\n");
    buffer_close(&answer);
    buffer_close(&bytes);
    lock_machine_free(machine);
}
END_TEST

START_TEST(nonsense_of_the_cluster_is_an_error)
{
    (void)ask(2, "MEMORY USAGE k");
    ck_assert_int_eq(finish(bytes_of("\xff", 1))[0], '-');
    (void)ask(2, "MEMORY USAGE k");
    ck_assert_int_eq(finish(bytes_of(NULL, 0))[0], '-');
}
END_TEST

START_TEST(bad_usages)
{
    EXPECT_ERROR("MEMORY USAGE",
                 "ERR wrong number of arguments for 'memory|usage' command");
    EXPECT_ERROR("MEMORY USAGE k SAMPLES", "ERR syntax error");
    EXPECT_ERROR("MEMORY USAGE k foo 0", "ERR syntax error");
    EXPECT_ERROR("MEMORY USAGE k SAMPLES -1", "ERR syntax error");
    EXPECT_ERROR("MEMORY USAGE k SAMPLES x",
                 "ERR value is not an integer or out of range");
    EXPECT_ERROR("MEMORY USAGE ''", "ERR key is empty");
    EXPECT_ERROR("MEMORY foo",
                 "ERR unknown subcommand 'foo'. Try MEMORY HELP.");
}
END_TEST

#define STATS(ratio)                                                           \
    "$14\r\npeak.allocated\r\n:3000\r\n$15\r\ntotal.allocated\r\n:2000\r\n"    \
    "$10\r\nkeys.count\r\n:7\r\n$13\r\nfragmentation\r\n" ratio                \
    "\r\n$19\r\nfragmentation.bytes\r\n:3010\r\n"

START_TEST(the_server_says_what_it_takes)
{
    fake_facts.used_memory = 2000;
    fake_facts.used_memory_rss = 5010;
    fake_facts.used_memory_peak = 3000;
    fake_facts.data_keys = 7;
    EXPECT("MEMORY STATS", "*10\r\n" STATS("$4\r\n2.50"));
    EXPECT3("MEMORY STATS", "%5\r\n" STATS(",2.50"));
    ck_assert_int_eq(ask(2, "MEMORY DOCTOR")[0], '$');
    ck_assert_int_eq(ask(3, "MEMORY DOCTOR")[0], '=');
    ck_assert_int_eq(strncmp(ask(2, "MEMORY HELP"), "*9\r\n", 4), 0);
}
END_TEST

WORLD_MAIN("cmd_memory", a_key_is_asked_of_the_cluster,
           a_key_that_is_not_there_is_null,
           a_key_takes_its_name_its_value_and_more,
           nonsense_of_the_cluster_is_an_error, bad_usages,
           the_server_says_what_it_takes)
