/* fuzz_raft_step.c - events of any kind and order against one core.
 *
 * The input is a program: each step takes a few bytes and becomes an event. The
 * messages among them have the shape that the frame decoder lets through and
 * values that are near those of the core, because a term or an index taken
 * from the whole range would seldom get past the first comparison. The shell's
 * side of the contract is kept: writes land in order, time does not run back,
 * a checkpoint covers only what is durable and applied.
 *
 * What can go wrong is an ENSURE of the core, above all the invariants after
 * every step, whatever the sanitizers see, and what is watched here from
 * outside:
 *
 *  - Terms and the commit index never fall, and a term has one vote.
 *  - Nothing is said before the term, vote or entry it speaks of is durable.
 *  - What the core says is what the frame decoder of its peers lets through,
 *    as long as the same holds of what it was told. A message here may also be
 *    one that the decoder refuses: the core does not lean on it.
 *
 * Programs that lead somewhere are at the end of this file; chance alone seldom
 * wins an election. fuzz_raft_step --write-corpus DIRECTORY writes them as
 * inputs. What a fuzzer found beside them is kept in the corpus as found_*.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/ensure.h"
#include "raft/raft.h"
#include "wire/peer_body.h"

#define FUZZ_ENTRIES 8
#define FUZZ_FLIGHTS 64
#define FUZZ_STEPS 400

struct fuzz {
    struct raft *raft;
    struct reader input;
    time_ms_t now;
    struct raft_write flights[FUZZ_FLIGHTS]; /* oldest first */
    size_t flights_count;
    raft_term_t term; /* as they were last seen */
    raft_id_t vote;
    raft_index_t commit;
    raft_term_t durable_term; /* the promise on disk */
    raft_id_t durable_vote;
    raft_index_t durable_last; /* the end of the log on disk */
    bool misled; /* was given a message that the decoder refuses */
    struct buffer members[FUZZ_ENTRIES]; /* those of the message being made */
    size_t members_count;
};

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

static void fuzz_write_corpus(const char *directory);
static void fuzz_open(struct fuzz *fuzz, struct bytes input);
static void fuzz_close(struct fuzz *fuzz);
static void fuzz_one_step(struct fuzz *fuzz);
static void fuzz_step(struct fuzz *fuzz, struct raft_event *event);
static void fuzz_turn(struct fuzz *fuzz);
static void fuzz_watch(struct fuzz *fuzz);
static void fuzz_watch_now(const struct fuzz *fuzz,
                           const struct raft_message *message);
static void fuzz_watch_shape(const struct fuzz *fuzz,
                             struct raft_message message);
static void fuzz_receive(struct fuzz *fuzz);
static void fuzz_body(struct fuzz *fuzz, struct raft_message *message,
                      struct raft_entry *entries);
static void fuzz_append(struct fuzz *fuzz, struct raft_message *message,
                        struct raft_entry *entries);
static void fuzz_snapshot(struct fuzz *fuzz, struct raft_message *message);
static void fuzz_persist(struct fuzz *fuzz);
static void fuzz_request(struct fuzz *fuzz, uint8_t choice);
static void fuzz_checkpoint(struct fuzz *fuzz);
static struct bytes fuzz_members(struct fuzz *fuzz);
static uint64_t fuzz_near(struct fuzz *fuzz, uint64_t value);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    if (*argc == 3 && strcmp((*argv)[1], "--write-corpus") == 0) {
        fuzz_write_corpus((*argv)[2]);
        exit(EXIT_SUCCESS);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
    struct fuzz fuzz;
    fuzz_open(&fuzz, bytes_of(data, count));
    for (int i = 0; i < FUZZ_STEPS && fuzz.input.rest.count > 0; i++) {
        fuzz_one_step(&fuzz);
    }
    fuzz_close(&fuzz);
    return 0;
}

