/* scenario_cluster.h - the servers of a scenario, their clocks and disks.
 *
 * Every server has a clock of its own that moves only when the script says so;
 * nothing in Raft may rest on clocks that agree. A disk is fast (a write is
 * durable before the next thing happens) or slow (it waits for "persist").
 */
#ifndef HOLDFAST_SCENARIO_CLUSTER_H
#define HOLDFAST_SCENARIO_CLUSTER_H

#include <stdio.h>

#include "lib/replica.h"
#include "scenario/scenario_network.h"
#include "scenario/scenario_watch.h"

#define SCENARIO_READS_MAX 64

/* A read that waits for its answer. */
struct scenario_read {
    raft_id_t id;
    size_t number; /* the how manieth of the scenario */
    uint64_t round;
    raft_index_t committed; /* known to be committed when it was asked */
};

struct scenario_cluster {
    struct scenario_command *command; /* the one being executed */
    FILE *out;                        /* where the transcript goes */
    bool dying; /* writes become durable but nothing leaves any more */
    struct raft_settings settings;
    struct raft_members first_members; /* all that a wiped server knows */
    struct replica *replicas[SCENARIO_ID_MAX + 1]; /* by id; NULL: none */
    time_ms_t clocks[SCENARIO_ID_MAX + 1];
    bool slow[SCENARIO_ID_MAX + 1];
    size_t writes_reported[SCENARIO_ID_MAX + 1];
    struct scenario_read reads[SCENARIO_READS_MAX];
    size_t reads_count;
    size_t reads_asked;
    size_t reads_answered[SCENARIO_ID_MAX + 1];
    struct raft_result result; /* of the last step */
    enum raft_answer answer;   /* to the last request of the script */
    struct replica_owner owner;
    struct scenario_network network;
    struct scenario_watch watch;
    uint64_t seed;
};

void scenario_cluster_init(struct scenario_cluster *cluster);
void scenario_cluster_close(struct scenario_cluster *cluster);

/* Write to the transcript. */
void scenario_cluster_say(struct scenario_cluster *cluster, const char *format,
                          ...) __attribute__((format(printf, 2, 3)));

/* The servers that exist. */
scenario_ids_t scenario_cluster_ids(const struct scenario_cluster *cluster);

/* Put a new server up, on an empty disk. */
void scenario_cluster_create(struct scenario_cluster *cluster, raft_id_t id,
                             const struct raft_members *members);

/* Give a server that was just created an empty disk, on probation. */
void scenario_cluster_make_new(struct scenario_cluster *cluster, raft_id_t id,
                               const struct raft_members *members);

/* The server with this id; an error in the script if there is none, or, for
 * _raft, if it is down. */
struct replica *scenario_cluster_replica(const struct scenario_cluster *cluster,
                                         raft_id_t id);
const struct raft *scenario_cluster_raft(const struct scenario_cluster *cluster,
                                         raft_id_t id);

/* Hand an event to a server, at its present time. The result is in
 * cluster->result; scenario_cluster_settle() must follow. */
void scenario_cluster_step(struct scenario_cluster *cluster, raft_id_t id,
                           struct raft_event *event);

/* Let a server carry out what it wants done; a fast disk finishes. */
void scenario_cluster_settle(struct scenario_cluster *cluster, raft_id_t id);

/* Make the oldest writes durable; count beyond what is pending is all. */
void scenario_cluster_persist(struct scenario_cluster *cluster, raft_id_t id,
                              size_t count);

/* A message arrives and is gone. */
void scenario_cluster_deliver(struct scenario_cluster *cluster,
                              struct scenario_packet *packet);

/* Deliver oldest first, answers included, until nothing of the pattern is on
 * its way. */
void scenario_cluster_deliver_all(struct scenario_cluster *cluster,
                                  const struct scenario_pattern *pattern);

/* Move a clock to the moment its server waits for, and tell the server. */
void scenario_cluster_timeout(struct scenario_cluster *cluster, raft_id_t id);

/* Let ms pass on some clocks, every server being told when its moment comes;
 * if deliver is set, everything sent arrives at once. */
void scenario_cluster_advance(struct scenario_cluster *cluster,
                              scenario_ids_t ids, time_ms_t ms, bool deliver);

void scenario_cluster_crash(struct scenario_cluster *cluster, raft_id_t id,
                            bool keep_unsynced);
void scenario_cluster_restart(struct scenario_cluster *cluster, raft_id_t id);

/* Remember that a server was asked to read, in the round it promised. */
void scenario_cluster_add_read(struct scenario_cluster *cluster, raft_id_t id);

/* Around each command: forget what is new, and say what is. */
void scenario_cluster_begin(struct scenario_cluster *cluster,
                            struct scenario_command *command);
void scenario_cluster_report(struct scenario_cluster *cluster);

#endif
