/* scenario_verbs.c - the commands a scenario script may use.
 *
 * A verb reads its arguments, makes something happen and says what it was;
 * what follows from it is told by the servers themselves. The table at the end
 * is the list of verbs and their help.
 *
 * To extend: a function and a row in scenario_verbs_table, and a line in
 * README.
 */
#include "scenario/scenario_verbs.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "scenario/scenario_expect.h"
#include "scenario/scenario_forge.h"
#include "scenario/scenario_show.h"

struct scenario_pattern scenario_verbs_pattern(struct scenario_command *command)
{
    struct scenario_pattern pattern = {0};
    if (scenario_script_link_follows(command)) {
        scenario_script_link(command, &pattern.from, &pattern.to);
    }
    const char *word = scenario_script_peek(command);
    if (word != NULL) {
        pattern.kind = scenario_show_find_kind(word);
        command->next += pattern.kind != NULL ? 1 : 0;
    }
    return pattern;
}

/* The ids that follow, or all there are. */
static scenario_ids_t scenario_verbs_ids(struct scenario_cluster *cluster,
                                         struct scenario_command *command)
{
    if (scenario_script_number_follows(command)) {
        return scenario_script_ids(command);
    }
    return scenario_cluster_ids(cluster);
}

/* ---- servers ---- */

static void scenario_verbs_options(struct scenario_cluster *cluster,
                                   struct scenario_command *command)
{
    struct raft_settings *settings = &cluster->settings;
    struct {
        const char *name;
        uint64_t *time;
        size_t *size;
    } rows[] = {
        {"election_ms", &settings->election_ms, NULL},
        {"heartbeat_ms", &settings->heartbeat_ms, NULL},
        {"hint_ms", &settings->hint_ms, NULL},
        {"found_ms", &settings->found_ms, NULL},
        {"window_entries", NULL, &settings->window_entries},
        {"append_entries", NULL, &settings->append_entries},
        {"uncommitted_bytes", NULL, &settings->uncommitted_bytes},
        {"promote_lag_entries", NULL, &settings->promote_lag_entries},
        {"log_bytes", &settings->log_bytes, NULL},
    };
    while (scenario_script_more(command)) {
        const char *name = scenario_script_word(command, "an option");
        const uint64_t value = scenario_script_number(command, name);
        bool found = false;
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            if (strcmp(rows[i].name, name) != 0) {
                continue;
            }
            found = true;
            if (rows[i].time != NULL) {
                *rows[i].time = value;
            } else {
                *rows[i].size = (size_t)value;
            }
        }
        if (!found) {
            scenario_script_bad(command, "there is no option '%s'", name);
        }
    }
}

static void scenario_verbs_start(struct scenario_cluster *cluster,
                                 struct scenario_command *command)
{
    const scenario_ids_t voters = scenario_script_ids(command);
    const scenario_ids_t learners = scenario_script_accept(command, "learners")
                                        ? scenario_script_ids(command)
                                        : 0;
    const bool fresh = scenario_script_accept(command, "new");
    if (scenario_script_accept(command, "with")) {
        scenario_verbs_options(cluster, command);
    }
    struct raft_members members = {0};
    for (raft_id_t id = 1; id <= SCENARIO_ID_MAX; id++) {
        if (scenario_script_ids_has(voters, id)) {
            (void)raft_members_set(&members, id, RAFT_VOTER, bytes_of_text(""));
        } else if (scenario_script_ids_has(learners, id)) {
            (void)raft_members_set(&members, id, RAFT_LEARNER,
                                   bytes_of_text(""));
        }
    }
    for (raft_id_t id = 1; id <= SCENARIO_ID_MAX; id++) {
        if (scenario_script_ids_has(voters | learners, id)) {
            scenario_cluster_create(cluster, id, &members);
            if (fresh) {
                scenario_cluster_make_new(cluster, id, &members);
            }
        }
    }
    cluster->first_members = members;
}

static void scenario_verbs_blank(struct scenario_cluster *cluster,
                                 struct scenario_command *command)
{
    const struct raft_members nobody = {0};
    scenario_cluster_create(cluster, scenario_script_id(command), &nobody);
}

