/* test_client_talk.c - what a lease asks next, whatever it was told and when.
 *
 * A client without threads and without a node: the test is the heartbeat, the
 * clock and the server.
 */
#include "client/client_talk.h"

#include <stdlib.h>
#include <string.h>

#include "client/client_answer.h"
#include "client/client_lease.h"
#include "client/client_message.h"
#include "lib/check_runner.h"

#define TTL_MS 3000
#define LATE_MS (TTL_MS / 3) /* an answer as old as this confirms nothing */

static char owner[] = "ann";
static struct hf_client *client;
static int64_t now;

static void begin(void)
{
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
    client->endpoint.state = CLIENT_ENDPOINT_UP;
    now = client_times_now();
}

static void end(void)
{
    while (!TAILQ_EMPTY(&client->leases)) {
        struct hf_lease *lease = TAILQ_FIRST(&client->leases);
        lease->is_settled = true;
        client_lease_forget(lease);
    }
    client_link_close(&client->endpoint.commands);
    client_heap_close(&client->timers);
    client_heap_close(&client->alarms);
    (void)pthread_cond_destroy(&client->settled);
    free(client);
}

/* What the heartbeat does in a turn. */
static void turn(void)
{
    while (!TAILQ_EMPTY(&client->ready)) {
        struct hf_lease *lease = TAILQ_FIRST(&client->ready);
        TAILQ_REMOVE(&client->ready, lease, ready);
        lease->is_ready = false;
        client_talk(lease, now);
    }
}

static struct hf_lease *wait_for_db(void)
{
    const struct client_lease_plan plan = {
        .key = "db", .ttl_ms = TTL_MS, .wait_ms = HF_WAIT_FOREVER};
    struct hf_lease *lease = client_lease_new(client, &plan);
    ck_assert_ptr_nonnull(lease);
    turn();
    return lease;
}

static redisReply *reply_of(const char *text)
{
    redisReader *reader = redisReaderCreate();
    void *reply = NULL;
    ck_assert_int_eq(redisReaderFeed(reader, text, strlen(text)), REDIS_OK);
    ck_assert_int_eq(redisReaderGetReply(reader, &reply), REDIS_OK);
    ck_assert_ptr_nonnull(reply);
    redisReaderFree(reader);
    return reply;
}

/* The server answers what the lease asked; the next turn is the test's. */
static void hear(struct hf_lease *lease, const char *text)
{
    redisReply *reply = reply_of(text);
    ck_assert(lease->request.in_flight);
    TAILQ_REMOVE(&client->endpoint.in_flight, &lease->request, next);
    lease->request.in_flight = false;
    client_answer(lease, reply, now);
    freeReplyObject(reply);
}

static void answer(struct hf_lease *lease, const char *text)
{
    hear(lease, text);
    turn();
}

/* It comes by the other link, before anything that is answered later. */
static void message(const char *words)
{
    char text[128];
    (void)snprintf(text, sizeof(text),
                   "*3\r\n$7\r\nmessage\r\n$3\r\nann\r\n$%zu\r\n%s\r\n",
                   strlen(words), words);
    redisReply *reply = reply_of(text);
    client_message_take(client, reply);
    freeReplyObject(reply);
}

static bool asks(const struct hf_lease *lease, enum client_ask ask)
{
    return lease->request.in_flight && lease->request.ask == ask;
}

/* ---- grants that come late ---- */

START_TEST(a_late_grant_is_renewed_before_it_is_held)
{
    struct hf_lease *lease = wait_for_db();
    ck_assert(asks(lease, CLIENT_ASK_ACQUIRE));
    now += LATE_MS;
    answer(lease, ":7\r\n");
    ck_assert(asks(lease, CLIENT_ASK_RENEW));
    ck_assert_int_eq(hf_lease_state(lease), HF_LEASE_WAITING);

    answer(lease, ":1\r\n");

    ck_assert_int_eq(hf_lease_state(lease), HF_LEASE_HELD);
    ck_assert_uint_eq(hf_lease_token(lease), 7);
}
END_TEST

START_TEST(a_late_grant_that_is_over_is_asked_for_again)
{
    struct hf_lease *lease = wait_for_db();
    now += 2 * TTL_MS;
    answer(lease, ":7\r\n");

    answer(lease, ":0\r\n");

    ck_assert(asks(lease, CLIENT_ASK_ACQUIRE));
    ck_assert_uint_eq(hf_lease_token(lease), 0);
    answer(lease, ":8\r\n");
    ck_assert_int_eq(hf_lease_state(lease), HF_LEASE_HELD);
    ck_assert_uint_eq(hf_lease_token(lease), 8);
}
END_TEST

