/* fuzz_node_receive.c - frames of any kind and order against one node.
 *
 * The input is a program: each step takes a few bytes and becomes an ask of a
 * client, a frame, a turn, or something that the disk or the time does. Frames
 * have a head and a checksum that are good, and bodies that are near what the
 * node has open, or any bytes at all. Their senders lie: whoever reaches the
 * raft port can.
 *
 * What can go wrong is an ENSURE, whatever the sanitizers see, and what is
 * watched here from outside:
 *
 *  - Every ask is answered once, and only after it was asked.
 *  - What the node sends is what the frame decoder of its peers lets through.
 *  - The id of the cluster is written once and stays, and whoever was founded
 *    has none that others speak under.
 *
 * A leader is believed, because a follower has nobody else to ask: commands in
 * its log are ones that can be applied, and its indexes are not at the end of
 * their range, where a node has to stop.
 *
 * Programs that lead somewhere are at the end of this file.
 * fuzz_node_receive --write-corpus DIRECTORY writes them as inputs. What a
 * fuzzer found beside them is kept in the corpus as found_*.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fuzz/fuzz_node_steps.h"
#include "node/node_stream.h"
#include "wire/peer_frame.h"

#define FUZZ_FLIGHTS 64
#define FUZZ_STEPS 300
#define FUZZ_ASKS 64
#define FUZZ_ENTRIES 4
#define FUZZ_INDEX_MAX (UINT64_C(1) << 40)

/* As node_forward.c has it. */
#define TAG_WRITE 1
#define TAG_READ 2
#define TAG_RENEW 3
#define TAG_ALIVE 4
#define TAG_CHANGE 5

/* Offsets in the head of a frame. */
#define KIND_AT 5
#define LENGTH_AT 8
#define CLUSTER_AT 16
#define FROM_AT 32
#define TO_AT 40
#define CHECKSUM_AT 56

static const struct peer_identity fuzz_ours = {.cluster = "ours",
                                               .incarnation = 11};
static const struct peer_identity fuzz_theirs = {.cluster = "theirs",
                                                 .incarnation = 22};
static const struct peer_identity fuzz_nobody = {.incarnation = 33};

struct fuzz_flight {
    uint64_t number; /* of a write; 0: a checkpoint */
    raft_index_t index;
};

struct fuzz {
    struct node *node;
    struct reader input;
    struct raft_members members;
    time_ms_t now;
    struct fuzz_flight flights[FUZZ_FLIGHTS]; /* oldest first */
    size_t flights_count;
    uint64_t asked;
    bool open[FUZZ_ASKS + 1]; /* by ask */
    uint8_t cluster[PEER_CLUSTER_BYTES];
    bool room;           /* for a chunk of a snapshot */
    bool asking;         /* a call that must not answer */
    struct buffer state; /* a machine as a stream */
    struct buffer members_bytes;
    struct buffer scratch;
    struct peer_frame sent;
    struct peer_frame looked_at;
};

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

static void fuzz_write_corpus(const char *directory);
static void fuzz_open(struct fuzz *fuzz, struct bytes input);
static void fuzz_close(struct fuzz *fuzz);
static void fuzz_make_state(struct buffer *out);
static void fuzz_one_step(struct fuzz *fuzz);
static void fuzz_ask(struct fuzz *fuzz);
static void fuzz_hear_reply(struct fuzz *fuzz);
static void fuzz_hear_forward(struct fuzz *fuzz);
static void fuzz_hear_append(struct fuzz *fuzz);
static void fuzz_hear_vote(struct fuzz *fuzz);
static void fuzz_hear_follower(struct fuzz *fuzz);
static void fuzz_hear_found(struct fuzz *fuzz);
static void fuzz_hear_chunk(struct fuzz *fuzz);
static void fuzz_hear_stranger(struct fuzz *fuzz);
static void fuzz_hear_anything(struct fuzz *fuzz);
static void fuzz_client(struct fuzz *fuzz);
static void fuzz_hear(struct fuzz *fuzz, const struct peer_message *message);
static void fuzz_hear_raft(struct fuzz *fuzz, struct raft_message *message);
static void fuzz_receive(struct fuzz *fuzz, struct bytes frame);
static bool fuzz_is_believable(struct fuzz *fuzz, struct bytes frame);
static void fuzz_turn(struct fuzz *fuzz);
static void fuzz_land(struct fuzz *fuzz);
static uint8_t fuzz_byte(struct fuzz *fuzz);
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
    ENSURE(memory_blocks_live() == 0);
    return 0;
}

/* ---- the ports ---- */

static bool fuzz_is_of(const uint8_t *cluster,
                       const struct peer_identity *identity)
{
    return memcmp(cluster, identity->cluster, PEER_CLUSTER_BYTES) == 0;
}

