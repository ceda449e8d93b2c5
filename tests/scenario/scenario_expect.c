/* scenario_expect.c - hard checks in a scenario script.
 *
 * One row a check. Each compares something a server shows with what the script
 * says and fails with both.
 *
 * To extend: a function and a row in scenario_expect_table.
 */
#include "scenario/scenario_expect.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/scenario_show.h"
#include "scenario/scenario_verbs.h"

/* Compare what a server shows with the number that comes next. */
static void scenario_expect_number(struct scenario_command *command,
                                   raft_id_t id, const char *what,
                                   uint64_t value)
{
    const uint64_t wanted = scenario_script_number(command, what);
    if (value != wanted) {
        scenario_script_failed(
            command, "%s of %" PRIu64 " is %" PRIu64 " and not %" PRIu64, what,
            id, value, wanted);
    }
}

/* Compare words with the rest of the line, and take it. */
static void scenario_expect_words(struct scenario_command *command,
                                  const char *words)
{
    char rest[SCENARIO_LINE_MAX] = "";
    size_t count = 0;
    while (scenario_script_more(command)) {
        count += (size_t)snprintf(rest + count, sizeof rest - count, "%s%s",
                                  count > 0 ? " " : "",
                                  scenario_script_word(command, "a word"));
    }
    words += strspn(words, " ");
    if (strcmp(rest, words) != 0) {
        scenario_script_failed(command, "it is '%s'", words);
    }
}

static void scenario_expect_leader(struct scenario_cluster *cluster,
                                   struct scenario_command *command)
{
    const raft_id_t id = scenario_script_id(command);
    const struct raft *raft = scenario_cluster_raft(cluster, id);
    if (raft_role(raft) != RAFT_LEADER) {
        scenario_script_failed(command, "%" PRIu64 " is a %s", id,
                               raft_role_text(raft_role(raft)));
    }
    if (scenario_script_accept(command, "term")) {
        scenario_expect_number(command, id, "the term", raft_term(raft));
    }
}

static void scenario_expect_no_leader(struct scenario_cluster *cluster,
                                      struct scenario_command *command)
{
    const scenario_ids_t ids = scenario_script_more(command)
                                   ? scenario_script_ids(command)
                                   : scenario_cluster_ids(cluster);
    for (raft_id_t id = 1; id <= SCENARIO_ID_MAX; id++) {
        if (!scenario_script_ids_has(ids, id)) {
            continue;
        }
        const struct raft *raft =
            replica_raft(scenario_cluster_replica(cluster, id));
        if (raft != NULL && raft_role(raft) == RAFT_LEADER) {
            scenario_script_failed(command, "%" PRIu64 " leads term %" PRIu64,
                                   id, raft_term(raft));
        }
    }
}

static void scenario_expect_role(struct scenario_cluster *cluster,
                                 struct scenario_command *command)
{
    const raft_id_t id = scenario_script_id(command);
    scenario_expect_words(
        command, raft_role_text(raft_role(scenario_cluster_raft(cluster, id))));
}

static void scenario_expect_follows(struct scenario_cluster *cluster,
                                    struct scenario_command *command)
{
    const raft_id_t id = scenario_script_id(command);
    scenario_expect_number(command, id, "the leader",
                           raft_leader(scenario_cluster_raft(cluster, id)));
}

static void scenario_expect_term(struct scenario_cluster *cluster,
                                 struct scenario_command *command)
{
    const raft_id_t id = scenario_script_id(command);
    scenario_expect_number(command, id, "the term",
                           raft_term(scenario_cluster_raft(cluster, id)));
}

static void scenario_expect_vote(struct scenario_cluster *cluster,
                                 struct scenario_command *command)
{
    const raft_id_t id = scenario_script_id(command);
    scenario_expect_number(command, id, "the vote",
                           raft_vote(scenario_cluster_raft(cluster, id)));
}

