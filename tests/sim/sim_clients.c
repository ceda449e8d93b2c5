/* sim_clients.c - connections between clients and nodes.
 *
 * A request is an event at the node, which waits there as long as the node
 * stands still; an answer is an event at the client. Between the two the
 * connection may break: because the node died, or because the seed says so, in
 * which case the node believes to have answered.
 *
 * To extend: what travels is a payload of an event (sim_heap.h), one block of
 * memory.
 */
#include "sim/sim_clients.h"

#include <inttypes.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"

/* A request, or the end of one, on its way to a node. */
struct sim_clients_request {
    uint64_t ask;
    bool unblock; /* GONE: only end the wait */
};

/* An answer on its way to a client. */
struct sim_clients_answer {
    uint64_t ask;
    bool lost; /* there is none: the connection broke */
    struct node_reply reply;
    size_t value_count;
    size_t query_count;
    uint8_t data[]; /* the value, the query's reply */
};

/* A write on its way to the outside store. */
struct sim_clients_write {
    size_t lock;
    uint64_t token;
};

static struct sim_hooks sim_clients_hooks(struct sim_clients *clients);
static void sim_clients_arrive(struct sim_clients *clients,
                               const struct sim_event *event);
static void sim_clients_part(struct sim_clients *clients,
                             const struct sim_event *event);
static void sim_clients_hear(struct sim_clients *clients,
                             const struct sim_event *event);
static void sim_clients_send_answer(struct sim_clients *clients, uint64_t ask,
                                    const struct node_reply *reply, bool lost);
static void sim_clients_send_request(struct sim_clients *clients,
                                     struct sim_client *client,
                                     enum sim_event_kind kind, bool unblock);
static time_us_t sim_clients_delay(struct sim_clients *clients);

void sim_clients_init(struct sim_clients *clients, struct sim_cluster *cluster)
{
    const struct sim_options *o = cluster->options;

    memset(clients, 0, sizeof *clients);
    clients->cluster = cluster;
    clients->count = o->clients_count;
    ENSURE(clients->count <= SIM_CLIENTS_MAX);
    random_init(&clients->random, o->seed ^ UINT64_C(0xc11e475));
    sim_judge_init(&clients->judge, cluster);
    cluster->hooks = sim_clients_hooks(clients);
    for (uint32_t i = 0; i < clients->count; i++) {
        struct sim_client *client = &clients->list[i];
        client->number = i;
        client->node = (uint32_t)random_below(&clients->random, cluster->count);
        sim_clock_init(&client->clock, 0,
                       random_below(&clients->random, 1000000),
                       random_between(&clients->random, 1000000 - o->drift_ppm,
                                      1000000 + o->drift_ppm));
        sim_session_reborn(clients, client);
        sim_clients_wake(clients, client,
                         random_below(&clients->random, 4 * o->election_us));
    }
}

void sim_clients_close(struct sim_clients *clients)
{
    sim_judge_close(&clients->judge);
    memory_free(clients->asks);
}

void sim_clients_event(struct sim_clients *clients, struct sim_event *event,
                       bool idle)
{
    struct sim_cluster *cluster = clients->cluster;
    const bool to_node =
        event->kind == SIM_EVENT_REQUEST || event->kind == SIM_EVENT_GONE;

    if (to_node && cluster->nodes[event->node].paused) {
        event->at = cluster->nodes[event->node].resume_at;
        sim_heap_push(&cluster->heap, event);
        return;
    }
    struct sim_client *client = to_node ? NULL : &clients->list[event->node];
    const struct sim_clients_write *write = event->payload;
    switch (event->kind) {
    case SIM_EVENT_REQUEST:
        sim_clients_arrive(clients, event);
        break;
    case SIM_EVENT_GONE:
        sim_clients_part(clients, event);
        break;
    case SIM_EVENT_ANSWER:
        sim_clients_hear(clients, event);
        break;
    case SIM_EVENT_CLIENT:
        if (event->token != client->wake) {
            break;
        }
        if (idle) {
            sim_clients_wake(clients, client, cluster->options->election_us);
        } else {
            sim_session_wake(clients, client);
        }
        break;
    default:
        sim_session_store(clients, client, write->lock, write->token);
        break;
    }
    memory_free(event->payload);
}

void sim_clients_finish(struct sim_clients *clients)
{
    clients->closing = true;
    clients->judge.grants.healed_at = clients->cluster->now;
    for (size_t i = 0; i < clients->count; i++) {
        sim_session_finish(clients, &clients->list[i]);
    }
}