static void fuzz_on_write(void *context, const struct node_write *write)
{
    struct fuzz *fuzz = context;
    ENSURE(fuzz->flights_count < FUZZ_FLIGHTS);
    fuzz->flights[fuzz->flights_count] =
        (struct fuzz_flight){.number = write->number};
    fuzz->flights_count++;
    if (write->promise) {
        ENSURE(fuzz_is_of(fuzz->cluster, &fuzz_nobody) ||
               memcmp(fuzz->cluster, write->cluster, PEER_CLUSTER_BYTES) == 0);
        ENSURE(write->probation || !fuzz_is_of(write->cluster, &fuzz_nobody));
        ENSURE(write->founders->count == 0 ||
               !fuzz_is_of(write->cluster, &fuzz_theirs));
        ENSURE(write->founders->count == 0 ||
               !fuzz_is_of(write->cluster, &fuzz_ours));
        memcpy(fuzz->cluster, write->cluster, PEER_CLUSTER_BYTES);
    }
}

static void fuzz_on_checkpoint(void *context,
                               const struct node_checkpoint *checkpoint)
{
    struct fuzz *fuzz = context;
    ENSURE(fuzz->flights_count < FUZZ_FLIGHTS);
    fuzz->flights[fuzz->flights_count] =
        (struct fuzz_flight){.index = checkpoint->index};
    fuzz->flights_count++;
}

static bool fuzz_on_chunk(void *context, raft_index_t index, uint64_t offset,
                          struct buffer *out, bool *last)
{
    (void)context;
    (void)index;
    (void)offset;
    buffer_append(out, bytes_of_text("chunk"));
    *last = true;
    return true;
}

static void fuzz_on_stage(void *context, struct bytes key, struct bytes value)
{
    (void)context;
    (void)key;
    (void)value;
}

static void fuzz_on_unstage(void *context)
{
    (void)context;
}

static bool fuzz_on_stage_room(void *context)
{
    const struct fuzz *fuzz = context;
    return fuzz->room;
}

static void fuzz_on_send(void *context, raft_id_t to, struct bytes frame)
{
    struct fuzz *fuzz = context;
    ENSURE(to != FUZZ_SELF);
    ENSURE(peer_frame_decode(frame, node_identity(fuzz->node), &fuzz->sent) ==
           STATUS_OK);
    ENSURE(fuzz->sent.head.to == to);
}

static void fuzz_on_answer(void *context, struct bytes frame)
{
    struct fuzz *fuzz = context;
    ENSURE(peer_frame_decode(frame, node_identity(fuzz->node), &fuzz->sent) ==
           STATUS_OK);
}

static void fuzz_on_published(void *context, bool shard, struct bytes channel,
                              struct bytes message)
{
    (void)context;
    (void)shard;
    ENSURE(channel.count + message.count <= LIMIT_PUBLISH_BYTES);
}

/* What another node answers to a question is for its command to read. */
static void fuzz_on_reply(void *context, uint64_t ask,
                          const struct node_reply *reply)
{
    struct fuzz *fuzz = context;
    struct command_query_reply read;
    struct command_claim claim;
    ENSURE(!fuzz->asking);
    ENSURE(ask > 0 && ask <= fuzz->asked && fuzz->open[ask]);
    fuzz->open[ask] = !reply->last;
    if (reply->query_reply.count > 0 &&
        command_query_read(reply->query_reply, &read) == STATUS_OK &&
        (read.kind == COMMAND_QUERY_LOCK || read.kind == COMMAND_QUERY_OWNED)) {
        while (command_query_next(&read, &claim)) {
        }
    }
}

static const struct node_ports fuzz_ports = {
    .write = fuzz_on_write,
    .checkpoint = fuzz_on_checkpoint,
    .chunk = fuzz_on_chunk,
    .stage = fuzz_on_stage,
    .unstage = fuzz_on_unstage,
    .stage_room = fuzz_on_stage_room,
    .send = fuzz_on_send,
    .answer = fuzz_on_answer,
    .published = fuzz_on_published,
    .reply = fuzz_on_reply,
};

/* ---- life ---- */

/* The first byte: how many voters, and whether the node is of a cluster, was
 * when it stopped, or is new. */
static void fuzz_open(struct fuzz *fuzz, struct bytes input)
{
    static const char *const addresses[] = {"h1:7001", "h2:7001", "h3:7001"};
    memset(fuzz, 0, sizeof(*fuzz));
    fuzz->input = reader_of(input);
    fuzz->room = true;
    const uint8_t shape = fuzz_byte(fuzz);
    for (size_t i = 0; i <= shape % 3; i++) {
        raft_members_set(&fuzz->members, i + 1, RAFT_VOTER,
                         bytes_of_text(addresses[i]));
    }
    raft_members_encode(&fuzz->members, &fuzz->members_bytes);
    fuzz_make_state(&fuzz->state);
    peer_frame_init(&fuzz->sent);
    peer_frame_init(&fuzz->looked_at);
    const struct node_settings settings = {
        .raft = {.election_ms = 100,
                 .heartbeat_ms = 20,
                 .found_ms = 40,
                 .window_entries = 8,
                 .window_bytes = 4096,
                 .append_entries = 4,
                 .append_bytes = LIMIT_APPEND_BYTES,
                 .uncommitted_bytes = 4096,
                 .promote_lag_entries = 2,
                 .log_bytes = LIMIT_LOG_BYTES},
        .hold_ms = 200,
        .patience_ms = 400,
        .resend_ms = 50,
        .alive_ms = 100,
        .grace_ms = 300,
        .tick_ms = 200,
        .checkpoint_entries = 6,
        .trailing_entries = 2,
        .asks_max = 8,
    };
    struct node_start start = {
        .self = FUZZ_SELF,
        .boot = FUZZ_BOOT,
        .identity = shape / 3 % 3 == 2 ? fuzz_nobody : fuzz_ours,
        .boundary_members = &fuzz->members,
        .probation = shape / 3 % 3 != 0,
        .seed = 1,
    };
    start.identity.incarnation = fuzz_ours.incarnation;
    struct node_ports ports = fuzz_ports;
    ports.context = fuzz;
    memcpy(fuzz->cluster, start.identity.cluster, PEER_CLUSTER_BYTES);
    ENSURE(node_new(&settings, &start,
                    lock_machine_new((struct table_seed){{1, 2}}), &ports,
                    &fuzz->node) == STATUS_OK);
}

