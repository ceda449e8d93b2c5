/* sim_draw.c - wishes, drawn from the seed.
 *
 * Values and amounts are unlike each other, so that each write is known in the
 * log by what it says.
 */
#include "sim/sim_draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

static void sim_draw_clear(struct sim_client *client, enum sim_wish_kind kind);
static void sim_draw_data(struct sim_clients *clients,
                          struct sim_client *client);
static void sim_draw_life(struct sim_clients *clients, struct sim_wish *wish);

void sim_draw_acquire(struct sim_clients *clients, struct sim_client *client)
{
    const struct sim_options *o = clients->cluster->options;
    struct random *random = &clients->random;
    struct sim_wish *wish = &client->wish;

    sim_draw_clear(client, SIM_WISH_ACQUIRE);
    client->lock = random_below(random, o->locks_count);
    client->steps = random_below(random, 12);
    sim_wish_name_lock(wish->key, client->lock);
    wish->mode = random_chance(random, 2, 3) ? LOCK_EXCLUSIVE : LOCK_SHARED;
    if (random_chance(random, 1, 2)) {
        wish->seq = ++clients->seqs_count;
        if (random_chance(random, 1, 3)) {
            snprintf(wish->owner, sizeof wish->owner, "shared");
        }
    }
    switch (random_below(random, 4)) {
    case 0:
        wish->wait_ms = 0;
        break;
    case 1:
    case 2:
        wish->wait_ms = random_between(random, 1, 6 * o->raft.election_ms);
        break;
    default:
        wish->wait_ms = TIME_NEVER;
        break;
    }
    if (random_chance(random, 1, 5)) {
        wish->delay_ms = random_between(random, 1, 3 * o->raft.election_ms);
    }
    wish->cache = random_chance(random, 1, 4);
    wish->async = random_chance(random, 1, 4);
}

void sim_draw_renew(struct sim_clients *clients, struct sim_client *client)
{
    char owner[SIM_WISH_TEXT];

    (void)clients;
    memcpy(owner, client->wish.owner, sizeof owner);
    sim_draw_clear(client, SIM_WISH_RENEW);
    memcpy(client->wish.owner, owner, sizeof owner);
    sim_wish_name_lock(client->wish.key, client->lock);
    client->wish.token = client->token;
    client->wish.seq = client->seq;
}

void sim_draw_release(struct sim_clients *clients, struct sim_client *client)
{
    sim_draw_renew(clients, client);
    client->wish.kind = SIM_WISH_RELEASE;
}

void sim_draw_fenced(struct sim_clients *clients, struct sim_client *client)
{
    struct random *random = &clients->random;

    sim_draw_renew(clients, client);
    client->wish.kind = random_chance(random, 3, 4) ? SIM_WISH_FENCE_SET
                                                    : SIM_WISH_FENCE_DELETE;
    sim_wish_name_data(client->wish.value, random_below(random, SIM_DATA_MAX));
    snprintf(client->wish.written, sizeof client->wish.written, "f%" PRIu64,
             clients->asks_count);
}

/* Between the look at the lease and the write there may be any time. */
void sim_draw_store_write(struct sim_clients *clients,
                          struct sim_client *client)
{
    const struct sim_options *o = clients->cluster->options;
    struct random *random = &clients->random;
    struct {
        size_t lock;
        uint64_t token;
    } *write = memory_new(1, sizeof *write);
    const time_us_t delay = random_chance(random, 1, 20)
                                ? random_below(random, 4000 * client->ttl_ms)
                                : random_below(random, o->client_delay_us);
    const struct sim_event event = {
        .at = clients->cluster->now + delay,
        .kind = SIM_EVENT_STORE,
        .node = client->number,
        .payload = write,
    };

    write->lock = client->lock;
    write->token = client->token;
    sim_heap_push(&clients->cluster->heap, &event);
}

