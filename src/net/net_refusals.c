/* net_refusals.c - lines about what was refused at the raft port, few of them.
 *
 * To extend: a value in enum net_refusal and its words below.
 */
#include "net/net_refusals.h"

#include <stdio.h>

#include "base/ensure.h"

/* One line for each reason in this time. */
#define NET_REFUSALS_QUIET_MS 1000

static void net_refusals_say(struct net_refusals *refusals, unsigned reason,
                             time_ms_t now);

void net_refusals_init(struct net_refusals *refusals, net_line_fn *line,
                       void *context)
{
    *refusals = (struct net_refusals){.line = line, .context = context};
}

void net_refusals_note(struct net_refusals *refusals, unsigned reason,
                       time_ms_t now)
{
    ENSURE(reason < NET_REFUSAL_COUNT);

    if (now < refusals->reasons[reason].quiet_until) {
        refusals->reasons[reason].held_back++;
    } else {
        net_refusals_say(refusals, reason, now);
    }
}

time_ms_t net_refusals_turn(struct net_refusals *refusals, time_ms_t now)
{
    time_ms_t next_at = TIME_NEVER;
    for (unsigned reason = 0; reason < NET_REFUSAL_COUNT; reason++) {
        if (refusals->reasons[reason].held_back == 0) {
            continue;
        }
        const time_ms_t due = refusals->reasons[reason].quiet_until;
        if (now >= due) {
            /* The last of those counted is this line. */
            refusals->reasons[reason].held_back--;
            net_refusals_say(refusals, reason, now);
        } else if (due < next_at) {
            next_at = due;
        }
    }
    return next_at;
}

static void net_refusals_say(struct net_refusals *refusals, unsigned reason,
                             time_ms_t now)
{
    const uint64_t held_back = refusals->reasons[reason].held_back;
    char text[192];
    char more[64] = "";
    if (held_back > 0) {
        (void)snprintf(more, sizeof(more), ", and %llu more in this second",
                       (unsigned long long)held_back);
    }
    switch (reason) {
    case NET_REFUSAL_SILENT:
        (void)snprintf(text, sizeof(text),
                       "connection at the raft port closed: no frame came%s",
                       more);
        break;
    case NET_REFUSAL_CROWDED:
        (void)snprintf(text, sizeof(text),
                       "connection at the raft port closed: too many%s", more);
        break;
    default:
        (void)snprintf(text, sizeof(text),
                       "frame at the raft port refused: %s%s",
                       status_text((enum status)reason), more);
        break;
    }
    refusals->reasons[reason].held_back = 0;
    refusals->reasons[reason].quiet_until = now + NET_REFUSALS_QUIET_MS;
    refusals->line(refusals->context, text);
}