static void fuzz_open(struct fuzz *fuzz, struct bytes input)
{
    memset(fuzz, 0, sizeof(*fuzz));
    fuzz->input = reader_of(input);
    const uint8_t shape = reader_u8(&fuzz->input);
    struct raft_members members = {.count = 0};
    for (raft_id_t id = 1; id <= 1u + shape % 5; id++) {
        raft_members_set(&members, id, RAFT_VOTER, bytes_of_text("a"));
    }
    const struct raft_settings settings = {
        .election_ms = 100,
        .heartbeat_ms = 10,
        .hint_ms = 5,
        .window_entries = 6,
        .window_bytes = 40,
        .append_entries = 3,
        .append_bytes = 20,
        .uncommitted_bytes = 100,
        .promote_lag_entries = 2,
        .log_bytes = 1000,
    };
    const struct raft_start start = {
        .self = 1,
        .boundary_members = &members,
        .repair_index = shape >= 250 ? 3 : 0,
        .seed = shape,
    };
    const enum status status = raft_new(&settings, &start, NULL, &fuzz->raft);
    ENSURE(status == STATUS_OK);
}

static void fuzz_close(struct fuzz *fuzz)
{
    raft_free(fuzz->raft);
    for (size_t i = 0; i < FUZZ_ENTRIES; i++) {
        buffer_close(&fuzz->members[i]);
    }
}

static void fuzz_one_step(struct fuzz *fuzz)
{
    const uint8_t choice = reader_u8(&fuzz->input);
    fuzz->now += choice >> 5;
    switch (choice % 8) {
    case 0:
    case 1:
    case 2:
        fuzz_receive(fuzz);
        break;
    case 3:
        fuzz_persist(fuzz);
        break;
    case 4:
        fuzz_turn(fuzz);
        break;
    case 5:
        fuzz_turn(fuzz);
        while (fuzz->flights_count > 0) {
            fuzz_persist(fuzz);
        }
        break;
    case 6:
        fuzz->now += (time_ms_t)reader_u8(&fuzz->input);
        fuzz_step(fuzz, &(struct raft_event){.kind = RAFT_EVENT_TIME});
        break;
    default:
        fuzz_request(fuzz, reader_u8(&fuzz->input));
        break;
    }
}

static void fuzz_step(struct fuzz *fuzz, struct raft_event *event)
{
    struct raft_result result;
    event->now = fuzz->now;
    raft_step(fuzz->raft, event, &result);
    fuzz_watch(fuzz);
}

static void fuzz_turn(struct fuzz *fuzz)
{
    if (fuzz->flights_count == FUZZ_FLIGHTS) {
        fuzz_persist(fuzz);
    }
    struct raft_effects effects;
    raft_take_effects(fuzz->raft, &effects);
    fuzz_watch(fuzz);
    ENSURE(effects.commit == fuzz->commit);
    for (size_t i = 0; i < effects.now_count; i++) {
        fuzz_watch_now(fuzz, &effects.now[i]);
        fuzz_watch_shape(fuzz, effects.now[i]);
    }
    for (size_t i = 0; i < effects.after_count; i++) {
        fuzz_watch_shape(fuzz, effects.after[i]);
        if (effects.write.number == 0) {
            fuzz_watch_now(fuzz, &effects.after[i]); /* nothing to wait for */
        }
    }
    if (effects.write.number != 0) {
        fuzz->flights[fuzz->flights_count] = effects.write;
        fuzz->flights_count++;
    }
}

static void fuzz_persist(struct fuzz *fuzz)
{
    if (fuzz->flights_count == 0) {
        return;
    }
    const struct raft_write write = fuzz->flights[0];
    struct raft_event event = {
        .kind = RAFT_EVENT_PERSISTED,
        .persisted =
            {
                .number = write.number,
                .term = write.last_term,
                .index = write.last_index,
            },
    };
    if (write.promise) {
        fuzz->durable_term = write.term;
        fuzz->durable_vote = write.vote;
    }
    if (write.install) {
        fuzz->durable_last = write.install_index;
    }
    if (write.first_index != 0) {
        fuzz->durable_last = write.last_index;
    }
    fuzz->flights_count--;
    memmove(fuzz->flights, fuzz->flights + 1,
            fuzz->flights_count * sizeof(fuzz->flights[0]));
    fuzz_step(fuzz, &event);
}

/* ---- watching ---- */

