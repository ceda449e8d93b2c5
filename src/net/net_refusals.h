/* net_refusals.h - lines about what was refused at the raft port, few of them.
 *
 * Whoever can reach the port can be refused as often as it likes; that must not
 * fill the disk with log lines. A reason is said at once, and for the next
 * second only counted; the count comes with the line after that.
 */
#ifndef HOLDFAST_NET_REFUSALS_H
#define HOLDFAST_NET_REFUSALS_H

#include "base/status.h"
#include "base/units.h"

/* A reason is the status of a frame that was refused, or one of these. */
enum net_refusal {
    NET_REFUSAL_SILENT = STATUS_COUNT, /* no frame came in time */
    NET_REFUSAL_CROWDED,               /* too many connections */
    NET_REFUSAL_COUNT
};

/* A line for the log. */
typedef void net_line_fn(void *context, const char *text);

struct net_refusals {
    net_line_fn *line;
    void *context;
    struct {
        time_ms_t quiet_until;
        uint64_t held_back;
    } reasons[NET_REFUSAL_COUNT];
};

void net_refusals_init(struct net_refusals *refusals, net_line_fn *line,
                       void *context);

/* Something was refused: say so, or count it. */
void net_refusals_note(struct net_refusals *refusals, unsigned reason,
                       time_ms_t now);

/* Say what was only counted, if its second is over. Returns when that is so
 * for the next, or TIME_NEVER. */
time_ms_t net_refusals_turn(struct net_refusals *refusals, time_ms_t now);

#endif
