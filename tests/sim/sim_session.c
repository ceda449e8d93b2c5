/* sim_session.c - what clients do with their locks.
 *
 * A client behaves as a careful library would. It counts a lease from the
 * moment it sent the request, on its own clock, and less of it than the ttl by
 * the margin that clocks need; a grant that came after a long wait is renewed
 * before it is used. What may still be applied although nobody waits for it
 * ends an owner's life: the next session is another owner's.
 *
 * And some clients are not careful: they stand still past their ttl and write
 * as if nothing had happened. The stores must refuse them.
 *
 * To extend: another thing to do is a branch in sim_session_begin() or
 * sim_session_step(), and what its answer means in sim_session_answered().
 */
#include <stdio.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "sim/sim_clients.h"
#include "sim/sim_draw.h"

static void sim_session_begin(struct sim_clients *clients,
                              struct sim_client *client);
static void sim_session_give_up(struct sim_clients *clients,
                                struct sim_client *client);
static void sim_session_step(struct sim_clients *clients,
                             struct sim_client *client);
static void sim_session_renew(struct sim_clients *clients,
                              struct sim_client *client);
static void sim_session_release(struct sim_clients *clients,
                                struct sim_client *client);
static void sim_session_die(struct sim_clients *clients,
                            struct sim_client *client);
static void sim_session_stand_still(struct sim_clients *clients,
                                    struct sim_client *client);
static void sim_session_go_on(struct sim_clients *clients,
                              struct sim_client *client);
static void sim_session_acquired(struct sim_clients *clients,
                                 struct sim_client *client,
                                 const struct node_reply *reply);
static void sim_session_renewed(struct sim_clients *clients,
                                struct sim_client *client,
                                const struct node_reply *reply);
static void sim_session_believe(struct sim_clients *clients,
                                struct sim_client *client);
static uint64_t sim_session_claim(const struct sim_client *client);

void sim_session_reborn(struct sim_clients *clients, struct sim_client *client)
{
    const struct sim_options *o = clients->cluster->options;

    sim_session_give_up(clients, client);
    client->lives++;
    client->acquires = 0;
    client->unresolved = false;
    client->has = false;
    client->ttl_base = o->ttl_ms + random_below(&clients->random, o->ttl_ms);
    snprintf(client->owner, sizeof client->owner, "c%u-%u", client->number,
             (unsigned)client->lives);
    check_holds_end(&clients->judge.holds, client->number);
}

void sim_session_wake(struct sim_clients *clients, struct sim_client *client)
{
    switch (client->state) {
    case SIM_CLIENT_IDLE:
        sim_session_begin(clients, client);
        break;
    case SIM_CLIENT_ASKING:
        sim_again_impatient(clients, client);
        break;
    case SIM_CLIENT_WAITING:
        sim_again_retry(clients, client);
        break;
    case SIM_CLIENT_HOLDING:
        sim_session_step(clients, client);
        break;
    case SIM_CLIENT_PAUSED:
        sim_session_go_on(clients, client);
        break;
    case SIM_CLIENT_FINISHED:
        break;
    }
}

/* As if nothing had happened: at either store. */
static void sim_session_go_on(struct sim_clients *clients,
                              struct sim_client *client)
{
    if (random_chance(&clients->random, 1, 2)) {
        sim_draw_fenced(clients, client);
        sim_clients_ask(clients, client);
        sim_again_patience(clients, client);
        return;
    }
    sim_draw_store_write(clients, client);
    client->state = SIM_CLIENT_HOLDING;
    sim_clients_wake(clients, client, sim_session_think(clients));
}

