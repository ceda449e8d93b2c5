/* raft_terms.h - which term each log index belongs to.
 *
 * Covers the boundary (the last entry that was compacted away) and every entry
 * behind it. An index outside has no term: the answer is false and never a
 * term 0 that could be taken for a match.
 */
#ifndef HOLDFAST_RAFT_TERMS_H
#define HOLDFAST_RAFT_TERMS_H

#include "raft/raft_types.h"

struct raft_terms_run {
    raft_term_t term;
    raft_index_t last_index;
};

struct raft_terms {
    struct raft_terms_run *runs; /* ascending; the first holds the boundary */
    size_t runs_count;
    size_t runs_capacity;
    raft_index_t boundary_index;
};

/* Start with nothing behind the boundary. */
void raft_terms_init(struct raft_terms *terms, raft_index_t boundary_index,
                     raft_term_t boundary_term);
void raft_terms_close(struct raft_terms *terms);

/* Forget everything and start anew at another boundary. */
void raft_terms_restart(struct raft_terms *terms, raft_index_t boundary_index,
                        raft_term_t boundary_term);

/* Record one more entry at last + 1. term must not be lower than the term of
 * the last entry. */
void raft_terms_append(struct raft_terms *terms, raft_term_t term);

/* Forget the entries from first_index on; it lies behind the boundary. */
void raft_terms_cut(struct raft_terms *terms, raft_index_t first_index);

/* Move the boundary forward to an entry of the log. */
void raft_terms_drop(struct raft_terms *terms, raft_index_t boundary_index);

raft_index_t raft_terms_last_index(const struct raft_terms *terms);
raft_term_t raft_terms_last_term(const struct raft_terms *terms);

/* The term at index; false if index lies before the boundary or after the
 * last entry. */
bool raft_terms_find(const struct raft_terms *terms, raft_index_t index,
                     raft_term_t *term);

/* True if the log (or its boundary) has exactly this entry. */
bool raft_terms_match(const struct raft_terms *terms, raft_index_t index,
                      raft_term_t term);

/* The last index of a term; false if no entry here has it. */
bool raft_terms_last_of(const struct raft_terms *terms, raft_term_t term,
                        raft_index_t *index);

/* The last index before the run of equal terms that index is part of, or the
 * boundary if that run reaches back to it. index lies behind the boundary. */
raft_index_t raft_terms_before_run(const struct raft_terms *terms,
                                   raft_index_t index);

#endif
