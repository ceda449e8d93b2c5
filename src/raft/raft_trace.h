/* raft_trace.h - the core says why it does what it does.
 *
 * One line for each decision, in the form "  cause -> consequence". The same
 * text appears in the server's log and in the scenario scripts, which compare
 * it. Costs nothing while nobody listens.
 */
#ifndef HOLDFAST_RAFT_TRACE_H
#define HOLDFAST_RAFT_TRACE_H

#include <inttypes.h> /* for the formats of callers */

#include "raft/raft_state.h"

void raft_trace(const struct raft *raft, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
