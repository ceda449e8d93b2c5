/* raft_terms.c - which term each log index belongs to.
 *
 * The core never sees entry payloads; this map is all it knows of the log's
 * history. A term covers a run of indexes, so a long log in a calm cluster is a
 * handful of runs. The first run ends at or behind the boundary, whose term is
 * thereby known.
 *
 * To extend: every change of the log goes through append, cut, drop or restart
 * below, called by raft_log.c alone.
 */
#include "raft/raft_terms.h"

#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"

static size_t raft_terms_run_of(const struct raft_terms *terms,
                                raft_index_t index);
static void raft_terms_open_run(struct raft_terms *terms, raft_term_t term,
                                raft_index_t index);

void raft_terms_init(struct raft_terms *terms, raft_index_t boundary_index,
                     raft_term_t boundary_term)
{
    memset(terms, 0, sizeof(*terms));
    raft_terms_restart(terms, boundary_index, boundary_term);
}

void raft_terms_close(struct raft_terms *terms)
{
    memory_free(terms->runs);
    terms->runs = NULL;
}

void raft_terms_restart(struct raft_terms *terms, raft_index_t boundary_index,
                        raft_term_t boundary_term)
{
    terms->boundary_index = boundary_index;
    terms->runs_count = 0;
    raft_terms_open_run(terms, boundary_term, boundary_index);
}

void raft_terms_append(struct raft_terms *terms, raft_term_t term)
{
    ENSURE(term > 0);
    ENSURE(term >= raft_terms_last_term(terms));

    if (term == raft_terms_last_term(terms)) {
        terms->runs[terms->runs_count - 1].last_index++;
    } else {
        raft_terms_open_run(terms, term, raft_terms_last_index(terms) + 1);
    }

    ENSURE(raft_terms_last_term(terms) == term);
}

void raft_terms_cut(struct raft_terms *terms, raft_index_t first_index)
{
    ENSURE(first_index > terms->boundary_index);
    ENSURE(first_index <= raft_terms_last_index(terms));

    terms->runs_count = raft_terms_run_of(terms, first_index - 1) + 1;
    terms->runs[terms->runs_count - 1].last_index = first_index - 1;
}

void raft_terms_drop(struct raft_terms *terms, raft_index_t boundary_index)
{
    ENSURE(boundary_index >= terms->boundary_index);
    ENSURE(boundary_index <= raft_terms_last_index(terms));

    const size_t gone = raft_terms_run_of(terms, boundary_index);
    terms->runs_count -= gone;
    memmove(terms->runs, terms->runs + gone,
            terms->runs_count * sizeof(*terms->runs));
    terms->boundary_index = boundary_index;
}

raft_index_t raft_terms_last_index(const struct raft_terms *terms)
{
    return terms->runs[terms->runs_count - 1].last_index;
}

raft_term_t raft_terms_last_term(const struct raft_terms *terms)
{
    return terms->runs[terms->runs_count - 1].term;
}

bool raft_terms_find(const struct raft_terms *terms, raft_index_t index,
                     raft_term_t *term)
{
    if (index < terms->boundary_index || index > raft_terms_last_index(terms)) {
        return false;
    }
    *term = terms->runs[raft_terms_run_of(terms, index)].term;
    return true;
}

bool raft_terms_match(const struct raft_terms *terms, raft_index_t index,
                      raft_term_t term)
{
    raft_term_t here;
    return raft_terms_find(terms, index, &here) && here == term;
}

bool raft_terms_last_of(const struct raft_terms *terms, raft_term_t term,
                        raft_index_t *index)
{
    for (size_t i = terms->runs_count; i > 0; i--) {
        const struct raft_terms_run *run = &terms->runs[i - 1];
        if (run->term == term) {
            *index = run->last_index;
            return true;
        }
        if (run->term < term) {
            break;
        }
    }
    return false;
}

raft_index_t raft_terms_before_run(const struct raft_terms *terms,
                                   raft_index_t index)
{
    ENSURE(index > terms->boundary_index);

    const size_t run = raft_terms_run_of(terms, index);
    return run == 0 ? terms->boundary_index : terms->runs[run - 1].last_index;
}

/* The run that holds index, which must be known. Almost every question is
 * about the end of the log, so the search starts there. */
static size_t raft_terms_run_of(const struct raft_terms *terms,
                                raft_index_t index)
{
    ENSURE(index >= terms->boundary_index);
    ENSURE(index <= raft_terms_last_index(terms));

    size_t run = terms->runs_count - 1;
    while (run > 0 && terms->runs[run - 1].last_index >= index) {
        run--;
    }
    return run;
}

static void raft_terms_open_run(struct raft_terms *terms, raft_term_t term,
                                raft_index_t index)
{
    if (terms->runs_count == terms->runs_capacity) {
        terms->runs_capacity = terms->runs_capacity * 2 + 4;
        terms->runs = memory_resize(terms->runs, terms->runs_capacity,
                                    sizeof(*terms->runs));
    }
    terms->runs[terms->runs_count].term = term;
    terms->runs[terms->runs_count].last_index = index;
    terms->runs_count++;
}
