/* raft_log.h - what the core knows of its log: terms, sizes, configurations.
 *
 * Keeps the three in step; payloads are the shell's. The boundary is the last
 * entry that is no longer in the log, with its term and configuration known.
 */
#ifndef HOLDFAST_RAFT_LOG_H
#define HOLDFAST_RAFT_LOG_H

#include "raft/raft_configs.h"
#include "raft/raft_sizes.h"
#include "raft/raft_terms.h"

struct raft_log {
    struct raft_terms terms;
    struct raft_sizes sizes;
    struct raft_configs configs;
};

void raft_log_init(struct raft_log *log, raft_index_t boundary_index,
                   raft_term_t boundary_term,
                   const struct raft_members *members);
void raft_log_close(struct raft_log *log);

/* A snapshot replaced everything. */
void raft_log_restart(struct raft_log *log, raft_index_t boundary_index,
                      raft_term_t boundary_term,
                      const struct raft_members *members);

/* One more entry at last + 1. Its term is not lower than the last one's.
 * Returns false and appends nothing if it is a configuration that does not
 * decode. */
bool raft_log_append(struct raft_log *log, const struct raft_entry *entry);

/* Forget the entries from first_index on, and the configurations among them. */
void raft_log_cut(struct raft_log *log, raft_index_t first_index);

/* The entries up to and including boundary_index are no longer kept. */
void raft_log_drop(struct raft_log *log, raft_index_t boundary_index);

raft_index_t raft_log_boundary_index(const struct raft_log *log);
raft_index_t raft_log_last_index(const struct raft_log *log);
raft_term_t raft_log_last_term(const struct raft_log *log);

/* True if a log that ends with (index, term) is at least as complete as this
 * one (dissertation 3.6.1). */
bool raft_log_is_up_to_date(const struct raft_log *log, raft_index_t index,
                            raft_term_t term);

/* What the entries behind from, up to and including to, cost whoever keeps
 * them. from is not before the boundary. */
uint64_t raft_log_bytes(const struct raft_log *log, raft_index_t from,
                        raft_index_t to);

/* The lowest index behind which the entries up to and including to cost no more
 * than that. */
raft_index_t raft_log_reach(const struct raft_log *log, raft_index_t to,
                            uint64_t bytes_max);

/* How many entries from first_index on fit into limits; at least one if there
 * is one, however large it is. */
size_t raft_log_fit(const struct raft_log *log, raft_index_t first_index,
                    size_t entries_max, uint64_t bytes_max);

#endif