static void fuzz_watch(struct fuzz *fuzz)
{
    const raft_term_t term = raft_term(fuzz->raft);
    const raft_id_t vote = raft_vote(fuzz->raft);
    const raft_index_t commit = raft_commit(fuzz->raft);
    ENSURE(term >= fuzz->term);
    ENSURE(term > fuzz->term || fuzz->vote == 0 || vote == fuzz->vote);
    ENSURE(commit >= fuzz->commit);
    ENSURE(raft_durable_index(fuzz->raft) <= fuzz->durable_last);

    fuzz->term = term;
    fuzz->vote = vote;
    fuzz->commit = commit;
}

/* What leaves at once says only what is on disk. A pre-vote, asked or granted,
 * speaks of a term that nobody has entered. */
static void fuzz_watch_now(const struct fuzz *fuzz,
                           const struct raft_message *message)
{
    const bool is_vote = message->kind == RAFT_MESSAGE_VOTE;
    const bool is_vote_reply = message->kind == RAFT_MESSAGE_VOTE_REPLY;
    const bool pre = (is_vote && message->vote.pre) ||
                     (is_vote_reply && message->vote_reply.pre &&
                      message->vote_reply.granted);
    ENSURE(pre || message->term == fuzz->durable_term);
    if (is_vote && !pre) {
        ENSURE(fuzz->durable_vote == message->from);
    }
    if (is_vote_reply && !pre && message->vote_reply.granted) {
        ENSURE(fuzz->durable_vote == message->to);
    }
    if (message->kind == RAFT_MESSAGE_APPEND_REPLY &&
        message->append_reply.accepted) {
        ENSURE(message->append_reply.match_index <= fuzz->durable_last);
    }
    if (message->kind == RAFT_MESSAGE_SNAPSHOT_REPLY &&
        message->snapshot_reply.installed) {
        ENSURE(message->snapshot_reply.index <= fuzz->durable_last);
    }
}

/* With payloads filled in as a shell does. A counter that a peer has driven to
 * the very end of its range cannot be sent on, and need not. */
static void fuzz_watch_shape(const struct fuzz *fuzz,
                             struct raft_message message)
{
    struct raft_entry entries[FUZZ_ENTRIES];
    if (fuzz->misled || raft_last_index(fuzz->raft) > PEER_NUMBER_MAX ||
        message.term > PEER_NUMBER_MAX) {
        return;
    }
    if (message.kind == RAFT_MESSAGE_APPEND) {
        ENSURE(message.append.entries_count <= FUZZ_ENTRIES);
        for (size_t i = 0; i < message.append.entries_count; i++) {
            entries[i] = (struct raft_entry){.kind = RAFT_ENTRY_COMMAND};
            const bool known =
                raft_term_at(fuzz->raft, message.append.prev_index + 1 + i,
                             &entries[i].term);
            ENSURE(known);
        }
        message.append.entries = entries;
    }
    const struct peer_message peer = peer_message_of_raft(&message);
    ENSURE(peer_body_check(&peer) == STATUS_OK);
}

/* ---- messages ---- */

static void fuzz_receive(struct fuzz *fuzz)
{
    struct raft_entry entries[FUZZ_ENTRIES];
    struct raft_message message = {.kind = RAFT_MESSAGE_VOTE};
    fuzz->members_count = 0;
    const uint8_t head = reader_u8(&fuzz->input);
    message.kind = (enum raft_message_kind)(1 + head % 7);
    message.from = 1 + (head / 7) % 6;
    message.to = 1;
    message.term = fuzz_near(fuzz, raft_term(fuzz->raft));
    if (message.term == 0 && message.kind != RAFT_MESSAGE_VOTE_REPLY) {
        message.term = 1;
    }
    fuzz_body(fuzz, &message, entries);
    const struct peer_message peer = peer_message_of_raft(&message);
    fuzz->misled |= peer_body_check(&peer) != STATUS_OK;
    struct raft_event event = {
        .kind = RAFT_EVENT_RECEIVE,
        .message = &message,
    };
    fuzz_step(fuzz, &event);
}

