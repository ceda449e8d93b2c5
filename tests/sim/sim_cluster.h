/* sim_cluster.h - hosts on a simulated clock, network and disk.
 *
 * Owns the queue of events and everything that happens to a node: messages
 * arrive, timers ring, syncs finish, its loop comes round, it dies and comes
 * back. Every change of a node goes through here and is shown to the checkers.
 * Nodes are numbered from 0; the id of a member is its number + 1.
 *
 * Who makes trouble (sim_nemesis.h) and who asks for something (sim_clients.h,
 * sim_workload.h) calls the functions below between events, and hears what
 * comes of it through struct sim_hooks.
 */
#ifndef HOLDFAST_SIM_CLUSTER_H
#define HOLDFAST_SIM_CLUSTER_H

#include "lib/host.h"
#include "sim/check_changes.h"
#include "sim/check_commits.h"
#include "sim/check_leaders.h"
#include "sim/check_logs.h"
#include "sim/check_progress.h"
#include "sim/check_votes.h"
#include "sim/sim_disk.h"
#include "sim/sim_heap.h"
#include "sim/sim_network.h"

/* What a node tells its clients and whoever watches it. */
struct sim_hooks {
    void *context;
    void (*replied)(void *context, uint32_t node, uint64_t ask,
                    const struct node_reply *reply);
    void (*noticed)(void *context, uint32_t node,
                    const struct lock_notice *notice);
    /* first: nobody applied this entry before. */
    void (*applied)(void *context, uint32_t node, raft_index_t index,
                    const struct raft_entry *entry,
                    const struct lock_outcome *outcome, bool first);
    /* The node's state was replaced, by a snapshot or a restart. */
    void (*replaced)(void *context, uint32_t node);
    void (*crashed)(void *context, uint32_t node);
};

/* A frame on its way. */
struct sim_frame {
    uint32_t from;
    bool worth_a_look; /* it carries entries or state */
    enum peer_message_kind kind;
    raft_term_t term; /* 0: not a message of the core */
    size_t count;
    uint8_t data[];
};

struct sim_node {
    struct sim_clock clock;
    struct sim_disk disk;
    uint64_t life;             /* events of an earlier life do not count */
    bool paused;               /* events wait until resume_at */
    bool retired;              /* removed and switched off for good */
    bool turn_pending;         /* SIM_EVENT_TURN is in the queue */
    size_t syncing;            /* writes that the sync under way covers */
    time_us_t resume_at;       /* if paused */
    time_us_t timer_at;        /* of the timer in the queue; UINT64_MAX: none */
    uint64_t timer_token;      /* of the timer in the queue */
    enum raft_role role;       /* as last seen */
    raft_term_t role_term;     /* as last seen */
    raft_term_t transfer_term; /* in which it was told to hand over */
    time_ms_t wall_base;       /* its time of day when its clock shows 0 */
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
    uint64_t jumps_count; /* of clocks */
    uint64_t trace;       /* a hash of everything that happened */
    size_t count;
    struct raft_members first_members;
    struct host *hosts[SIM_NODES_MAX];
    struct sim_node nodes[SIM_NODES_MAX];

    struct check_changes changes;
    struct check_commits commits;
    struct check_leaders leaders;
    struct check_logs logs;
    struct check_progress progress;
    struct check_votes votes;
    struct sim_hooks hooks;
    time_us_t *proposed_at; /* by index: when a leader appended it */
    size_t proposed_capacity;
    struct peer_frame frame; /* being looked at */
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

/* ---- requests; the node must run ---- */

enum status sim_cluster_ask(struct sim_cluster *cluster, uint32_t node,
                            uint64_t ask, const struct command_plan *plan);
void sim_cluster_drop(struct sim_cluster *cluster, uint32_t node, uint64_t ask);
bool sim_cluster_unblock(struct sim_cluster *cluster, uint32_t node,
                         uint64_t ask);
enum raft_answer sim_cluster_change(struct sim_cluster *cluster, uint32_t node,
                                    const struct raft_change *change);
enum raft_answer sim_cluster_transfer(struct sim_cluster *cluster,
                                      uint32_t node, raft_id_t to);

/* ---- trouble ---- */

/* The node must be up; it stays down until it is restarted. */
void sim_cluster_crash(struct sim_cluster *cluster, uint32_t node);
void sim_cluster_restart(struct sim_cluster *cluster, uint32_t node);

/* While it is down: its disk is replaced by an empty one. */
void sim_cluster_wipe(struct sim_cluster *cluster, uint32_t node);
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

/* What a node's clock shows. */
time_ms_t sim_cluster_local(const struct sim_cluster *cluster, uint32_t node);

/* When the entry that stands at an index was proposed; 0: unknown. */
time_us_t sim_cluster_proposed_at(const struct sim_cluster *cluster,
                                  raft_index_t index);

/* Something happened at a node after which a blow would hurt. */
void sim_cluster_note(struct sim_cluster *cluster, uint32_t node);

/* Make a number part of the trace. */
void sim_cluster_mix(struct sim_cluster *cluster, uint64_t word);

/* True if the node is up and not paused. */
bool sim_cluster_runs(const struct sim_cluster *cluster, uint32_t node);

/* The node that leads the highest term, if any leads. */
bool sim_cluster_leader(const struct sim_cluster *cluster, uint32_t *node);

/* True if a node that is up has this one in its configuration. */
bool sim_cluster_is_wanted(const struct sim_cluster *cluster, uint32_t node);

/* Hold all logs and states against everything that is known. */
void sim_cluster_audit(struct sim_cluster *cluster);

/* ---- for sim_cluster.c alone; sim_watch.c ---- */

/* What the nodes tell, to the checkers and to the hooks. */
struct host_owner sim_watch_owner(struct sim_cluster *cluster);

/* Two nodes that have the same committed agree on who belongs to the group. */
void sim_watch_compare_members(struct sim_cluster *cluster, uint32_t node);

#endif