START_TEST(a_late_grant_that_is_called_lost_is_asked_for_again)
{
    struct hf_lease *lease = wait_for_db();
    now += 2 * TTL_MS;
    answer(lease, ":7\r\n");
    message("lock-lost db 7 expired");
    turn();

    answer(lease, ":0\r\n");

    ck_assert(asks(lease, CLIENT_ASK_ACQUIRE));
}
END_TEST

START_TEST(a_renewal_does_not_outdo_a_message_that_it_is_over)
{
    struct hf_lease *lease = wait_for_db();
    now += LATE_MS;
    answer(lease, ":7\r\n");
    message("lock-lost db 7 broken");
    turn();

    answer(lease, ":1\r\n");

    ck_assert_int_eq(hf_lease_state(lease), HF_LEASE_WAITING);
    ck_assert(asks(lease, CLIENT_ASK_ACQUIRE));
}
END_TEST

START_TEST(a_release_of_what_was_over_says_so)
{
    struct hf_lease *lease = wait_for_db();
    answer(lease, ":7\r\n");
    now += LATE_MS;
    client_talk(lease, now);
    ck_assert(asks(lease, CLIENT_ASK_RENEW));
    client_lease_drop(lease);
    turn();

    answer(lease, ":0\r\n");

    ck_assert(lease->is_settled);
    ck_assert_int_eq(lease->release_status, HF_LOST);
}
END_TEST

START_TEST(a_late_grant_that_cannot_be_renewed_is_asked_for_again)
{
    struct hf_lease *lease = wait_for_db();
    now += 2 * TTL_MS;
    answer(lease, ":7\r\n");

    answer(lease, "-WRONGTYPE it is something else\r\n");

    now += 10; /* the pause before what failed is asked again */
    client_talk(lease, now);
    ck_assert(asks(lease, CLIENT_ASK_ACQUIRE));
}
END_TEST

START_TEST(a_late_grant_that_nobody_waits_for_is_given_back)
{
    struct hf_lease *lease = wait_for_db();
    now += LATE_MS;
    hear(lease, ":7\r\n");
    client_lease_drop(lease);
    turn();

    ck_assert(asks(lease, CLIENT_ASK_RELEASE));
}
END_TEST

START_TEST(what_was_seen_to_be_over_is_not_renewed)
{
    /* It runs out now, and those who confirm it have looked at the clock a
     * moment before. */
    now = client_times_now() - TTL_MS / 2;
    struct hf_lease *lease = wait_for_db();
    answer(lease, ":7\r\n");
    ck_assert_int_eq(hf_lease_state(lease), HF_LEASE_HELD);
    now += LATE_MS;
    client_talk(lease, now);
    ck_assert(asks(lease, CLIENT_ASK_RENEW));
    ck_assert(!hf_lease_ok(lease));

    answer(lease, ":1\r\n");

    ck_assert(!hf_lease_ok(lease));
    ck_assert_int_eq(hf_lease_left_ms(lease), 0);
    ck_assert_int_eq(hf_lease_state(lease), HF_LEASE_LOST);
}
END_TEST

START_TEST(what_is_not_held_yet_shows_nothing_that_may_change)
{
    struct hf_lease *lease = wait_for_db();
    now += LATE_MS;
    answer(lease,
           "*4\r\n$5\r\ntoken\r\n:7\r\n$9\r\nsignature\r\n$3\r\nold\r\n");
    ck_assert_str_eq(hf_lease_signature(lease), "");
    ck_assert_uint_eq(hf_lease_token(lease), 0);
    answer(lease, ":0\r\n");

    answer(lease,
           "*4\r\n$5\r\ntoken\r\n:8\r\n$9\r\nsignature\r\n$3\r\nnew\r\n");

    ck_assert_int_eq(hf_lease_state(lease), HF_LEASE_HELD);
    ck_assert_str_eq(hf_lease_signature(lease), "new");
    ck_assert_uint_eq(hf_lease_token(lease), 8);
}
END_TEST

/* ---- what is given up ---- */