static void fuzz_body(struct fuzz *fuzz, struct raft_message *message,
                      struct raft_entry *entries)
{
    const raft_index_t last = raft_last_index(fuzz->raft);
    const uint8_t flags = reader_u8(&fuzz->input);
    switch (message->kind) {
    case RAFT_MESSAGE_VOTE:
        message->vote.last_index = fuzz_near(fuzz, last);
        message->vote.last_term = fuzz_near(fuzz, message->term);
        message->vote.pre = flags & 1;
        message->vote.transfer = flags & 2;
        break;
    case RAFT_MESSAGE_VOTE_REPLY:
        message->vote_reply.pre = flags & 1;
        message->vote_reply.granted = flags & 2;
        break;
    case RAFT_MESSAGE_APPEND:
        fuzz_append(fuzz, message, entries);
        break;
    case RAFT_MESSAGE_APPEND_REPLY:
        message->append_reply.accepted = flags & 1;
        message->append_reply.prev_index = fuzz_near(fuzz, last);
        message->append_reply.match_index = fuzz_near(fuzz, last);
        message->append_reply.recovery_index = fuzz_near(fuzz, last);
        message->append_reply.recovery_term = fuzz_near(fuzz, message->term);
        message->append_reply.round = flags >> 4;
        message->append_reply.probation = (flags >> 2) & 3;
        break;
    case RAFT_MESSAGE_SNAPSHOT:
        fuzz_snapshot(fuzz, message);
        break;
    case RAFT_MESSAGE_SNAPSHOT_REPLY:
        message->snapshot_reply.index = fuzz_near(fuzz, last);
        message->snapshot_reply.offset = flags >> 4;
        message->snapshot_reply.installed = flags & 1;
        message->snapshot_reply.round = (flags >> 2) & 3;
        message->snapshot_reply.probation = (flags >> 1) & 1;
        break;
    case RAFT_MESSAGE_TIMEOUT_NOW:
        break;
    case RAFT_MESSAGE_FOUND:
        message->found.founded = flags & 1;
        message->found.founders.count = 3;
        for (size_t i = 0; i < 3; i++) {
            message->found.founders.list[i].id = i + 1;
            message->found.founders.list[i].directory =
                (flags >> (2 * i + 1)) & 3;
        }
        break;
    }
}

static void fuzz_append(struct fuzz *fuzz, struct raft_message *message,
                        struct raft_entry *entries)
{
    struct raft_append *append = &message->append;
    append->prev_index = fuzz_near(fuzz, raft_last_index(fuzz->raft));
    append->prev_term = fuzz_near(fuzz, message->term);
    raft_term_t term;
    if (reader_u8(&fuzz->input) % 4 != 0 &&
        raft_term_at(fuzz->raft, append->prev_index, &term)) {
        append->prev_term = term;
    }
    append->commit = fuzz_near(fuzz, append->prev_index + 2);
    append->round = reader_u8(&fuzz->input);
    append->entries = entries;
    append->entries_count = reader_u8(&fuzz->input) % FUZZ_ENTRIES;
    for (size_t i = 0; i < append->entries_count; i++) {
        const uint8_t shape = reader_u8(&fuzz->input);
        entries[i].term = fuzz_near(fuzz, message->term);
        entries[i].kind = RAFT_ENTRY_COMMAND;
        entries[i].payload = bytes_of("123456789", shape % 10);
        if (shape > 200) {
            entries[i].kind = RAFT_ENTRY_MEMBERS;
            entries[i].payload = fuzz_members(fuzz);
        }
    }
}

static void fuzz_snapshot(struct fuzz *fuzz, struct raft_message *message)
{
    struct raft_snapshot *snapshot = &message->snapshot;
    snapshot->index = fuzz_near(fuzz, raft_last_index(fuzz->raft));
    snapshot->term = fuzz_near(fuzz, message->term);
    const uint8_t shape = reader_u8(&fuzz->input);
    snapshot->offset = shape % 4;
    snapshot->data = bytes_of("abc", shape % 3);
    snapshot->last = shape & 0x80;
    snapshot->members = fuzz_members(fuzz);
    snapshot->round = shape & 3;
}