static void scenario_verbs_crash(struct scenario_cluster *cluster,
                                 struct scenario_command *command)
{
    const scenario_ids_t ids = scenario_script_ids(command);
    const bool keep = scenario_script_accept(command, "keep");
    if (!keep) {
        (void)scenario_script_accept(command, "lose");
    }
    for (raft_id_t id = 1; id <= SCENARIO_ID_MAX; id++) {
        if (scenario_script_ids_has(ids, id)) {
            scenario_cluster_crash(cluster, id, keep);
        }
    }
}

static void scenario_verbs_restart(struct scenario_cluster *cluster,
                                   struct scenario_command *command)
{
    const scenario_ids_t ids = scenario_script_ids(command);
    for (raft_id_t id = 1; id <= SCENARIO_ID_MAX; id++) {
        if (scenario_script_ids_has(ids, id)) {
            scenario_cluster_restart(cluster, id);
        }
    }
}

/* Flip a bit of the snapshot that is coming in. The server sees it with the
 * last chunk, or, if it is noticed, now. */
static void scenario_verbs_damage_stage(struct scenario_cluster *cluster,
                                        struct scenario_command *command,
                                        raft_id_t id)
{
    struct random chance;
    random_init(&chance, id);
    if (!replica_damage_stage(cluster->replicas[id], &chance)) {
        scenario_script_bad(command, "%" PRIu64 " stages nothing", id);
    }
    scenario_cluster_say(cluster,
                         "  %" PRIu64 ": a bit of what is staged flips\n", id);
    if (scenario_script_accept(command, "noticed")) {
        struct raft_event event = {.kind = RAFT_EVENT_SNAPSHOT_DAMAGED};
        scenario_cluster_step(cluster, id, &event);
        scenario_cluster_settle(cluster, id);
    }
}

static void scenario_verbs_damage(struct scenario_cluster *cluster,
                                  struct scenario_command *command)
{
    const raft_id_t id = scenario_script_id(command);
    struct replica *replica = scenario_cluster_replica(cluster, id);
    if (scenario_script_accept(command, "stage")) {
        scenario_verbs_damage_stage(cluster, command, id);
        return;
    }
    const size_t count =
        (size_t)scenario_script_number(command, "a number of entries");
    if (replica_is_up(replica)) {
        scenario_script_bad(command, "%" PRIu64 " is up", id);
    }
    const size_t lost = replica_lose_tail(replica, count);
    scenario_cluster_say(
        cluster, "  %" PRIu64 ": loses %zu entries of its disk\n", id, lost);
}

/* ---- time ---- */

static void scenario_verbs_timeout(struct scenario_cluster *cluster,
                                   struct scenario_command *command)
{
    scenario_cluster_timeout(cluster, scenario_script_id(command));
}

static void scenario_verbs_pass(struct scenario_cluster *cluster,
                                struct scenario_command *command, bool deliver)
{
    const time_ms_t ms = scenario_script_number(command, "milliseconds");
    const scenario_ids_t ids = scenario_verbs_ids(cluster, command);
    scenario_cluster_advance(cluster, ids, ms, deliver);
}

static void scenario_verbs_advance(struct scenario_cluster *cluster,
                                   struct scenario_command *command)
{
    scenario_verbs_pass(cluster, command, false);
}

static void scenario_verbs_run(struct scenario_cluster *cluster,
                               struct scenario_command *command)
{
    scenario_verbs_pass(cluster, command, true);
}

/* Move the clock of a server that does not lead as far as possible without
 * its timer running out: whoever led it has been silent for an election
 * timeout or more. */
static void scenario_verbs_silence_one(struct scenario_cluster *cluster,
                                       raft_id_t id)
{
    const struct raft *raft =
        replica_raft(scenario_cluster_replica(cluster, id));
    if (raft == NULL || raft_role(raft) == RAFT_LEADER) {
        return;
    }
    const time_ms_t deadline = raft_deadline(raft);
    time_ms_t *clock = &cluster->clocks[id];
    if (deadline == TIME_NEVER) {
        *clock += cluster->settings.election_ms * 2;
    } else if (deadline > *clock + 1) {
        *clock = deadline - 1;
    }
}

