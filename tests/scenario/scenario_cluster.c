/* scenario_cluster.c - the servers of a scenario, their clocks and disks.
 *
 * A step of a server is: the event, then turns until it wants nothing more.
 * With a fast disk each turn's write is durable at once, with a slow one it
 * waits for the script. What a server says, sends, applies and promises comes
 * back through the callbacks at the end of the file, which write the transcript
 * and feed the checks of scenario_watch.c.
 *
 * To extend: another thing that can happen to a server is a function here and
 * a verb in scenario_verbs.c.
 */
#include "scenario/scenario_cluster.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/ensure.h"
#include "scenario/scenario_show.h"

/* More steps than this in one command mean that the servers never rest. */
#define SCENARIO_STEPS_MAX 20000

static const struct raft_settings scenario_cluster_settings = {
    .election_ms = 1000,
    .heartbeat_ms = 100,
    .hint_ms = 50,
    .window_entries = 64,
    .window_bytes = 65536,
    .append_entries = 16,
    .append_bytes = 16384,
    .uncommitted_bytes = 65536,
    .promote_lag_entries = 0,
    .log_bytes = 65536,
};

static struct replica_owner
scenario_cluster_owner(struct scenario_cluster *cluster);

void scenario_cluster_init(struct scenario_cluster *cluster)
{
    memset(cluster, 0, sizeof *cluster);
    cluster->settings = scenario_cluster_settings;
    cluster->out = stdout;
    cluster->owner = scenario_cluster_owner(cluster);
    scenario_network_init(&cluster->network);
}

void scenario_cluster_close(struct scenario_cluster *cluster)
{
    for (raft_id_t id = 1; id <= SCENARIO_ID_MAX; id++) {
        if (cluster->replicas[id] != NULL) {
            replica_free(cluster->replicas[id]);
        }
    }
    scenario_network_close(&cluster->network);
}

void scenario_cluster_say(struct scenario_cluster *cluster, const char *format,
                          ...)
{
    va_list list;
    va_start(list, format);
    vfprintf(cluster->out, format, list);
    va_end(list);
}

scenario_ids_t scenario_cluster_ids(const struct scenario_cluster *cluster)
{
    scenario_ids_t ids = 0;
    for (raft_id_t id = 1; id <= SCENARIO_ID_MAX; id++) {
        if (cluster->replicas[id] != NULL) {
            ids |= (scenario_ids_t)1 << id;
        }
    }
    return ids;
}

void scenario_cluster_create(struct scenario_cluster *cluster, raft_id_t id,
                             const struct raft_members *members)
{
    if (cluster->replicas[id] != NULL) {
        scenario_script_bad(cluster->command, "%" PRIu64 " exists already", id);
    }
    cluster->replicas[id] =
        replica_new(&cluster->settings, id, members, &cluster->owner,
                    ++cluster->seed, cluster->clocks[id]);
    ENSURE(cluster->replicas[id] != NULL);
    scenario_cluster_settle(cluster, id);
}

void scenario_cluster_make_new(struct scenario_cluster *cluster, raft_id_t id,
                               const struct raft_members *members)
{
    struct replica *replica = cluster->replicas[id];
    struct disk_crash_report report;
    replica_crash(replica, NULL, &report);
    replica_wipe(replica, members);
    replica_restart(replica, ++cluster->seed, cluster->clocks[id]);
    scenario_cluster_settle(cluster, id);
}

struct replica *scenario_cluster_replica(const struct scenario_cluster *cluster,
                                         raft_id_t id)
{
    struct replica *replica = cluster->replicas[id];
    if (replica == NULL) {
        scenario_script_bad(cluster->command, "there is no %" PRIu64, id);
    }
    return replica;
}

const struct raft *scenario_cluster_raft(const struct scenario_cluster *cluster,
                                         raft_id_t id)
{
    const struct raft *raft =
        replica_raft(scenario_cluster_replica(cluster, id));
    if (raft == NULL) {
        scenario_script_bad(cluster->command, "%" PRIu64 " is down", id);
    }
    return raft;
}