static void fuzz_request(struct fuzz *fuzz, uint8_t choice)
{
    const struct bytes payloads[2] = {bytes_of_text("payload"),
                                      bytes_of_text("")};
    struct raft_event event = {.kind = RAFT_EVENT_READ};
    switch (choice % 7) {
    case 0:
        break;
    case 1:
        event.kind = RAFT_EVENT_SUBMIT;
        event.submit.payloads = payloads;
        event.submit.count = choice / 7 % 3;
        break;
    case 2:
        event.kind = RAFT_EVENT_CHANGE;
        event.change.kind = (enum raft_change_kind)(1 + choice / 7 % 3);
        event.change.id = 1 + choice / 21 % 7;
        event.change.address = bytes_of_text("x:1");
        break;
    case 3:
        event.kind = RAFT_EVENT_TRANSFER;
        event.transfer.to = choice / 7 % 7;
        break;
    case 4:
        event.kind = RAFT_EVENT_PEER_LOST;
        event.peer_lost = choice / 7 % 7;
        break;
    case 5:
        event.kind = choice / 7 % 2 == 0 ? RAFT_EVENT_SNAPSHOT_DAMAGED
                                         : RAFT_EVENT_SNAPSHOT_GONE;
        event.snapshot_gone =
            raft_first_index(fuzz->raft) - 1 + choice / 14 % 4;
        break;
    default:
        fuzz_checkpoint(fuzz);
        return;
    }
    fuzz_step(fuzz, &event);
}

/* As a shell would: of what is applied and durable, and not while a snapshot
 * is on its way to becoming the state. */
static void fuzz_checkpoint(struct fuzz *fuzz)
{
    for (size_t i = 0; i < fuzz->flights_count; i++) {
        if (fuzz->flights[i].install) {
            return;
        }
    }
    raft_index_t index = raft_durable_index(fuzz->raft);
    if (index > fuzz->commit) {
        index = fuzz->commit;
    }
    if (index + 1 < raft_first_index(fuzz->raft)) {
        return;
    }
    const raft_index_t trailing = reader_u8(&fuzz->input) % 4;
    struct raft_event event = {
        .kind = RAFT_EVENT_CHECKPOINT,
        .checkpoint =
            {
                .index = index,
                .boundary_index = index > trailing ? index - trailing : 0,
            },
    };
    fuzz_step(fuzz, &event);
}

/* A configuration that decodes, any of them; valid for this message. */
static struct bytes fuzz_members(struct fuzz *fuzz)
{
    struct raft_members members = {.count = 0};
    const uint8_t voters = reader_u8(&fuzz->input);
    const uint8_t learners = reader_u8(&fuzz->input);
    for (raft_id_t id = 1; id <= 8; id++) {
        if ((voters >> (id - 1)) & 1) {
            raft_members_set(&members, id, RAFT_VOTER, bytes_of(NULL, 0));
        } else if ((learners >> (id - 1)) & 1) {
            raft_members_set(&members, id, RAFT_LEARNER, bytes_of(NULL, 0));
        }
    }
    struct buffer *buffer = &fuzz->members[fuzz->members_count];
    fuzz->members_count++;
    buffer_clear(buffer);
    raft_members_encode(&members, buffer);
    return buffer_view(buffer);
}

/* Mostly a little below or above, sometimes as far away as a frame allows. */
static uint64_t fuzz_near(struct fuzz *fuzz, uint64_t value)
{
    const uint8_t byte = reader_u8(&fuzz->input);
    if (byte == 255) {
        return UINT64_C(1) << 62;
    }
    const uint64_t down = byte % 8;
    if (byte < 128) {
        return value >= down ? value - down : 0;
    }
    return value + down;
}

/* ---- the corpus ---- */

/* Steps, as fuzz_one_step() and those below it read them. */
#define GROUP_OF(members) (members) - 1
#define LANDS 3
#define TURN 4
#define FLUSH 5 /* a turn, and every write lands */
#define WAIT(ms) 6, ms
#define HEAR(kind, from) 0, ((from)-1) * 7 + (kind)-1
#define READ 7, 0
#define SUBMIT 7, 8
#define SUBMIT_TWO 7, 15
#define CHANGE(kind, id) 7, 2 + 7 * ((kind)-1 + 3 * ((id)-1))
#define TRANSFER(to) 7, 3 + 7 * (to)
#define LOST(id) 7, 4 + 7 * (id)
#define DAMAGED 7, 5
#define CHECKPOINT(trailing) 7, 6, trailing

