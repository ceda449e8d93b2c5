/* member_fixture.h - one node, and a test in the place of disk, peers, clients.
 *
 * Writes are durable in mx_run(), which takes turns until nothing is left to
 * do. Of frames and answers the last one of each kind is kept, as it would be
 * decoded; mx_hear() hands a message to the node as a peer would. Helpers start
 * with mx_.
 */
#ifndef HOLDFAST_TESTS_MEMBER_FIXTURE_H
#define HOLDFAST_TESTS_MEMBER_FIXTURE_H

#include <string.h>

#include "lib/check_runner.h"
#include "lock/lock.h"
#include "node/node.h"

#define MX_ELECTION_MS 100
#define MX_WRITES_MAX 64
#define MX_ASKS_MAX 10

/* As node_forward.c has it. */
#define MX_TAG_WRITE 1
#define MX_TAG_READ 2
#define MX_TAG_RENEW 3
#define MX_TAG_CHANGE 5

struct mx {
    struct node *node;
    time_ms_t now;
    uint64_t writes[MX_WRITES_MAX]; /* not durable yet */
    size_t writes_count;
    struct peer_identity identity;
    struct peer_frame sent; /* the last that was no message of the core */
    struct peer_frame answer;
    size_t sent_count;
    size_t changes_count; /* of them: changes for a leader */
    size_t commands_count;
    struct buffer command; /* the last write for a leader, encoded */
    size_t answers_count;
    uint64_t replied; /* the ask, and what it was told */
    size_t replies_count;
    struct node_reply reply;
    char error[256];
    size_t staged_count; /* records of a snapshot that is coming in */
    size_t unstaged_count;
};

static struct mx mx;

static void mx_write(void *context, const struct node_write *write)
{
    (void)context;
    ck_assert_uint_lt(mx.writes_count, MX_WRITES_MAX);
    mx.writes[mx.writes_count] = write->number;
    mx.writes_count++;
}

/* Never durable. */
static void mx_checkpoint(void *context,
                          const struct node_checkpoint *checkpoint)
{
    (void)context;
    (void)checkpoint;
}

static void mx_forwarded(struct bytes body)
{
    struct reader reader = reader_of(body);
    const uint8_t tag = reader_u8(&reader);
    mx.changes_count += tag == MX_TAG_CHANGE ? 1 : 0;
    if (tag == MX_TAG_WRITE) {
        mx.commands_count++;
        buffer_clear(&mx.command);
        buffer_append(&mx.command, reader.rest);
    }
}

static void mx_send(void *context, raft_id_t to, struct bytes frame)
{
    struct peer_frame_head head;
    size_t bytes = 0;
    (void)context;
    (void)to;
    ck_assert_int_eq(peer_frame_inspect(frame, &head, &bytes), STATUS_OK);
    if (!peer_message_is_raft(head.kind)) {
        ck_assert_int_eq(peer_frame_decode(frame, &mx.identity, &mx.sent),
                         STATUS_OK);
        mx.sent_count++;
        if (head.kind == PEER_FORWARD) {
            mx_forwarded(mx.sent.message.forward.body);
        }
    }
}

static void mx_answer(void *context, struct bytes frame)
{
    (void)context;
    ck_assert_int_eq(peer_frame_decode(frame, &mx.identity, &mx.answer),
                     STATUS_OK);
    mx.answers_count++;
}

static void mx_stage(void *context, struct bytes key, struct bytes value)
{
    (void)context;
    (void)key;
    (void)value;
    mx.staged_count++;
}

static void mx_unstage(void *context)
{
    (void)context;
    mx.unstaged_count++;
}

static void mx_reply(void *context, uint64_t ask,
                     const struct node_reply *reply)
{
    (void)context;
    mx.replied = ask;
    mx.reply = *reply;
    mx.replies_count++;
    ck_assert_uint_lt(reply->error.count, sizeof(mx.error));
    memset(mx.error, 0, sizeof(mx.error));
    if (reply->error.count > 0) {
        memcpy(mx.error, reply->error.data, reply->error.count);
    }
}

