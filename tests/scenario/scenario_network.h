/* scenario_network.h - messages that have been sent and not yet arrived.
 *
 * Nothing moves by itself: a message waits until the script delivers, drops or
 * repeats it. A cut link loses what is sent over it; a held link keeps its
 * messages back until it is released, which is how a script makes a message
 * late.
 */
#ifndef HOLDFAST_SCENARIO_NETWORK_H
#define HOLDFAST_SCENARIO_NETWORK_H

#include <stdio.h>
#include <sys/queue.h>

#include "raft/raft_message.h"
#include "scenario/scenario_script.h"

#define SCENARIO_HOLDS_MAX 16

struct scenario_packet {
    TAILQ_ENTRY(scenario_packet) link;
    struct raft_message *message; /* owned */
    bool fresh;                   /* sent during the present command */
};

TAILQ_HEAD(scenario_packets, scenario_packet);

/* Which messages: 0 and NULL stand for any. */
struct scenario_pattern {
    raft_id_t from;
    raft_id_t to;
    const char *kind;       /* a word of scenario_show_kind() */
    scenario_ids_t members; /* both ends among these; 0: any */
};

struct scenario_sent {
    raft_id_t from;
    raft_id_t to;
    const char *kind;
};

struct scenario_network {
    struct scenario_packets packets; /* oldest first */
    bool cut[SCENARIO_ID_MAX + 1][SCENARIO_ID_MAX + 1];
    struct scenario_pattern holds[SCENARIO_HOLDS_MAX];
    size_t holds_count;
    struct scenario_sent *sent; /* since the last mark */
    size_t sent_count;
    size_t sent_room;
};

void scenario_network_init(struct scenario_network *network);
void scenario_network_close(struct scenario_network *network);

/* A message leaves its sender: it waits, or over a cut link is lost and false
 * is returned. The message is copied. */
bool scenario_network_send(struct scenario_network *network,
                           const struct raft_message *message);

/* The oldest, or the newest, waiting message of a pattern, or NULL. Held ones
 * are passed over. */
struct scenario_packet *
scenario_network_find(struct scenario_network *network,
                      const struct scenario_pattern *pattern, bool newest);

/* How many wait, held ones included. */
size_t scenario_network_count(const struct scenario_network *network,
                              const struct scenario_pattern *pattern);

/* How many were sent since scenario_network_mark(), lost ones included. */
size_t scenario_network_sent(const struct scenario_network *network,
                             const struct scenario_pattern *pattern);
void scenario_network_mark(struct scenario_network *network);

/* Take a packet out; the caller frees it. */
void scenario_network_take(struct scenario_network *network,
                           struct scenario_packet *packet);
void scenario_network_free_packet(struct scenario_packet *packet);

/* A second copy of a packet, behind all others. */
void scenario_network_repeat(struct scenario_network *network,
                             const struct scenario_packet *packet);

/* Hold a pattern from now on; false if there is no room for another. */
bool scenario_network_hold(struct scenario_network *network,
                           const struct scenario_pattern *pattern);

/* Give back every hold of this pattern; false if there was none. */
bool scenario_network_release(struct scenario_network *network,
                              const struct scenario_pattern *pattern);

bool scenario_network_matches(const struct scenario_pattern *pattern,
                              const struct raft_message *message);

bool scenario_network_is_held(const struct scenario_network *network,
                              const struct raft_message *message);

#endif
