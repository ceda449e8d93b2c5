/* raft.h - the face of the consensus core.
 *
 * The core is a value that changes only in raft_step(). Everything that can
 * happen to it is an event and carries the time it happened; everything it
 * wants done is an effect, taken once a loop turn with raft_take_effects(). It
 * owns no payloads, no files, no sockets and no clock: the same events give
 * the same effects.
 *
 *     raft_step(event) ...    any number of times, in memory only
 *     raft_take_effects()     once: one write, messages, how far to apply
 *
 * What the shell owes in return:
 *
 *  - Payloads. After each raft_step() that reports appended entries the shell
 *    keeps their payloads under the reported indexes. Appending at an index
 *    replaces whatever was kept there and behind.
 *  - Writes. effects.write is durable as a whole or not at all, writes become
 *    durable in the order of their numbers, and each is answered by exactly one
 *    RAFT_EVENT_PERSISTED. A write that fails ends the process.
 *  - Messages. effects.now may leave at once, effects.after only when
 *    effects.write is durable. Both may be lost, repeated and reordered.
 *  - Applying. Entries up to effects.commit, in order, and then answering the
 *    reads whose round is at most effects.round. A write that installs a
 *    snapshot stops applying until it is durable; applying then goes on behind
 *    the snapshot.
 *
 * Safety rests on one rule that this split makes plain: nothing a member
 * promises (a term, a vote, an entry it has) leaves before the sync that
 * covers it.
 */
#ifndef HOLDFAST_RAFT_H
#define HOLDFAST_RAFT_H

#include "base/random.h"
#include "raft/raft_members.h"
#include "raft/raft_message.h"
#include "raft/raft_types.h"

struct raft;

enum raft_role {
    RAFT_FOLLOWER,
    RAFT_PRE_CANDIDATE, /* asks whether an election could be won */
    RAFT_CANDIDATE,
    RAFT_LEADER,
};

struct raft_settings {
    time_ms_t election_ms;  /* a follower waits this long to twice as long */
    time_ms_t heartbeat_ms; /* well below election_ms */
    time_ms_t hint_ms;      /* after RAFT_EVENT_PEER_LOST of the leader a
                               follower waits 0 to this long */
    time_ms_t found_ms;     /* a first member listens this long before it says
                               that it is new: raft_probation.h */
    size_t window_entries;  /* sent to a peer and not yet acknowledged */
    size_t window_bytes;
    size_t append_entries;    /* in one message */
    size_t append_bytes;      /* one entry may be larger and then goes alone */
    size_t uncommitted_bytes; /* beyond this, not committed or not yet on our
                                 own disk, a leader takes no more commands */
    size_t promote_lag_entries; /* a learner this close may become a voter */
    uint64_t log_bytes; /* a checkpoint leaves no more of the log behind it, an
                           entry counted as LIMIT_KEPT_HEAD_BYTES and payload */
};

/* What was found on disk, or for a new member what it was told. */
struct raft_start {
    raft_id_t self;
    raft_term_t term; /* the promise record */
    raft_id_t vote;
    raft_index_t boundary_index; /* last entry that is no longer in the log */
    raft_term_t boundary_term;
    const struct raft_members *boundary_members; /* configuration there */
    const struct raft_entry *entries;            /* the log behind it */
    size_t entries_count;
    raft_index_t checkpoint_index; /* the durable state covers this much, from
                                      the boundary to the end of the log */
    raft_index_t repair_index;     /* 0, or: entries up to here were
                                      acknowledged and some are lost; neither
                                      vote nor lead until they are back */
    uint64_t directory; /* drawn when the disk was empty: tells a member that
                           lost its disk from the one it was */
    bool probation;     /* nobody has taken this directory in yet: see
                           raft_probation.h; directory is then not 0 */
    struct raft_founders founders; /* as written last */
    uint64_t seed;
    time_ms_t now;
};

/* Narration: one line of text for each decision, "  cause -> consequence". */
struct raft_tracer {
    void (*line)(void *context, const char *text);
    void *context;
    const bool *wanted; /* while false no line is made; NULL: all are */
};

/* Build a member from what was persisted. Entries of start are only read
 * during the call. Fails with STATUS_BAD_VALUE if they cannot be a log: terms
 * that fall or exceed the promise, a configuration that does not decode. */
enum status raft_new(const struct raft_settings *settings,
                     const struct raft_start *start,
                     const struct raft_tracer *tracer, struct raft **out);
void raft_free(struct raft *raft);

/* ---- events ---- */