static void fuzz_close(struct fuzz *fuzz)
{
    node_free(fuzz->node);
    buffer_close(&fuzz->state);
    buffer_close(&fuzz->members_bytes);
    buffer_close(&fuzz->scratch);
    peer_frame_close(&fuzz->sent);
    peer_frame_close(&fuzz->looked_at);
}

struct fuzz_stream {
    struct buffer *out;
    uint32_t checksum;
};

static void fuzz_note_record(void *context, const struct lock_record *record)
{
    struct fuzz_stream *stream = context;
    node_stream_put_record(stream->out, record->key, record->value,
                           &stream->checksum);
}

/* A machine in which somebody holds a lock and somebody waits for it. */
static void fuzz_make_state(struct buffer *out)
{
    struct lock_machine *machine = lock_machine_new((struct table_seed){{1}});
    struct fuzz_stream stream = {.out = out};
    struct buffer bytes = {0};
    for (uint8_t i = 0; i < 2; i++) {
        struct lock_outcome outcome;
        const struct lock_origin origin = {FUZZ_SELF + i, FUZZ_BOOT};
        buffer_clear(&bytes);
        fuzz_command_bytes(fuzz_command(0, (uint8_t)(i * 2)), origin, 1,
                           &bytes);
        ENSURE(lock_apply(machine, i + 1U, buffer_view(&bytes), &outcome) ==
               STATUS_OK);
    }
    lock_visit_records(machine, fuzz_note_record, &stream);
    node_stream_put_end(out, stream.checksum);
    buffer_close(&bytes);
    lock_machine_free(machine);
}

/* ---- steps ---- */

static void fuzz_one_step(struct fuzz *fuzz)
{
    static void (*const steps[])(struct fuzz * fuzz) = {
        fuzz_ask,         fuzz_hear_reply,    fuzz_hear_forward,
        fuzz_hear_append, fuzz_hear_vote,     fuzz_hear_follower,
        fuzz_hear_found,  fuzz_hear_chunk,    fuzz_hear_stranger,
        fuzz_client,      fuzz_hear_anything, fuzz_land,
    };
    const uint8_t choice = fuzz_byte(fuzz) % 16;
    if (choice < sizeof(steps) / sizeof(*steps)) {
        steps[choice](fuzz);
        return;
    }
    switch (choice) {
    case 12:
        fuzz_turn(fuzz);
        break;
    case 13:
        fuzz->now += fuzz_byte(fuzz);
        fuzz_turn(fuzz);
        break;
    default: /* until nothing is left to do; most is reached like this */
        for (size_t i = 0; i < 4; i++) {
            while (fuzz->flights_count > 0) {
                fuzz_land(fuzz);
            }
            fuzz_turn(fuzz);
        }
        break;
    }
}

static void fuzz_ask(struct fuzz *fuzz)
{
    const uint8_t which = fuzz_byte(fuzz);
    const uint8_t byte = fuzz_byte(fuzz);
    if (fuzz->asked == FUZZ_ASKS) {
        return;
    }
    const struct command_plan plan = fuzz_plan(which, byte);
    fuzz->asked++;
    fuzz->asking = true;
    fuzz->open[fuzz->asked] =
        node_ask(fuzz->node, fuzz->asked, &plan, fuzz->now) == STATUS_OK;
    fuzz->asking = false;
}

/* What a client does beside asking, and what a link notices. */
static void fuzz_client(struct fuzz *fuzz)
{
    const uint8_t byte = fuzz_byte(fuzz);
    const uint64_t ask = 1 + byte / 8;
    switch (byte % 8) {
    case 0:
    case 1:
        node_drop(fuzz->node, ask, fuzz->now);
        fuzz->open[ask] = false;
        break;
    case 2:
        (void)node_unblock(fuzz->node, ask, fuzz->now);
        break;
    case 3:
        node_publish(fuzz->node, byte & 8, bytes_of_text("c"),
                     bytes_of_text("m"));
        break;
    case 4:
        node_peer_lost(fuzz->node, ask, fuzz->now);
        break;
    case 5:
        node_peer_gone(fuzz->node, ask, fuzz->now);
        break;
    default:
        fuzz->room = !fuzz->room;
        break;
    }
}