void sim_draw_other(struct sim_clients *clients, struct sim_client *client)
{
    static const enum sim_wish_kind questions[] = {
        SIM_WISH_STATUS, SIM_WISH_STATUS, SIM_WISH_GET,   SIM_WISH_GET,
        SIM_WISH_FENCE,  SIM_WISH_OWNED,  SIM_WISH_FENCED};
    const size_t questions_count = sizeof questions / sizeof questions[0];
    const struct sim_options *o = clients->cluster->options;
    struct random *random = &clients->random;

    if (random_chance(random, 1, 2)) {
        sim_draw_data(clients, client);
        return;
    }
    sim_draw_clear(client, questions[random_below(random, questions_count)]);
    sim_wish_name_lock(client->wish.key, random_below(random, o->locks_count));
    if (client->wish.kind == SIM_WISH_GET ||
        client->wish.kind == SIM_WISH_FENCED) {
        sim_wish_name_data(client->wish.key,
                           random_below(random, SIM_DATA_MAX));
    }
    if (random_chance(random, 1, 40)) {
        sim_draw_clear(client, SIM_WISH_BREAK);
        sim_wish_name_lock(client->wish.key,
                           random_below(random, o->locks_count));
    }
}

void sim_draw_last(struct sim_clients *clients, struct sim_client *client)
{
    sim_draw_clear(client, SIM_WISH_SET);
    sim_wish_name_data(client->wish.key, 0);
    snprintf(client->wish.value, sizeof client->wish.value, "z%" PRIu64,
             clients->asks_count);
}

static void sim_draw_clear(struct sim_client *client, enum sim_wish_kind kind)
{
    memset(&client->wish, 0, sizeof client->wish);
    client->wish.kind = kind;
    memcpy(client->wish.owner, client->owner, sizeof client->wish.owner);
}

static void sim_draw_data(struct sim_clients *clients,
                          struct sim_client *client)
{
    struct random *random = &clients->random;
    struct sim_wish *wish = &client->wish;
    /* A string in a lock's place is rare, and does not stay. */
    const bool rude = random_chance(random, 1, 10);

    sim_draw_clear(client, SIM_WISH_SET);
    sim_wish_name_data(wish->key, rude
                                      ? SIM_DATA_MAX - 1
                                      : random_below(random, SIM_DATA_MAX - 1));
    snprintf(wish->value, sizeof wish->value, "v%" PRIu64, clients->asks_count);
    wish->amount = 1 + (int64_t)(clients->asks_count % 100000);
    switch (random_below(random, 6)) {
    case 0:
        wish->kind = rude ? SIM_WISH_DELETE : SIM_WISH_ADD;
        break;
    case 1:
        wish->kind = rude ? SIM_WISH_DELETE : SIM_WISH_APPEND;
        break;
    case 2:
        wish->kind = SIM_WISH_DELETE;
        break;
    case 3:
        wish->kind = SIM_WISH_DEADLINE;
        sim_draw_life(clients, wish);
        wish->lifetime = LOCK_LIFE_RELATIVE;
        wish->time_ms++;
        break;
    default:
        wish->condition =
            (enum lock_condition)random_between(random, 0, LOCK_IF_PRESENT);
        wish->token = random_below(random, 2); /* GET */
        sim_draw_life(clients, wish);
        break;
    }
    if (rude && wish->kind == SIM_WISH_SET) {
        wish->lifetime = LOCK_LIFE_RELATIVE;
        wish->time_ms++;
    }
}

static void sim_draw_life(struct sim_clients *clients, struct sim_wish *wish)
{
    const struct sim_options *o = clients->cluster->options;

    wish->lifetime = random_chance(&clients->random, 1, 2) ? LOCK_LIFE_RELATIVE
                                                           : LOCK_LIFE_FOREVER;
    wish->time_ms =
        random_between(&clients->random, 1, 5 * o->raft.election_ms);
    if (wish->lifetime == LOCK_LIFE_FOREVER) {
        wish->time_ms = 0;
    }
}
