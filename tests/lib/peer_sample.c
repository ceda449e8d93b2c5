/* peer_sample.c - messages between nodes to test with.
 *
 * To extend: a new kind goes into the list, and gets a case in draw, in plain
 * and in equal. Comparing fields and not bytes is the point of equal: an
 * encoder and a decoder that make the same mistake agree on bytes.
 */
#include "lib/peer_sample.h"

#include <string.h>

#include "base/ensure.h"
#include "raft/raft_members.h"

const enum peer_message_kind peer_sample_kinds[PEER_SAMPLE_KINDS] = {
    PEER_VOTE,         PEER_VOTE_REPLY,  PEER_APPEND,
    PEER_APPEND_REPLY, PEER_SNAPSHOT,    PEER_SNAPSHOT_REPLY,
    PEER_TIMEOUT_NOW,  PEER_JOIN,        PEER_JOIN_REPLY,
    PEER_FETCH,        PEER_FETCH_REPLY, PEER_REMOVE,
    PEER_REMOVE_REPLY, PEER_FORWARD,     PEER_FORWARD_REPLY,
    PEER_PUBLISH,      PEER_FOUND,       PEER_HELLO,
    PEER_HELLO_REPLY,  PEER_REMOVED,
};

static void draw_raft(struct peer_sample *sample, struct random *random);
static void draw_node(struct peer_sample *sample, struct random *random);
static void plain_raft(struct peer_sample *sample);
static void plain_node(struct peer_sample *sample);
static bool equal_raft(const struct raft_message *a,
                       const struct raft_message *b);
static bool equal_node(const struct peer_message *a,
                       const struct peer_message *b);

/* ---- the parts of a sample ---- */

static void start(struct peer_sample *sample, enum peer_message_kind kind,
                  raft_id_t from, raft_id_t to)
{
    memset(sample, 0, sizeof(*sample));
    sample->message.kind = kind;
    sample->message.from = from;
    sample->message.to = to;
    if (peer_message_is_raft(kind)) {
        sample->message.raft.kind = (enum raft_message_kind)kind;
        sample->message.raft.from = from;
        sample->message.raft.to = to;
    }
}

static struct bytes keep(struct peer_sample *sample, struct bytes bytes)
{
    uint8_t *copy = sample->storage + sample->storage_used;
    ENSURE(bytes.count <= sizeof(sample->storage) - sample->storage_used);

    if (bytes.count > 0) {
        memcpy(copy, bytes.data, bytes.count);
    }
    sample->storage_used += bytes.count;
    return bytes_of(copy, bytes.count);
}

static struct bytes keep_members(struct peer_sample *sample,
                                 const struct raft_members *members)
{
    struct buffer buffer = {0};
    raft_members_encode(members, &buffer);
    const struct bytes kept = keep(sample, buffer_view(&buffer));
    buffer_close(&buffer);
    return kept;
}

static struct bytes draw_bytes(struct peer_sample *sample,
                               struct random *random, uint8_t low, uint8_t high,
                               size_t count)
{
    uint8_t bytes[256];
    ENSURE(count <= sizeof(bytes));

    for (size_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)random_between(random, low, high);
    }
    return keep(sample, bytes_of(bytes, count));
}

static struct bytes draw_payload(struct peer_sample *sample,
                                 struct random *random)
{
    const size_t count = (size_t)random_below(random, 65);
    return draw_bytes(sample, random, 0, 255, count);
}

static struct bytes draw_address(struct peer_sample *sample,
                                 struct random *random)
{
    const size_t count = (size_t)random_between(random, 1, 24);
    return draw_bytes(sample, random, '!', '~', count);
}

static struct bytes draw_members(struct peer_sample *sample,
                                 struct random *random)
{
    struct raft_members members = {0};
    const size_t count = (size_t)random_between(random, 1, 5);
    for (size_t i = 0; i < count; i++) {
        const bool voter = i == 0 || random_chance(random, 2, 3);
        const bool fits = raft_members_set(
            &members, 10 * (i + 1) + random_below(random, 10),
            voter ? RAFT_VOTER : RAFT_LEARNER, draw_address(sample, random));
        ENSURE(fits);
    }
    return keep_members(sample, &members);
}

