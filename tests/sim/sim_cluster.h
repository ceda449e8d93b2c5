/* sim_cluster.h - replicas on a simulated clock, network and disk.
 *
 * Owns the queue of events and everything that happens to a node: messages
 * arrive, timers ring, syncs finish, its loop comes round, it dies and comes
 * back. Every change of a node goes through here and is shown to the checkers.
 * Nodes are numbered from 0; the id of a replica is its number + 1.
 *
 * Who makes trouble (sim_nemesis.h) and who asks for something (sim_workload.h)
 * calls the functions below between events.
 */
#ifndef HOLDFAST_SIM_CLUSTER_H
#define HOLDFAST_SIM_CLUSTER_H

#include "lib/replica.h"
#include "sim/check_commits.h"
#include "sim/check_leaders.h"
#include "sim/check_logs.h"
#include "sim/check_progress.h"
#include "sim/check_reads.h"
#include "sim/check_votes.h"
#include "sim/sim_disk.h"
#include "sim/sim_heap.h"
#include "sim/sim_network.h"

struct sim_node {
    struct sim_clock clock;
    struct sim_disk disk;
    uint64_t life;         /* events of an earlier life do not count */
    bool paused;           /* events wait until resume_at */
    bool retired;          /* removed and switched off for good */
    bool turn_pending;     /* SIM_EVENT_TURN is in the queue */
    size_t syncing;        /* writes that the sync under way covers */
    time_us_t resume_at;   /* if paused */
    time_us_t timer_at;    /* of the timer in the queue; UINT64_MAX: none */
    uint64_t timer_token;  /* of the timer in the queue */
    enum raft_role role;   /* as last seen */
    raft_term_t role_term; /* as last seen */
};

struct sim_cluster {
    const struct sim_options *options;
    struct sim_report *report;
    struct sim_faults *faults;
    struct sim_heap heap;
    struct sim_network network;
    struct random random;
    time_us_t now;
    time_us_t ambush_after; /* no ambush before this */
    raft_index_t commit;    /* the highest that anybody has reached */
    bool gentle;            /* no faults: quiet topologies, healed phase */
    uint64_t events_count;
    uint64_t trace; /* a hash of everything that happened */
    size_t count;
    struct replica *replicas[SIM_NODES_MAX];
    struct sim_node nodes[SIM_NODES_MAX];

    struct check_commits commits;
    struct check_leaders leaders;
    struct check_logs logs;
    struct check_progress progress;
    struct check_reads reads;
    struct check_votes votes;
};

/* All nodes up: voters_count members, then spares that are not. Report, faults
 * and options outlive the cluster. */
void sim_cluster_init(struct sim_cluster *cluster,
                      const struct sim_options *options,
                      struct sim_report *report, struct sim_faults *faults);
void sim_cluster_close(struct sim_cluster *cluster);

/* ---- events ---- */

/* Move on to the earliest event and take it out; false if there is none. */
bool sim_cluster_next(struct sim_cluster *cluster, struct sim_event *event);

/* Carry out an event of a node. Frees its message. */
void sim_cluster_event(struct sim_cluster *cluster, struct sim_event *event);

/* Put an event without a message into the queue, after_us from now. */
void sim_cluster_push(struct sim_cluster *cluster, enum sim_event_kind kind,
                      time_us_t after_us, uint32_t node, uint64_t token);

/* ---- requests of clients; the node must run ---- */

/* The time of the event is filled in here. */
enum raft_answer sim_cluster_request(struct sim_cluster *cluster, uint32_t node,
                                     struct raft_event *event,
                                     struct raft_result *result);
bool sim_cluster_checkpoint(struct sim_cluster *cluster, uint32_t node,
                            size_t trailing_entries);

/* ---- trouble ---- */

/* The node must be up; it stays down until it is restarted. */
void sim_cluster_crash(struct sim_cluster *cluster, uint32_t node);
void sim_cluster_restart(struct sim_cluster *cluster, uint32_t node);
void sim_cluster_pause(struct sim_cluster *cluster, uint32_t node,
                       time_us_t for_us);
void sim_cluster_resume(struct sim_cluster *cluster, uint32_t node);
void sim_cluster_jump(struct sim_cluster *cluster, uint32_t node,
                      time_ms_t forward_ms);
void sim_cluster_set_rate(struct sim_cluster *cluster, uint32_t node,
                          uint64_t rate_ppm);

/* Switch faults of network and disk off or back on. */
void sim_cluster_set_gentle(struct sim_cluster *cluster, bool gentle);

/* ---- looking ---- */

/* True if the node is up and not paused. */
bool sim_cluster_runs(const struct sim_cluster *cluster, uint32_t node);

/* The node that leads the highest term, if any leads. */
bool sim_cluster_leader(const struct sim_cluster *cluster, uint32_t *node);

/* True if a node that is up has this one in its configuration. */
bool sim_cluster_is_wanted(const struct sim_cluster *cluster, uint32_t node);

/* Hold all logs and states against everything that is known. */
void sim_cluster_audit(struct sim_cluster *cluster);

#endif
