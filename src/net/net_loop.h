/* net_loop.h - the loop: wait for something, let it happen, take a turn.
 *
 * libevent 2.1 has no hook between events and sleep, so each round is one
 * event_base_loop(EVLOOP_ONCE) followed by the turn. The turn says when it
 * wants to be called again if nothing happens before.
 */
#ifndef HOLDFAST_NET_LOOP_H
#define HOLDFAST_NET_LOOP_H

#include <event2/event.h>
#include <stdbool.h>

#include "base/status.h"
#include "base/units.h"

/* Times are CLOCK_BOOTTIME in ms: counts suspended time, never runs back. */
time_ms_t net_loop_now(void);

/* One turn; returns when the next is wanted at the latest, or TIME_NEVER. */
typedef time_ms_t net_loop_turn_fn(void *context, time_ms_t now);

struct net_loop {
    struct event_base *base;
    struct event *timer;
    bool stopping;
};

enum status net_loop_init(struct net_loop *loop);
void net_loop_close(struct net_loop *loop);

/* Until net_loop_stop(). */
void net_loop_run(struct net_loop *loop, net_loop_turn_fn *turn, void *context);

/* Leave net_loop_run() after the turn under way. */
void net_loop_stop(struct net_loop *loop);

#endif