/* Small numbers and huge ones alike. */
static uint64_t draw_number(struct random *random, uint64_t low)
{
    const uint64_t high = random_chance(random, 1, 4)
                              ? PEER_NUMBER_MAX - PEER_SAMPLE_ENTRIES_MAX
                              : low + 1000;
    return random_between(random, low, high);
}

static bool draw_bool(struct random *random)
{
    return random_chance(random, 1, 2);
}

/* ---- random contents ---- */

void peer_sample_draw(struct peer_sample *sample, enum peer_message_kind kind,
                      struct random *random)
{
    const raft_id_t from = random_between(random, 1, UINT64_MAX / 2);
    start(sample, kind, from, from + random_between(random, 1, 9));
    if (peer_message_is_raft(kind)) {
        draw_raft(sample, random);
    } else {
        draw_node(sample, random);
    }
}

static void draw_append(struct peer_sample *sample, struct random *random)
{
    struct raft_append *append = &sample->message.raft.append;
    raft_term_t term = 0;
    if (random_chance(random, 3, 4)) {
        append->prev_index = draw_number(random, 1);
        term = random_between(random, 1, sample->message.raft.term);
    }
    append->prev_term = term;
    append->commit = draw_number(random, 0);
    append->round = random_next(random);
    if (append->commit > 0 && draw_bool(random)) {
        append->admit = random_next(random) | 1;
        append->admit_index = random_between(random, 1, append->commit);
    }
    append->entries_count =
        (size_t)random_below(random, PEER_SAMPLE_ENTRIES_MAX + 1);
    append->entries = append->entries_count > 0 ? sample->entries : NULL;
    for (size_t i = 0; i < append->entries_count; i++) {
        struct raft_entry *entry = &sample->entries[i];
        term = random_between(random, term > 0 ? term : 1,
                              sample->message.raft.term);
        entry->term = term;
        entry->kind = (enum raft_entry_kind)random_between(
            random, RAFT_ENTRY_NOOP, RAFT_ENTRY_MEMBERS);
        if (entry->kind == RAFT_ENTRY_MEMBERS) {
            entry->payload = draw_members(sample, random);
        } else if (entry->kind == RAFT_ENTRY_COMMAND) {
            entry->payload = draw_payload(sample, random);
        }
    }
}

static void draw_append_reply(struct raft_message *raft, struct random *random)
{
    struct raft_append_reply *reply = &raft->append_reply;
    reply->accepted = draw_bool(random);
    reply->prev_index = draw_number(random, 0);
    reply->round = random_next(random);
    reply->probation = draw_bool(random) ? random_next(random) : 0;
    if (reply->accepted) {
        reply->match_index = draw_number(random, 0);
    } else {
        reply->recovery_index = draw_number(random, 0);
        reply->recovery_term = random_between(random, 0, raft->term);
    }
}

static void draw_vote(struct raft_message *raft, struct random *random)
{
    raft->vote.pre = draw_bool(random);
    raft->vote.transfer = draw_bool(random);
    if (raft->term > 1 && random_chance(random, 3, 4)) {
        raft->vote.last_index = draw_number(random, 1);
        raft->vote.last_term = random_between(random, 1, raft->term - 1);
    }
}

static void draw_raft(struct peer_sample *sample, struct random *random)
{
    struct raft_message *raft = &sample->message.raft;
    raft->term = draw_number(random, 1);
    switch (raft->kind) {
    case RAFT_MESSAGE_VOTE:
        draw_vote(raft, random);
        break;
    case RAFT_MESSAGE_VOTE_REPLY:
        raft->vote_reply.pre = draw_bool(random);
        raft->vote_reply.granted = draw_bool(random);
        break;
    case RAFT_MESSAGE_APPEND:
        draw_append(sample, random);
        break;
    case RAFT_MESSAGE_APPEND_REPLY:
        draw_append_reply(raft, random);
        break;
    case RAFT_MESSAGE_SNAPSHOT:
        raft->snapshot = (struct raft_snapshot){
            .index = draw_number(random, 1),
            .term = random_between(random, 1, raft->term),
            .offset = random_below(random, UINT32_MAX),
            .members = draw_members(sample, random),
            .data = draw_payload(sample, random),
            .last = draw_bool(random),
            .round = random_next(random),
        };
        break;
    case RAFT_MESSAGE_SNAPSHOT_REPLY:
        raft->snapshot_reply = (struct raft_snapshot_reply){
            .index = draw_number(random, 1),
            .offset = draw_number(random, 0),
            .installed = draw_bool(random),
            .round = random_next(random),
            .probation = draw_bool(random) ? random_next(random) : 0,
        };
        break;
    case RAFT_MESSAGE_TIMEOUT_NOW:
        break;
    case RAFT_MESSAGE_FOUND:
        raft->found.founded = draw_bool(random);
        raft->found.members =
            raft->found.founded ? 0 : (uint32_t)random_next(random);
        raft->found.founders.count = 1;
        raft->found.founders.list[0] = (struct raft_founder){
            .id = raft->from, .directory = random_next(random) | 1};
        break;
    }
}