static void scenario_verbs_silence(struct scenario_cluster *cluster,
                                   struct scenario_command *command)
{
    const scenario_ids_t ids = scenario_script_ids(command);
    for (raft_id_t id = 1; id <= SCENARIO_ID_MAX; id++) {
        if (scenario_script_ids_has(ids, id)) {
            scenario_verbs_silence_one(cluster, id);
        }
    }
}

static void scenario_verbs_elect(struct scenario_cluster *cluster,
                                 struct scenario_command *command)
{
    const struct scenario_pattern everything = {0};
    const raft_id_t candidate = scenario_script_id(command);
    for (raft_id_t id = 1; id <= SCENARIO_ID_MAX; id++) {
        if (id != candidate && cluster->replicas[id] != NULL) {
            scenario_verbs_silence_one(cluster, id);
        }
    }
    scenario_cluster_timeout(cluster, candidate);
    scenario_cluster_deliver_all(cluster, &everything);
}

/* ---- requests ---- */

/* Hand a request to a server and say what it answers. */
static void scenario_verbs_request(struct scenario_cluster *cluster,
                                   raft_id_t id, struct raft_event *event)
{
    scenario_cluster_step(cluster, id, event);
    cluster->answer = cluster->result.answer;
    scenario_cluster_say(cluster, "  %" PRIu64 ": %s\n", id,
                         raft_answer_text(cluster->answer));
}

static void scenario_verbs_propose(struct scenario_cluster *cluster,
                                   struct scenario_command *command)
{
    const raft_id_t id = scenario_script_id(command);
    struct bytes payloads[SCENARIO_WORDS_MAX];
    size_t count = 0;
    do {
        payloads[count++] =
            bytes_of_text(scenario_script_word(command, "a text"));
    } while (scenario_script_more(command));
    struct raft_event event = {
        .kind = RAFT_EVENT_SUBMIT,
        .submit = {.payloads = payloads, .count = count},
    };
    scenario_verbs_request(cluster, id, &event);
    scenario_cluster_settle(cluster, id);
}

static void scenario_verbs_read(struct scenario_cluster *cluster,
                                struct scenario_command *command)
{
    const raft_id_t id = scenario_script_id(command);
    struct raft_event event = {.kind = RAFT_EVENT_READ};
    scenario_verbs_request(cluster, id, &event);
    if (cluster->answer == RAFT_TAKEN) {
        scenario_cluster_add_read(cluster, id);
    }
    scenario_cluster_settle(cluster, id);
}

static void scenario_verbs_change(struct scenario_cluster *cluster,
                                  struct scenario_command *command)
{
    const raft_id_t id = scenario_script_id(command);
    struct raft_event event = {.kind = RAFT_EVENT_CHANGE};
    if (scenario_script_accept(command, "add")) {
        event.change.kind = RAFT_CHANGE_ADD;
    } else if (scenario_script_accept(command, "promote")) {
        event.change.kind = RAFT_CHANGE_PROMOTE;
    } else if (scenario_script_accept(command, "remove")) {
        event.change.kind = RAFT_CHANGE_REMOVE;
    } else {
        scenario_script_bad(command, "a change is add, promote or remove");
    }
    event.change.id = scenario_script_id(command);
    event.change.address = bytes_of_text("");
    scenario_verbs_request(cluster, id, &event);
    scenario_cluster_settle(cluster, id);
}

static void scenario_verbs_transfer(struct scenario_cluster *cluster,
                                    struct scenario_command *command)
{
    const raft_id_t id = scenario_script_id(command);
    struct raft_event event = {.kind = RAFT_EVENT_TRANSFER};
    if (scenario_script_more(command)) {
        event.transfer.to = scenario_script_id(command);
    }
    scenario_verbs_request(cluster, id, &event);
    scenario_cluster_settle(cluster, id);
}

