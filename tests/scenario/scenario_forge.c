/* scenario_forge.c - messages that no server of the scenario sent.
 *
 * Forged entries are commands whose text is their place, 3/t2: the same place
 * always holds the same entry, as the Log Matching property wants.
 *
 * To extend: a kind is a function that reads its arguments, and a line in
 * scenario_forge_execute().
 */
#include "scenario/scenario_forge.h"

#include <inttypes.h>
#include <string.h>

#define SCENARIO_FORGE_ENTRIES 32
#define SCENARIO_FORGE_TEXT 32

/* A forged message that is lost on the way shows nothing. */
static void scenario_forge_send(struct scenario_cluster *cluster,
                                const struct scenario_command *command,
                                const struct raft_message *message)
{
    if (!scenario_network_send(&cluster->network, message)) {
        scenario_script_bad(command, "the link is cut");
    }
}

static void scenario_forge_append(struct scenario_cluster *cluster,
                                  struct scenario_command *command,
                                  struct raft_message *message)
{
    struct raft_entry entries[SCENARIO_FORGE_ENTRIES];
    char texts[SCENARIO_FORGE_ENTRIES][SCENARIO_FORGE_TEXT];
    struct raft_append *append = &message->append;
    size_t count = 0;

    if (!scenario_script_accept(command, "after")) {
        scenario_script_bad(command, "'after INDEX/tTERM' is missing");
    }
    const struct scenario_place place = scenario_script_place(command);
    append->prev_index = place.index;
    append->prev_term = place.term;
    if (scenario_script_accept(command, "entries")) {
        const char *word;
        while ((word = scenario_script_peek(command)) != NULL &&
               word[0] == 't' && count < SCENARIO_FORGE_ENTRIES) {
            const raft_term_t term = scenario_script_term(command);
            snprintf(texts[count], SCENARIO_FORGE_TEXT, "%" PRIu64 "/t%" PRIu64,
                     place.index + 1 + count, term);
            entries[count] = (struct raft_entry){
                .term = term,
                .kind = RAFT_ENTRY_COMMAND,
                .payload = bytes_of_text(texts[count]),
            };
            count++;
        }
    }
    if (scenario_script_accept(command, "commit")) {
        append->commit = scenario_script_number(command, "an index");
    }
    message->kind = RAFT_MESSAGE_APPEND;
    append->entries = entries;
    append->entries_count = count;
    scenario_forge_send(cluster, command, message);
}

static void scenario_forge_append_reply(struct scenario_cluster *cluster,
                                        struct scenario_command *command,
                                        struct raft_message *message)
{
    if (!scenario_script_accept(command, "match")) {
        scenario_script_bad(command, "'match INDEX' is missing");
    }
    message->kind = RAFT_MESSAGE_APPEND_REPLY;
    message->append_reply.accepted = true;
    message->append_reply.match_index =
        scenario_script_number(command, "an index");
    if (scenario_script_accept(command, "round")) {
        message->append_reply.round =
            scenario_script_number(command, "a round");
    }
    scenario_forge_send(cluster, command, message);
}

static void scenario_forge_vote(struct scenario_cluster *cluster,
                                struct scenario_command *command,
                                struct raft_message *message, bool pre)
{
    if (!scenario_script_accept(command, "log")) {
        scenario_script_bad(command, "'log INDEX/tTERM' is missing");
    }
    const struct scenario_place place = scenario_script_place(command);
    message->kind = RAFT_MESSAGE_VOTE;
    message->vote.last_index = place.index;
    message->vote.last_term = place.term;
    message->vote.pre = pre;
    message->vote.transfer = scenario_script_accept(command, "transfer");
    scenario_forge_send(cluster, command, message);
}

void scenario_forge_execute(struct scenario_cluster *cluster,
                            struct scenario_command *command)
{
    struct raft_message message = {0};
    scenario_script_link(command, &message.from, &message.to);
    if (message.from == 0 || message.to == 0) {
        scenario_script_bad(command, "a forged message has two real ends");
    }
    const char *kind = scenario_script_word(command, "a kind of message");
    if (!scenario_script_accept(command, "term")) {
        scenario_script_bad(command, "'term TERM' is missing");
    }
    message.term = scenario_script_number(command, "a term");
    if (strcmp(kind, "append") == 0 || strcmp(kind, "heartbeat") == 0) {
        scenario_forge_append(cluster, command, &message);
    } else if (strcmp(kind, "append-reply") == 0) {
        scenario_forge_append_reply(cluster, command, &message);
    } else if (strcmp(kind, "vote") == 0 || strcmp(kind, "pre-vote") == 0) {
        scenario_forge_vote(cluster, command, &message, kind[0] == 'p');
    } else if (strcmp(kind, "timeout-now") == 0) {
        message.kind = RAFT_MESSAGE_TIMEOUT_NOW;
        scenario_forge_send(cluster, command, &message);
    } else {
        scenario_script_bad(command, "nobody can forge a '%s'", kind);
    }
}