/* Half of those who hold something say nothing more. */
void sim_session_finish(struct sim_clients *clients, struct sim_client *client)
{
    if ((client->state == SIM_CLIENT_HOLDING ||
         client->state == SIM_CLIENT_PAUSED) &&
        random_chance(&clients->random, 1, 2)) {
        sim_session_die(clients, client);
    }
    if (client->state == SIM_CLIENT_PAUSED) {
        client->state = SIM_CLIENT_HOLDING;
    }
    if (client->state == SIM_CLIENT_ASKING) {
        /* Some of those who wait go away, the others must be served. */
        if (client->wish.kind == SIM_WISH_ACQUIRE &&
            random_chance(&clients->random, 1, 3)) {
            sim_faults_add(clients->cluster->faults, SIM_FAULT_GONE_WAITING, 1);
            sim_clients_hang_up(clients, client);
            sim_session_reborn(clients, client);
            sim_session_over(clients, client);
            return;
        }
        sim_again_patience(clients, client);
        return;
    }
    sim_clients_wake(clients, client, sim_session_think(clients));
}

void sim_session_store(struct sim_clients *clients, struct sim_client *client,
                       size_t lock, uint64_t token)
{
    const bool believed =
        client->has && client->token == token &&
        sim_clients_local(clients, client) < client->valid_until;

    sim_judge_look_at_clocks(&clients->judge);
    (void)check_store_write(&clients->judge.store, lock, token, believed);
}

/* ---- beginning and end ---- */

static void sim_session_begin(struct sim_clients *clients,
                              struct sim_client *client)
{
    client->tries = 0;
    if (clients->closing) {
        if (client->last_done) {
            client->state = SIM_CLIENT_FINISHED;
            return;
        }
        sim_draw_last(clients, client);
        sim_clients_ask(clients, client);
        sim_again_patience(clients, client);
        return;
    }
    if (client->acquires + 8 > SIM_SESSION_ACQUIRES) {
        sim_session_reborn(clients, client);
    }
    if (random_chance(&clients->random, 1, 4)) {
        sim_again_move(clients, client);
    }
    if (random_chance(&clients->random, 3, 5)) {
        sim_draw_acquire(clients, client);
        sim_session_acquire(clients, client);
        return;
    }
    sim_draw_other(clients, client);
    sim_clients_ask(clients, client);
    sim_again_patience(clients, client);
}

void sim_session_over(struct sim_clients *clients, struct sim_client *client)
{
    sim_session_give_up(clients, client);
    client->has = false;
    client->state = SIM_CLIENT_IDLE;
    check_holds_end(&clients->judge.holds, client->number);
    sim_clients_wake(clients, client, 2 * sim_session_think(clients));
}

/* Nobody wants what the session was for. */
static void sim_session_give_up(struct sim_clients *clients,
                                struct sim_client *client)
{
    if (client->claim != 0) {
        check_gone_given_up(&clients->judge.gone, client->claim,
                            clients->cluster->now);
    }
    client->claim = 0;
}

void sim_session_acquire(struct sim_clients *clients, struct sim_client *client)
{
    client->claim = sim_session_claim(client);
    check_gone_wanted(&clients->judge.gone, client->claim);
    ENSURE(client->acquires < SIM_SESSION_ACQUIRES);
    client->acquires++;
    client->wish.ttl_ms =
        client->ttl_base + SIM_SESSION_ACQUIRES - client->acquires;
    client->ttl_ms = client->wish.ttl_ms;
    sim_clients_ask(clients, client);
    sim_again_patience(clients, client);
}

static void sim_session_die(struct sim_clients *clients,
                            struct sim_client *client)
{
    sim_faults_add(clients->cluster->faults, SIM_FAULT_GONE_HOLDING, 1);
    sim_session_reborn(clients, client);
    sim_session_over(clients, client);
}

/* ---- holding ---- */

static void sim_session_step(struct sim_clients *clients,
                             struct sim_client *client)
{
    const struct sim_options *o = clients->cluster->options;
    const time_ms_t now = sim_clients_local(clients, client);