static void scenario_verbs_lost(struct scenario_cluster *cluster,
                                struct scenario_command *command)
{
    const raft_id_t id = scenario_script_id(command);
    struct raft_event event = {
        .kind = RAFT_EVENT_PEER_LOST,
        .peer_lost = scenario_script_id(command),
    };
    scenario_cluster_step(cluster, id, &event);
    scenario_cluster_settle(cluster, id);
}

/* ---- disks ---- */

static void scenario_verbs_disk(struct scenario_cluster *cluster,
                                struct scenario_command *command)
{
    const scenario_ids_t ids = scenario_script_ids(command);
    const bool slow = scenario_script_accept(command, "slow");
    if (!slow && !scenario_script_accept(command, "fast")) {
        scenario_script_bad(command, "a disk is slow or fast");
    }
    for (raft_id_t id = 1; id <= SCENARIO_ID_MAX; id++) {
        if (!scenario_script_ids_has(ids, id)) {
            continue;
        }
        (void)scenario_cluster_raft(cluster, id);
        cluster->slow[id] = slow;
        scenario_cluster_settle(cluster, id);
    }
}

static void scenario_verbs_persist(struct scenario_cluster *cluster,
                                   struct scenario_command *command)
{
    const raft_id_t id = scenario_script_id(command);
    const size_t count =
        scenario_script_more(command)
            ? (size_t)scenario_script_number(command, "a count")
            : SIZE_MAX;
    scenario_cluster_persist(cluster, id, count);
}

static void scenario_verbs_checkpoint(struct scenario_cluster *cluster,
                                      struct scenario_command *command)
{
    const raft_id_t id = scenario_script_id(command);
    size_t trailing = 0;
    if (scenario_script_accept(command, "trailing")) {
        trailing = (size_t)scenario_script_number(command, "a count");
    }
    const bool wanted = scenario_script_accept(command, "wanted");
    (void)scenario_cluster_raft(cluster, id);
    if (!replica_checkpoint(cluster->replicas[id], trailing, wanted,
                            cluster->clocks[id])) {
        scenario_cluster_say(cluster, "  %" PRIu64 ": nothing is new\n", id);
    }
    scenario_cluster_settle(cluster, id);
}

static void scenario_verbs_snapshots(struct scenario_cluster *cluster,
                                     struct scenario_command *command)
{
    const size_t image = (size_t)scenario_script_number(command, "a size");
    const size_t chunk = (size_t)scenario_script_number(command, "a size");
    if (image < 24 || chunk == 0) {
        scenario_script_bad(command, "an image has at least 24 bytes and a "
                                     "chunk at least 1");
    }
    for (raft_id_t id = 1; id <= SCENARIO_ID_MAX; id++) {
        if (cluster->replicas[id] != NULL) {
            replica_shape_snapshots(cluster->replicas[id], image, chunk);
        }
    }
}

/* ---- messages ---- */

static void scenario_verbs_say_packet(struct scenario_cluster *cluster,
                                      const char *what,
                                      const struct scenario_packet *packet)
{
    scenario_cluster_say(cluster, "%s", what);
    scenario_show_message(cluster->out, packet->message);
    scenario_cluster_say(cluster, "\n");
}

/* The messages of a pattern that wait now, up to count, oldest first. What is
 * sent while they are worked on is not among them. */
static size_t scenario_verbs_pick(struct scenario_cluster *cluster,
                                  const struct scenario_pattern *pattern,
                                  size_t count,
                                  struct scenario_packet ***picked)
{
    struct scenario_network *network = &cluster->network;
    const struct scenario_pattern everything = {0};
    *picked = memory_new(scenario_network_count(network, &everything),
                         sizeof(struct scenario_packet *));
    size_t found = 0;
    struct scenario_packet *packet;
    TAILQ_FOREACH (packet, &network->packets, link) {
        if (found < count &&
            scenario_network_matches(pattern, packet->message) &&
            !scenario_network_is_held(network, packet->message)) {
            (*picked)[found++] = packet;
        }
    }
    if (found == 0) {
        scenario_cluster_say(cluster, "  no such message waits\n");
    }
    return found;
}

