/* client_alarm.c - the thread that declares leases lost and tells the program.
 *
 * It does not touch the network, so nothing that goes wrong there can keep it.
 * Callbacks are called one at a time, without the mutex.
 */
#include "client/client_alarm.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/container.h"
#include "client/client_heartbeat.h"
#include "client/client_lease.h"

static void *client_alarm_run(void *context);
static void client_alarm_ring(struct hf_client *client, int64_t now);
static void client_alarm_tell(struct hf_client *client);
static void client_alarm_poll(struct hf_client *client);
static void client_alarm_wake(struct hf_client *client);

enum hf_status client_alarm_start(struct hf_client *client)
{
    client->alarm_wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    client->alarm_timer_fd =
        timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (client->alarm_wake_fd < 0 || client->alarm_timer_fd < 0 ||
        client_heartbeat_thread(&client->alarm, client_alarm_run, client) !=
            HF_OK) {
        (void)close(client->alarm_wake_fd);
        (void)close(client->alarm_timer_fd);
        return HF_SYSTEM;
    }
    return HF_OK;
}

void client_alarm_stop(struct hf_client *client)
{
    client_alarm_wake(client);
    (void)pthread_join(client->alarm, NULL);
    (void)close(client->alarm_wake_fd);
    (void)close(client->alarm_timer_fd);
}

void client_alarm_set(struct hf_lease *lease)
{
    struct hf_client *client = lease->client;
    client_heap_set(&client->alarms, &lease->alarm, lease->lost_at);
    if (client_heap_first(&client->alarms) == &lease->alarm) {
        client_alarm_wake(client);
    }
}

void client_alarm_mourn(struct hf_lease *lease)
{
    lease->is_mourned = true;
    TAILQ_INSERT_TAIL(&lease->client->mourned, lease, mourned);
    client_alarm_wake(lease->client);
}

static void *client_alarm_run(void *context)
{
    struct hf_client *client = context;
    (void)pthread_mutex_lock(&client->mutex);
    while (!client->is_stopping) {
        client_alarm_ring(client, client_times_now());
        client_alarm_tell(client);
        if (!client->is_stopping && TAILQ_EMPTY(&client->mourned)) {
            client_alarm_poll(client);
        }
    }
    (void)pthread_mutex_unlock(&client->mutex);
    return NULL;
}

static void client_alarm_ring(struct hf_client *client, int64_t now)
{
    struct client_timer *timer = client_heap_first(&client->alarms);
    while (timer != NULL && timer->at <= now) {
        struct hf_lease *lease = CONTAINER_OF(timer, struct hf_lease, alarm);
        if (lease->lost_at > now) {
            client_heap_set(&client->alarms, timer, lease->lost_at);
        } else {
            client_heap_set(&client->alarms, timer, CLIENT_NEVER);
            client_lease_lose(lease, HF_LOST_UNCONFIRMED);
        }
        timer = client_heap_first(&client->alarms);
    }
}

static void client_alarm_tell(struct hf_client *client)
{
    struct hf_lease *lease = TAILQ_FIRST(&client->mourned);
    if (lease == NULL) {
        return;
    }
    TAILQ_REMOVE(&client->mourned, lease, mourned);
    lease->is_mourned = false;
    lease->in_callback = true;
    (void)pthread_mutex_unlock(&client->mutex);
    lease->on_lost(lease->context, lease->cached_id != NULL ? NULL : lease,
                   lease->lost_reason);
    (void)pthread_mutex_lock(&client->mutex);
    lease->in_callback = false;
    (void)pthread_cond_broadcast(&lease->changed);
    (void)pthread_cond_broadcast(&client->settled);
    client_lease_sweep(lease);
}

static void client_alarm_poll(struct hf_client *client)
{
    const struct client_timer *timer = client_heap_first(&client->alarms);
    struct pollfd polled[2] = {
        {.fd = client->alarm_wake_fd, .events = POLLIN},
        {.fd = client->alarm_timer_fd, .events = POLLIN},
    };
    uint64_t count;
    client_heartbeat_arm(client->alarm_timer_fd,
                         timer != NULL ? timer->at : CLIENT_NEVER);
    (void)pthread_mutex_unlock(&client->mutex);
    (void)poll(polled, 2, -1);
    for (size_t i = 0; i < 2; i++) {
        if (polled[i].revents != 0) {
            const ssize_t taken = read(polled[i].fd, &count, sizeof(count));
            (void)taken;
        }
    }
    (void)pthread_mutex_lock(&client->mutex);
}

static void client_alarm_wake(struct hf_client *client)
{
    const uint64_t one = 1;
    const ssize_t written = write(client->alarm_wake_fd, &one, sizeof(one));
    (void)written;
}