enum raft_event_kind {
    RAFT_EVENT_TIME = 1,   /* nothing but the time: raft_deadline() has come */
    RAFT_EVENT_SUBMIT,     /* entries for the log; leader only */
    RAFT_EVENT_RECEIVE,    /* a message from a peer */
    RAFT_EVENT_PERSISTED,  /* a write is durable */
    RAFT_EVENT_READ,       /* reads ask to be confirmed; leader only */
    RAFT_EVENT_CHANGE,     /* one member in, out or promoted; leader only */
    RAFT_EVENT_TRANSFER,   /* hand leadership over; leader only */
    RAFT_EVENT_CHECKPOINT, /* the state is durable up to an index */
    RAFT_EVENT_PEER_LOST,  /* the connection to a peer broke: only a hint */
    RAFT_EVENT_SNAPSHOT_DAMAGED, /* what is staged is useless: start over */
    RAFT_EVENT_SNAPSHOT_GONE,    /* the shell cannot read it any more */
    RAFT_EVENT_GROUP_HEARD, /* a member of a group that is founded takes us for
                               one of it, and did not say so by a message */
};

/* Commands only; term and kind of each entry are set by the core. */
struct raft_submit {
    const struct bytes *payloads;
    size_t count;
};

/* Answers effects.write: its number, and the term and index of the last entry
 * it wrote (0 and 0 if none). */
struct raft_persisted {
    uint64_t number;
    raft_term_t term;
    raft_index_t index;
};

enum raft_change_kind {
    RAFT_CHANGE_ADD = 1, /* a new member, as a learner */
    RAFT_CHANGE_PROMOTE, /* a learner that has caught up becomes a voter */
    RAFT_CHANGE_REMOVE,
};

struct raft_change {
    enum raft_change_kind kind;
    raft_id_t id;
    struct bytes address; /* of a new member */
    bool joining;         /* of a new member: RAFT_JOINING, not RAFT_LEARNER */
};

struct raft_transfer {
    raft_id_t to; /* 0: whoever is furthest */
};

/* The shell's state is durable up to index, which must be committed and within
 * raft_durable_index(), and the log is no longer kept up to and including
 * boundary_index <= index. The configuration at index must have a voter: a
 * newcomer may not know one yet, and a snapshot without is good for nobody. Of
 * no consequence if a snapshot that was installed
 * in the meantime reaches further. */
struct raft_checkpoint {
    raft_index_t index;
    raft_index_t boundary_index;
};

struct raft_event {
    enum raft_event_kind kind;
    time_ms_t now; /* never earlier than that of the event before */
    union {
        struct raft_submit submit;
        const struct raft_message *message;
        struct raft_persisted persisted;
        struct raft_change change;
        struct raft_transfer transfer;
        struct raft_checkpoint checkpoint;
        raft_id_t peer_lost;
        raft_index_t snapshot_gone;
    };
};

/* Why a request of the shell was not taken. */
#define RAFT_ANSWER_LIST(X)                                                    \
    X(RAFT_TAKEN, "taken")                                                     \
    X(RAFT_NOT_LEADER, "not the leader")                                       \
    X(RAFT_TRANSFERRING, "leadership is being handed over")                    \
    X(RAFT_FULL, "too much is waiting to be committed")                        \
    X(RAFT_NOT_READY, "the leader's first entry is not committed yet")         \
    X(RAFT_CHANGE_PENDING, "another change is not committed yet")              \
    X(RAFT_MEMBER_EXISTS, "that id is a member already")                       \
    X(RAFT_MEMBER_UNKNOWN, "no such member")                                   \
    X(RAFT_MEMBER_BEHIND, "that member has not caught up")                     \
    X(RAFT_MEMBER_LAST, "the last voter cannot leave")                         \
    X(RAFT_MEMBERS_FULL, "there is no room for another member")                \
    X(RAFT_MEMBER_INVALID, "no member can have that id or address")

enum raft_answer {
#define RAFT_ANSWER_VALUE(name, text) name,
    RAFT_ANSWER_LIST(RAFT_ANSWER_VALUE)
#undef RAFT_ANSWER_VALUE
};

const char *raft_answer_text(enum raft_answer answer);

/* What one step did that the shell must know at once.
 *
 * entries[0 .. count) were appended, the first at first_index. They point into
 * the event, or into the core if it made the entry itself, and are valid until
 * the next call. round is the round that will confirm a RAFT_EVENT_READ.
 *
 * stage: the snapshot chunk of this event is the next one wanted. The shell
 * stages its data, at offset 0 forgetting what was staged before, ahead of the
 * next effects.write; an install in a later write refers to all of it.
 *
 * With the last chunk the core takes the snapshot for whole and its own log for
 * history. The shell must therefore check the whole before it hands the last
 * chunk in, and if it is no good step RAFT_EVENT_SNAPSHOT_DAMAGED instead. */
struct raft_result {
    enum raft_answer answer;
    raft_index_t first_index;
    const struct raft_entry *entries;
    size_t count;
    uint64_t round;
    bool stage;
};