/* ---- frames ---- */

/* What a leader might say of the asks there are. */
static void fuzz_hear_reply(struct fuzz *fuzz)
{
    const uint8_t head = fuzz_byte(fuzz);
    const uint8_t number = fuzz_byte(fuzz);
    const uint8_t result = fuzz_byte(fuzz);
    const uint8_t tag = 1 + head % 5;
    const struct lock_answer answer = {
        .result = (enum lock_result)(result % LOCK_RESULTS_COUNT),
        .token = number >> 5,
        .ticket = result / LOCK_RESULTS_COUNT,
        .time_ms = 5000,
        .has_value = head >= 128,
        .value = bytes_of_text(head >= 128 ? "v" : "")};
    struct buffer *body = &fuzz->scratch;
    buffer_clear(body);
    buffer_u8(body, tag);
    if (tag == TAG_CHANGE) {
        buffer_u64(body, result);
    } else if (tag == TAG_READ) {
        const struct command_query query = fuzz_query(result);
        struct lock_machine *machine =
            lock_machine_new((struct table_seed){{1}});
        command_query_answer(machine, 1, &query, body);
        lock_machine_free(machine);
    } else {
        if (tag == TAG_RENEW) {
            buffer_u8(body, head >> 6 & 1);
        }
        node_answer_encode(&answer, body);
    }
    const struct peer_message message = {
        .kind = PEER_FORWARD_REPLY,
        .from = 2,
        .to = FUZZ_SELF,
        .forward_reply = {.origin = {FUZZ_SELF, FUZZ_BOOT},
                          .number = 1 + number % 32,
                          .reply_class =
                              head / 5 % 4 == 3
                                  ? PEER_REPLY_NOT_DONE
                                  : (enum peer_reply_class)(1 + head / 20 % 3),
                          .body = buffer_view(body)}};
    fuzz_hear(fuzz, &message);
}

static void fuzz_hear_forward(struct fuzz *fuzz)
{
    const uint8_t head = fuzz_byte(fuzz);
    const uint8_t which = fuzz_byte(fuzz);
    const uint8_t byte = fuzz_byte(fuzz);
    const uint8_t tag = 1 + head % 5;
    const raft_id_t from = 2 + head / 5 % 3;
    const uint64_t number = 1 + head / 16;
    struct buffer *body = &fuzz->scratch;
    buffer_clear(body);
    buffer_u8(body, tag);
    if (tag == TAG_WRITE) {
        fuzz_command_bytes(fuzz_command(which, byte),
                           (struct lock_origin){from, 3}, number, body);
    } else if (tag == TAG_READ) {
        const struct command_query query = fuzz_query(which);
        command_query_encode(&query, body);
    } else if (tag == TAG_RENEW) {
        buffer_bytes16(body, fuzz_key(byte));
        buffer_bytes16(body, fuzz_owner(byte));
        buffer_u64(body, which);
        buffer_u64(body, 5000);
    } else if (tag == TAG_CHANGE) {
        const struct command_plan plan = fuzz_plan(13, byte);
        buffer_u64(body, fuzz_near(fuzz, raft_term(node_raft(fuzz->node))));
        buffer_u8(body, (uint8_t)plan.change.kind);
        buffer_u64(body, plan.change.id);
        buffer_bytes16(body, plan.change.address);
    }
    const struct peer_message message = {
        .kind = PEER_FORWARD,
        .from = from,
        .to = FUZZ_SELF,
        .forward = {.origin = {from, 3},
                    .number = number,
                    .first_unanswered = number,
                    .body = buffer_view(body)}};
    fuzz_hear(fuzz, &message);
}

/* Of a leader, with commands from several origins, ours among them. */
static void fuzz_hear_append(struct fuzz *fuzz)
{
    const struct raft *raft = node_raft(fuzz->node);
    struct raft_message message = {.kind = RAFT_MESSAGE_APPEND};
    struct raft_append *append = &message.append;
    struct raft_entry entries[FUZZ_ENTRIES];
    struct buffer payloads[FUZZ_ENTRIES] = {0};
    const uint8_t head = fuzz_byte(fuzz);
    message.from = 2 + (head & 1);
    message.term = fuzz_near(fuzz, raft_term(raft));
    append->prev_index = fuzz_near(fuzz, raft_last_index(raft));
    append->prev_term = message.term;
    (void)raft_term_at(raft, append->prev_index, &append->prev_term);
    append->entries = entries;
    append->entries_count = head >> 1 & 3;
    append->commit = fuzz_near(fuzz, append->prev_index);
    for (size_t i = 0; i < append->entries_count; i++) {
        const uint8_t which = fuzz_byte(fuzz);
        const uint8_t byte = fuzz_byte(fuzz);
        const struct lock_origin origins[] = {
            {0, 0}, {FUZZ_SELF, FUZZ_BOOT}, {2, 3}, {FUZZ_SELF, FUZZ_BOOT - 1}};
        fuzz_command_bytes(fuzz_command(which, byte), origins[which / 14 % 4],
                           1 + which / 56 % 4, &payloads[i]);
        entries[i] = (struct raft_entry){.term = message.term,
                                         .kind = RAFT_ENTRY_COMMAND,
                                         .payload = buffer_view(&payloads[i])};
        if (which >= 240) {
            entries[i].kind = RAFT_ENTRY_NOOP;
            entries[i].payload = bytes_of(NULL, 0);
        } else if (which >= 230) {
            entries[i].kind = RAFT_ENTRY_MEMBERS;
            entries[i].payload = buffer_view(&fuzz->members_bytes);
        }
    }
    fuzz_hear_raft(fuzz, &message);
    for (size_t i = 0; i < FUZZ_ENTRIES; i++) {
        buffer_close(&payloads[i]);
    }
}