static struct peer_change_reply draw_change(struct peer_sample *sample,
                                            struct random *random)
{
    struct peer_change_reply reply = {
        .result = (enum peer_change_result)random_between(
            random, PEER_CHANGE_OK, PEER_CHANGE_LATER)};
    if (reply.result == PEER_CHANGE_NOT_LEADER && draw_bool(random)) {
        reply.leader = random_between(random, 1, UINT64_MAX);
        reply.leader_address = draw_address(sample, random);
    }
    if (reply.result >= PEER_CHANGE_REFUSED) {
        reply.reason = draw_bytes(sample, random, ' ', '~',
                                  (size_t)random_below(random, 60));
    }
    return reply;
}

static void draw_forward(struct peer_sample *sample, struct random *random)
{
    const uint64_t number = draw_number(random, 1);
    sample->message.forward = (struct peer_forward){
        .origin = {.node = random_between(random, 1, UINT64_MAX),
                   .boot = random_next(random)},
        .number = number,
        .first_unanswered = random_between(random, 1, number),
        .body = draw_payload(sample, random),
    };
}

static void draw_node(struct peer_sample *sample, struct random *random)
{
    struct peer_message *message = &sample->message;
    switch (message->kind) {
    case PEER_JOIN:
        message->join = (struct peer_join){
            .id = random_between(random, 1, UINT64_MAX),
            .address = draw_address(sample, random),
            .incarnation = random_next(random),
        };
        break;
    case PEER_JOIN_REPLY:
        message->join_reply = draw_change(sample, random);
        break;
    case PEER_FETCH_REPLY:
        message->fetch_reply = (struct peer_fetch_reply){
            .leader = random_next(random),
            .commit = draw_number(random, 0),
            .members = draw_members(sample, random),
        };
        break;
    case PEER_REMOVE:
        message->remove.id = random_between(random, 1, UINT64_MAX);
        break;
    case PEER_REMOVE_REPLY:
        message->remove_reply = draw_change(sample, random);
        break;
    case PEER_FORWARD:
        draw_forward(sample, random);
        break;
    case PEER_FORWARD_REPLY:
        message->forward_reply = (struct peer_forward_reply){
            .origin = {.node = random_between(random, 1, UINT64_MAX),
                       .boot = random_next(random)},
            .number = draw_number(random, 1),
            .reply_class = (enum peer_reply_class)random_between(
                random, PEER_REPLY_DONE, PEER_REPLY_UNKNOWN),
            .body = draw_payload(sample, random),
        };
        break;
    case PEER_PUBLISH:
        message->publish = (struct peer_publish){
            .boot = random_between(random, 1, UINT64_MAX),
            .number = draw_number(random, 1),
            .shard = random_chance(random, 1, 2),
            .channel = draw_payload(sample, random),
            .message = draw_payload(sample, random),
        };
        break;
    case PEER_HELLO:
        message->hello.least = (uint8_t)random_between(random, 1, UINT8_MAX);
        message->hello.most =
            (uint8_t)random_between(random, message->hello.least, UINT8_MAX);
        message->hello.features = random_next(random);
        break;
    case PEER_HELLO_REPLY:
        message->hello_reply.least =
            (uint8_t)random_between(random, 1, UINT8_MAX);
        message->hello_reply.most = (uint8_t)random_between(
            random, message->hello_reply.least, UINT8_MAX);
        message->hello_reply.chosen =
            draw_bool(random) ? 0 : message->hello_reply.least;
        message->hello_reply.features = random_next(random);
        break;
    case PEER_REMOVED:
        message->removed.index = draw_number(random, 1);
        break;
    default:
        ENSURE(message->kind == PEER_FETCH);
    }
}

