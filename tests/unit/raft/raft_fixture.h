/* raft_fixture.h - one Raft member on a bench, for the unit tests.
 *
 * The member under test has id 1; the test plays its peers, its disk and its
 * clock. Everything goes through raft_step() and raft_take_effects(), so a
 * test can only bring about what a shell could. Helpers start with fx_, short
 * because every line of a test has one.
 *
 * Arrange:  fx_group(), or fx_plan() with changes to fx.start and fx_open();
 *           then fx_follow(), fx_stand(), fx_win(), fx_lead(), fx_reign().
 * Act:      one helper for each event; messages are made by the functions
 *           named after them and handed to fx_receive().
 * Check:    fx_take(), which copies what the core gave out, and then fx_now()
 *           and fx_after() to look for a message.
 *
 * Logs are written as text, one digit an entry: "112" is two entries of term
 * 1 and one of term 2.
 */
#ifndef HOLDFAST_RAFT_FIXTURE_H
#define HOLDFAST_RAFT_FIXTURE_H

#include "lib/check_runner.h"
#include "raft/raft.h"
#include "raft/raft_state.h"

#define FX_ELECTION_MS 1000
#define FX_HEARTBEAT_MS 100
#define FX_HINT_MS 50
#define FX_WINDOW_ENTRIES 8
#define FX_WINDOW_BYTES 1000
#define FX_APPEND_ENTRIES 4
#define FX_APPEND_BYTES 400
#define FX_UNCOMMITTED_BYTES 5000
#define FX_PROMOTE_LAG 2
#define FX_LOG_BYTES 2000

#define FX_ENTRY_BYTES 10 /* payload of an entry in a log given as text */
#define FX_ENTRIES 64
#define FX_MESSAGES 64
#define FX_WRITES 64
#define FX_TRACE_BYTES 32768

/* Copies of the messages in one outbox. */
struct fx_box {
    struct raft_message list[FX_MESSAGES];
    uint8_t members[FX_MESSAGES][LIMIT_MEMBERS_BYTES];
    size_t count;
};

struct fx {
    /* Used by fx_open(). */
    struct raft_settings settings;
    struct raft_start start;
    struct raft_members members; /* start.boundary_members */
    struct raft_entry start_entries[FX_ENTRIES];

    struct raft *raft;
    time_ms_t now;
    struct raft_result result;  /* of the last event */
    char trace[FX_TRACE_BYTES]; /* every line since fx_open() */

    /* Of the last fx_take(). */
    struct raft_write write;
    struct raft_members install_members;
    struct fx_box now_box;
    struct fx_box after_box;
    raft_index_t commit;
    uint64_t round;

    struct raft_write writes[FX_WRITES]; /* taken and not durable */
    size_t writes_count;

    /* Entries of the append that was made last. */
    struct raft_entry entries[FX_ENTRIES];
    struct buffer config;
};

extern struct fx fx;

/* ---- arrange ---- */

/* Voters 1 to voters_count, an empty log, term 0; fx.start may be changed
 * until fx_open(). */
void fx_plan(size_t voters_count);
void fx_plan_member(raft_id_t id, enum raft_member_role role);

/* The log behind the boundary, and the term of the promise. */
void fx_plan_log(const char *terms, raft_term_t term);

/* Make entry at of the planned log a configuration. */
void fx_plan_config(size_t at, const struct raft_members *members);

/* Build what was planned; fx_try() returns the status instead. */
void fx_open(void);
enum status fx_try(void);

/* As a checked fixture: start from nothing, and leave no memory behind. */
void fx_setup(void);
void fx_teardown(void);

void fx_group(size_t voters_count);
void fx_group_with_log(size_t voters_count, const char *terms,
                       raft_term_t term);

/* A configuration of the voters 1 to voters_count. */
struct raft_members fx_voters(size_t voters_count);

/* Hear a leader's heartbeat, with everything durable afterwards. */
void fx_follow(raft_id_t leader, raft_term_t term);

/* Let the election timer run out; pre-candidate, effects taken. */
void fx_stand_pre(void);