/* Numbers: as many below or above what the core has. */
#define SAME 0
#define DOWN(n) (n)
#define UP(n) 128 + (n)
#define FAR 255

/* Messages: term, flags, and then the fields. */
#define GRANT(from) HEAR(RAFT_MESSAGE_VOTE_REPLY, from), SAME, 2
#define PRE_GRANT(from) HEAR(RAFT_MESSAGE_VOTE_REPLY, from), UP(1), 3
#define PRE_REFUSE(from) HEAR(RAFT_MESSAGE_VOTE_REPLY, from), SAME, 1
#define ASK(from, term, flags, index, last)                                    \
    HEAR(RAFT_MESSAGE_VOTE, from), term, flags, index, last
#define ACK(from, round, match)                                                \
    HEAR(RAFT_MESSAGE_APPEND_REPLY, from), SAME, (round)*16 + 1, SAME, match,  \
        SAME, SAME
#define NACK(from, prev, index)                                                \
    HEAR(RAFT_MESSAGE_APPEND_REPLY, from), SAME, 0, prev, SAME, index, SAME
#define ENTRY(term) 3, term
#define MEMBERS_ENTRY(voters, learners) 201, SAME, voters, learners
/* The term before the entries is looked up, then follow the entries. */
#define APPEND(from, term, prev, commit, entries_count)                        \
    HEAR(RAFT_MESSAGE_APPEND, from), term, 0, prev, SAME, 1, commit, 1,        \
        entries_count
#define CHUNK(from, term, index, shape, voters)                                \
    HEAR(RAFT_MESSAGE_SNAPSHOT, from), term, 0, index, SAME, shape, voters, 0
#define INSTALLED(from, index)                                                 \
    HEAR(RAFT_MESSAGE_SNAPSHOT_REPLY, from), SAME, 1, index

#define LEAD_1 GROUP_OF(1), WAIT(250), FLUSH, FLUSH, FLUSH
#define LEAD_3                                                                 \
    GROUP_OF(3), WAIT(250), FLUSH, PRE_GRANT(2), FLUSH, GRANT(2), FLUSH,       \
        ACK(2, 0, SAME), FLUSH
#define FOLLOW_3                                                               \
    GROUP_OF(3), APPEND(2, UP(1), SAME, DOWN(1), 2), ENTRY(SAME), ENTRY(SAME)

#define PROGRAM(name, ...)                                                     \
    {                                                                          \
        name, (const uint8_t[]){__VA_ARGS__},                                  \
            sizeof((const uint8_t[]){__VA_ARGS__})                             \
    }