/* ---- fixed contents ---- */

void peer_sample_plain(struct peer_sample *sample, enum peer_message_kind kind)
{
    start(sample, kind, 1, 2);
    if (peer_message_is_raft(kind)) {
        plain_raft(sample);
    } else {
        plain_node(sample);
    }
}

static struct bytes plain_members(struct peer_sample *sample)
{
    struct raft_members members = {0};
    raft_members_set(&members, 1, RAFT_VOTER, bytes_of_text("one:7001"));
    raft_members_set(&members, 2, RAFT_LEARNER, bytes_of_text("two:7001"));
    return keep_members(sample, &members);
}

static void plain_append(struct peer_sample *sample)
{
    sample->entries[0] = (struct raft_entry){
        .term = 4,
        .kind = RAFT_ENTRY_COMMAND,
        .payload = keep(sample, bytes_of_text("abc")),
    };
    sample->entries[1] =
        (struct raft_entry){.term = 5, .kind = RAFT_ENTRY_NOOP};
    sample->entries[2] = (struct raft_entry){
        .term = 5,
        .kind = RAFT_ENTRY_MEMBERS,
        .payload = plain_members(sample),
    };
    sample->message.raft.append = (struct raft_append){
        .prev_index = 7,
        .prev_term = 3,
        .commit = 6,
        .round = 9,
        .entries = sample->entries,
        .entries_count = 3,
    };
}

static void plain_raft(struct peer_sample *sample)
{
    struct raft_message *raft = &sample->message.raft;
    raft->term = 5;
    switch (raft->kind) {
    case RAFT_MESSAGE_VOTE:
        raft->vote = (struct raft_vote){
            .last_index = 10, .last_term = 4, .transfer = true};
        break;
    case RAFT_MESSAGE_VOTE_REPLY:
        raft->vote_reply = (struct raft_vote_reply){.granted = true};
        break;
    case RAFT_MESSAGE_APPEND:
        plain_append(sample);
        break;
    case RAFT_MESSAGE_APPEND_REPLY:
        raft->append_reply = (struct raft_append_reply){.prev_index = 7,
                                                        .recovery_index = 6,
                                                        .recovery_term = 3,
                                                        .round = 9};
        break;
    case RAFT_MESSAGE_SNAPSHOT:
        raft->snapshot = (struct raft_snapshot){
            .index = 8,
            .term = 4,
            .offset = 100,
            .members = plain_members(sample),
            .data = keep(sample, bytes_of_text("state")),
            .last = true,
            .round = 9,
        };
        break;
    case RAFT_MESSAGE_SNAPSHOT_REPLY:
        raft->snapshot_reply = (struct raft_snapshot_reply){
            .index = 8, .offset = 105, .installed = true, .round = 9};
        break;
    case RAFT_MESSAGE_TIMEOUT_NOW:
        break;
    case RAFT_MESSAGE_FOUND:
        raft->found.members = 0xabc;
        raft->found.founders.count = 1;
        raft->found.founders.list[0] =
            (struct raft_founder){.id = raft->from, .directory = 77};
        break;
    }
}

