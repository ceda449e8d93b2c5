/* bench_lane.c - one client: what it asks next, and what an answer means.
 *
 * A lane takes a lock when it has none, and does with one what the mode is
 * about. An acquire is granted if the answer is a status, a text or a number
 * above 0: the token of LOCK.ACQUIRE as well as the OK of SET NX. Null and 0
 * are a refusal.
 */
#include "bench_load.h"

#include <stdio.h>
#include <string.h>

static bool bench_lane_choose(struct bench_lane *lane);
static void bench_lane_draw_key(struct bench_lane *lane);
static size_t bench_lane_digits(uint64_t number, char *out);
static void bench_lane_ask(struct bench_lane *lane, uint64_t now);
static void bench_lane_pause(struct bench_lane *lane, uint64_t now);
static void bench_lane_granted(struct bench_lane *lane);
static bool bench_lane_took(const struct bench_reply *reply);
static void bench_lane_count(struct bench_lane *lane, bool good, uint64_t now);

void bench_lane_next(struct bench_lane *lane, uint64_t now)
{
    if (lane->link->fd < 0 || lane->link->connecting || lane->busy ||
        lane->delayed || !bench_lane_choose(lane)) {
        return;
    }
    bench_lane_ask(lane, now);
}

void bench_lane_answered(struct bench_lane *lane, uint64_t now)
{
    struct bench_load *load = lane->link->load;
    const struct bench_reply *reply = &load->reply;
    const bool took = bench_lane_took(reply);
    const bool good = took || lane->doing == BENCH_KIND_COMMAND;
    lane->busy = false;
    load->busy--;
    if (lane->doing == BENCH_KIND_ACQUIRE && took) {
        bench_lane_granted(lane);
    } else if (lane->doing == BENCH_KIND_RELEASE || !took) {
        lane->holds = false;
    }
    bench_lane_count(lane, good && reply->type != REDIS_REPLY_ERROR, now);
    if (reply->type == REDIS_REPLY_ERROR ||
        (lane->doing == BENCH_KIND_ACQUIRE && !took)) {
        bench_lane_pause(lane, now);
    }
    bench_lane_next(lane, now);
}

void bench_lane_reset(struct bench_lane *lane)
{
    if (lane->busy) {
        lane->busy = false;
        lane->link->load->busy--;
    }
    lane->holds = false;
}

/* ---- what to ask ---- */

/* What to do next; false: nothing. */
static bool bench_lane_choose(struct bench_lane *lane)
{
    struct bench_load *load = lane->link->load;
    const struct bench_options *options = load->options;
    const bool enough =
        load->stopping || (options->sequences_max > 0 &&
                           load->sequences >= options->sequences_max);
    if (lane->holds && (options->mode != BENCH_RENEW || enough)) {
        lane->doing = BENCH_KIND_RELEASE;
        return true;
    }
    if (enough) {
        return false;
    }
    if (options->mode == BENCH_COMMAND) {
        lane->doing = BENCH_KIND_COMMAND;
        bench_lane_draw_key(lane);
        lane->commands++;
        lane->token_count = bench_lane_digits(lane->commands, lane->token);
        load->sequences++;
    } else if (lane->holds) {
        lane->doing = BENCH_KIND_RENEW;
        load->sequences++;
    } else {
        lane->doing = BENCH_KIND_ACQUIRE;
        bench_lane_draw_key(lane);
        load->sequences += options->mode != BENCH_RENEW ? 1 : 0;
    }
    return true;
}

/* Whoever renews keeps to a key of its own; hand-overs are of one lock. */
static void bench_lane_draw_key(struct bench_lane *lane)
{
    struct bench_load *load = lane->link->load;
    const struct bench_options *options = load->options;
    uint64_t number = 0;
    if (options->mode == BENCH_RENEW) {
        number = lane->number;
    } else if (options->mode != BENCH_HANDOVER) {
        load->random ^= load->random << 13;
        load->random ^= load->random >> 7;
        load->random ^= load->random << 17;
        number = load->random % options->keys;
    }
    const size_t prefix_count = strlen(options->prefix);
    memcpy(lane->key, options->prefix, prefix_count);
    lane->key_count =
        prefix_count + bench_lane_digits(number, lane->key + prefix_count);
}

