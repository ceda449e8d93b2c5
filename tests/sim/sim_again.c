/* sim_again.c - clients that hear nothing, or nothing that helps.
 *
 * Whoever waits has patience, and then asks the same again at another node,
 * goes away, or has its wait ended. What it asked may still be applied; which
 * of that an owner must reckon with is in sim_session.c.
 *
 * To extend: another reaction is a branch in sim_again_impatient() or
 * sim_again_failed().
 */
#include "sim/sim_clients.h"

static time_us_t sim_again_longest_wait(const struct sim_clients *clients);
static void sim_again_forgotten(struct sim_clients *clients,
                                const struct sim_client *client);

/* How long an open ask may take before the client does something about it. */
void sim_again_patience(struct sim_clients *clients, struct sim_client *client)
{
    const struct sim_options *o = clients->cluster->options;
    const struct sim_wish *wish = &client->wish;
    time_us_t wait_us = 2000 * o->node.patience_ms + 4 * o->election_us;

    if (wish->kind == SIM_WISH_ACQUIRE && wish->wait_ms == TIME_NEVER) {
        wait_us = random_between(&clients->random, 1, 20 * o->election_us);
    } else if (wish->kind == SIM_WISH_ACQUIRE && wish->wait_ms > 0) {
        wait_us += 1200 * wish->wait_ms;
    }
    if (random_chance(&clients->random, 1, 50)) {
        wait_us = random_between(&clients->random, 1, o->election_us);
    }
    if (clients->closing) {
        wait_us = 3 * wait_us + sim_again_longest_wait(clients);
    }
    sim_clients_wake(clients, client, wait_us);
}

/* P5: once all is healed, everybody ahead in a queue is granted and gives back
 * or expires, one after the other. */
static time_us_t sim_again_longest_wait(const struct sim_clients *clients)
{
    const struct sim_options *o = clients->cluster->options;
    const time_us_t turn_us = 1000 * (6 * o->ttl_ms + 3 * o->raft.election_ms);

    return (clients->count + 2) * turn_us + 60 * o->election_us +
           1000 * (2 * o->node.grace_ms + 2 * o->node.patience_ms);
}

static void sim_again_forgotten(struct sim_clients *clients,
                                const struct sim_client *client)
{
    const struct sim_cluster *cluster = clients->cluster;
    const struct sim_ask *ask = &clients->asks[client->ask - 1];
    uint32_t leader;

    if (sim_cluster_leader(cluster, &leader) && ask->at_node &&
        ask->life == cluster->nodes[client->node].life &&
        raft_members_find(raft_members(host_raft(cluster->hosts[leader])),
                          client->node + 1) != NULL) {
        sim_report_fail(cluster->report, SIM_STUCK,
                        "healed, and client %u waits for ever", client->number);
    }
}

void sim_again_impatient(struct sim_clients *clients, struct sim_client *client)
{
    if (clients->closing) {
        sim_again_forgotten(clients, client);
    }
    const bool waits = client->wish.kind == SIM_WISH_ACQUIRE &&
                       client->wish.wait_ms > 0 && !clients->closing;

    if (waits && random_chance(&clients->random, 1, 3)) {
        sim_faults_add(clients->cluster->faults, SIM_FAULT_GONE_WAITING, 1);
        sim_clients_hang_up(clients, client);
        sim_session_reborn(clients, client);
        sim_session_over(clients, client);
        return;
    }
    if (waits && random_chance(&clients->random, 1, 3)) {
        sim_clients_unblock(clients, client);
        sim_again_patience(clients, client);
        return;
    }
    sim_clients_hang_up(clients, client);
    client->unresolved = true;
    if (waits && random_chance(&clients->random, 1, 3)) {
        client->wish.kind = SIM_WISH_CANCEL;
        client->tries = 0;
        sim_clients_ask(clients, client);
        sim_again_patience(clients, client);
        return;
    }
    sim_again_failed(clients, client);
}

void sim_again_lost(struct sim_clients *clients, struct sim_client *client)
{
    client->unresolved = true;
    sim_again_failed(clients, client);
}

/* There is no answer, or one that says little: again, elsewhere, or never. */
void sim_again_failed(struct sim_clients *clients, struct sim_client *client)
{
    const enum sim_wish_kind kind = client->wish.kind;
    const bool once = kind == SIM_WISH_ADD || kind == SIM_WISH_APPEND ||
                      kind == SIM_WISH_SET || kind == SIM_WISH_DELETE ||
                      kind == SIM_WISH_DEADLINE || kind == SIM_WISH_BREAK;
    const bool spent =
        kind == SIM_WISH_ACQUIRE && client->acquires == SIM_SESSION_ACQUIRES;
    const bool give_up = clients->closing
                             ? kind == SIM_WISH_ACQUIRE
                             : random_chance(&clients->random, 1, 8) || spent;

    sim_faults_add(clients->cluster->faults, SIM_FAULT_READ_DROPPED,
                   sim_wish_is_question(&client->wish));
    sim_again_move(clients, client);
    if (client->has) { /* the next step decides */
        client->state = SIM_CLIENT_HOLDING;
        sim_clients_wake(clients, client, sim_session_think(clients));
        return;
    }
    if (give_up || once) {
        if (kind == SIM_WISH_ACQUIRE || kind == SIM_WISH_RELEASE ||
            kind == SIM_WISH_CANCEL) {
            sim_session_reborn(clients, client);
        }
        sim_session_over(clients, client);
        return;
    }
    client->state = SIM_CLIENT_WAITING;
    sim_clients_wake(clients, client, sim_session_think(clients));
}

/* To another node. In the end only members will do: the others cannot help. */
void sim_again_move(struct sim_clients *clients, struct sim_client *client)
{
    const struct sim_cluster *cluster = clients->cluster;
    const struct raft_members *members = NULL;
    uint32_t leader;

    client->node = (uint32_t)random_below(&clients->random, cluster->count);
    if (!clients->closing || !sim_cluster_leader(cluster, &leader)) {
        return;
    }
    members = raft_members(host_raft(cluster->hosts[leader]));
    while (raft_members_find(members, client->node + 1) == NULL) {
        client->node = (client->node + 1) % (uint32_t)cluster->count;
    }
}

void sim_again_retry(struct sim_clients *clients, struct sim_client *client)
{
    if (client->wish.kind == SIM_WISH_ACQUIRE) {
        sim_session_acquire(clients, client);
        return;
    }
    sim_clients_ask(clients, client);
    sim_again_patience(clients, client);
}
