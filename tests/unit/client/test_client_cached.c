/* test_client_cached.c - cached locks whose lease ends at a bad moment.
 *
 * A client without threads and without a node: the test is the heartbeat, the
 * alarm and the server, so that they come when it hurts most. Only those who
 * sleep for the lock are threads.
 */
#include "client/client_cached.h"

#include <stdlib.h>
#include <time.h>

#include "client/client_cached_post.h"
#include "client/client_lease.h"
#include "lib/check_runner.h"

#define TTL_MS 60000

static char owner[] = "ann";
static struct hf_client *client;
static struct hf_cached *cached;

static void begin(void)
{
    struct hf_cached_options options = HF_CACHED_OPTIONS_INIT;
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
    (void)pthread_mutex_init(&client->mutex, NULL);
    (void)pthread_cond_init(&client->settled, NULL);
    options.ttl_ms = TTL_MS;
    ck_assert_int_eq(hf_cached_open(client, "db", &options, &cached, NULL),
                     HF_OK);
}

static void end(void)
{
    hf_cached_close(cached);
    while (!TAILQ_EMPTY(&client->leases)) {
        struct hf_lease *lease = TAILQ_FIRST(&client->leases);
        lease->is_settled = true;
        client_lease_forget(lease);
    }
    client_heap_close(&client->timers);
    client_heap_close(&client->alarms);
    (void)pthread_mutex_destroy(&client->mutex);
    (void)pthread_cond_destroy(&client->settled);
    free(client);
}

static void deliver(void)
{
    (void)pthread_mutex_lock(&client->mutex);
    client_cached_post_deliver(client);
    (void)pthread_mutex_unlock(&client->mutex);
}

/* The server grants what is asked for; nobody is told yet. */
static void grant(uint64_t token)
{
    const int64_t now = client_times_now();
    (void)pthread_mutex_lock(&client->mutex);
    ck_assert_ptr_nonnull(cached->lease);
    cached->lease->know = CLIENT_KNOW_GRANTED;
    atomic_store(&cached->lease->token, token);
    client_lease_confirm(cached->lease, now, now);
    (void)pthread_mutex_unlock(&client->mutex);
}

/* As the thread that watches the clock does; nobody is told yet. */
static void lose(void)
{
    (void)pthread_mutex_lock(&client->mutex);
    client_lease_lose(cached->lease, HF_LOST_UNCONFIRMED);
    (void)pthread_mutex_unlock(&client->mutex);
}

static void part(void)
{
    (void)pthread_mutex_lock(&client->mutex);
    client_cached_post_parted(cached->lease);
    (void)pthread_mutex_unlock(&client->mutex);
    deliver();
}

/* ---- those who sleep ---- */

struct sleeper {
    pthread_t thread;
    enum hf_status status;
    uint64_t token;
};

static void *sleep_for_it(void *context)
{
    struct sleeper *sleeper = context;
    sleeper->status = hf_cached_lock(cached, 20000, &sleeper->token, NULL);
    return NULL;
}

static void pause_ms(int ms)
{
    const struct timespec pause = {.tv_nsec = ms * 1000000L};
    (void)nanosleep(&pause, NULL);
}

/* Until it has slept for longer than others may pass it. */
static void put_to_sleep(struct sleeper *sleeper, unsigned waiters)
{
    bool sleeps = false;
    ck_assert_int_eq(
        pthread_create(&sleeper->thread, NULL, sleep_for_it, sleeper), 0);
    while (!sleeps) {
        pause_ms(10);
        (void)pthread_mutex_lock(&cached->mutex);
        sleeps = cached->machine.waiters == waiters;
        (void)pthread_mutex_unlock(&cached->mutex);
    }
    pause_ms(10);
}

static void wake_up(struct sleeper *sleeper)
{
    (void)pthread_join(sleeper->thread, NULL);
}

/* Locked under token 24 by this thread. */
static void lock_it(void)
{
    struct sleeper sleeper;
    put_to_sleep(&sleeper, 1);
    grant(24);
    deliver();
    wake_up(&sleeper);
    ck_assert_int_eq(sleeper.status, HF_OK);
    ck_assert_uint_eq(sleeper.token, 24);
}

START_TEST(what_was_handed_over_and_lost_is_not_believed)
{
    struct sleeper sleeper;
    bool was_lost;
    lock_it();
    put_to_sleep(&sleeper, 1);

    /* All of this before the sleeper has run. */
    (void)pthread_mutex_lock(&cached->mutex);
    client_cached_act(cached,
                      client_cache_give(&cached->machine, 24, &was_lost));
    ck_assert_int_eq(cached->machine.state, CLIENT_CACHE_LOCKED);
    client_cached_act(cached, client_cache_lost(&cached->machine, 1));
    grant(25);
    const unsigned acts = client_cache_granted(&cached->machine, 2, 25);
    const bool is_taken = client_cache_take(&cached->machine, true);
    client_cached_act(cached, acts);
    (void)pthread_mutex_unlock(&cached->mutex);
    ck_assert(is_taken);
    pause_ms(50);
    (void)pthread_mutex_lock(&cached->mutex);
    ck_assert_uint_eq(cached->machine.users, 1);
    ck_assert_uint_eq(cached->machine.waiters, 1);
    (void)pthread_mutex_unlock(&cached->mutex);

    ck_assert_int_eq(hf_cached_unlock(cached, 25), HF_OK);
    wake_up(&sleeper);
    ck_assert_int_eq(sleeper.status, HF_OK);
    ck_assert_uint_eq(sleeper.token, 25);
    ck_assert_int_eq(hf_cached_unlock(cached, 25), HF_OK);
}
END_TEST

