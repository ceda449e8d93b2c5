/* test_node_propose.c - batches, and what waits for company. */
#include "unit/node/member_fixture.h"

#define PATIENCE_MS 1000 /* as the fixture has it */
#define TICK_MS 1000000

static void open_leading(void)
{
    mx_open(1);
    mx_lead();
}

/* A lock of its own for each. */
static void ask(uint64_t number)
{
    const char name = (char)('a' + number);
    const struct command_plan plan = {
        .kind = COMMAND_PLAN_WRITE,
        .wait_ms = TIME_NEVER,
        .write = {.kind = LOCK_COMMAND_ACQUIRE,
                  .acquire = {.key = bytes_of(&name, 1),
                              .owner = bytes_of_text("owner"),
                              .mode = LOCK_EXCLUSIVE,
                              .ttl_ms = LIMIT_TTL_MS}}};
    ck_assert_int_eq(node_ask(mx.node, number, &plan, mx.now), STATUS_OK);
}

/* One turn, and no write of it is durable. */
static void turn(void)
{
    node_turn(mx.node, mx.now, mx.now);
}

static void disk_is_done(void)
{
    for (size_t i = 0; i < mx.writes_count; i++) {
        node_written(mx.node, mx.writes[i], mx.now);
    }
    mx.writes_count = 0;
}

static raft_index_t last_index(void)
{
    return raft_last_index(node_raft(mx.node));
}

START_TEST(a_command_alone_does_not_wait)
{
    ask(1);
    turn();

    ck_assert_uint_eq(mx.writes_count, 1);
}
END_TEST

START_TEST(as_many_as_are_on_their_way_do_not_wait)
{
    ask(1);
    turn();
    ask(2);
    turn();

    ck_assert_uint_eq(mx.writes_count, 2);
}
END_TEST

START_TEST(fewer_than_are_on_their_way_wait_for_those)
{
    const raft_index_t before = last_index();
    ask(1);
    ask(2);
    turn();
    ask(3);
    turn();
    ck_assert_uint_eq(last_index(), before + 2);

    disk_is_done();
    turn();
    ck_assert_uint_eq(last_index(), before + 3);
    ck_assert_uint_eq(mx.replies_count, 2);
}
END_TEST

START_TEST(fewer_than_are_on_their_way_wait_for_company)
{
    const raft_index_t before = last_index();
    ask(1);
    ask(2);
    turn();
    ask(3);
    turn();
    ask(4);
    turn();

    ck_assert_uint_eq(last_index(), before + 4);
    ck_assert_uint_eq(mx.writes_count, 2);
}
END_TEST

/* Whoever hears "not done" must be able to rely on it. */
START_TEST(what_waited_may_be_carried_out_when_nobody_waits_for_it)
{
    const raft_index_t before = last_index();
    ask(1);
    ask(2);
    turn();
    ask(3);
    turn();
    mx.now += PATIENCE_MS;
    turn();

    ck_assert_uint_eq(mx.replies_count, 3);
    ck_assert_int_eq(mx.reply.reply_class, NODE_UNKNOWN);
    disk_is_done();
    turn();
    ck_assert_uint_ge(last_index(), before + 3);
}
END_TEST

/* A grant wants a tick when it is due, and a batch that waits is none. */
START_TEST(a_batch_that_waits_does_not_keep_the_node_awake)
{
    ask(1);
    mx_run();
    ask(2);
    ask(3);
    turn();
    mx.now += TICK_MS;
    ask(4);
    turn();
    turn();

    ck_assert_uint_gt(node_deadline(mx.node), mx.now);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("node_propose");
    TCase *batches = tcase_create("batches");
    tcase_add_checked_fixture(batches, open_leading, mx_close);
    tcase_add_test(batches, a_command_alone_does_not_wait);
    tcase_add_test(batches, as_many_as_are_on_their_way_do_not_wait);
    tcase_add_test(batches, fewer_than_are_on_their_way_wait_for_those);
    tcase_add_test(batches, fewer_than_are_on_their_way_wait_for_company);
    tcase_add_test(batches,
                   what_waited_may_be_carried_out_when_nobody_waits_for_it);
    tcase_add_test(batches, a_batch_that_waits_does_not_keep_the_node_awake);
    suite_add_tcase(suite, batches);
    return check_run(suite);
}