/* As many granted pre-votes, or votes, as a majority takes besides our own. */
void fx_grant_pre_votes(void);
void fx_grant_votes(void);

/* Candidate, with the vote for itself durable. */
void fx_stand(void);

/* Leader, its no-op neither sent nor written. */
void fx_win(void);

/* Leader of a group, its no-op sent and durable, and nobody answered. */
void fx_lead(size_t voters_count);

/* Leader whose no-op is committed and known everywhere. */
void fx_reign(size_t voters_count);

/* Every peer of a leader has everything; all durable. */
void fx_ack_all(void);

/* ---- act ---- */

void fx_time(time_ms_t at); /* RAFT_EVENT_TIME */
void fx_wait(time_ms_t ms); /* the same, this much later */
void fx_deadline(void);     /* the same, at raft_deadline() */
void fx_pass(time_ms_t ms); /* only the clock: the next event is later */
void fx_receive(struct raft_message message);
enum raft_answer fx_submit(size_t count, size_t payload_bytes);
uint64_t fx_read(void);
enum raft_answer fx_change(enum raft_change_kind kind, raft_id_t id);
enum raft_answer fx_transfer(raft_id_t to);
void fx_checkpoint(raft_index_t index, raft_index_t boundary_index);
void fx_lose_peer(raft_id_t id);
void fx_damage(void);
void fx_lose_snapshot(raft_index_t index);

/* The oldest write that was taken becomes durable, or all of them. */
void fx_persist(void);
void fx_persist_all(void);

/* Take and persist until nothing more is to be written. */
void fx_settle(void);

/* ---- messages to member 1 ---- */

struct raft_message fx_vote(raft_id_t from, raft_term_t term,
                            raft_index_t last_index, raft_term_t last_term);
struct raft_message fx_pre_vote(raft_id_t from, raft_term_t term,
                                raft_index_t last_index, raft_term_t last_term);
struct raft_message fx_vote_reply(raft_id_t from, raft_term_t term,
                                  bool granted);
struct raft_message fx_pre_reply(raft_id_t from, raft_term_t term,
                                 bool granted);

/* Entries stay valid until the next one is made. */
struct raft_message fx_append(raft_id_t from, raft_term_t term,
                              raft_index_t prev_index, raft_term_t prev_term,
                              const char *terms, raft_index_t commit);

/* Make entry at of the append made last a configuration. */
void fx_append_config(size_t at, const struct raft_members *members);

/* Answers in our own term, carrying the newest round. */
struct raft_message fx_accept(raft_id_t from, raft_index_t match_index);
struct raft_message fx_refuse(raft_id_t from, raft_index_t prev_index,
                              raft_index_t recovery_index,
                              raft_term_t recovery_term);
struct raft_message fx_chunk_reply(raft_id_t from, raft_index_t index,
                                   uint64_t offset, bool installed);

/* A chunk of a snapshot whose members are fx.members. */
struct raft_message fx_chunk(raft_id_t from, raft_term_t term,
                             raft_index_t index, raft_term_t snapshot_term,
                             uint64_t offset, size_t data_bytes, bool last);
struct raft_message fx_timeout_now(raft_id_t from, raft_term_t term);

/* ---- check ---- */

void fx_take(void);

/* The first message of this kind to this peer in an outbox, or NULL. */
const struct raft_message *fx_now(enum raft_message_kind kind, raft_id_t to);
const struct raft_message *fx_after(enum raft_message_kind kind, raft_id_t to);

/* The same in both; stops the test if there is none. */
const struct raft_message *fx_sent(enum raft_message_kind kind, raft_id_t to);

/* How many messages of this kind both outboxes hold; to may be 0: to all. */
size_t fx_count(enum raft_message_kind kind, raft_id_t to);

/* Everything in both outboxes. */
size_t fx_count_all(void);

/* What the leader knows of a peer; stops the test if it is none. */
const struct raft_progress *fx_peer(raft_id_t id);

/* True if the core said this since fx_open(). */
bool fx_said(const char *text);

/* The terms of the whole log, as text; valid until the next call. */
const char *fx_log(void);

#endif