START_TEST(what_was_handed_over_and_lost_is_handed_over_again)
{
    struct sleeper sleeper;
    bool was_lost;
    lock_it();
    put_to_sleep(&sleeper, 1);

    (void)pthread_mutex_lock(&cached->mutex);
    client_cached_act(cached,
                      client_cache_give(&cached->machine, 24, &was_lost));
    client_cached_act(cached, client_cache_lost(&cached->machine, 1));
    (void)pthread_mutex_unlock(&cached->mutex);
    grant(25);
    deliver();

    wake_up(&sleeper);
    ck_assert_int_eq(sleeper.status, HF_OK);
    ck_assert_uint_eq(sleeper.token, 25);
    ck_assert(hf_cached_ok(cached, 25));
    ck_assert_int_eq(hf_cached_unlock(cached, 25), HF_OK);
}
END_TEST

START_TEST(what_is_lost_before_it_is_given_back_is_asked_for_again)
{
    struct sleeper sleeper;
    lock_it();
    part();
    ck_assert(cached->machine.must_release);
    lose();

    ck_assert_int_eq(hf_cached_unlock(cached, 24), HF_LOST);
    deliver();

    ck_assert_int_eq(cached->machine.state, CLIENT_CACHE_NONE);
    put_to_sleep(&sleeper, 1);
    grant(25);
    deliver();
    wake_up(&sleeper);
    ck_assert_int_eq(sleeper.status, HF_OK);
    ck_assert_int_eq(hf_cached_unlock(cached, 25), HF_OK);
}
END_TEST

/* And the callback is called, though nobody looked at the clock but we. */
START_TEST(what_ran_out_unseen_is_lost_and_not_given_back)
{
    lock_it();
    part();
    (void)pthread_mutex_lock(&client->mutex);
    cached->lease->lost_at = client_times_now();
    atomic_store(&cached->lease->ok_until, cached->lease->lost_at);
    atomic_store(&cached->ok_until, cached->lease->lost_at);
    (void)pthread_mutex_unlock(&client->mutex);

    ck_assert_int_eq(hf_cached_unlock(cached, 24), HF_LOST);

    ck_assert_uint_eq(atomic_load(&client->stats.leases_lost), 1);
    deliver();
    ck_assert_int_eq(cached->machine.state, CLIENT_CACHE_NONE);
}
END_TEST

static void *close_it(void *context)
{
    hf_cached_close(context);
    return NULL;
}

START_TEST(what_is_closed_under_a_callback_hears_no_more)
{
    pthread_t closes;
    struct sleeper sleeper;
    lock_it();
    (void)pthread_mutex_lock(&client->mutex);
    struct hf_lease *first = cached->lease;
    first->in_callback = true;
    (void)pthread_mutex_unlock(&client->mutex);
    lose();
    deliver();
    put_to_sleep(&sleeper, 1);
    struct hf_lease *second = cached->lease;
    grant(25);
    deliver();
    wake_up(&sleeper);
    ck_assert_int_eq(hf_cached_unlock(cached, 25), HF_OK);

    ck_assert_int_eq(pthread_create(&closes, NULL, close_it, cached), 0);
    pause_ms(50);
    (void)pthread_mutex_lock(&client->mutex);
    if (second->cached != NULL) {
        client_cached_post_parted(second);
    }
    first->in_callback = false;
    (void)pthread_cond_broadcast(&first->changed);
    (void)pthread_cond_broadcast(&client->settled);
    (void)pthread_mutex_unlock(&client->mutex);
    (void)pthread_join(closes, NULL);
    cached = NULL;

    ck_assert(TAILQ_EMPTY(&client->told));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("client_cached");
    TCase *ends = tcase_create("ends");
    tcase_add_checked_fixture(ends, begin, end);
    tcase_add_test(ends, what_was_handed_over_and_lost_is_not_believed);
    tcase_add_test(ends, what_was_handed_over_and_lost_is_handed_over_again);
    tcase_add_test(ends,
                   what_is_lost_before_it_is_given_back_is_asked_for_again);
    tcase_add_test(ends, what_ran_out_unseen_is_lost_and_not_given_back);
    tcase_add_test(ends, what_is_closed_under_a_callback_hears_no_more);
    suite_add_tcase(suite, ends);
    return check_run(suite);
}