static void fuzz_hear_vote(struct fuzz *fuzz)
{
    const struct raft *raft = node_raft(fuzz->node);
    const uint8_t head = fuzz_byte(fuzz);
    struct raft_message message = {.from = 2 + (head & 1)};
    message.term = fuzz_near(fuzz, raft_term(raft));
    if (head & 2) {
        message.kind = RAFT_MESSAGE_VOTE_REPLY;
        message.vote_reply.pre = head & 4;
        message.vote_reply.granted = head & 8;
    } else if (head & 16) {
        message.kind = RAFT_MESSAGE_TIMEOUT_NOW;
    } else {
        message.kind = RAFT_MESSAGE_VOTE;
        message.vote.last_index = fuzz_near(fuzz, raft_last_index(raft));
        message.vote.last_term =
            message.vote.last_index == 0 ? 0 : fuzz_byte(fuzz) % 8;
        message.vote.pre = head & 4;
        message.vote.transfer = head & 8;
    }
    fuzz_hear_raft(fuzz, &message);
}

static void fuzz_hear_follower(struct fuzz *fuzz)
{
    const struct raft *raft = node_raft(fuzz->node);
    const uint8_t head = fuzz_byte(fuzz);
    const uint64_t round = fuzz_byte(fuzz);
    const raft_index_t index = fuzz_near(fuzz, raft_last_index(raft));
    struct raft_message message = {.kind = RAFT_MESSAGE_APPEND_REPLY,
                                   .from = 2 + (head & 1)};
    message.term = fuzz_near(fuzz, raft_term(raft));
    if (head & 2) {
        message.kind = RAFT_MESSAGE_SNAPSHOT_REPLY;
        message.snapshot_reply.index = index;
        message.snapshot_reply.offset = head >> 4;
        message.snapshot_reply.installed = head & 4;
        message.snapshot_reply.round = round;
    } else {
        message.append_reply.accepted = (head & 4) == 0;
        message.append_reply.prev_index = index;
        message.append_reply.match_index = head & 4 ? 0 : index;
        message.append_reply.recovery_index = head & 4 ? head >> 4 : 0;
        message.append_reply.round = round;
        message.append_reply.probation = head & 8 ? 44 : 0;
    }
    fuzz_hear_raft(fuzz, &message);
}

static void fuzz_hear_found(struct fuzz *fuzz)
{
    const uint8_t head = fuzz_byte(fuzz);
    struct raft_message message = {.kind = RAFT_MESSAGE_FOUND,
                                   .from = 2 + (head & 1)};
    struct raft_found *found = &message.found;
    found->founded = head & 2;
    found->members = found->founded ? 0
                                    : raft_members_checksum(&fuzz->members) +
                                          (head % 64 == 63 ? 1 : 0);
    for (size_t i = 0; i < fuzz->members.count; i++) {
        if (((head >> 2) >> i & 1) == 0) {
            found->founders.list[found->founders.count] =
                (struct raft_founder){.id = i + 1, .directory = 11 * (i + 1)};
            found->founders.count++;
        }
    }
    fuzz_hear_raft(fuzz, &message);
}

/* The machine that is there, or part of it, or something else. */
static void fuzz_hear_chunk(struct fuzz *fuzz)
{
    const struct raft *raft = node_raft(fuzz->node);
    const uint8_t head = fuzz_byte(fuzz);
    const size_t half = fuzz->state.count / 2;
    struct raft_message message = {.kind = RAFT_MESSAGE_SNAPSHOT,
                                   .from = 2 + (head & 1)};
    struct raft_snapshot *snapshot = &message.snapshot;
    message.term = fuzz_near(fuzz, raft_term(raft));
    snapshot->index = fuzz_near(fuzz, raft_last_index(raft));
    snapshot->term = message.term;
    snapshot->members = buffer_view(&fuzz->members_bytes);
    snapshot->data = buffer_view(&fuzz->state);
    snapshot->last = true;
    switch (head >> 1 & 3) {
    case 0:
        snapshot->data.count = half;
        snapshot->last = false;
        break;
    case 1:
        snapshot->offset = half;
        snapshot->data = bytes_of(fuzz->state.data + half,
                                  fuzz->state.count - half - (head >> 7));
        break;
    case 2:
        snapshot->offset = head >> 4;
        snapshot->data = bytes_of_text("no machine");
        snapshot->last = head & 8;
        break;
    default:
        break;
    }
    fuzz_hear_raft(fuzz, &message);
}