/* Node 1 with an empty log in a group of this many. */
static __attribute__((unused)) void mx_open(size_t voters)
{
    static const char *const addresses[] = {"h1:7001", "h2:7001", "h3:7001"};
    struct raft_members members = {0};
    memset(&mx, 0, sizeof(mx));
    for (size_t i = 0; i < voters; i++) {
        ck_assert(raft_members_set(&members, i + 1, RAFT_VOTER,
                                   bytes_of_text(addresses[i])));
    }
    const struct node_settings settings = {
        .raft = {.election_ms = MX_ELECTION_MS,
                 .heartbeat_ms = 20,
                 .window_entries = 16,
                 .window_bytes = 1024 * 1024,
                 .append_entries = 16,
                 .append_bytes = LIMIT_APPEND_BYTES,
                 .uncommitted_bytes = 1024 * 1024,
                 .promote_lag_entries = 8,
                 .log_bytes = LIMIT_LOG_BYTES},
        .hold_ms = 1000,
        .patience_ms = 1000,
        .resend_ms = 100,
        .alive_ms = 100000,
        .grace_ms = 1000000,
        .tick_ms = 1000000,
        .checkpoint_entries = 1000000,
        .asks_max = MX_ASKS_MAX,
    };
    const struct node_start start = {
        .self = 1,
        .boot = 7,
        .identity = {.cluster = "0123456789abcde", .incarnation = 1},
        .boundary_members = &members,
        .seed = 1,
    };
    const struct node_ports ports = {.write = mx_write,
                                     .checkpoint = mx_checkpoint,
                                     .stage = mx_stage,
                                     .unstage = mx_unstage,
                                     .send = mx_send,
                                     .answer = mx_answer,
                                     .reply = mx_reply};
    mx.identity = start.identity;
    peer_frame_init(&mx.sent);
    peer_frame_init(&mx.answer);
    ck_assert_int_eq(node_new(&settings, &start,
                              lock_machine_new((struct table_seed){{1, 2}}),
                              &ports, &mx.node),
                     STATUS_OK);
}

static __attribute__((unused)) void mx_close(void)
{
    node_free(mx.node);
    buffer_close(&mx.command);
    peer_frame_close(&mx.sent);
    peer_frame_close(&mx.answer);
}

static __attribute__((unused)) void mx_run(void)
{
    do {
        for (size_t i = 0; i < mx.writes_count; i++) {
            node_written(mx.node, mx.writes[i], mx.now);
        }
        mx.writes_count = 0;
        node_turn(mx.node, mx.now, mx.now);
    } while (mx.writes_count > 0 || node_deadline(mx.node) <= mx.now);
}

static __attribute__((unused)) void mx_wait(time_ms_t ms)
{
    mx.now += ms;
    mx_run();
}

/* In a group of one. */
static __attribute__((unused)) void mx_lead(void)
{
    mx_wait(2 * MX_ELECTION_MS);
    ck_assert(node_reigns(mx.node));
}

static __attribute__((unused)) enum status
mx_hear_status(const struct peer_message *message)
{
    struct buffer frame = {0};
    ck_assert_int_eq(peer_frame_encode(&mx.identity, message, &frame),
                     STATUS_OK);
    const enum status status =
        node_receive(mx.node, buffer_view(&frame), mx.now);
    buffer_close(&frame);
    return status;
}

static __attribute__((unused)) void mx_hear(const struct peer_message *message)
{
    ck_assert_int_eq(mx_hear_status(message), STATUS_OK);
}

/* Be led: an empty append. */
static __attribute__((unused)) void mx_follow(raft_id_t leader,
                                              raft_term_t term)
{
    const struct raft_message beat = {
        .kind = RAFT_MESSAGE_APPEND, .from = leader, .to = 1, .term = term};
    const struct peer_message message = peer_message_of_raft(&beat);
    mx_hear(&message);
    mx_run();
}

/* The first entry of the log, committed, from node 2 as leader of term 1. */
static __attribute__((unused)) void mx_append(struct raft_entry entry)
{
    const struct raft_message append = {
        .kind = RAFT_MESSAGE_APPEND,
        .from = 2,
        .to = 1,
        .term = 1,
        .append = {.commit = 1, .entries = &entry, .entries_count = 1}};
    const struct peer_message message = peer_message_of_raft(&append);
    mx_hear(&message);
    mx_run();
}

static __attribute__((unused)) void mx_ask(uint64_t ask,
                                           enum command_change_kind kind,
                                           uint64_t id, const char *address)
{
    const struct command_plan plan = {
        .kind = COMMAND_PLAN_CHANGE,
        .change = {.kind = kind, .id = id, .address = bytes_of_text(address)}};
    ck_assert_int_eq(node_ask(mx.node, ask, &plan, mx.now), STATUS_OK);
}

static __attribute__((unused)) void mx_change(enum command_change_kind kind,
                                              uint64_t id, const char *address)
{
    const size_t before = mx.replies_count;
    mx_ask(1, kind, id, address);
    mx_run();
    ck_assert_uint_eq(mx.replies_count, before + 1);
}

static __attribute__((unused)) const struct raft_members *mx_members(void)
{
    return raft_members(node_raft(mx.node));
}

#endif