/* Done for every command, and so not by snprintf(). */
static size_t bench_lane_digits(uint64_t number, char *out)
{
    char digits[24];
    char *at = digits + sizeof(digits);
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    const size_t count = (size_t)(digits + sizeof(digits) - at);
    memcpy(out, at, count);
    return count;
}

static void bench_lane_ask(struct bench_lane *lane, uint64_t now)
{
    struct bench_link *link = lane->link;
    struct bench_load *load = link->load;
    const struct bench_values values = {
        .key = lane->key,
        .key_count = lane->key_count,
        .owner = lane->owner,
        .owner_count = lane->owner_count,
        .token = lane->token,
        .token_count = lane->token_count,
        .data = load->data,
        .data_count = load->options->data_bytes,
    };
    const struct bench_template *template = load->acquire;
    if (lane->doing == BENCH_KIND_RELEASE) {
        template = load->release;
    } else if (lane->doing == BENCH_KIND_RENEW) {
        template = load->renew;
    } else if (lane->doing == BENCH_KIND_COMMAND) {
        template = load->commands[lane->command];
        lane->command = (lane->command + 1) % load->options->commands_count;
    } else {
        lane->began_ns = now;
    }
    bench_template_write(template, &values, &link->out);
    const size_t ring = load->options->pipeline;
    link->asked[(link->asked_first + link->asked_count) % ring] = lane;
    link->asked_count++;
    lane->busy = true;
    load->busy++;
    lane->sent_ns = now;
}

/* ---- what an answer means ---- */

static bool bench_lane_took(const struct bench_reply *reply)
{
    switch (reply->type) {
    case REDIS_REPLY_INTEGER:
        return reply->integer > 0;
    case REDIS_REPLY_NIL:
    case REDIS_REPLY_ERROR:
        return false;
    default:
        return true;
    }
}

static void bench_lane_granted(struct bench_lane *lane)
{
    struct bench_load *load = lane->link->load;
    const struct bench_reply *reply = &load->reply;
    lane->holds = true;
    if (reply->type == REDIS_REPLY_INTEGER) {
        lane->token_count = (size_t)snprintf(lane->token, sizeof(lane->token),
                                             "%lld", reply->integer);
    } else {
        lane->token_count = reply->count < sizeof(lane->token)
                                ? reply->count
                                : sizeof(lane->token);
        memcpy(lane->token, reply->text, lane->token_count);
    }
    if (load->counting) {
        load->stats->grants[lane->number]++;
    }
}

static void bench_lane_count(struct bench_lane *lane, bool good, uint64_t now)
{
    struct bench_load *load = lane->link->load;
    struct bench_stats *stats = load->stats;
    if (!load->counting) {
        return;
    }
    stats->replies++;
    if (good) {
        bench_stats_latency(stats, lane->doing, now - lane->sent_ns);
        bench_stats_good(stats, now);
        if (lane->doing == BENCH_KIND_RELEASE) {
            bench_stats_latency(stats, BENCH_KIND_CYCLE, now - lane->began_ns);
        }
    } else if (load->reply.type == REDIS_REPLY_ERROR) {
        bench_stats_error(stats, load->reply.text, load->reply.count);
    } else if (lane->doing == BENCH_KIND_ACQUIRE) {
        stats->refused++;
    } else {
        stats->lost++;
    }
}

/* ---- pauses, all equally long, so that the first to begin is the first to
 * end ---- */

static void bench_lane_pause(struct bench_lane *lane, uint64_t now)
{
    struct bench_load *load = lane->link->load;
    if (load->options->retry_ms == 0 || load->stopping) {
        return;
    }
    lane->wake_ns = now + (uint64_t)load->options->retry_ms * 1000000;
    lane->delayed = true;
    lane->next_delayed = NULL;
    if (load->delayed_first == NULL) {
        load->delayed_first = lane;
    } else {
        load->delayed_last->next_delayed = lane;
    }
    load->delayed_last = lane;
}

uint64_t bench_lane_wake(struct bench_load *load, uint64_t now)
{
    while (load->delayed_first != NULL &&
           (load->delayed_first->wake_ns <= now || load->stopping)) {
        struct bench_lane *lane = load->delayed_first;
        load->delayed_first = lane->next_delayed;
        lane->delayed = false;
        bench_lane_next(lane, now);
        bench_link_flush(lane->link);
    }
    return load->delayed_first != NULL ? load->delayed_first->wake_ns
                                       : UINT64_MAX;
}