    if (now >= client->valid_until) {
        sim_session_reborn(clients, client); /* whose was it? */
        sim_session_over(clients, client);
        return;
    }
    if (client->steps == 0 || clients->closing) {
        sim_session_release(clients, client);
        return;
    }
    client->steps--;
    if (client->valid_until - now < client->ttl_ms * 2 / 3) {
        sim_session_renew(clients, client);
        return;
    }
    if (random_chance(&clients->random, o->die_pm, 1000)) {
        sim_session_die(clients, client);
        return;
    }
    if (random_chance(&clients->random, o->pause_pm, 1000)) {
        sim_session_stand_still(clients, client);
        return;
    }
    if (client->mode == LOCK_EXCLUSIVE &&
        random_chance(&clients->random, 1, 2)) {
        sim_draw_store_write(clients, client);
    } else if (client->mode == LOCK_EXCLUSIVE &&
               random_chance(&clients->random, 1, 3)) {
        sim_draw_fenced(clients, client);
        sim_clients_ask(clients, client);
        sim_again_patience(clients, client);
        return;
    }
    client->state = SIM_CLIENT_HOLDING;
    sim_clients_wake(clients, client, sim_session_think(clients));
}

/* Another ttl only if nothing that asks for the old one may still be on its
 * way; and from then on only this. A shorter one counts at once. */
static void sim_session_renew(struct sim_clients *clients,
                              struct sim_client *client)
{
    const uint64_t margin = clients->cluster->options->margin_ppm;
    const time_ms_t now = sim_clients_local(clients, client);

    sim_draw_renew(clients, client);
    client->tries = 0;
    if (!client->unresolved && random_chance(&clients->random, 1, 8)) {
        client->ttl_ms = client->ttl_base + SIM_SESSION_ACQUIRES +
                         random_below(&clients->random, client->ttl_base);
    }
    client->wish.ttl_ms = client->ttl_ms;
    const time_ms_t counted =
        client->ttl_ms - client->ttl_ms * margin / 1000000;
    if (client->valid_until > now + counted) {
        client->valid_until = now + counted;
        sim_session_believe(clients, client);
    }
    sim_clients_ask(clients, client);
    sim_again_patience(clients, client);
}

static void sim_session_release(struct sim_clients *clients,
                                struct sim_client *client)
{
    sim_draw_release(clients, client);
    client->tries = 0;
    client->has = false;
    check_holds_end(&clients->judge.holds, client->number);
    sim_clients_ask(clients, client);
    sim_again_patience(clients, client);
}

static void sim_session_stand_still(struct sim_clients *clients,
                                    struct sim_client *client)
{
    if (client->mode != LOCK_EXCLUSIVE) {
        sim_clients_wake(clients, client, sim_session_think(clients));
        return;
    }
    sim_faults_add(clients->cluster->faults, SIM_FAULT_CLIENT_PAUSED, 1);
    client->state = SIM_CLIENT_PAUSED;
    sim_clients_wake(clients, client,
                     client->ttl_ms *
                         random_between(&clients->random, 1000, 4000));
}

/* ---- answers ---- */

void sim_session_answered(struct sim_clients *clients,
                          struct sim_client *client,
                          const struct node_reply *reply)
{
    const enum lock_result result = reply->answer.result;

    if (reply->reply_class != NODE_DONE) {
        client->unresolved =
            client->unresolved || reply->reply_class == NODE_UNKNOWN;
        sim_again_failed(clients, client);
        return;
    }
    switch (client->wish.kind) {
    case SIM_WISH_ACQUIRE:
        sim_session_acquired(clients, client, reply);
        return;
    case SIM_WISH_RENEW:
        sim_session_renewed(clients, client, reply);
        return;
    case SIM_WISH_RELEASE:
        if (result == LOCK_NOT_HELD) {
            check_grants_not_held(&clients->judge.grants, client->wish.token);
        }
        break;
    case SIM_WISH_CANCEL:
        sim_faults_add(clients->cluster->faults, SIM_FAULT_CANCELLED,
                       result == LOCK_CANCELLED);
        sim_session_reborn(clients, client); /* it may have been granted */
        break;
    case SIM_WISH_BREAK:
        sim_faults_add(clients->cluster->faults, SIM_FAULT_BREAK,
                       reply->answer.count > 0);
        break;
    case SIM_WISH_FENCE_SET:
    case SIM_WISH_FENCE_DELETE:
        client->state = SIM_CLIENT_HOLDING;
        sim_clients_wake(clients, client, sim_session_think(clients));
        return;
    default:
        if (sim_wish_is_question(&client->wish)) {
            check_reads_answered(&clients->judge.reads, &client->wish,
                                 client->floor, reply->query_reply);
        }
        client->last_done = client->last_done || clients->closing;
        break;
    }
    sim_session_over(clients, client);
}