static size_t scenario_verbs_count(struct scenario_command *command)
{
    return scenario_script_more(command)
               ? (size_t)scenario_script_number(command, "a count")
               : SIZE_MAX;
}

static void scenario_verbs_deliver_some(struct scenario_cluster *cluster,
                                        struct scenario_command *command)
{
    const struct scenario_pattern pattern = scenario_verbs_pattern(command);
    const size_t count = scenario_verbs_count(command);
    struct scenario_packet **picked;
    const size_t found = scenario_verbs_pick(cluster, &pattern, count, &picked);
    for (size_t i = 0; i < found; i++) {
        scenario_cluster_deliver(cluster, picked[i]);
    }
    memory_free(picked);
}

static void scenario_verbs_deliver(struct scenario_cluster *cluster,
                                   struct scenario_command *command)
{
    struct scenario_pattern pattern = {0};
    if (!scenario_script_more(command) ||
        scenario_script_accept(command, "all")) {
        scenario_cluster_deliver_all(cluster, &pattern);
    } else if (scenario_script_accept(command, "among")) {
        pattern.members = scenario_script_ids(command);
        scenario_cluster_deliver_all(cluster, &pattern);
    } else if (scenario_script_accept(command, "newest")) {
        pattern = scenario_verbs_pattern(command);
        struct scenario_packet *packet =
            scenario_network_find(&cluster->network, &pattern, true);
        if (packet == NULL) {
            scenario_cluster_say(cluster, "  no such message waits\n");
        } else {
            scenario_cluster_deliver(cluster, packet);
        }
    } else {
        scenario_verbs_deliver_some(cluster, command);
    }
}

static void scenario_verbs_drop_packet(struct scenario_cluster *cluster,
                                       const char *what,
                                       struct scenario_packet *packet)
{
    scenario_verbs_say_packet(cluster, what, packet);
    scenario_network_take(&cluster->network, packet);
    scenario_network_free_packet(packet);
}

static void scenario_verbs_drop(struct scenario_cluster *cluster,
                                struct scenario_command *command)
{
    const struct scenario_pattern pattern = scenario_verbs_pattern(command);
    const size_t count = scenario_verbs_count(command);
    struct scenario_packet **picked;
    const size_t found = scenario_verbs_pick(cluster, &pattern, count, &picked);
    for (size_t i = 0; i < found; i++) {
        scenario_verbs_drop_packet(cluster, "drops ", picked[i]);
    }
    memory_free(picked);
}

static void scenario_verbs_duplicate(struct scenario_cluster *cluster,
                                     struct scenario_command *command)
{
    const struct scenario_pattern pattern = scenario_verbs_pattern(command);
    const size_t count = scenario_verbs_count(command);
    struct scenario_packet **picked;
    const size_t found = scenario_verbs_pick(cluster, &pattern, count, &picked);
    for (size_t i = 0; i < found; i++) {
        scenario_network_repeat(&cluster->network, picked[i]);
    }
    memory_free(picked);
}

static void scenario_verbs_hold(struct scenario_cluster *cluster,
                                struct scenario_command *command)
{
    const struct scenario_pattern pattern = scenario_verbs_pattern(command);
    if (!scenario_network_hold(&cluster->network, &pattern)) {
        scenario_script_bad(command, "too many holds");
    }
}

static void scenario_verbs_release(struct scenario_cluster *cluster,
                                   struct scenario_command *command)
{
    const struct scenario_pattern pattern = scenario_verbs_pattern(command);
    if (!scenario_network_release(&cluster->network, &pattern)) {
        scenario_script_bad(command, "nothing of this kind is held");
    }
}

/* Lose what is on its way over links that are cut; held messages are late and
 * not lost. */
static void scenario_verbs_lose_cut(struct scenario_cluster *cluster)
{
    struct scenario_network *network = &cluster->network;
    struct scenario_packet *packet = TAILQ_FIRST(&network->packets);
    while (packet != NULL) {
        struct scenario_packet *next = TAILQ_NEXT(packet, link);
        const struct raft_message *message = packet->message;
        if (network->cut[message->from][message->to] &&
            !scenario_network_is_held(network, message)) {
            scenario_verbs_drop_packet(cluster, "loses ", packet);
        }
        packet = next;
    }
}