START_TEST(who_gives_up_waits_for_the_answer_that_is_due)
{
    struct hf_lease *lease = wait_for_db();
    answer(lease, ":7\r\n");
    client_lease_drop(lease);
    turn();
    ck_assert(asks(lease, CLIENT_ASK_RELEASE));

    now = lease->give_up_at;
    client_talk(lease, now);

    /* A timer that is due again at once would keep the heartbeat for ever. */
    ck_assert_ptr_null(client_heap_first(&client->timers));
    ck_assert(!lease->is_settled);
    answer(lease, ":1\r\n");
    ck_assert(lease->is_settled);
}
END_TEST

START_TEST(a_release_that_finds_no_leader_says_so)
{
    struct hf_lease *lease = wait_for_db();
    answer(lease, ":7\r\n");
    client_lease_drop(lease);
    turn();
    ck_assert_int_eq(lease->release_status, HF_UNREACHABLE);

    answer(lease, "-CLUSTERDOWN no leader\r\n");
    ck_assert_int_eq(lease->release_status, HF_NO_LEADER);

    now += 10;
    client_talk(lease, now);
    answer(lease, ":1\r\n");
    ck_assert_int_eq(lease->release_status, HF_OK);
}
END_TEST

static struct hf_lease *wait_for_long(int64_t wait_ms)
{
    const struct client_lease_plan plan = {
        .key = "db", .ttl_ms = TTL_MS, .wait_ms = wait_ms};
    struct hf_lease *lease = client_lease_new(client, &plan);
    ck_assert_ptr_nonnull(lease);
    turn();
    return lease;
}

START_TEST(a_wait_longer_than_a_server_takes_has_no_end_there)
{
    static const char word[] = "$4\r\nWAIT\r\n";
    const struct client_link *link = &client->endpoint.commands;
    (void)wait_for_long(INT64_C(1) << 48);
    ck_assert(asks(TAILQ_FIRST(&client->leases), CLIENT_ASK_ACQUIRE));
    ck_assert_ptr_null(
        memmem(link->out, link->out_count, word, sizeof(word) - 1));
    (void)wait_for_long(INT64_C(1000) * 3600 * 24 * 366);
    ck_assert_ptr_nonnull(
        memmem(link->out, link->out_count, word, sizeof(word) - 1));
}
END_TEST

START_TEST(a_wait_that_a_wrong_password_ended_says_so)
{
    client->endpoint.state = CLIENT_ENDPOINT_PAUSED;
    client->endpoint.last = (struct hf_error){HF_DENIED, "WRONGPASS"};
    struct hf_lease *lease = wait_for_long(2000);
    struct hf_error error;
    ck_assert_int_eq(hf_lease_await(lease, 0, &error), HF_TIMEOUT);
    ck_assert_ptr_nonnull(strstr(error.text, "WRONGPASS"));

    now += 2001;
    client_talk(lease, now);

    ck_assert_int_eq(hf_lease_await(lease, 0, &error), HF_DENIED);
    ck_assert_str_eq(error.text, "WRONGPASS");
}
END_TEST

/* ---- messages, which do not say whom they mean ---- */

START_TEST(a_grant_is_for_those_who_want_it)
{
    struct hf_lease *left = wait_for_db();
    answer(left, "+QUEUED\r\n");
    struct hf_lease *waits = wait_for_db();
    answer(waits, "+QUEUED\r\n");
    client_lease_drop(left);
    turn();
    ck_assert(asks(left, CLIENT_ASK_CANCEL));

    message("lock-granted db 7");
    turn();
    answer(left, ":1\r\n");

    ck_assert(asks(waits, CLIENT_ASK_ACQUIRE));
}
END_TEST

START_TEST(who_is_told_and_goes_hands_it_on)
{
    struct hf_lease *goes = wait_for_db();
    answer(goes, "+QUEUED\r\n");
    struct hf_lease *waits = wait_for_db();
    answer(waits, "+QUEUED\r\n");
    message("lock-granted db 7"); /* it means the second */

    client_lease_drop(goes);
    turn();

    ck_assert(asks(goes, CLIENT_ASK_CANCEL));
    ck_assert(asks(waits, CLIENT_ASK_ACQUIRE));
}
END_TEST

START_TEST(who_is_told_and_was_not_meant_hands_it_on)
{
    struct hf_lease *first = wait_for_db();
    answer(first, "+QUEUED\r\n");
    struct hf_lease *second = wait_for_db();
    answer(second, "+QUEUED\r\n");
    message("lock-granted db 7");
    turn();
    ck_assert(asks(first, CLIENT_ASK_ACQUIRE));
    ck_assert(!second->request.in_flight);

    answer(first, "+QUEUED\r\n");

    ck_assert(asks(second, CLIENT_ASK_ACQUIRE));
    answer(second, ":7\r\n");
    ck_assert_int_eq(hf_lease_state(second), HF_LEASE_HELD);
}
END_TEST