static const struct {
    const char *name;
    const uint8_t *bytes;
    size_t count;
} fuzz_programs[] = {
    PROGRAM("lead_alone", LEAD_1, SUBMIT, SUBMIT_TWO, READ, FLUSH, FLUSH),
    PROGRAM("lead_three", LEAD_3, SUBMIT, READ, FLUSH, ACK(2, 1, SAME),
            ACK(3, 1, SAME), FLUSH),
    PROGRAM("lead_and_hear_nobody", LEAD_3, WAIT(250), WAIT(250), FLUSH),
    PROGRAM("lead_and_probe", FOLLOW_3, FLUSH, WAIT(250), WAIT(250), FLUSH,
            PRE_GRANT(3), FLUSH, GRANT(3), FLUSH, NACK(2, DOWN(1), DOWN(2)),
            FLUSH, ACK(2, 0, DOWN(1)), FLUSH, ACK(2, 0, SAME), FLUSH),
    PROGRAM("lead_until_told_of_a_higher_term", LEAD_3, SUBMIT, FLUSH,
            HEAR(RAFT_MESSAGE_APPEND_REPLY, 3), UP(2), 0, SAME, SAME, SAME,
            SAME, FLUSH),
    PROGRAM("refused_by_a_majority", GROUP_OF(3), WAIT(250), FLUSH,
            PRE_GRANT(2), FLUSH, HEAR(RAFT_MESSAGE_VOTE_REPLY, 2), SAME, 0,
            HEAR(RAFT_MESSAGE_VOTE_REPLY, 3), SAME, 0, FLUSH),
    PROGRAM("hand_over", LEAD_3, SUBMIT, FLUSH, TRANSFER(2), FLUSH,
            ACK(2, 0, SAME), FLUSH, SUBMIT, FLUSH),
    PROGRAM("hand_over_takes_too_long", LEAD_3, SUBMIT, FLUSH, TRANSFER(3),
            FLUSH, ACK(2, 0, SAME), WAIT(120), ACK(2, 0, SAME), WAIT(120),
            FLUSH),
    PROGRAM("asked_to_stand", FOLLOW_3, FLUSH,
            HEAR(RAFT_MESSAGE_TIMEOUT_NOW, 2), SAME, 0, FLUSH, GRANT(3), FLUSH),
    PROGRAM("add_learner_and_promote", LEAD_3, CHANGE(RAFT_CHANGE_ADD, 6),
            FLUSH, ACK(2, 0, SAME), FLUSH, ACK(6, 0, SAME), FLUSH,
            CHANGE(RAFT_CHANGE_PROMOTE, 6), FLUSH, ACK(2, 0, SAME),
            ACK(6, 0, SAME), FLUSH),
    PROGRAM("remove_a_member", LEAD_3, CHANGE(RAFT_CHANGE_REMOVE, 3), FLUSH,
            ACK(2, 0, SAME), FLUSH, SUBMIT, FLUSH, ACK(3, 0, SAME), FLUSH),
    PROGRAM("remove_oneself", LEAD_3, CHANGE(RAFT_CHANGE_REMOVE, 1), FLUSH,
            ACK(2, 0, SAME), ACK(3, 0, SAME), FLUSH, FLUSH),
    PROGRAM("two_changes_at_once", LEAD_3, CHANGE(RAFT_CHANGE_ADD, 5),
            CHANGE(RAFT_CHANGE_REMOVE, 3), FLUSH),
    PROGRAM("the_last_voter_stays", LEAD_1, CHANGE(RAFT_CHANGE_REMOVE, 1),
            CHANGE(RAFT_CHANGE_ADD, 4), FLUSH, FLUSH,
            CHANGE(RAFT_CHANGE_REMOVE, 4), FLUSH),
    PROGRAM("send_a_snapshot", LEAD_3, SUBMIT_TWO, FLUSH, ACK(2, 0, SAME),
            FLUSH, CHECKPOINT(0), FLUSH, NACK(3, DOWN(2), DOWN(3)), FLUSH,
            INSTALLED(3, SAME), FLUSH, ACK(3, 0, SAME), FLUSH),
    PROGRAM("take_a_snapshot_in_chunks", GROUP_OF(3),
            CHUNK(2, UP(1), UP(5), 4, 7), FLUSH, CHUNK(2, SAME, UP(5), 1, 7),
            FLUSH, CHUNK(2, SAME, UP(5), 128 + 2, 7), FLUSH,
            APPEND(2, SAME, SAME, SAME, 1), ENTRY(SAME), FLUSH),
    PROGRAM("take_a_damaged_snapshot", GROUP_OF(3),
            CHUNK(2, UP(1), UP(5), 4, 7), FLUSH, DAMAGED,
            CHUNK(2, SAME, UP(5), 1, 7), FLUSH, CHUNK(2, SAME, UP(5), 128, 7),
            FLUSH),
    PROGRAM("snapshot_of_what_is_here", FOLLOW_3, FLUSH,
            CHUNK(2, SAME, SAME, 128, 7), FLUSH),
    PROGRAM("snapshot_overtakes_a_write", FOLLOW_3, TURN,
            CHUNK(2, SAME, UP(6), 128, 7), TURN, LANDS,
            APPEND(2, SAME, SAME, SAME, 1), ENTRY(SAME), TURN, LANDS, LANDS),
    PROGRAM("ack_and_snapshot_in_one_turn", FOLLOW_3, FLUSH,
            APPEND(2, SAME, SAME, SAME, 0), CHUNK(2, SAME, UP(6), 128, 7),
            FLUSH),
    PROGRAM("follow_and_cut", FOLLOW_3, FLUSH, APPEND(3, UP(1), DOWN(1), 0, 2),
            ENTRY(SAME), ENTRY(SAME), FLUSH),
    PROGRAM("cut_while_the_write_is_under_way", FOLLOW_3, TURN,
            APPEND(3, UP(1), DOWN(1), 0, 1), ENTRY(SAME), TURN, LANDS,
            APPEND(3, SAME, SAME, SAME, 0), TURN, LANDS, FLUSH),
    PROGRAM("configuration_cut_off", GROUP_OF(3),
            APPEND(2, UP(1), SAME, DOWN(7), 2), ENTRY(SAME),
            MEMBERS_ENTRY(0x0f, 0x10), FLUSH, APPEND(3, UP(1), DOWN(1), 0, 1),
            ENTRY(SAME), FLUSH),
    PROGRAM("repeated_message_shortens_nothing", FOLLOW_3, FLUSH,
            APPEND(2, SAME, DOWN(2), DOWN(2), 1), ENTRY(SAME), FLUSH),
    PROGRAM("append_from_another_past", FOLLOW_3, FLUSH,
            APPEND(3, UP(1), UP(3), SAME, 1), ENTRY(SAME), FLUSH),
    PROGRAM("vote_once", GROUP_OF(3), ASK(2, UP(1), 0, SAME, SAME),
            ASK(3, SAME, 0, SAME, SAME), FLUSH, ASK(2, SAME, 0, SAME, SAME),
            FLUSH),
    PROGRAM("vote_late_in_a_term", GROUP_OF(3),
            HEAR(RAFT_MESSAGE_APPEND_REPLY, 3), UP(1), 0, SAME, SAME, SAME,
            SAME, FLUSH, ASK(2, SAME, 0, SAME, DOWN(1)), FLUSH),
    PROGRAM("vote_for_a_shorter_log", FOLLOW_3, FLUSH, WAIT(100),
            ASK(3, UP(1), 2, DOWN(1), DOWN(1)), FLUSH),
    PROGRAM("vote_while_a_leader_is_heard", FOLLOW_3, FLUSH,
            ASK(3, UP(1), 0, UP(1), DOWN(1)), ASK(3, UP(1), 1, UP(1), DOWN(1)),
            FLUSH),
    PROGRAM("pre_vote_granted", GROUP_OF(3), ASK(2, UP(1), 1, SAME, DOWN(7)),
            FLUSH),
    PROGRAM("pre_vote_refused_without_a_term", 250,
            ASK(6, UP(1), 1, SAME, DOWN(7)), FLUSH, PRE_REFUSE(2)),
    PROGRAM("leader_lost", FOLLOW_3, FLUSH, LOST(2), WAIT(10), FLUSH),
    PROGRAM("muted_until_repaired", 250, WAIT(250),
            APPEND(5, UP(1), SAME, UP(3), 4), ENTRY(SAME), ENTRY(SAME),
            ENTRY(SAME), ENTRY(SAME), FLUSH, WAIT(250), WAIT(250), FLUSH),
    PROGRAM("numbers_at_their_end", GROUP_OF(3), CHUNK(2, FAR, FAR, 128, 7),
            FLUSH, WAIT(250), WAIT(250), FLUSH, PRE_GRANT(2), FLUSH, GRANT(2),
            FLUSH, SUBMIT, FLUSH),
};

static void fuzz_write_corpus(const char *directory)
{
    const size_t count = sizeof(fuzz_programs) / sizeof(fuzz_programs[0]);
    for (size_t i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof(path), "%s/%s", directory, fuzz_programs[i].name);
        FILE *file = fopen(path, "wb");
        if (file == NULL ||
            fwrite(fuzz_programs[i].bytes, 1, fuzz_programs[i].count, file) !=
                fuzz_programs[i].count ||
            fclose(file) != 0) {
            perror(path);
            exit(EXIT_FAILURE);
        }
    }
}