static void plain_node(struct peer_sample *sample)
{
    struct peer_message *message = &sample->message;
    switch (message->kind) {
    case PEER_JOIN:
        message->join = (struct peer_join){
            .id = 3,
            .address = keep(sample, bytes_of_text("host:7001")),
            .incarnation = 77,
        };
        break;
    case PEER_JOIN_REPLY:
        message->join_reply = (struct peer_change_reply){
            .result = PEER_CHANGE_NOT_LEADER,
            .leader = 3,
            .leader_address = keep(sample, bytes_of_text("host:7001")),
        };
        break;
    case PEER_FETCH_REPLY:
        message->fetch_reply = (struct peer_fetch_reply){
            .leader = 3, .commit = 12, .members = plain_members(sample)};
        break;
    case PEER_REMOVE:
        message->remove.id = 3;
        break;
    case PEER_REMOVE_REPLY:
        message->remove_reply = (struct peer_change_reply){
            .result = PEER_CHANGE_REFUSED,
            .reason = keep(sample, bytes_of_text("no such member")),
        };
        break;
    case PEER_FORWARD:
        message->forward = (struct peer_forward){
            .origin = {.node = 1, .boot = 88},
            .number = 20,
            .first_unanswered = 18,
            .body = keep(sample, bytes_of_text("plan")),
        };
        break;
    case PEER_FORWARD_REPLY:
        message->forward_reply = (struct peer_forward_reply){
            .origin = {.node = 1, .boot = 88},
            .number = 20,
            .reply_class = PEER_REPLY_DONE,
            .body = keep(sample, bytes_of_text("outcome")),
        };
        break;
    case PEER_PUBLISH:
        message->publish = (struct peer_publish){
            .boot = 88,
            .number = 20,
            .shard = true,
            .channel = keep(sample, bytes_of_text("news")),
            .message = keep(sample, bytes_of_text("hello")),
        };
        break;
    case PEER_HELLO:
        message->hello =
            (struct peer_hello){.least = 2, .most = 4, .features = 0x99};
        break;
    case PEER_HELLO_REPLY:
        message->hello_reply = (struct peer_hello){
            .least = 1, .most = 3, .chosen = 2, .features = 0x99};
        break;
    case PEER_REMOVED:
        message->removed.index = 12;
        break;
    default:
        ENSURE(message->kind == PEER_FETCH);
    }
}

struct peer_identity peer_sample_identity(void)
{
    struct peer_identity identity = {.group = 4, .incarnation = 0x1122334455};
    memcpy(identity.cluster, "0123456789abcdef", PEER_CLUSTER_BYTES);
    return identity;
}

/* ---- comparing ---- */

bool peer_sample_equal(const struct peer_message *a,
                       const struct peer_message *b)
{
    if (a->kind != b->kind || a->from != b->from || a->to != b->to) {
        return false;
    }
    return peer_message_is_raft(a->kind) ? equal_raft(&a->raft, &b->raft)
                                         : equal_node(a, b);
}

static bool equal_append(const struct raft_append *a,
                         const struct raft_append *b)
{
    if (a->prev_index != b->prev_index || a->prev_term != b->prev_term ||
        a->commit != b->commit || a->round != b->round ||
        a->admit != b->admit || a->admit_index != b->admit_index ||
        a->entries_count != b->entries_count) {
        return false;
    }
    for (size_t i = 0; i < a->entries_count; i++) {
        if (a->entries[i].term != b->entries[i].term ||
            a->entries[i].kind != b->entries[i].kind ||
            !bytes_equal(a->entries[i].payload, b->entries[i].payload)) {
            return false;
        }
    }
    return true;
}

static bool equal_append_reply(const struct raft_append_reply *a,
                               const struct raft_append_reply *b)
{
    return a->accepted == b->accepted && a->prev_index == b->prev_index &&
           a->match_index == b->match_index &&
           a->recovery_index == b->recovery_index &&
           a->recovery_term == b->recovery_term && a->round == b->round &&
           a->probation == b->probation;
}

static bool equal_snapshot(const struct raft_snapshot *a,
                           const struct raft_snapshot *b)
{
    return a->index == b->index && a->term == b->term &&
           a->offset == b->offset && bytes_equal(a->members, b->members) &&
           bytes_equal(a->data, b->data) && a->last == b->last &&
           a->round == b->round;
}