static void scenario_expect_commit(struct scenario_cluster *cluster,
                                   struct scenario_command *command)
{
    const raft_id_t id = scenario_script_id(command);
    scenario_expect_number(command, id, "the commit index",
                           raft_commit(scenario_cluster_raft(cluster, id)));
}

static void scenario_expect_applied(struct scenario_cluster *cluster,
                                    struct scenario_command *command)
{
    const raft_id_t id = scenario_script_id(command);
    scenario_expect_number(
        command, id, "the applied index",
        replica_applied_index(scenario_cluster_replica(cluster, id)));
}

static void scenario_expect_match(struct scenario_cluster *cluster,
                                  struct scenario_command *command)
{
    const raft_id_t id = scenario_script_id(command);
    const raft_id_t peer = scenario_script_id(command);
    struct raft_peer_view views[SCENARIO_ID_MAX];
    const size_t count =
        raft_peers(scenario_cluster_raft(cluster, id), views, SCENARIO_ID_MAX);
    for (size_t i = 0; i < count; i++) {
        if (views[i].id == peer) {
            scenario_expect_number(command, peer, "the match index",
                                   views[i].match_index);
            return;
        }
    }
    scenario_script_failed(command, "%" PRIu64 " has no view of %" PRIu64, id,
                           peer);
}

static void scenario_expect_log(struct scenario_cluster *cluster,
                                struct scenario_command *command)
{
    const raft_id_t id = scenario_script_id(command);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    scenario_show_log(out, scenario_cluster_raft(cluster, id));
    fclose(out);
    scenario_expect_words(command, text);
    free(text);
}

static void scenario_expect_entry(struct scenario_cluster *cluster,
                                  struct scenario_command *command)
{
    const raft_id_t id = scenario_script_id(command);
    const raft_index_t index = scenario_script_number(command, "an index");
    const struct raft_entry *entry =
        replica_entry(scenario_cluster_replica(cluster, id), index);
    if (entry == NULL) {
        scenario_script_failed(command, "there is no such entry");
    }
    const struct bytes wanted =
        bytes_of_text(scenario_script_word(command, "a text"));
    if (entry->kind != RAFT_ENTRY_COMMAND ||
        !bytes_equal(entry->payload, wanted)) {
        scenario_script_failed(command, "it is another entry");
    }
}

static void scenario_expect_members(struct scenario_cluster *cluster,
                                    struct scenario_command *command)
{
    const raft_id_t id = scenario_script_id(command);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    scenario_show_members(out,
                          raft_members(scenario_cluster_raft(cluster, id)));
    fclose(out);
    scenario_expect_words(command, text);
    free(text);
}

static void scenario_expect_same(struct scenario_cluster *cluster,
                                 struct scenario_command *command)
{
    const raft_id_t first = scenario_script_id(command);
    const struct raft *raft = scenario_cluster_raft(cluster, first);
    const struct replica *replica = cluster->replicas[first];
    do {
        const raft_id_t id = scenario_script_id(command);
        const struct raft *other = scenario_cluster_raft(cluster, id);
        const struct replica *peer = cluster->replicas[id];
        raft_term_t term = 0;
        raft_term_t other_term = 0;
        (void)raft_term_at(raft, raft_last_index(raft), &term);
        (void)raft_term_at(other, raft_last_index(other), &other_term);
        if (raft_last_index(raft) != raft_last_index(other) ||
            term != other_term || raft_commit(raft) != raft_commit(other) ||
            replica_applied_index(replica) != replica_applied_index(peer) ||
            replica_state_hash(replica) != replica_state_hash(peer)) {
            scenario_script_failed(
                command, "%" PRIu64 " and %" PRIu64 " differ", first, id);
        }
    } while (scenario_script_more(command));
}

static void scenario_expect_answer(struct scenario_cluster *cluster,
                                   struct scenario_command *command)
{
    static const char *const names[] = {
#define SCENARIO_ANSWER_NAME(name, text) #name,
        RAFT_ANSWER_LIST(SCENARIO_ANSWER_NAME)
#undef SCENARIO_ANSWER_NAME
    };
    const enum raft_answer answer = cluster->answer;
    const char *wanted = scenario_script_word(command, "an answer");
    if (strcmp(wanted, names[answer]) != 0) {
        scenario_script_failed(command, "it is %s", names[answer]);
    }
}