void scenario_cluster_step(struct scenario_cluster *cluster, raft_id_t id,
                           struct raft_event *event)
{
    struct replica *replica = scenario_cluster_replica(cluster, id);
    (void)scenario_cluster_raft(cluster, id);
    event->now = cluster->clocks[id];
    memset(&cluster->result, 0, sizeof cluster->result);
    replica_step(replica, event, &cluster->result);
    scenario_watch_replica(&cluster->watch, cluster->command, replica);
}

void scenario_cluster_settle(struct scenario_cluster *cluster, raft_id_t id)
{
    struct replica *replica = cluster->replicas[id];
    for (size_t turns = 0; turns < SCENARIO_STEPS_MAX; turns++) {
        replica_turn(replica, cluster->clocks[id]);
        scenario_watch_replica(&cluster->watch, cluster->command, replica);
        const size_t pending = replica_writes_pending(replica);
        if (cluster->slow[id] || pending == 0) {
            return;
        }
        replica_persist(replica, pending, cluster->clocks[id]);
    }
    scenario_script_failed(cluster->command, "%" PRIu64 " never stops writing",
                           id);
}

void scenario_cluster_persist(struct scenario_cluster *cluster, raft_id_t id,
                              size_t count)
{
    struct replica *replica = scenario_cluster_replica(cluster, id);
    (void)scenario_cluster_raft(cluster, id);
    const size_t pending = replica_writes_pending(replica);
    replica_persist(replica, count < pending ? count : pending,
                    cluster->clocks[id]);
    scenario_cluster_settle(cluster, id);
}

static void scenario_cluster_say_packet(struct scenario_cluster *cluster,
                                        const char *what,
                                        const struct raft_message *message)
{
    fprintf(cluster->out, "%s", what);
    scenario_show_message(cluster->out, message);
    fprintf(cluster->out, "\n");
}

void scenario_cluster_deliver(struct scenario_cluster *cluster,
                              struct scenario_packet *packet)
{
    const struct raft_message *message = packet->message;
    struct replica *replica = cluster->replicas[message->to];
    scenario_network_take(&cluster->network, packet);
    if (replica == NULL || !replica_is_up(replica)) {
        scenario_cluster_say_packet(cluster, "loses ", message);
    } else {
        scenario_cluster_say_packet(cluster, "", message);
        struct raft_event event = {
            .kind = RAFT_EVENT_RECEIVE,
            .message = message,
        };
        scenario_cluster_step(cluster, message->to, &event);
        scenario_cluster_settle(cluster, message->to);
    }
    scenario_network_free_packet(packet);
}

void scenario_cluster_deliver_all(struct scenario_cluster *cluster,
                                  const struct scenario_pattern *pattern)
{
    for (size_t count = 0; count < SCENARIO_STEPS_MAX; count++) {
        struct scenario_packet *packet =
            scenario_network_find(&cluster->network, pattern, false);
        if (packet == NULL) {
            return;
        }
        scenario_cluster_deliver(cluster, packet);
    }
    scenario_script_failed(cluster->command,
                           "the servers never stop sending messages");
}

void scenario_cluster_timeout(struct scenario_cluster *cluster, raft_id_t id)
{
    const struct raft *raft = scenario_cluster_raft(cluster, id);
    const time_ms_t deadline = raft_deadline(raft);
    if (deadline == TIME_NEVER) {
        scenario_cluster_say(cluster, "  %" PRIu64 ": waits for no timer\n",
                             id);
        return;
    }
    if (deadline > cluster->clocks[id]) {
        cluster->clocks[id] = deadline;
    }
    struct raft_event event = {.kind = RAFT_EVENT_TIME};
    scenario_cluster_step(cluster, id, &event);
    scenario_cluster_settle(cluster, id);
}

/* How long until a server wants to be told the time. */
static time_ms_t scenario_cluster_until(const struct scenario_cluster *cluster,
                                        raft_id_t id)
{
    const struct raft *raft = replica_raft(cluster->replicas[id]);
    if (raft == NULL || raft_deadline(raft) == TIME_NEVER) {
        return TIME_NEVER;
    }
    const time_ms_t deadline = raft_deadline(raft);
    return deadline > cluster->clocks[id] ? deadline - cluster->clocks[id] : 0;
}