const char *sim_clients_missing(const struct sim_clients *clients,
                                const struct raft_members *members)
{
    const struct sim_cluster *cluster = clients->cluster;

    for (size_t i = 0; i < clients->count; i++) {
        if (clients->list[i].state != SIM_CLIENT_FINISHED) {
            sim_report_line(cluster->report, 0,
                            "client %zu has not finished: state %d, ask "
                            "%" PRIu64,
                            i, (int)clients->list[i].state,
                            clients->list[i].ask);
            return "a client has not finished";
        }
    }
    for (uint64_t i = 0; i < clients->asks_count; i++) {
        const struct sim_ask *ask = &clients->asks[i];
        if (ask->at_node && !ask->finished && !ask->dropped &&
            host_is_up(cluster->hosts[ask->node]) &&
            cluster->nodes[ask->node].life == ask->life) {
            sim_report_line(cluster->report, ask->node + 1,
                            "has not answered %" PRIu64, i + 1);
            return "an ask is not answered";
        }
    }
    for (size_t i = 0; i < cluster->count; i++) {
        const struct host *host = cluster->hosts[i];
        if (host_is_up(host) && raft_members_find(members, i + 1) != NULL &&
            node_count(host_node(host)).asks > 0) {
            return "a member has open requests";
        }
    }
    return NULL;
}

/* ---- a client's end ---- */

void sim_clients_ask(struct sim_clients *clients, struct sim_client *client)
{
    struct sim_cluster *cluster = clients->cluster;

    if (clients->asks_count == clients->asks_capacity) {
        clients->asks_capacity = clients->asks_capacity * 2 + 256;
        clients->asks = memory_resize(clients->asks, clients->asks_capacity,
                                      sizeof *clients->asks);
    }
    struct sim_ask *ask = &clients->asks[clients->asks_count++];
    memset(ask, 0, sizeof *ask);
    ask->client = client->number;
    ask->node = client->node;
    ask->life = cluster->nodes[client->node].life;
    ask->wish = client->wish;
    client->ask = clients->asks_count; /* number + 1: never 0 */
    client->asked_at = cluster->now;
    client->asked_local = sim_clients_local(clients, client);
    client->floor = cluster->commits.last_index;
    client->entries =
        check_asks_entries(&clients->judge.asks, sim_wish_mark(&client->wish));
    client->state = SIM_CLIENT_ASKING;
    client->tries++;
    sim_report_line(cluster->report, client->node + 1,
                    "client %u of it asks %" PRIu64 ": %s %s of %s/%" PRIu64,
                    client->number, client->ask,
                    sim_wish_text(client->wish.kind), client->wish.key,
                    client->wish.owner, client->wish.seq);
    sim_clients_send_request(clients, client, SIM_EVENT_REQUEST, false);
}

void sim_clients_hang_up(struct sim_clients *clients, struct sim_client *client)
{
    sim_clients_send_request(clients, client, SIM_EVENT_GONE, false);
    client->ask = 0;
}

void sim_clients_unblock(struct sim_clients *clients, struct sim_client *client)
{
    sim_clients_send_request(clients, client, SIM_EVENT_GONE, true);
}

void sim_clients_wake(struct sim_clients *clients, struct sim_client *client,
                      time_us_t after_us)
{
    client->wake++;
    sim_cluster_push(clients->cluster, SIM_EVENT_CLIENT, after_us,
                     client->number, client->wake);
}

time_ms_t sim_clients_local(const struct sim_clients *clients,
                            const struct sim_client *client)
{
    return sim_clock_read(&client->clock, clients->cluster->now);
}

static void sim_clients_send_request(struct sim_clients *clients,
                                     struct sim_client *client,
                                     enum sim_event_kind kind, bool unblock)
{
    struct sim_clients_request *request = memory_new(1, sizeof *request);
    const struct sim_event event = {
        .at = clients->cluster->now + sim_clients_delay(clients),
        .kind = kind,
        .node = client->node,
        .token = client->ask,
        .payload = request,
    };

    request->ask = client->ask;
    request->unblock = unblock;
    sim_heap_push(&clients->cluster->heap, &event);
}

static void sim_clients_hear(struct sim_clients *clients,
                             const struct sim_event *event)
{
    struct sim_clients_answer *answer = event->payload;
    struct sim_client *client = &clients->list[event->node];

    if (answer->ask != client->ask) {
        sim_faults_add(clients->cluster->faults, SIM_FAULT_GRANT_LOST,
                       answer->reply.answer.result == LOCK_GRANTED &&
                           answer->reply.reply_class == NODE_DONE);
        return; /* nobody listens any more */
    }
    if (answer->lost) {
        client->ask = 0;
        sim_again_lost(clients, client);
        return;
    }
    answer->reply.answer.value = bytes_of(answer->data, answer->value_count);
    answer->reply.query_reply =
        bytes_of(answer->data + answer->value_count, answer->query_count);
    if (answer->reply.last) {
        client->ask = 0;
    }
    sim_session_answered(clients, client, &answer->reply);
}

