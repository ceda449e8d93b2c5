/* raft_log.c - keeps terms, sizes and configurations of the log in step. */
#include "raft/raft_log.h"

#include "base/ensure.h"

void raft_log_init(struct raft_log *log, raft_index_t boundary_index,
                   raft_term_t boundary_term,
                   const struct raft_members *members)
{
    raft_terms_init(&log->terms, boundary_index, boundary_term);
    raft_sizes_init(&log->sizes, boundary_index);
    raft_configs_init(&log->configs, boundary_index, members);
}

void raft_log_close(struct raft_log *log)
{
    raft_configs_close(&log->configs);
    raft_sizes_close(&log->sizes);
    raft_terms_close(&log->terms);
}

void raft_log_restart(struct raft_log *log, raft_index_t boundary_index,
                      raft_term_t boundary_term,
                      const struct raft_members *members)
{
    raft_terms_restart(&log->terms, boundary_index, boundary_term);
    raft_sizes_restart(&log->sizes, boundary_index);
    raft_configs_restart(&log->configs, boundary_index, members);
}

bool raft_log_append(struct raft_log *log, const struct raft_entry *entry)
{
    if (entry->kind == RAFT_ENTRY_MEMBERS) {
        struct raft_members members;
        if (raft_members_decode(&members, entry->payload) != STATUS_OK) {
            return false;
        }
        raft_configs_push(&log->configs, raft_log_last_index(log) + 1,
                          &members);
    }
    raft_terms_append(&log->terms, entry->term);
    raft_sizes_append(&log->sizes, entry->payload.count);
    return true;
}

void raft_log_cut(struct raft_log *log, raft_index_t first_index)
{
    raft_terms_cut(&log->terms, first_index);
    raft_sizes_cut(&log->sizes, first_index);
    raft_configs_cut(&log->configs, first_index);
}

void raft_log_drop(struct raft_log *log, raft_index_t boundary_index)
{
    raft_terms_drop(&log->terms, boundary_index);
    raft_sizes_drop(&log->sizes, boundary_index);
    raft_configs_drop(&log->configs, boundary_index);
}

raft_index_t raft_log_boundary_index(const struct raft_log *log)
{
    return log->terms.boundary_index;
}

raft_index_t raft_log_last_index(const struct raft_log *log)
{
    return raft_terms_last_index(&log->terms);
}

raft_term_t raft_log_last_term(const struct raft_log *log)
{
    return raft_terms_last_term(&log->terms);
}

bool raft_log_is_up_to_date(const struct raft_log *log, raft_index_t index,
                            raft_term_t term)
{
    if (term != raft_log_last_term(log)) {
        return term > raft_log_last_term(log);
    }
    return index >= raft_log_last_index(log);
}

uint64_t raft_log_bytes(const struct raft_log *log, raft_index_t from,
                        raft_index_t to)
{
    ENSURE(from >= raft_log_boundary_index(log));
    ENSURE(from <= to);

    return raft_sizes_between(&log->sizes, from, to) +
           (to - from) * LIMIT_KEPT_HEAD_BYTES;
}

raft_index_t raft_log_reach(const struct raft_log *log, raft_index_t to,
                            uint64_t bytes_max)
{
    raft_index_t low = raft_log_boundary_index(log);
    raft_index_t high = to;
    /* The further back, the more it costs. */
    while (low < high) {
        const raft_index_t middle = low + (high - low) / 2;
        if (raft_log_bytes(log, middle, to) <= bytes_max) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

size_t raft_log_fit(const struct raft_log *log, raft_index_t first_index,
                    size_t entries_max, uint64_t bytes_max)
{
    const raft_index_t last = raft_log_last_index(log);
    ENSURE(first_index > raft_log_boundary_index(log));
    if (first_index > last) {
        return 0;
    }
    const uint64_t there = last - first_index + 1;
    size_t high = there < entries_max ? (size_t)there : entries_max;
    size_t low = high > 0 ? 1 : 0;
    /* Totals only grow, so the largest count that fits is found by halving. */
    while (low < high) {
        const size_t middle = low + (high - low + 1) / 2;
        if (raft_sizes_between(&log->sizes, first_index - 1,
                               first_index - 1 + middle) <= bytes_max) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}