static void scenario_cluster_move_clocks(struct scenario_cluster *cluster,
                                         scenario_ids_t ids, time_ms_t ms)
{
    for (raft_id_t id = 1; id <= SCENARIO_ID_MAX; id++) {
        if (scenario_script_ids_has(ids, id)) {
            cluster->clocks[id] += ms;
        }
    }
}

/* The server of the set whose moment comes first, and when. */
static raft_id_t scenario_cluster_next(const struct scenario_cluster *cluster,
                                       scenario_ids_t ids, time_ms_t *until)
{
    raft_id_t next = 0;
    *until = TIME_NEVER;
    for (raft_id_t id = 1; id <= SCENARIO_ID_MAX; id++) {
        if (!scenario_script_ids_has(ids, id)) {
            continue;
        }
        const time_ms_t wait = scenario_cluster_until(cluster, id);
        if (wait < *until) {
            *until = wait;
            next = id;
        }
    }
    return next;
}

void scenario_cluster_advance(struct scenario_cluster *cluster,
                              scenario_ids_t ids, time_ms_t ms, bool deliver)
{
    const struct scenario_pattern everything = {0};
    for (size_t count = 0; count < SCENARIO_STEPS_MAX; count++) {
        if (deliver) {
            scenario_cluster_deliver_all(cluster, &everything);
        }
        time_ms_t until;
        const raft_id_t id = scenario_cluster_next(cluster, ids, &until);
        if (id == 0 || until > ms) {
            scenario_cluster_move_clocks(cluster, ids, ms);
            return;
        }
        scenario_cluster_move_clocks(cluster, ids, until);
        ms -= until;
        scenario_cluster_timeout(cluster, id);
    }
    scenario_script_failed(cluster->command, "time does not move on");
}

static void scenario_cluster_forget_reads(struct scenario_cluster *cluster,
                                          raft_id_t id)
{
    size_t kept = 0;
    for (size_t i = 0; i < cluster->reads_count; i++) {
        if (cluster->reads[i].id != id) {
            cluster->reads[kept++] = cluster->reads[i];
        }
    }
    cluster->reads_count = kept;
}

void scenario_cluster_crash(struct scenario_cluster *cluster, raft_id_t id,
                            bool keep_unsynced)
{
    struct replica *replica = scenario_cluster_replica(cluster, id);
    (void)scenario_cluster_raft(cluster, id);
    if (keep_unsynced) {
        cluster->dying = true;
        replica_persist(replica, replica_writes_pending(replica),
                        cluster->clocks[id]);
        cluster->dying = false;
    }
    struct disk_crash_report report = {0};
    replica_crash(replica, NULL, &report);
    scenario_cluster_forget_reads(cluster, id);
    scenario_cluster_say(cluster, "  %" PRIu64 ": down, %zu writes lost\n", id,
                         report.lost);
}

void scenario_cluster_restart(struct scenario_cluster *cluster, raft_id_t id)
{
    struct replica *replica = scenario_cluster_replica(cluster, id);
    if (replica_is_up(replica)) {
        scenario_script_bad(cluster->command, "%" PRIu64 " is up", id);
    }
    replica_restart(replica, ++cluster->seed, cluster->clocks[id]);
    scenario_cluster_settle(cluster, id);
}

void scenario_cluster_add_read(struct scenario_cluster *cluster, raft_id_t id)
{
    if (cluster->reads_count == SCENARIO_READS_MAX) {
        scenario_script_bad(cluster->command, "too many reads wait");
    }
    cluster->reads[cluster->reads_count++] = (struct scenario_read){
        .id = id,
        .number = ++cluster->reads_asked,
        .round = cluster->result.round,
        .committed = cluster->watch.committed,
    };
    scenario_cluster_say(cluster, "  %" PRIu64 ": read %zu waits\n", id,
                         cluster->reads_asked);
}