static void scenario_expect_reads(struct scenario_cluster *cluster,
                                  struct scenario_command *command)
{
    const raft_id_t id = scenario_script_id(command);
    scenario_expect_number(command, id, "the number of reads answered",
                           cluster->reads_answered[id]);
}

static void scenario_expect_sent(struct scenario_cluster *cluster,
                                 struct scenario_command *command)
{
    const struct scenario_pattern pattern = scenario_verbs_pattern(command);
    const size_t count = scenario_network_sent(&cluster->network, &pattern);
    if (count != scenario_script_number(command, "a count")) {
        scenario_script_failed(command, "%zu were sent", count);
    }
}

static void scenario_expect_waiting(struct scenario_cluster *cluster,
                                    struct scenario_command *command)
{
    const struct scenario_pattern pattern = scenario_verbs_pattern(command);
    const size_t count = scenario_network_count(&cluster->network, &pattern);
    if (count != scenario_script_number(command, "a count")) {
        scenario_script_failed(command, "%zu are on their way", count);
    }
}

static void scenario_expect_writes(struct scenario_cluster *cluster,
                                   struct scenario_command *command)
{
    const raft_id_t id = scenario_script_id(command);
    scenario_expect_number(
        command, id, "the number of pending writes",
        replica_writes_pending(scenario_cluster_replica(cluster, id)));
}

static const struct scenario_expect_row {
    const char *name;
    void (*check)(struct scenario_cluster *cluster,
                  struct scenario_command *command);
    const char *usage;
} scenario_expect_table[] = {
    {"leader", scenario_expect_leader, "ID [term TERM]"},
    {"no-leader", scenario_expect_no_leader, "[IDS]"},
    {"role", scenario_expect_role, "ID ROLE"},
    {"follows", scenario_expect_follows, "ID LEADER"},
    {"term", scenario_expect_term, "ID TERM"},
    {"vote", scenario_expect_vote, "ID CANDIDATE"},
    {"commit", scenario_expect_commit, "ID INDEX"},
    {"applied", scenario_expect_applied, "ID INDEX"},
    {"match", scenario_expect_match, "ID PEER INDEX"},
    {"log", scenario_expect_log, "ID RUNS"},
    {"entry", scenario_expect_entry, "ID INDEX TEXT"},
    {"members", scenario_expect_members, "ID IDS [learners IDS]"},
    {"same", scenario_expect_same, "ID ID ..."},
    {"answer", scenario_expect_answer, "RAFT_..."},
    {"reads", scenario_expect_reads, "ID COUNT"},
    {"sent", scenario_expect_sent, "[FROM->TO] [KIND] COUNT"},
    {"waiting", scenario_expect_waiting, "[FROM->TO] [KIND] COUNT"},
    {"writes", scenario_expect_writes, "ID COUNT"},
};

#define SCENARIO_EXPECT_COUNT                                                  \
    (sizeof scenario_expect_table / sizeof scenario_expect_table[0])

void scenario_expect_execute(struct scenario_cluster *cluster,
                             struct scenario_command *command)
{
    const char *name = scenario_script_word(command, "what to expect");
    for (size_t i = 0; i < SCENARIO_EXPECT_COUNT; i++) {
        if (strcmp(scenario_expect_table[i].name, name) == 0) {
            scenario_expect_table[i].check(cluster, command);
            return;
        }
    }
    scenario_script_bad(command, "nobody knows how to expect '%s'", name);
}

void scenario_expect_help(FILE *out)
{
    for (size_t i = 0; i < SCENARIO_EXPECT_COUNT; i++) {
        fprintf(out, "expect %s %s\n", scenario_expect_table[i].name,
                scenario_expect_table[i].usage);
    }
}
