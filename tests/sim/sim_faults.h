/* sim_faults.h - every kind of trouble, and how often it really happened.
 *
 * A fault that never fires is a test that never ran: a run of many seeds fails
 * if any count here is still zero at its end. To add a class, add a row; count
 * it where its effect shows (a message dropped, a record torn), not where it
 * was merely planned.
 */
#ifndef HOLDFAST_SIM_FAULTS_H
#define HOLDFAST_SIM_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_FAULT_LIST(X)                                                      \
    X(SIM_FAULT_LOSS, "message-lost")                                          \
    X(SIM_FAULT_DUPLICATE, "message-duplicated")                               \
    X(SIM_FAULT_REORDER, "message-reordered")                                  \
    X(SIM_FAULT_DELAY, "message-delayed-long")                                 \
    X(SIM_FAULT_STALE_TERM, "message-of-an-old-term")                          \
    X(SIM_FAULT_SPLIT, "partition-symmetric")                                  \
    X(SIM_FAULT_ISOLATE, "partition-leader-isolated")                          \
    X(SIM_FAULT_ONE_WAY, "partition-one-way")                                  \
    X(SIM_FAULT_RING, "topology-ring")                                         \
    X(SIM_FAULT_CHAIN, "topology-chain")                                       \
    X(SIM_FAULT_QUORUM_LOSS, "topology-quorum-loss")                           \
    X(SIM_FAULT_CONSTRAINED, "topology-constrained")                           \
    X(SIM_FAULT_CHAINED, "topology-chained")                                   \
    X(SIM_FAULT_QUIET_CHECK, "topology-leader-demanded")                       \
    X(SIM_FAULT_CRASH, "crash")                                                \
    X(SIM_FAULT_CRASH_ALL, "crash-all-at-once")                                \
    X(SIM_FAULT_CRASH_LEADER, "crash-leader")                                  \
    X(SIM_FAULT_DISK_LOST, "disk-record-lost")                                 \
    X(SIM_FAULT_DISK_REORDERED, "disk-record-reordered")                       \
    X(SIM_FAULT_DISK_TORN, "disk-record-torn")                                 \
    X(SIM_FAULT_DISK_KEPT, "disk-unsynced-record-kept")                        \
    X(SIM_FAULT_DISK_SLOW, "disk-slow")                                        \
    X(SIM_FAULT_DISK_ROT, "disk-tail-damaged")                                 \
    X(SIM_FAULT_DISK_WIPED, "disk-wiped")                                      \
    X(SIM_FAULT_READMITTED, "member-taken-in-again")                           \
    X(SIM_FAULT_FOUNDED, "group-founded")                                      \
    X(SIM_FAULT_CLOCK_JUMP, "clock-jump")                                      \
    X(SIM_FAULT_CLOCK_RATE, "clock-rate")                                      \
    X(SIM_FAULT_PAUSE, "pause")                                                \
    X(SIM_FAULT_PAUSE_LEADER, "pause-leader")                                  \
    X(SIM_FAULT_HINT, "peer-lost-hint")                                        \
    X(SIM_FAULT_AMBUSH, "ambush")                                              \
    X(SIM_FAULT_ELECTION, "leader-elected")                                    \
    X(SIM_FAULT_TRUNCATION, "log-truncated")                                   \
    X(SIM_FAULT_ABA, "log-truncated-with-write-in-flight")                     \
    X(SIM_FAULT_ROLLBACK, "config-rolled-back")                                \
    X(SIM_FAULT_CHECKPOINT, "checkpoint")                                      \
    X(SIM_FAULT_LOG_KEPT, "log-kept-for-a-peer")                               \
    X(SIM_FAULT_INSTALL, "snapshot-installed")                                 \
    X(SIM_FAULT_STAGE_DAMAGED, "snapshot-damaged")                             \
    X(SIM_FAULT_SNAPSHOT_GONE, "snapshot-gone")                                \
    X(SIM_FAULT_ADD, "member-added")                                           \
    X(SIM_FAULT_PROMOTE, "member-promoted")                                    \
    X(SIM_FAULT_REMOVE, "member-removed")                                      \
    X(SIM_FAULT_REMOVE_LEADER, "member-removed-leader")                        \
    X(SIM_FAULT_CHANGE_ASKED, "change-asked-of-any-node")                      \
    X(SIM_FAULT_CHANGE_DONE, "change-done")                                    \
    X(SIM_FAULT_CHANGE_NOT_DONE, "change-not-done")                            \
    X(SIM_FAULT_CHANGE_UNKNOWN, "change-unknown")                              \
    X(SIM_FAULT_CHANGE_JOINED, "member-promoted-by-itself")                    \
    X(SIM_FAULT_TRANSFER, "transfer-asked")                                    \
    X(SIM_FAULT_TRANSFERRED, "transfer-refused-a-command")                     \
    X(SIM_FAULT_FULL, "command-refused-full")                                  \
    X(SIM_FAULT_READ, "read-confirmed")                                        \
    X(SIM_FAULT_READ_DROPPED, "read-never-confirmed")                          \
    X(SIM_FAULT_HELD, "request-held")                                          \
    X(SIM_FAULT_NOT_DONE, "request-not-done")                                  \
    X(SIM_FAULT_BUSY, "request-refused-busy")                                  \
    X(SIM_FAULT_UNKNOWN, "request-unknown")                                    \
    X(SIM_FAULT_RESEND_ONCE, "resend-applied-once")                            \
    X(SIM_FAULT_OUTDATED, "resend-outdated")                                   \
    X(SIM_FAULT_GRANT_LOST, "grant-lost-reply")                                \
    X(SIM_FAULT_RETRY_GRANTED, "retry-got-its-grant")                          \
    X(SIM_FAULT_WAIT_TIMEOUT, "wait-timeout")                                  \
    X(SIM_FAULT_UNBLOCKED, "wait-unblocked")                                   \
    X(SIM_FAULT_CANCELLED, "wait-cancelled")                                   \
    X(SIM_FAULT_ASKED_AGAIN, "wait-asked-again")                               \
    X(SIM_FAULT_ORPHANS, "orphans-cancelled")                                  \
    X(SIM_FAULT_PEER_GONE, "peer-found-gone")                                  \
    X(SIM_FAULT_ABANDONED_WAITING, "abandoned-waiting")                        \
    X(SIM_FAULT_ABANDONED_GRANTED, "abandoned-granted")                        \
    X(SIM_FAULT_ABANDON_IN_VAIN, "abandon-in-vain")                            \
    X(SIM_FAULT_GONE_WAITING, "client-gone-waiting")                           \
    X(SIM_FAULT_GONE_HOLDING, "client-gone-holding")                           \
    X(SIM_FAULT_CLIENT_PAUSED, "client-paused-past-ttl")                       \
    X(SIM_FAULT_STORE_TAKEN, "store-write-taken")                              \
    X(SIM_FAULT_STORE_REFUSED, "stale-store-write-refused")                    \
    X(SIM_FAULT_FENCED, "stale-fenced-write-refused")                          \
    X(SIM_FAULT_EXPIRY, "expiry")                                              \
    X(SIM_FAULT_EXPIRY_OLDER_REIGN, "expiry-of-older-reign")                   \
    X(SIM_FAULT_EXPIRY_IN_VAIN, "expiry-in-vain")                              \
    X(SIM_FAULT_RENEWAL_UNLOGGED, "renewal-unlogged")                          \
    X(SIM_FAULT_RENEWAL_LOGGED, "renewal-logged")                              \
    X(SIM_FAULT_RENEWAL_LATE, "renewal-of-what-has-ended")                     \
    X(SIM_FAULT_DELAY_ENDED, "delay-ended")                                    \
    X(SIM_FAULT_REVOKE, "revoke")                                              \
    X(SIM_FAULT_TICK, "tick")                                                  \
    X(SIM_FAULT_SWEEP, "data-swept")                                           \
    X(SIM_FAULT_WRONG_TYPE, "wrong-type")                                      \
    X(SIM_FAULT_BREAK, "grant-broken")                                         \
    X(SIM_FAULT_LEASE_FLOOR, "lease-floor-checked")                            \
    X(SIM_FAULT_LEASE_CEILING, "lease-ceiling-checked")                        \
    X(SIM_FAULT_GRANT_HEALED, "grant-after-healing")                           \
    X(SIM_FAULT_PLACE_KEPT, "wait-abandoned-by-another")                       \
    X(SIM_FAULT_HOLD_CHECKED, "exclusion-checked")                             \
    X(SIM_FAULT_HOLD_SKIPPED, "exclusion-not-checked")

enum sim_fault {
#define SIM_FAULT_VALUE(name, text) name,
    SIM_FAULT_LIST(SIM_FAULT_VALUE)
#undef SIM_FAULT_VALUE
    SIM_FAULTS_COUNT
};

struct sim_faults {
    uint64_t fired[SIM_FAULTS_COUNT];
};

const char *sim_fault_text(enum sim_fault fault);

void sim_faults_add(struct sim_faults *faults, enum sim_fault fault,
                    uint64_t times);
void sim_faults_merge(struct sim_faults *total, const struct sim_faults *more);

/* One line a class: "fault NAME COUNT". */
void sim_faults_print(const struct sim_faults *faults);

/* A class that never fired, if there is one. */
bool sim_faults_missing(const struct sim_faults *faults, const char **text);

#endif
