/* scenario_network.c - messages that have been sent and not yet arrived.
 *
 * One list in the order of sending. A packet owns a deep copy of its message,
 * since a replica lends its messages only for the length of a call.
 *
 * To extend: whatever can befall a message is a function here and a verb in
 * scenario_verbs.c.
 */
#include "scenario/scenario_network.h"

#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "lib/message_copy.h"
#include "scenario/scenario_show.h"

void scenario_network_init(struct scenario_network *network)
{
    memset(network, 0, sizeof *network);
    TAILQ_INIT(&network->packets);
}

void scenario_network_close(struct scenario_network *network)
{
    struct scenario_packet *packet;
    while ((packet = TAILQ_FIRST(&network->packets)) != NULL) {
        scenario_network_take(network, packet);
        scenario_network_free_packet(packet);
    }
    memory_free(network->sent);
}

static void scenario_network_tally(struct scenario_network *network,
                                   const struct raft_message *message)
{
    if (network->sent_count == network->sent_room) {
        network->sent_room = network->sent_room * 2 + 64;
        network->sent = memory_resize(network->sent, network->sent_room,
                                      sizeof *network->sent);
    }
    network->sent[network->sent_count++] = (struct scenario_sent){
        .from = message->from,
        .to = message->to,
        .kind = scenario_show_kind(message),
    };
}

static void scenario_network_push(struct scenario_network *network,
                                  const struct raft_message *message)
{
    struct scenario_packet *packet = memory_new(1, sizeof *packet);
    packet->message = message_copy(message);
    packet->fresh = true;
    TAILQ_INSERT_TAIL(&network->packets, packet, link);
}

bool scenario_network_send(struct scenario_network *network,
                           const struct raft_message *message)
{
    ENSURE(message->from <= SCENARIO_ID_MAX);
    ENSURE(message->to <= SCENARIO_ID_MAX);
    scenario_network_tally(network, message);
    if (network->cut[message->from][message->to]) {
        return false;
    }
    scenario_network_push(network, message);
    return true;
}

static bool scenario_network_words_match(const char *kind, const char *word)
{
    return kind == NULL || strcmp(kind, word) == 0;
}

bool scenario_network_matches(const struct scenario_pattern *pattern,
                              const struct raft_message *message)
{
    if (pattern->members != 0 &&
        !(scenario_script_ids_has(pattern->members, message->from) &&
          scenario_script_ids_has(pattern->members, message->to))) {
        return false;
    }
    return (pattern->from == 0 || pattern->from == message->from) &&
           (pattern->to == 0 || pattern->to == message->to) &&
           scenario_network_words_match(pattern->kind,
                                        scenario_show_kind(message));
}

bool scenario_network_is_held(const struct scenario_network *network,
                              const struct raft_message *message)
{
    for (size_t i = 0; i < network->holds_count; i++) {
        if (scenario_network_matches(&network->holds[i], message)) {
            return true;
        }
    }
    return false;
}

struct scenario_packet *
scenario_network_find(struct scenario_network *network,
                      const struct scenario_pattern *pattern, bool newest)
{
    struct scenario_packet *packet;
    struct scenario_packet *found = NULL;
    TAILQ_FOREACH (packet, &network->packets, link) {
        if (!scenario_network_matches(pattern, packet->message) ||
            scenario_network_is_held(network, packet->message)) {
            continue;
        }
        found = packet;
        if (!newest) {
            break;
        }
    }
    return found;
}

size_t scenario_network_count(const struct scenario_network *network,
                              const struct scenario_pattern *pattern)
{
    size_t count = 0;
    const struct scenario_packet *packet;
    TAILQ_FOREACH (packet, &network->packets, link) {
        if (scenario_network_matches(pattern, packet->message)) {
            count++;
        }
    }
    return count;
}

size_t scenario_network_sent(const struct scenario_network *network,
                             const struct scenario_pattern *pattern)
{
    size_t count = 0;
    for (size_t i = 0; i < network->sent_count; i++) {
        const struct scenario_sent *sent = &network->sent[i];
        if ((pattern->from == 0 || pattern->from == sent->from) &&
            (pattern->to == 0 || pattern->to == sent->to) &&
            scenario_network_words_match(pattern->kind, sent->kind)) {
            count++;
        }
    }
    return count;
}

void scenario_network_mark(struct scenario_network *network)
{
    network->sent_count = 0;
}

void scenario_network_take(struct scenario_network *network,
                           struct scenario_packet *packet)
{
    TAILQ_REMOVE(&network->packets, packet, link);
}

void scenario_network_repeat(struct scenario_network *network,
                             const struct scenario_packet *packet)
{
    scenario_network_push(network, packet->message);
}

bool scenario_network_hold(struct scenario_network *network,
                           const struct scenario_pattern *pattern)
{
    if (network->holds_count == SCENARIO_HOLDS_MAX) {
        return false;
    }
    network->holds[network->holds_count++] = *pattern;
    return true;
}

static bool scenario_network_same_pattern(const struct scenario_pattern *a,
                                          const struct scenario_pattern *b)
{
    const bool same_kind =
        a->kind == b->kind ||
        (a->kind != NULL && b->kind != NULL && strcmp(a->kind, b->kind) == 0);
    return same_kind && a->from == b->from && a->to == b->to;
}

bool scenario_network_release(struct scenario_network *network,
                              const struct scenario_pattern *pattern)
{
    size_t kept = 0;
    for (size_t i = 0; i < network->holds_count; i++) {
        if (!scenario_network_same_pattern(&network->holds[i], pattern)) {
            network->holds[kept++] = network->holds[i];
        }
    }
    const bool found = kept < network->holds_count;
    network->holds_count = kept;
    return found;
}

void scenario_network_free_packet(struct scenario_packet *packet)
{
    memory_free(packet->message);
    memory_free(packet);
}