/* What is between nodes, and not between members. */
static void fuzz_hear_stranger(struct fuzz *fuzz)
{
    const uint8_t head = fuzz_byte(fuzz);
    const uint8_t byte = fuzz_byte(fuzz);
    struct peer_message message = {.from = 2 + byte % 4, .to = FUZZ_SELF};
    switch (head % 8) {
    case 0:
        message.kind = PEER_JOIN;
        message.join = (struct peer_join){
            .id = message.from,
            .address = bytes_of_text(byte & 64 ? "h4:7001" : "h2:7001"),
            .incarnation = 5};
        break;
    case 1:
        message.kind = PEER_FETCH;
        message.to = byte & 64 ? 0 : FUZZ_SELF;
        break;
    case 2:
        message.kind = PEER_REMOVE;
        message.remove.id = 1 + byte / 4 % 5;
        break;
    case 3:
        message.kind = PEER_REMOVED;
        message.removed.index =
            fuzz_near(fuzz, raft_last_index(node_raft(fuzz->node)));
        break;
    case 4:
        message.kind = PEER_PUBLISH;
        message.publish = (struct peer_publish){.boot = 1 + byte / 64,
                                                .number = 1 + byte / 4 % 16,
                                                .channel = bytes_of_text("c"),
                                                .message = bytes_of_text("m")};
        break;
    case 5:
        message.kind = PEER_HELLO;
        message.hello = (struct peer_hello){1, 1, 0, 0};
        break;
    case 6:
        message.kind = PEER_HELLO_REPLY;
        message.hello_reply = (struct peer_hello){1, 1, 1, 0};
        break;
    default:
        message.kind = PEER_JOIN_REPLY;
        message.join_reply.result = PEER_CHANGE_OK;
        break;
    }
    fuzz_hear(fuzz, &message);
}

/* Any kind, and what follows as its body. */
static void fuzz_hear_anything(struct fuzz *fuzz)
{
    const struct peer_message hello = {
        .kind = PEER_HELLO, .from = 2, .to = FUZZ_SELF, .hello = {1, 1, 0, 0}};
    const uint8_t kind = fuzz_byte(fuzz);
    const uint8_t from = fuzz_byte(fuzz);
    size_t count = fuzz_byte(fuzz);
    if (count > fuzz->input.rest.count) {
        count = fuzz->input.rest.count;
    }
    struct buffer frame = {0};
    ENSURE(peer_frame_encode(&fuzz_theirs, &hello, &frame) == STATUS_OK);
    buffer_cut(&frame, PEER_FRAME_HEAD_BYTES);
    frame.data[KIND_AT] = kind;
    frame.data[FROM_AT] = from & 15;
    frame.data[TO_AT] = from & 16 ? 0 : FUZZ_SELF;
    memcpy(frame.data + CLUSTER_AT, node_identity(fuzz->node)->cluster,
           PEER_CLUSTER_BYTES);
    buffer_append(&frame, reader_take(&fuzz->input, count));
    buffer_patch_u32(&frame, LENGTH_AT, (uint32_t)count);
    buffer_patch_u32(&frame, CHECKSUM_AT,
                     peer_frame_checksum(buffer_view(&frame)));
    fuzz_receive(fuzz, buffer_view(&frame));
    buffer_close(&frame);
}

static void fuzz_hear_raft(struct fuzz *fuzz, struct raft_message *message)
{
    message->to = FUZZ_SELF;
    const struct peer_message peer = peer_message_of_raft(message);
    fuzz_hear(fuzz, &peer);
}

/* Under the id that the node has, or another, or none. */
static void fuzz_hear(struct fuzz *fuzz, const struct peer_message *message)
{
    const uint8_t byte = fuzz_byte(fuzz);
    const struct peer_identity *from = node_identity(fuzz->node);
    struct buffer frame = {0};
    if (byte >= 192) {
        from = byte & 1 ? &fuzz_theirs : &fuzz_nobody;
    } else if (byte >= 128) {
        from = &fuzz_ours;
    }
    if (peer_frame_encode(from, message, &frame) == STATUS_OK) {
        fuzz_receive(fuzz, buffer_view(&frame));
    }
    buffer_close(&frame);
}

static void fuzz_receive(struct fuzz *fuzz, struct bytes frame)
{
    if (fuzz_is_believable(fuzz, frame)) {
        (void)node_receive(fuzz->node, frame, fuzz->now);
    }
}