/* ---- a node's end ---- */

static void sim_clients_arrive(struct sim_clients *clients,
                               const struct sim_event *event)
{
    struct sim_cluster *cluster = clients->cluster;
    const struct sim_clients_request *request = event->payload;
    struct sim_ask *ask = &clients->asks[request->ask - 1];
    struct command_plan plan;
    struct lock_pair pair;
    struct bytes key;

    if (ask->dropped) {
        return;
    }
    if (!host_is_up(cluster->hosts[event->node]) ||
        cluster->nodes[event->node].life != ask->life) {
        sim_clients_send_answer(clients, request->ask, NULL, true);
        return;
    }
    const struct raft *raft = host_raft(cluster->hosts[event->node]);
    ask->at_node = true;
    ask->leaderless = raft_leader(raft) == 0;
    check_asks_asked(&clients->judge.asks, &ask->wish);
    sim_wish_plan(&ask->wish, &pair, &key, &plan);
    const enum status status =
        sim_cluster_ask(cluster, event->node, request->ask, &plan);
    if (status != STATUS_OK) {
        sim_report_fail(cluster->report, SIM_UNSAFE, "n%u refuses %s: %s",
                        event->node + 1, sim_wish_text(ask->wish.kind),
                        status_text(status));
    }
}

static void sim_clients_part(struct sim_clients *clients,
                             const struct sim_event *event)
{
    struct sim_cluster *cluster = clients->cluster;
    const struct sim_clients_request *request = event->payload;
    struct sim_ask *ask = &clients->asks[request->ask - 1];

    if (!ask->at_node && !request->unblock) {
        ask->dropped = true; /* it overtakes the request */
        return;
    }
    if (!ask->at_node || ask->finished ||
        !host_is_up(cluster->hosts[event->node]) ||
        cluster->nodes[event->node].life != ask->life) {
        return;
    }
    if (request->unblock) {
        ask->unblocked = true;
        sim_faults_add(cluster->faults, SIM_FAULT_UNBLOCKED,
                       sim_cluster_unblock(cluster, event->node, request->ask));
        return;
    }
    ask->dropped = true;
    sim_cluster_drop(cluster, event->node, request->ask);
}

static void sim_clients_send_answer(struct sim_clients *clients, uint64_t ask,
                                    const struct node_reply *reply, bool lost)
{
    const size_t value_count = reply != NULL ? reply->answer.value.count : 0;
    const size_t query_count = reply != NULL ? reply->query_reply.count : 0;
    struct sim_clients_answer *answer =
        memory_new(1, sizeof *answer + value_count + query_count);
    const struct sim_event event = {
        .at = clients->cluster->now + sim_clients_delay(clients),
        .kind = SIM_EVENT_ANSWER,
        .node = clients->asks[ask - 1].client,
        .token = ask,
        .payload = answer,
    };

    answer->ask = ask;
    answer->lost = lost;
    answer->value_count = value_count;
    answer->query_count = query_count;
    if (reply != NULL) {
        answer->reply = *reply;
    }
    if (value_count > 0) {
        memcpy(answer->data, reply->answer.value.data, value_count);
    }
    if (query_count > 0) {
        memcpy(answer->data + value_count, reply->query_reply.data,
               query_count);
    }
    sim_heap_push(&clients->cluster->heap, &event);
}

static time_us_t sim_clients_delay(struct sim_clients *clients)
{
    return random_between(&clients->random, 50,
                          clients->cluster->options->client_delay_us);
}

/* ---- what nodes tell ---- */