/* Take one event. Messages may hold anything that the frame decoder lets
 * through: what makes no sense is dropped with a trace line. */
void raft_step(struct raft *raft, const struct raft_event *event,
               struct raft_result *result);

/* ---- effects ---- */

/* Everything that must become durable in this turn. number 0: nothing. Parts
 * in the order in which they apply:
 *
 *  promise    store term and vote, whether we are on probation, and with
 *             whom the group was founded;
 *  install    the staged snapshot becomes the state and its index the log's
 *             boundary; the whole old log is gone;
 *  entries    entries from first_index to last_index, from the shell's
 *             payloads, replace everything at first_index and behind.
 *
 * A write may have none of these: it is then only the promise that earlier
 * writes are durable, and costs no sync. */
struct raft_write {
    uint64_t number;
    bool promise;
    raft_term_t term;
    raft_id_t vote;
    bool probation;
    const struct raft_founders *founders;
    bool install;
    raft_index_t install_index;
    raft_term_t install_term;
    const struct raft_members *install_members;
    raft_index_t first_index; /* 0: no entries */
    raft_index_t last_index;
    raft_term_t last_term;
};

struct raft_effects {
    struct raft_write write;
    const struct raft_message *now;
    size_t now_count;
    const struct raft_message *after;
    size_t after_count;
    raft_index_t commit;
    uint64_t round; /* reads of this round and earlier are confirmed */
};

/* Everything wanted since the last call. Valid until the next raft_step() or
 * raft_take_effects(). */
void raft_take_effects(struct raft *raft, struct raft_effects *effects);

/* ---- looking ---- */

/* When RAFT_EVENT_TIME is wanted next, or TIME_NEVER. */
time_ms_t raft_deadline(const struct raft *raft);

raft_id_t raft_self(const struct raft *raft);
enum raft_role raft_role(const struct raft *raft);
raft_term_t raft_term(const struct raft *raft);
raft_id_t raft_vote(const struct raft *raft);
raft_id_t raft_leader(const struct raft *raft); /* 0: none known */
raft_index_t raft_commit(const struct raft *raft);
raft_index_t raft_first_index(const struct raft *raft); /* boundary + 1 */
raft_index_t raft_last_index(const struct raft *raft);
raft_index_t raft_durable_index(const struct raft *raft);

/* True while this member may neither vote nor lead: its disk was empty and it
 * was not taken in yet. */
bool raft_on_probation(const struct raft *raft);

/* With whom we were founded; empty if we were not, but taken in. */
const struct raft_founders *raft_founders(const struct raft *raft);

/* The term of an entry of the log or of the boundary; false if it is neither:
 * a compacted index has no term, and certainly not 0. */
bool raft_term_at(const struct raft *raft, raft_index_t index,
                  raft_term_t *term);

/* Where the log may begin after a checkpoint at a committed index: the last
 * entry that need not be kept. So many stay behind index for peers that are a
 * little slow. A leader keeps more for a peer that answers: what lies behind
 * the snapshot that it is being sent, and then what it does not have yet. Where
 * all that is more than settings.log_bytes, the peer is no reason and the trail
 * is cut short. Never before the boundary there is. */
raft_index_t raft_wanted_boundary(const struct raft *raft, raft_index_t index,
                                  uint64_t trailing_entries);

/* What the entries behind from, up to and including to, count for in
 * settings.log_bytes. from is not before the boundary. */
uint64_t raft_kept_bytes(const struct raft *raft, raft_index_t from,
                         raft_index_t to);

/* The configuration in force: the newest in the log, committed or not. */
const struct raft_members *raft_members(const struct raft *raft);

/* The configuration as of an index not before the boundary. */
const struct raft_members *raft_members_at(const struct raft *raft,
                                           raft_index_t index);

/* A leader's view of a peer. */
struct raft_peer_view {
    raft_id_t id;
    raft_index_t match_index;
    raft_index_t next_index;
    time_ms_t heard_at; /* last message in this term, or when we began to
                           listen: our election, or its coming in */
    bool snapshot;      /* is being sent one */
    bool probation;     /* has lost its disk and counts for nothing yet */
};

/* Fill up to room views, in ascending order of id; how many there are. Empty
 * unless this member leads. */
size_t raft_peers(const struct raft *raft, struct raft_peer_view *views,
                  size_t room);

/* To whom a leader is handing over, or 0. */
raft_id_t raft_transfer_target(const struct raft *raft);

/* The index of the newest configuration; that of the boundary if the log has
 * none. */
raft_index_t raft_members_index(const struct raft *raft);

/* True when a leader waits for nothing: every peer it can reach has everything,
 * no write is on its way, no read or change or transfer is open. */
bool raft_idle(const struct raft *raft);

const char *raft_role_text(enum raft_role role);

#endif