static void scenario_verbs_cut_link(struct scenario_cluster *cluster,
                                    raft_id_t from, raft_id_t to)
{
    for (raft_id_t a = 1; a <= SCENARIO_ID_MAX; a++) {
        for (raft_id_t b = 1; b <= SCENARIO_ID_MAX; b++) {
            if ((from == 0 || from == a) && (to == 0 || to == b) && a != b) {
                cluster->network.cut[a][b] = true;
            }
        }
    }
}

static void scenario_verbs_cut(struct scenario_cluster *cluster,
                               struct scenario_command *command)
{
    raft_id_t from;
    raft_id_t to;
    scenario_script_link(command, &from, &to);
    scenario_verbs_cut_link(cluster, from, to);
    scenario_verbs_lose_cut(cluster);
}

static void scenario_verbs_heal(struct scenario_cluster *cluster,
                                struct scenario_command *command)
{
    (void)command;
    memset(cluster->network.cut, 0, sizeof cluster->network.cut);
}

/* Groups are parted by |; whoever is not named is alone. */
static void scenario_verbs_partition(struct scenario_cluster *cluster,
                                     struct scenario_command *command)
{
    scenario_verbs_heal(cluster, command);
    scenario_verbs_cut_link(cluster, 0, 0);
    do {
        const scenario_ids_t group = scenario_script_ids(command);
        for (raft_id_t a = 1; a <= SCENARIO_ID_MAX; a++) {
            for (raft_id_t b = 1; b <= SCENARIO_ID_MAX; b++) {
                if (scenario_script_ids_has(group, a) &&
                    scenario_script_ids_has(group, b)) {
                    cluster->network.cut[a][b] = false;
                }
            }
        }
    } while (scenario_script_accept(command, "|"));
    scenario_verbs_lose_cut(cluster);
}

static void scenario_verbs_mark(struct scenario_cluster *cluster,
                                struct scenario_command *command)
{
    (void)command;
    scenario_network_mark(&cluster->network);
}

/* ---- looking ---- */

static void scenario_verbs_show_messages(struct scenario_cluster *cluster)
{
    struct scenario_packet *packet;
    TAILQ_FOREACH (packet, &cluster->network.packets, link) {
        const bool held =
            scenario_network_is_held(&cluster->network, packet->message);
        scenario_verbs_say_packet(cluster, held ? "held " : "waits ", packet);
        packet->fresh = false;
    }
}

static void scenario_verbs_show(struct scenario_cluster *cluster,
                                struct scenario_command *command)
{
    if (scenario_script_accept(command, "messages")) {
        scenario_verbs_show_messages(cluster);
        return;
    }
    const scenario_ids_t ids = scenario_verbs_ids(cluster, command);
    for (raft_id_t id = 1; id <= SCENARIO_ID_MAX; id++) {
        if (scenario_script_ids_has(ids, id)) {
            scenario_show_replica(cluster->out,
                                  scenario_cluster_replica(cluster, id));
            scenario_cluster_say(cluster, "\n");
        }
    }
}

static void scenario_verbs_wipe(struct scenario_cluster *cluster,
                                struct scenario_command *command)
{
    const raft_id_t id = scenario_script_id(command);
    struct replica *replica = scenario_cluster_replica(cluster, id);
    if (replica_is_up(replica)) {
        scenario_script_bad(command, "%" PRIu64 " is up", id);
    }
    replica_wipe(replica, &cluster->first_members);
    scenario_cluster_say(cluster, "  %" PRIu64 ": has an empty disk\n", id);
}

