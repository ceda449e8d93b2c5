/* raft_types.h - the words of the consensus core: ids, terms, indexes, entries.
 */
#ifndef HOLDFAST_RAFT_TYPES_H
#define HOLDFAST_RAFT_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/units.h"

typedef uint64_t raft_id_t;    /* a server; 0 is nobody */
typedef uint64_t raft_term_t;  /* 0 is before the first election */
typedef uint64_t raft_index_t; /* 0 is before the first entry */

enum raft_entry_kind {
    RAFT_ENTRY_NOOP = 1, /* opens a leader's term; no payload */
    RAFT_ENTRY_COMMAND,  /* the shell's own; the core never looks inside */
    RAFT_ENTRY_MEMBERS,  /* a configuration, raft_members_encode() */
};

struct raft_entry {
    raft_term_t term;
    enum raft_entry_kind kind;
    struct bytes payload;
};

#endif
