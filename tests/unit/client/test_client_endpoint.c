/* test_client_endpoint.c - a node that hangs is left, whoever notices.
 *
 * A client without threads and without sockets: its links say what was written
 * to them, and the test is the clock and the node.
 */
#include "client/client_endpoint.h"

#include <stdlib.h>
#include <string.h>

#include "client/client_lease.h"
#include "lib/check_runner.h"

#define TTL_MS 6000
#define IDLE_MS (TTL_MS / 6)
#define LEADER_MS 2000

static char owner[] = "ann";
static struct hf_client *client;
static struct hf_lease *lease;
static int64_t now;

/* Up, and a lease waits in a queue there. */
static void begin(void)
{
    const struct client_lease_plan plan = {
        .key = "db", .ttl_ms = TTL_MS, .wait_ms = HF_WAIT_FOREVER};
    client = calloc(1, sizeof(*client));
    ck_assert_ptr_nonnull(client);
    client->owner = owner;
    client->call_timeout_ms = 1000;
    client->backoff_min_ms = 10;
    client->backoff_max_ms = 10;
    client->wake_fd = -1;
    client->alarm_wake_fd = -1;
    TAILQ_INIT(&client->leases);
    TAILQ_INIT(&client->ready);
    TAILQ_INIT(&client->mourned);
    TAILQ_INIT(&client->told);
    TAILQ_INIT(&client->endpoint.in_flight);
    for (size_t i = 0; i < CLIENT_BUCKETS; i++) {
        TAILQ_INIT(&client->buckets[i]);
    }
    (void)pthread_cond_init(&client->settled, NULL);
    client_link_init(&client->endpoint.commands, &client->credentials);
    client_link_init(&client->endpoint.messages, &client->credentials);
    ck_assert_int_eq(client_nodes_init(&client->endpoint.nodes,
                                       "127.0.0.1:1,127.0.0.1:2", 0),
                     CLIENT_NODES_GOOD);
    now = client_times_now();
    client->endpoint.state = CLIENT_ENDPOINT_UP;
    client->endpoint.ping_at = CLIENT_NEVER;
    client->endpoint.heard_at = now;
    client->endpoint.ask_leader_at = now + LEADER_MS;
    lease = client_lease_new(client, &plan);
    ck_assert_ptr_nonnull(lease);
    lease->know = CLIENT_KNOW_QUEUED;
}

static void end(void)
{
    while (!TAILQ_EMPTY(&client->leases)) {
        struct hf_lease *one = TAILQ_FIRST(&client->leases);
        one->is_settled = true;
        client_lease_forget(one);
    }
    client_link_close(&client->endpoint.commands);
    client_link_close(&client->endpoint.messages);
    client_nodes_close(&client->endpoint.nodes);
    client_heap_close(&client->timers);
    client_heap_close(&client->alarms);
    (void)pthread_cond_destroy(&client->settled);
    free(client);
}

/* What the heartbeat does when something is due, and whether it was. */
static bool due_at(int64_t time)
{
    const bool is_due = client_endpoint_due(client) <= time;
    now = time;
    client_endpoint_step(client, now);
    return is_due;
}

static size_t said(struct client_link *link, const char *word)
{
    size_t count = 0;
    for (size_t i = 0; i + strlen(word) <= link->out_count; i++) {
        count += memcmp(&link->out[i], word, strlen(word)) == 0 ? 1 : 0;
    }
    return count;
}

static size_t pings(void)
{
    return said(&client->endpoint.messages, "PING");
}

static size_t reads(void)
{
    return said(&client->endpoint.commands, "LOCK.QUEUE");
}

/* The answer to PING. */
static void lives(void)
{
    client->endpoint.heard_at = now;
    client->endpoint.ping_at = CLIENT_NEVER;
}

START_TEST(who_only_waits_notices_a_node_that_hangs)
{
    const int64_t begun = now;
    ck_assert(!due_at(begun + IDLE_MS - 1));
    ck_assert_uint_eq(pings(), 0);
    ck_assert(due_at(begun + IDLE_MS));
    ck_assert_uint_eq(pings(), 1);

    ck_assert(due_at(begun + 2 * IDLE_MS));

    ck_assert_int_eq(client->endpoint.state, CLIENT_ENDPOINT_PAUSED);
    ck_assert_int_eq(lease->know, CLIENT_KNOW_MAYBE);
}
END_TEST

START_TEST(one_ping_is_for_all_who_wait)
{
    const struct client_lease_plan plan = {
        .key = "other", .ttl_ms = TTL_MS, .wait_ms = HF_WAIT_FOREVER};
    for (int i = 0; i < 100; i++) {
        client_lease_new(client, &plan)->know = CLIENT_KNOW_QUEUED;
    }
    (void)due_at(now + IDLE_MS);
    ck_assert_uint_eq(pings(), 1);
    lives();
    (void)due_at(now + IDLE_MS);
    ck_assert_uint_eq(pings(), 2);
    ck_assert_uint_eq(reads(), 1);
    ck_assert_int_eq(client->endpoint.state, CLIENT_ENDPOINT_UP);
}
END_TEST

START_TEST(a_node_that_lives_is_asked_whether_it_knows_a_leader)
{
    const int64_t begun = now;
    (void)due_at(begun + IDLE_MS);
    lives();
    (void)due_at(begun + LEADER_MS);
    ck_assert_uint_eq(reads(), 1);

    /* It lives, and does not answer that. */
    while (client->endpoint.state == CLIENT_ENDPOINT_UP &&
           now < begun + 60000) {
        lives();
        (void)due_at(client_endpoint_due(client));
    }

    ck_assert_int_eq(client->endpoint.state, CLIENT_ENDPOINT_PAUSED);
    ck_assert_int_lt(now, begun + 10000);
}
END_TEST

START_TEST(who_is_served_otherwise_need_not_ask_for_the_leader)
{
    const int64_t begun = now;
    while (now < begun + 5 * LEADER_MS) {
        client->endpoint.answered_at = now;
        client_endpoint_served(client);
        lives();
        (void)due_at(now + LEADER_MS / 2);
    }
    ck_assert_uint_eq(reads(), 0);
}
END_TEST

START_TEST(where_nobody_waits_nothing_is_asked)
{
    client_lease_drop(lease);
    ck_assert_int_eq(client_endpoint_due(client), CLIENT_NEVER);
    ck_assert(!due_at(now + 3600 * 1000));
    ck_assert_uint_eq(pings() + reads(), 0);
}
END_TEST

START_TEST(a_grant_ends_the_waiting)
{
    client_lease_confirm(lease, now, now);
    ck_assert_int_eq(hf_lease_state(lease), HF_LEASE_HELD);
    ck_assert_int_eq(client_endpoint_due(client), CLIENT_NEVER);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("client_endpoint");
    TCase *quiet = tcase_create("quiet");
    tcase_add_checked_fixture(quiet, begin, end);
    tcase_add_test(quiet, who_only_waits_notices_a_node_that_hangs);
    tcase_add_test(quiet, one_ping_is_for_all_who_wait);
    tcase_add_test(quiet, a_node_that_lives_is_asked_whether_it_knows_a_leader);
    tcase_add_test(quiet, who_is_served_otherwise_need_not_ask_for_the_leader);
    tcase_add_test(quiet, where_nobody_waits_nothing_is_asked);
    tcase_add_test(quiet, a_grant_ends_the_waiting);
    suite_add_tcase(suite, quiet);
    return check_run(suite);
}