/* False for what only a leader that has lost its mind would say. */
static bool fuzz_is_believable(struct fuzz *fuzz, struct bytes frame)
{
    const struct raft_message *raft = &fuzz->looked_at.message.raft;
    const struct raft_append *append = &raft->append;
    if (peer_frame_decode(frame, node_identity(fuzz->node), &fuzz->looked_at) !=
        STATUS_OK) {
        return true;
    }
    if (fuzz->looked_at.head.kind == PEER_SNAPSHOT) {
        return raft->snapshot.index < FUZZ_INDEX_MAX;
    }
    if (fuzz->looked_at.head.kind != PEER_APPEND) {
        return true;
    }
    for (size_t i = 0; i < append->entries_count; i++) {
        struct lock_command command;
        struct lock_command_room room = {0};
        const struct raft_entry *entry = &append->entries[i];
        const bool good = entry->kind != RAFT_ENTRY_COMMAND ||
                          (lock_command_decode(entry->payload, &room,
                                               &command) == STATUS_OK &&
                           command.head.clock < FUZZ_INDEX_MAX &&
                           command.head.wall < FUZZ_INDEX_MAX);
        lock_command_room_close(&room);
        if (!good) {
            return false;
        }
    }
    return append->prev_index < FUZZ_INDEX_MAX;
}

/* ---- the world ---- */

static void fuzz_turn(struct fuzz *fuzz)
{
    /* A turn makes a write and a checkpoint at most. */
    while (fuzz->flights_count + 2 > FUZZ_FLIGHTS) {
        fuzz_land(fuzz);
    }
    node_turn(fuzz->node, fuzz->now, fuzz->now);
}

static void fuzz_land(struct fuzz *fuzz)
{
    if (fuzz->flights_count == 0) {
        return;
    }
    const struct fuzz_flight flight = fuzz->flights[0];
    fuzz->flights_count--;
    memmove(fuzz->flights, fuzz->flights + 1,
            fuzz->flights_count * sizeof(fuzz->flights[0]));
    if (flight.number != 0) {
        node_written(fuzz->node, flight.number, fuzz->now);
    } else {
        node_checkpointed(fuzz->node, flight.index, fuzz->now);
    }
}

static uint8_t fuzz_byte(struct fuzz *fuzz)
{
    return reader_u8(&fuzz->input);
}

/* Mostly what it is, else a little below or above. */
static uint64_t fuzz_near(struct fuzz *fuzz, uint64_t value)
{
    const uint8_t byte = fuzz_byte(fuzz);
    const uint64_t step = byte % 8;
    if (byte < 128) {
        return value >= step ? value - step : 0;
    }
    return value + step;
}

/* ---- the corpus ---- */

/* The first byte, and steps as fuzz_one_step() and those below it read them. */
#define GROUP_OF(voters) (voters) - 1
#define BACK(voters) (voters) - 1 + 3
#define NEW(voters) (voters) - 1 + 6
#define RUN 15
#define TURN 12
#define WAIT(ms) 13, ms

#define SAME 0
#define DOWN(n) (n)
#define UP(n) 128 + (n)

/* Under which id a frame comes. */
#define OURS 0
#define NOBODYS 192
#define THEIRS 193

#define ASK(plan, byte) 0, plan, byte
#define ACQUIRE 0
#define RELEASE 1
#define ADD 7
#define RENEW 9
#define READ 11
#define CHANGE 13
#define CHECKPOINT 14

#define REPLY(tag, number, result) 1, (tag)-1, (number)-1, result, OURS
#define BOUNCE(tag, number) 1, 15 + (tag)-1, (number)-1, 0, OURS
#define FORWARD(tag, which, byte) 2, (tag)-1, which, byte, OURS
#define BEAT(term, id) 3, 0, term, SAME, SAME, id
#define LEAD_1 GROUP_OF(1), WAIT(250), RUN, RUN
#define LED GROUP_OF(3), BEAT(UP(1), OURS), RUN
#define GRANT(pre) 4, 2 + 8 + (pre)*4, (pre) ? UP(1) : SAME, OURS
#define LEAD_3                                                                 \
    GROUP_OF(3), WAIT(250), RUN, GRANT(1), RUN, GRANT(0), RUN, 5, 0, 1, SAME,  \
        SAME, OURS, RUN