void scenario_cluster_begin(struct scenario_cluster *cluster,
                            struct scenario_command *command)
{
    cluster->command = command;
    struct scenario_packet *packet;
    TAILQ_FOREACH (packet, &cluster->network.packets, link) {
        packet->fresh = false;
    }
}

void scenario_cluster_report(struct scenario_cluster *cluster)
{
    struct scenario_packet *packet;
    TAILQ_FOREACH (packet, &cluster->network.packets, link) {
        if (packet->fresh) {
            scenario_cluster_say_packet(cluster, "waits ", packet->message);
        }
    }
    for (raft_id_t id = 1; id <= SCENARIO_ID_MAX; id++) {
        const struct replica *replica = cluster->replicas[id];
        const size_t pending = replica != NULL && replica_is_up(replica)
                                   ? replica_writes_pending(replica)
                                   : 0;
        if (pending != cluster->writes_reported[id]) {
            scenario_cluster_say(
                cluster, "  %" PRIu64 ": %zu writes on their way to disk\n", id,
                pending);
        }
        cluster->writes_reported[id] = pending;
    }
}

/* ---- what the replicas tell ---- */

static void scenario_cluster_on_send(void *context,
                                     const struct raft_message *message)
{
    struct scenario_cluster *cluster = context;
    if (cluster->dying) {
        return;
    }
    scenario_watch_message(&cluster->watch, cluster->command, message);
    if (!scenario_network_send(&cluster->network, message)) {
        scenario_cluster_say_packet(cluster, "loses ", message);
    }
}

static void scenario_cluster_on_applied(void *context, raft_id_t id,
                                        raft_index_t index,
                                        const struct raft_entry *entry,
                                        uint64_t hash)
{
    struct scenario_cluster *cluster = context;
    scenario_cluster_say(cluster, "  %" PRIu64 ": applies %" PRIu64 " ", id,
                         index);
    scenario_show_entry(cluster->out, entry);
    scenario_cluster_say(cluster, "\n");
    scenario_watch_applied(&cluster->watch, cluster->command, cluster->replicas,
                           id, index, entry->term, hash);
}

static void scenario_cluster_on_installed(void *context, raft_id_t id,
                                          raft_index_t index, uint64_t hash)
{
    struct scenario_cluster *cluster = context;
    scenario_cluster_say(cluster,
                         "  %" PRIu64 ": installs the state at %" PRIu64 "\n",
                         id, index);
    scenario_watch_installed(&cluster->watch, cluster->command, id, index,
                             hash);
}

static void scenario_cluster_on_reads(void *context, raft_id_t id,
                                      uint64_t round)
{
    struct scenario_cluster *cluster = context;
    const raft_index_t applied = replica_applied_index(cluster->replicas[id]);
    size_t kept = 0;
    for (size_t i = 0; i < cluster->reads_count; i++) {
        const struct scenario_read *read = &cluster->reads[i];
        if (read->id != id || read->round > round) {
            cluster->reads[kept++] = *read;
            continue;
        }
        scenario_cluster_say(
            cluster, "  %" PRIu64 ": read %zu is answered at %" PRIu64 "\n", id,
            read->number, applied);
        cluster->reads_answered[id]++;
        if (applied < read->committed) {
            scenario_script_failed(cluster->command,
                                   "read %zu is stale: %" PRIu64
                                   " was committed before it was asked",
                                   read->number, read->committed);
        }
    }
    cluster->reads_count = kept;
}

static void scenario_cluster_on_line(void *context, raft_id_t id,
                                     const char *text)
{
    struct scenario_cluster *cluster = context;
    if (!cluster->dying) {
        scenario_cluster_say(cluster, "  %" PRIu64 ": %s\n", id,
                             text + strspn(text, " "));
    }
}

static struct replica_owner
scenario_cluster_owner(struct scenario_cluster *cluster)
{
    return (struct replica_owner){
        .context = cluster,
        .send = scenario_cluster_on_send,
        .applied = scenario_cluster_on_applied,
        .installed = scenario_cluster_on_installed,
        .reads = scenario_cluster_on_reads,
        .line = scenario_cluster_on_line,
    };
}