static bool equal_raft(const struct raft_message *a,
                       const struct raft_message *b)
{
    if (a->kind != b->kind || a->from != b->from || a->to != b->to ||
        a->term != b->term) {
        return false;
    }
    switch (a->kind) {
    case RAFT_MESSAGE_VOTE:
        return a->vote.last_index == b->vote.last_index &&
               a->vote.last_term == b->vote.last_term &&
               a->vote.pre == b->vote.pre &&
               a->vote.transfer == b->vote.transfer;
    case RAFT_MESSAGE_VOTE_REPLY:
        return a->vote_reply.pre == b->vote_reply.pre &&
               a->vote_reply.granted == b->vote_reply.granted;
    case RAFT_MESSAGE_APPEND:
        return equal_append(&a->append, &b->append);
    case RAFT_MESSAGE_APPEND_REPLY:
        return equal_append_reply(&a->append_reply, &b->append_reply);
    case RAFT_MESSAGE_SNAPSHOT:
        return equal_snapshot(&a->snapshot, &b->snapshot);
    case RAFT_MESSAGE_SNAPSHOT_REPLY:
        return a->snapshot_reply.index == b->snapshot_reply.index &&
               a->snapshot_reply.offset == b->snapshot_reply.offset &&
               a->snapshot_reply.installed == b->snapshot_reply.installed &&
               a->snapshot_reply.round == b->snapshot_reply.round &&
               a->snapshot_reply.probation == b->snapshot_reply.probation;
    case RAFT_MESSAGE_TIMEOUT_NOW:
        return true;
    case RAFT_MESSAGE_FOUND:
        return a->found.founded == b->found.founded &&
               a->found.members == b->found.members &&
               memcmp(&a->found.founders, &b->found.founders,
                      sizeof a->found.founders) == 0;
    }
    return false;
}

static bool equal_change(const struct peer_change_reply *a,
                         const struct peer_change_reply *b)
{
    return a->result == b->result && a->leader == b->leader &&
           bytes_equal(a->leader_address, b->leader_address) &&
           bytes_equal(a->reason, b->reason);
}

static bool equal_forward(const struct peer_forward *a,
                          const struct peer_forward *b)
{
    return a->origin.node == b->origin.node &&
           a->origin.boot == b->origin.boot && a->number == b->number &&
           a->first_unanswered == b->first_unanswered &&
           bytes_equal(a->body, b->body);
}

static bool equal_forward_reply(const struct peer_forward_reply *a,
                                const struct peer_forward_reply *b)
{
    return a->origin.node == b->origin.node &&
           a->origin.boot == b->origin.boot && a->number == b->number &&
           a->reply_class == b->reply_class && bytes_equal(a->body, b->body);
}

static bool equal_publish(const struct peer_publish *a,
                          const struct peer_publish *b)
{
    return a->boot == b->boot && a->number == b->number &&
           a->shard == b->shard && bytes_equal(a->channel, b->channel) &&
           bytes_equal(a->message, b->message);
}

static bool equal_hello(const struct peer_hello *a, const struct peer_hello *b)
{
    return a->least == b->least && a->most == b->most &&
           a->chosen == b->chosen && a->features == b->features;
}

static bool equal_node(const struct peer_message *a,
                       const struct peer_message *b)
{
    switch (a->kind) {
    case PEER_JOIN:
        return a->join.id == b->join.id &&
               a->join.incarnation == b->join.incarnation &&
               bytes_equal(a->join.address, b->join.address);
    case PEER_JOIN_REPLY:
        return equal_change(&a->join_reply, &b->join_reply);
    case PEER_FETCH:
        return true;
    case PEER_FETCH_REPLY:
        return a->fetch_reply.leader == b->fetch_reply.leader &&
               a->fetch_reply.commit == b->fetch_reply.commit &&
               bytes_equal(a->fetch_reply.members, b->fetch_reply.members);
    case PEER_REMOVE:
        return a->remove.id == b->remove.id;
    case PEER_REMOVE_REPLY:
        return equal_change(&a->remove_reply, &b->remove_reply);
    case PEER_FORWARD:
        return equal_forward(&a->forward, &b->forward);
    case PEER_FORWARD_REPLY:
        return equal_forward_reply(&a->forward_reply, &b->forward_reply);
    case PEER_PUBLISH:
        return equal_publish(&a->publish, &b->publish);
    case PEER_HELLO:
        return equal_hello(&a->hello, &b->hello);
    case PEER_HELLO_REPLY:
        return equal_hello(&a->hello_reply, &b->hello_reply);
    case PEER_REMOVED:
        return a->removed.index == b->removed.index;
    default:
        return false;
    }
}
