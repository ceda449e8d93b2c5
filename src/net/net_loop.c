/* net_loop.c - the loop.
 *
 * One timer for everything: it only wakes the loop up. What is due is decided
 * by whoever has a deadline, from our own clock.
 */
#include "net/net_loop.h"

#include <time.h>

#include "base/ensure.h"

/* Even a loop with nothing to do comes round once in a while. */
#define NET_LOOP_SLEEP_MS_MAX 10000

static void net_loop_arm(struct net_loop *loop, time_ms_t now, time_ms_t at);
static void net_loop_rings(evutil_socket_t fd, short what, void *context);

time_ms_t net_loop_now(void)
{
    struct timespec now;
    const int result = clock_gettime(CLOCK_BOOTTIME, &now);
    ENSURE(result == 0);
    return (time_ms_t)now.tv_sec * 1000 + (time_ms_t)now.tv_nsec / 1000000;
}

enum status net_loop_init(struct net_loop *loop)
{
    struct event_config *config = event_config_new();
    *loop = (struct net_loop){0};
    if (config == NULL) {
        return STATUS_NO_EVENTS;
    }
    (void)event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK);
    loop->base = event_base_new_with_config(config);
    event_config_free(config);
    if (loop->base == NULL) {
        return STATUS_NO_EVENTS;
    }
    loop->timer = event_new(loop->base, -1, 0, net_loop_rings, NULL);
    if (loop->timer == NULL) {
        event_base_free(loop->base);
        return STATUS_NO_EVENTS;
    }
    return STATUS_OK;
}

void net_loop_close(struct net_loop *loop)
{
    if (loop->timer != NULL) {
        event_free(loop->timer);
    }
    if (loop->base != NULL) {
        event_base_free(loop->base);
    }
    *loop = (struct net_loop){0};
}

void net_loop_run(struct net_loop *loop, net_loop_turn_fn *turn, void *context)
{
    while (!loop->stopping) {
        const time_ms_t now = net_loop_now();
        const time_ms_t next = turn(context, now);
        if (loop->stopping) {
            break;
        }
        net_loop_arm(loop, now, next);
        const int result = event_base_loop(loop->base, EVLOOP_ONCE);
        ENSURE(result >= 0);
    }
}

void net_loop_stop(struct net_loop *loop)
{
    loop->stopping = true;
}

static void net_loop_arm(struct net_loop *loop, time_ms_t now, time_ms_t at)
{
    time_ms_t wait_ms = at > now ? at - now : 0;
    if (wait_ms > NET_LOOP_SLEEP_MS_MAX) {
        wait_ms = NET_LOOP_SLEEP_MS_MAX;
    }
    const struct timeval wait = {
        .tv_sec = (time_t)(wait_ms / 1000),
        .tv_usec = (suseconds_t)(wait_ms % 1000 * 1000),
    };
    (void)event_add(loop->timer, &wait);
}

static void net_loop_rings(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    (void)what;
    (void)context;
}