static void sim_clients_on_replied(void *context, uint32_t node,
                                   uint64_t number,
                                   const struct node_reply *reply)
{
    struct sim_clients *clients = context;
    struct sim_cluster *cluster = clients->cluster;
    struct sim_ask *ask = &clients->asks[number - 1];

    sim_report_line(
        cluster->report, node + 1,
        "answers %" PRIu64 " (%s): class %d, %s, token %" PRIu64, number,
        sim_wish_text(ask->wish.kind), (int)reply->reply_class,
        lock_result_text(reply->answer.result), reply->answer.token);
    if (ask->finished || ask->dropped || ask->node != node ||
        ask->life != cluster->nodes[node].life) {
        sim_report_fail(cluster->report, SIM_UNSAFE,
                        "n%u answers ask %" PRIu64 " once too often", node + 1,
                        number);
        return;
    }
    ask->finished = reply->last;
    check_asks_replied(&clients->judge.asks, &ask->wish, reply);
    if (reply->reply_class == NODE_DONE &&
        reply->answer.result == LOCK_RENEWED) {
        check_grants_touched(&clients->judge.grants, reply->answer.token,
                             cluster->now);
    }
    sim_faults_add(cluster->faults, SIM_FAULT_HELD,
                   ask->leaderless && reply->reply_class == NODE_DONE);
    const bool lost =
        !cluster->gentle && reply->last &&
        random_chance(&clients->random, cluster->options->answer_loss_pm, 1000);
    sim_faults_add(cluster->faults, SIM_FAULT_GRANT_LOST,
                   lost && reply->answer.result == LOCK_GRANTED &&
                       reply->reply_class == NODE_DONE);
    sim_clients_send_answer(clients, number, reply, lost);
}

static void sim_clients_on_noticed(void *context, uint32_t node,
                                   const struct lock_notice *notice)
{
    struct sim_clients *clients = context;

    (void)notice;
    check_stream_noticed(&clients->judge.stream, node);
}

/* P4: a place in the queue goes by the wish of whoever asked for it last, and
 * is never taken from somebody who still waits for it. */
static void sim_clients_see_abandon(struct sim_clients *clients,
                                    raft_index_t index,
                                    const struct lock_outcome *outcome)
{
    const struct check_ledger *ledger = &clients->judge.stream.watch.ledger;

    for (size_t i = 0; i < outcome->notices_count; i++) {
        const struct lock_notice *notice = &outcome->notices[i];
        const struct check_ledger_claim *claim = check_ledger_find(
            ledger, notice->key, notice->owner, notice->seq, notice->mode);
        if (notice->kind != LOCK_NOTICE_CANCELLED || claim == NULL) {
            continue;
        }
        for (size_t j = 0; j < clients->count; j++) {
            const struct sim_client *client = &clients->list[j];
            if (client->ask == 0 || client->wish.kind != SIM_WISH_ACQUIRE ||
                client->wish.wait_ms != TIME_NEVER ||
                client->claim != sim_wish_claim(notice->key, notice->owner,
                                                notice->seq, notice->mode)) {
                continue;
            }
            sim_faults_add(clients->cluster->faults, SIM_FAULT_PLACE_KEPT, 1);
            const struct sim_ask *ask = &clients->asks[client->ask - 1];
            if (client->wish.ttl_ms == claim->ttl_ms && ask->at_node &&
                !ask->finished && !ask->dropped && !ask->unblocked &&
                ask->life == clients->cluster->nodes[ask->node].life) {
                sim_report_fail(clients->cluster->report, SIM_UNSAFE,
                                "entry %" PRIu64 " takes the place of client "
                                "%zu, who waits for it",
                                index, j);
            }
        }
    }
}

static void sim_clients_on_applied(void *context, uint32_t node,
                                   raft_index_t index,
                                   const struct raft_entry *entry,
                                   const struct lock_outcome *outcome,
                                   bool first)
{
    struct sim_clients *clients = context;

    if (first && outcome != NULL && outcome->kind == LOCK_COMMAND_ABANDON) {
        sim_clients_see_abandon(clients, index, outcome);
    }
    sim_judge_applied(&clients->judge, node, index, entry, outcome, first);
}

static void sim_clients_on_replaced(void *context, uint32_t node)
{
    (void)context;
    (void)node;
}

static void sim_clients_on_crashed(void *context, uint32_t node)
{
    struct sim_clients *clients = context;
    struct sim_cluster *cluster = clients->cluster;

    check_stream_crashed(&clients->judge.stream, node);
    for (size_t i = 0; i < clients->count; i++) {
        const struct sim_client *client = &clients->list[i];
        if (client->ask != 0 && client->node == node) {
            const struct sim_ask *ask = &clients->asks[client->ask - 1];
            if (ask->life == cluster->nodes[node].life) {
                sim_clients_send_answer(clients, client->ask, NULL, true);
            }
        }
    }
}

static struct sim_hooks sim_clients_hooks(struct sim_clients *clients)
{
    return (struct sim_hooks){
        .context = clients,
        .replied = sim_clients_on_replied,
        .noticed = sim_clients_on_noticed,
        .applied = sim_clients_on_applied,
        .replaced = sim_clients_on_replaced,
        .crashed = sim_clients_on_crashed,
    };
}