static void sim_session_acquired(struct sim_clients *clients,
                                 struct sim_client *client,
                                 const struct node_reply *reply)
{
    const uint64_t margin = clients->cluster->options->margin_ppm;
    const time_ms_t counted =
        client->ttl_ms - client->ttl_ms * margin / 1000000;

    if (!reply->last) {
        return; /* queued; the rest is to come */
    }
    if (reply->answer.result != LOCK_GRANTED) {
        sim_faults_add(clients->cluster->faults, SIM_FAULT_WAIT_TIMEOUT,
                       reply->answer.result == LOCK_REFUSED &&
                           client->wish.wait_ms > 0);
        if (client->unresolved) {
            sim_session_reborn(clients, client);
        }
        sim_session_over(clients, client);
        return;
    }
    sim_judge_look_at_clocks(&clients->judge);
    check_grants_told(&clients->judge.grants, reply->answer.token,
                      sim_session_claim(client), client->floor,
                      client->asked_at, client->ttl_ms);
    sim_faults_add(clients->cluster->faults, SIM_FAULT_RETRY_GRANTED,
                   client->tries > 1);
    client->token = reply->answer.token;
    client->mode = client->wish.mode;
    client->seq = client->wish.seq;
    client->has = true;
    client->valid_until = client->asked_local + counted;
    if (sim_clients_local(clients, client) >= client->valid_until) {
        sim_session_renew(clients, client); /* it waited too long to know */
        return;
    }
    sim_session_believe(clients, client);
    client->state = SIM_CLIENT_HOLDING;
    sim_clients_wake(clients, client, sim_session_think(clients));
}

static void sim_session_renewed(struct sim_clients *clients,
                                struct sim_client *client,
                                const struct node_reply *reply)
{
    const uint64_t margin = clients->cluster->options->margin_ppm;
    const time_ms_t counted =
        client->ttl_ms - client->ttl_ms * margin / 1000000;

    sim_judge_look_at_clocks(&clients->judge);
    if (reply->answer.result != LOCK_RENEWED) {
        sim_faults_add(clients->cluster->faults, SIM_FAULT_RENEWAL_LATE, 1);
        check_grants_not_renewed(&clients->judge.grants, client->token,
                                 clients->cluster->now);
        sim_session_reborn(clients, client);
        sim_session_over(clients, client);
        return;
    }
    sim_faults_add(clients->cluster->faults, SIM_FAULT_RENEWAL_UNLOGGED,
                   check_asks_entries(&clients->judge.asks,
                                      sim_wish_mark(&client->wish)) ==
                       client->entries);
    check_grants_renewed(&clients->judge.grants, client->token,
                         client->asked_at, client->wish.ttl_ms);
    if (client->asked_local + counted > client->valid_until) {
        client->valid_until = client->asked_local + counted;
    }
    sim_session_believe(clients, client);
    client->state = SIM_CLIENT_HOLDING;
    sim_clients_wake(clients, client, sim_session_think(clients));
}

/* What the client's clock says, in true time. */
static void sim_session_believe(struct sim_clients *clients,
                                struct sim_client *client)
{
    const time_us_t now = clients->cluster->now;
    char name[SIM_WISH_TEXT];

    sim_wish_name_lock(name, client->lock);
    check_holds_believe(
        &clients->judge.holds, client->number,
        sim_wish_mix_bytes(0, bytes_of_text(name)), client->mode, client->token,
        now, sim_clock_when(&client->clock, now, client->valid_until));
}

time_us_t sim_session_think(struct sim_clients *clients)
{
    return random_between(&clients->random, 1,
                          2 * clients->cluster->options->think_us);
}

static uint64_t sim_session_claim(const struct sim_client *client)
{
    return sim_wish_claim(bytes_of_text(client->wish.key),
                          bytes_of_text(client->wish.owner), client->wish.seq,
                          client->wish.mode);
}