static const struct scenario_verb {
    const char *name;
    void (*execute)(struct scenario_cluster *cluster,
                    struct scenario_command *command);
    const char *usage;
} scenario_verbs_table[] = {
    {"start", scenario_verbs_start,
     "IDS [learners IDS] [new] [with OPTION NUMBER ...]"},
    {"blank", scenario_verbs_blank, "ID"},
    {"crash", scenario_verbs_crash, "IDS [lose | keep]"},
    {"restart", scenario_verbs_restart, "IDS"},
    {"damage", scenario_verbs_damage, "ID COUNT | stage [noticed]"},
    {"wipe", scenario_verbs_wipe, "ID"},
    {"timeout", scenario_verbs_timeout, "ID"},
    {"advance", scenario_verbs_advance, "MS [IDS]"},
    {"run", scenario_verbs_run, "MS [IDS]"},
    {"silence", scenario_verbs_silence, "IDS"},
    {"elect", scenario_verbs_elect, "ID"},
    {"propose", scenario_verbs_propose, "ID TEXT ..."},
    {"read", scenario_verbs_read, "ID"},
    {"change", scenario_verbs_change, "ID add | promote | remove MEMBER"},
    {"transfer", scenario_verbs_transfer, "ID [TO]"},
    {"lost", scenario_verbs_lost, "ID PEER"},
    {"disk", scenario_verbs_disk, "IDS slow | fast"},
    {"persist", scenario_verbs_persist, "ID [COUNT]"},
    {"checkpoint", scenario_verbs_checkpoint, "ID [trailing COUNT] [wanted]"},
    {"snapshots", scenario_verbs_snapshots, "IMAGE_BYTES CHUNK_BYTES"},
    {"deliver", scenario_verbs_deliver,
     "[all] | among IDS | [newest] [FROM->TO] [KIND] [COUNT]"},
    {"drop", scenario_verbs_drop, "[FROM->TO] [KIND] [COUNT]"},
    {"duplicate", scenario_verbs_duplicate, "[FROM->TO] [KIND] [COUNT]"},
    {"hold", scenario_verbs_hold, "[FROM->TO] [KIND]"},
    {"release", scenario_verbs_release, "[FROM->TO] [KIND]"},
    {"cut", scenario_verbs_cut, "FROM->TO"},
    {"partition", scenario_verbs_partition, "IDS | IDS ..."},
    {"heal", scenario_verbs_heal, ""},
    {"forge", scenario_forge_execute, "FROM->TO KIND term TERM ..."},
    {"mark", scenario_verbs_mark, ""},
    {"show", scenario_verbs_show, "[IDS] | messages"},
    {"expect", scenario_expect_execute, "WHAT ..."},
};

#define SCENARIO_VERBS_COUNT                                                   \
    (sizeof scenario_verbs_table / sizeof scenario_verbs_table[0])

static const struct scenario_verb *scenario_verbs_find(const char *name)
{
    for (size_t i = 0; i < SCENARIO_VERBS_COUNT; i++) {
        if (strcmp(scenario_verbs_table[i].name, name) == 0) {
            return &scenario_verbs_table[i];
        }
    }
    return NULL;
}

void scenario_verbs_execute(struct scenario_cluster *cluster,
                            struct scenario_command *command)
{
    scenario_cluster_begin(cluster, command);
    FILE *transcript = cluster->out;
    FILE *nowhere = NULL;
    if (scenario_script_accept(command, "quietly")) {
        nowhere = fopen("/dev/null", "w");
        if (nowhere == NULL) {
            scenario_script_bad(command, "cannot open /dev/null");
        }
        cluster->out = nowhere;
    }
    const char *name = scenario_script_word(command, "a verb");
    const struct scenario_verb *verb = scenario_verbs_find(name);
    if (verb == NULL) {
        scenario_script_bad(command, "there is no verb '%s'", name);
    }
    verb->execute(cluster, command);
    scenario_script_end(command);
    scenario_cluster_report(cluster);
    if (nowhere != NULL) {
        fclose(nowhere);
        cluster->out = transcript;
    }
}

void scenario_verbs_help(FILE *out)
{
    for (size_t i = 0; i < SCENARIO_VERBS_COUNT; i++) {
        fprintf(out, "%s %s\n", scenario_verbs_table[i].name,
                scenario_verbs_table[i].usage);
    }
    scenario_expect_help(out);
}
