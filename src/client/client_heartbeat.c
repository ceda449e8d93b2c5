/* client_heartbeat.c - the thread that talks to the cluster.
 *
 * One turn: what time has brought, what the program wants, write, then wait for
 * bytes, for a wake-up or for the next moment that matters. The timer is a
 * descriptor on CLOCK_BOOTTIME, because the timeout of poll() stands still
 * while the machine is suspended.
 */
#include "client/client_heartbeat.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/container.h"
#include "client/client_cached_post.h"
#include "client/client_endpoint.h"
#include "client/client_talk.h"

static void *client_heartbeat_run(void *context);
static void client_heartbeat_turn(struct hf_client *client);
static void client_heartbeat_poll(struct hf_client *client);
static void client_heartbeat_drain(int fd);

enum hf_status client_heartbeat_start(struct hf_client *client)
{
    client->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    client->timer_fd =
        timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (client->wake_fd < 0 || client->timer_fd < 0 ||
        client_heartbeat_thread(&client->heartbeat, client_heartbeat_run,
                                client) != HF_OK) {
        (void)close(client->wake_fd);
        (void)close(client->timer_fd);
        return HF_SYSTEM;
    }
    return HF_OK;
}

void client_heartbeat_stop(struct hf_client *client)
{
    client_heartbeat_wake(client);
    (void)pthread_join(client->heartbeat, NULL);
    (void)close(client->wake_fd);
    (void)close(client->timer_fd);
}

void client_heartbeat_wake(struct hf_client *client)
{
    const uint64_t one = 1;
    /* It can only fail because it is set already. */
    const ssize_t written = write(client->wake_fd, &one, sizeof(one));
    (void)written;
}

void client_heartbeat_look(struct hf_lease *lease)
{
    struct hf_client *client = lease->client;
    if (!lease->is_ready) {
        lease->is_ready = true;
        TAILQ_INSERT_TAIL(&client->ready, lease, ready);
    }
    client_heartbeat_wake(client);
}

enum hf_status client_heartbeat_thread(pthread_t *thread, void *(*run)(void *),
                                       void *context)
{
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const int code = pthread_create(thread, NULL, run, context);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code == 0 ? HF_OK : HF_SYSTEM;
}

void client_heartbeat_arm(int timer_fd, int64_t at)
{
    struct itimerspec when = {.it_value = {.tv_sec = 0}};
    if (at != CLIENT_NEVER) {
        at = at > 0 ? at : 1; /* zero would stop it */
        when.it_value.tv_sec = (time_t)(at / 1000);
        when.it_value.tv_nsec = (long)(at % 1000) * 1000000;
    }
    (void)timerfd_settime(timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
}

void client_heartbeat_log(const struct hf_client *client, const char *format,
                          ...)
{
    char line[320];
    va_list arguments;
    if (client->log == NULL) {
        return;
    }
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    client->log(client->log_context, line);
}

static void *client_heartbeat_run(void *context)
{
    struct hf_client *client = context;
    (void)pthread_mutex_lock(&client->mutex);
    while (!client->is_stopping) {
        client_heartbeat_turn(client);
        client_cached_post_deliver(client);
        if (!client->is_stopping && TAILQ_EMPTY(&client->ready) &&
            TAILQ_EMPTY(&client->told)) {
            client_heartbeat_poll(client);
        }
    }
    client_endpoint_stop(client);
    (void)pthread_mutex_unlock(&client->mutex);
    return NULL;
}

static void client_heartbeat_turn(struct hf_client *client)
{
    const int64_t now = client_times_now();
    client_endpoint_step(client, now);
    struct client_timer *timer = client_heap_first(&client->timers);
    while (timer != NULL && timer->at <= now) {
        client_heap_set(&client->timers, timer, CLIENT_NEVER);
        client_talk(CONTAINER_OF(timer, struct hf_lease, timer), now);
        timer = client_heap_first(&client->timers);
    }
    while (!TAILQ_EMPTY(&client->ready)) {
        struct hf_lease *lease = TAILQ_FIRST(&client->ready);
        TAILQ_REMOVE(&client->ready, lease, ready);
        lease->is_ready = false;
        client_talk(lease, now);
    }
    client_endpoint_flush(client, now);
}

/* Wait, without the mutex, and take in what came. */
static void client_heartbeat_poll(struct hf_client *client)
{
    struct client_endpoint *endpoint = &client->endpoint;
    const struct client_timer *timer = client_heap_first(&client->timers);
    const int64_t at = client_times_min(
        timer != NULL ? timer->at : CLIENT_NEVER, client_endpoint_due(client));
    struct pollfd polled[4] = {
        {.fd = client->wake_fd, .events = POLLIN},
        {.fd = client->timer_fd, .events = POLLIN},
        {.fd = endpoint->commands.fd,
         .events = client_link_events(&endpoint->commands)},
        {.fd = endpoint->messages.fd,
         .events = client_link_events(&endpoint->messages)},
    };
    client_heartbeat_arm(client->timer_fd, at);
    (void)pthread_mutex_unlock(&client->mutex);
    const int count = poll(polled, 4, -1);
    (void)pthread_mutex_lock(&client->mutex);
    if (count <= 0) {
        return;
    }
    client_heartbeat_drain(polled[0].revents != 0 ? client->wake_fd : -1);
    client_heartbeat_drain(polled[1].revents != 0 ? client->timer_fd : -1);
    client_endpoint_handle(client, polled[2].revents, polled[3].revents);
}

static void client_heartbeat_drain(int fd)
{
    uint64_t count;
    if (fd >= 0) {
        const ssize_t taken = read(fd, &count, sizeof(count));
        (void)taken;
    }
}