/* Whatever the first one is answered that does not settle it. */
static void the_second_is_asked_after(const char *text)
{
    struct hf_lease *first = wait_for_db();
    answer(first, "+QUEUED\r\n");
    struct hf_lease *second = wait_for_db();
    answer(second, "+QUEUED\r\n");
    message("lock-granted db 7"); /* it means the second */
    turn();
    ck_assert(asks(first, CLIENT_ASK_ACQUIRE));

    answer(first, text);

    ck_assert(asks(second, CLIENT_ASK_ACQUIRE));
    answer(second, ":7\r\n");
    ck_assert_int_eq(hf_lease_state(second), HF_LEASE_HELD);
}

START_TEST(who_is_told_and_hears_no_answer_hands_it_on)
{
    the_second_is_asked_after("-UNCERTAIN it may have been carried out\r\n");
}
END_TEST

START_TEST(who_is_told_and_is_refused_hands_it_on)
{
    the_second_is_asked_after("-WRONGTYPE it is something else\r\n");
}
END_TEST

START_TEST(who_is_told_and_is_to_ask_later_keeps_it)
{
    struct hf_lease *first = wait_for_db();
    answer(first, "+QUEUED\r\n");
    struct hf_lease *second = wait_for_db();
    answer(second, "+QUEUED\r\n");
    message("lock-granted db 7");
    turn();

    answer(first, "-TRYAGAIN soon\r\n");

    ck_assert(!second->request.in_flight);
    now += 10;
    client_talk(first, now);
    ck_assert(asks(first, CLIENT_ASK_ACQUIRE));
    answer(first, "+QUEUED\r\n");
    ck_assert(asks(second, CLIENT_ASK_ACQUIRE));
}
END_TEST

START_TEST(a_grant_told_before_its_answer_is_asked_for)
{
    struct hf_lease *lease = wait_for_db();
    message("lock-granted db 7");

    answer(lease, "+QUEUED\r\n");

    ck_assert(asks(lease, CLIENT_ASK_ACQUIRE));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("client_talk");
    TCase *late = tcase_create("late");
    TCase *messages = tcase_create("messages");
    tcase_add_checked_fixture(late, begin, end);
    tcase_add_test(late, a_late_grant_is_renewed_before_it_is_held);
    tcase_add_test(late, a_late_grant_that_is_over_is_asked_for_again);
    tcase_add_test(late, a_late_grant_that_is_called_lost_is_asked_for_again);
    tcase_add_test(late,
                   a_late_grant_that_cannot_be_renewed_is_asked_for_again);
    tcase_add_test(late, a_renewal_does_not_outdo_a_message_that_it_is_over);
    tcase_add_test(late, a_release_of_what_was_over_says_so);
    tcase_add_test(late, what_was_seen_to_be_over_is_not_renewed);
    tcase_add_test(late, what_is_not_held_yet_shows_nothing_that_may_change);
    tcase_add_test(late, a_release_that_finds_no_leader_says_so);
    tcase_add_test(late, a_wait_longer_than_a_server_takes_has_no_end_there);
    tcase_add_test(late, a_wait_that_a_wrong_password_ended_says_so);
    tcase_add_test(late, a_late_grant_that_nobody_waits_for_is_given_back);
    tcase_add_test(late, who_gives_up_waits_for_the_answer_that_is_due);
    suite_add_tcase(suite, late);
    tcase_add_checked_fixture(messages, begin, end);
    tcase_add_test(messages, a_grant_is_for_those_who_want_it);
    tcase_add_test(messages, who_is_told_and_goes_hands_it_on);
    tcase_add_test(messages, who_is_told_and_was_not_meant_hands_it_on);
    tcase_add_test(messages, who_is_told_and_hears_no_answer_hands_it_on);
    tcase_add_test(messages, who_is_told_and_is_refused_hands_it_on);
    tcase_add_test(messages, who_is_told_and_is_to_ask_later_keeps_it);
    tcase_add_test(messages, a_grant_told_before_its_answer_is_asked_for);
    suite_add_tcase(suite, messages);
    return check_run(suite);
}