#define REPORT 6, 0, NOBODYS
#define DROP(ask) 9, ((ask)-1) * 8
#define UNBLOCK(ask) 9, ((ask)-1) * 8 + 2

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
    PROGRAM("lead_alone", LEAD_1, ASK(ACQUIRE, 0), ASK(ACQUIRE, 2), RUN,
            ASK(RENEW, 4), ASK(READ, 0), RUN, ASK(RELEASE, 4), RUN,
            ASK(CHECKPOINT, 0), RUN),
    PROGRAM("lead_three", LEAD_3, ASK(ADD, 1), RUN, 5, 0, 2, SAME, SAME, OURS,
            RUN),
    PROGRAM("lead_until_leases_end", LEAD_1, ASK(ACQUIRE, 16 + 32),
            ASK(ACQUIRE, 2), RUN, WAIT(200), RUN, WAIT(200), RUN),
    PROGRAM("serve_another_node", LEAD_1, FORWARD(TAG_WRITE, ACQUIRE, 0),
            FORWARD(TAG_READ, 0, 0), FORWARD(TAG_RENEW, 1, 0),
            FORWARD(TAG_ALIVE, 0, 0), RUN),
    PROGRAM("forward_an_expire", LEAD_1, FORWARD(TAG_WRITE, 10, 4), RUN),
    PROGRAM("forward_an_undelay", LEAD_1, FORWARD(TAG_WRITE, 11, 4), RUN),
    PROGRAM("forward_orphans", LEAD_1, FORWARD(TAG_WRITE, 12, 4), RUN),
    PROGRAM("forward_a_sweep", LEAD_1, FORWARD(TAG_WRITE, 13, 4), RUN),
    PROGRAM("forward_a_change", LEAD_1, 2, TAG_CHANGE - 1, 0, 15, SAME, OURS,
            RUN),
    PROGRAM("join_a_leader", LEAD_1, 8, 0, 64 + 2, NOBODYS, RUN, 8, 1, 64,
            NOBODYS, RUN),
    PROGRAM("wait_in_a_queue", LED, ASK(ACQUIRE, 0), RUN,
            REPLY(TAG_WRITE, 1, LOCK_QUEUED + 9 * LOCK_RESULTS_COUNT), RUN,
            UNBLOCK(1), RUN, REPLY(TAG_WRITE, 2, LOCK_CANCELLED), RUN),
    PROGRAM("granted_after_it_was_dropped", LED, ASK(ACQUIRE, 0), RUN, DROP(1),
            REPLY(TAG_WRITE, 1, LOCK_GRANTED), RUN),
    PROGRAM("queued_to_release", LED, ASK(RELEASE, 0), RUN,
            REPLY(TAG_WRITE, 1, LOCK_QUEUED), RUN),
    PROGRAM("granted_to_add", LED, ASK(ADD, 0), RUN,
            REPLY(TAG_WRITE, 1, LOCK_GRANTED), RUN),
    PROGRAM("queued_to_abandon", LED, ASK(ACQUIRE, 0), RUN,
            REPLY(TAG_WRITE, 1, LOCK_QUEUED + 9 * LOCK_RESULTS_COUNT), DROP(1),
            RUN, REPLY(TAG_WRITE, 2, LOCK_QUEUED), RUN),
    PROGRAM("renew_by_the_log", LED, ASK(RENEW, 0), RUN, 1, 64 + TAG_RENEW - 1,
            0, LOCK_RENEWED, OURS, RUN, REPLY(TAG_WRITE, 1, LOCK_RENEWED), RUN),
    PROGRAM("checkpoint_sent_back", LED, 3, 2, SAME, SAME, UP(1), 240, 0, OURS,
            RUN, ASK(CHECKPOINT, 0), BOUNCE(TAG_READ, 1), WAIT(25), RUN),
    PROGRAM("change_sent_back", LED, ASK(CHANGE, 13), RUN, BOUNCE(TAG_READ, 1),
            WAIT(25), RUN, BOUNCE(TAG_CHANGE, 1), RUN),
    PROGRAM("our_number_in_the_log", LED, ASK(ADD, 0), RUN, 3, 2, SAME, SAME,
            UP(1), 14, 0, OURS, RUN),
    PROGRAM("founded", NEW(2), WAIT(50), RUN, REPORT, RUN, RUN),
    PROGRAM("founded_alone", NEW(1), WAIT(50), RUN, WAIT(250), RUN, RUN),
    PROGRAM("founded_and_led_in_one_turn", NEW(2), WAIT(50), REPORT,
            BEAT(UP(5), THEIRS), RUN),
    PROGRAM("taken_in", NEW(2), BEAT(UP(5), THEIRS), RUN, WAIT(50), REPORT, RUN,
            6, 2, THEIRS, RUN),
    PROGRAM("greeted", NEW(2), 8, 5, 0, THEIRS, WAIT(50), REPORT, RUN),
    PROGRAM("back_on_probation", BACK(2), WAIT(50), REPORT, RUN),
    PROGRAM("snapshot", GROUP_OF(3), 7, 6, UP(1), UP(5), OURS, RUN,
            BEAT(SAME, OURS), RUN),
    PROGRAM("snapshot_in_chunks", GROUP_OF(3), 7, 0, UP(1), UP(5), OURS, RUN, 7,
            2, SAME, UP(5), OURS, RUN),
    PROGRAM("snapshot_of_claims_to_come", GROUP_OF(3), 7, 6, UP(1), UP(1), OURS,
            RUN, 3, 2, SAME, SAME, UP(1), 0, 4, OURS, RUN),
    PROGRAM("snapshot_damaged", NEW(2), 7, 4 + 8, UP(1), UP(5), THEIRS, RUN,
            WAIT(50), REPORT, RUN),
    PROGRAM("snapshot_with_no_room", NEW(2), 9, 6, 7, 6, UP(1), UP(5), THEIRS,
            RUN, WAIT(50), REPORT, RUN),
    PROGRAM("told_that_it_was_removed", LED, ASK(ACQUIRE, 0), 8, 3, 0, UP(3),
            OURS, RUN),
    PROGRAM("any_bytes", LED, 10, PEER_FORWARD_REPLY, 2, 3, 1, 2, 3),
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
