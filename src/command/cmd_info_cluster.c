/* cmd_info_cluster.c - the sections of INFO about the cluster.
 *
 * "replication" says what tools of Redis want to hear: on the plain face a
 * primary with the other members for replicas, on the cluster's face what this
 * node is. "raft" and "locks" say what is really so.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "command/cmd_info.h"

/* Digits of a replication id, and the cluster id filled up to it. */
#define CMD_INFO_REPLID_DIGITS 40

static void cmd_info_replica(struct cmd_info *info);
static void cmd_info_replicas(struct cmd_info *info);
static uint64_t cmd_info_offset(const struct command_facts *facts,
                                const struct command_member *member);
static void cmd_info_member(struct cmd_info *info, size_t place);
static void cmd_info_put_replid(const char *cluster_id, char *replid);

void cmd_info_replication(struct cmd_info *info)
{
    const struct command_facts *facts = &info->facts;
    char replid[CMD_INFO_REPLID_DIGITS + 1];
    if (command_face_is_primary(info->call, facts)) {
        cmd_info_text(info, "role", "master");
        cmd_info_replicas(info);
    } else {
        cmd_info_text(info, "role", "slave");
        cmd_info_replica(info);
        cmd_info_number(info, "connected_slaves", 0);
    }
    cmd_info_put_replid(facts->cluster_id, replid);
    cmd_info_text(info, "master_failover_state", "no-failover");
    cmd_info_text(info, "master_replid", replid);
    cmd_info_put_replid("", replid);
    cmd_info_text(info, "master_replid2", replid);
    cmd_info_number(info, "master_repl_offset", facts->commit);
    cmd_info_text(info, "second_repl_offset", "-1");
    cmd_info_number(info, "repl_backlog_active", 0);
    cmd_info_number(info, "repl_backlog_size", 0);
    cmd_info_number(info, "repl_backlog_first_byte_offset", 0);
    cmd_info_number(info, "repl_backlog_histlen", 0);
}

void cmd_info_cluster(struct cmd_info *info)
{
    cmd_info_number(info, "cluster_enabled",
                    info->call->session->face == COMMAND_FACE_CLUSTER ? 1 : 0);
}

/* How long keys live on average is not counted. */
void cmd_info_keyspace(struct cmd_info *info)
{
    for (size_t i = 0; i < LIMIT_DATABASES; i++) {
        const struct command_keyspace *keyspace = &info->facts.databases[i];
        if (keyspace->keys > 0) {
            char name[16];
            (void)snprintf(name, sizeof(name), "db%zu", i);
            cmd_info_print(info, name,
                           "keys=%" PRIu64 ",expires=%" PRIu64 ",avg_ttl=0",
                           keyspace->keys, keyspace->expires);
        }
    }
}

void cmd_info_raft(struct cmd_info *info)
{
    const struct command_facts *facts = &info->facts;
    size_t voters = 0;
    for (size_t i = 0; i < facts->members_count; i++) {
        voters += facts->members[i].voter ? 1 : 0;
    }
    cmd_info_number(info, "raft_node_id", facts->node_id);
    cmd_info_text(info, "raft_role", facts->role);
    cmd_info_number(info, "raft_leader_id", facts->leader_id);
    cmd_info_number(info, "raft_current_term", facts->term);
    cmd_info_number(info, "raft_first_index", facts->first_index);
    cmd_info_number(info, "raft_last_index", facts->last_index);
    cmd_info_number(info, "raft_commit_index", facts->commit);
    cmd_info_number(info, "raft_applied_index", facts->applied);
    cmd_info_number(info, "raft_elections", facts->elections);
    cmd_info_text(info, "raft_cluster_id", facts->cluster_id);
    cmd_info_number(info, "raft_boot", facts->boot);
    cmd_info_number(info, "raft_port", facts->raft_port);
    cmd_info_number(info, "raft_num_nodes", facts->members_count);
    cmd_info_number(info, "raft_num_voting_nodes", voters);
    for (size_t i = 0; i < facts->members_count; i++) {
        cmd_info_member(info, i);
    }
}

void cmd_info_locks(struct cmd_info *info)
{
    const struct command_facts *facts = &info->facts;
    cmd_info_number(info, "lock_keys", facts->locks);
    cmd_info_number(info, "lock_grants", facts->grants);
    cmd_info_number(info, "lock_waiters", facts->waiters);
    cmd_info_number(info, "lock_owners", facts->owners);
    cmd_info_number(info, "lock_last_token", facts->last_token);
    cmd_info_number(info, "lock_expired_leases", facts->expired_leases);
    cmd_info_number(info, "lock_handovers", facts->handovers);
    cmd_info_number(info, "fence_keys", facts->fences);
    cmd_info_number(info, "data_keys", facts->data_keys);
    cmd_info_number(info, "cluster_clock_ms", facts->cluster_clock_ms);
    cmd_info_number(info, "cluster_reign", facts->reign);
}

/* Of holdfast-store, which is no node. */
void cmd_info_store(struct cmd_info *info)
{
    const struct command_facts *facts = &info->facts;
    cmd_info_number(info, "store_writes", facts->store_writes);
    cmd_info_number(info, "store_writes_refused", facts->store_refused);
    cmd_info_number(info, "store_reads", facts->store_reads);
    cmd_info_number(info, "store_syncs", facts->store_syncs);
    cmd_info_number(info, "store_requests_open", facts->store_open);
}

/* ---- replication ---- */

static void cmd_info_replica(struct cmd_info *info)
{
    const struct command_member *leader = command_face_leader(&info->facts);
    cmd_info_text(info, "master_host", leader != NULL ? leader->host : "");
    cmd_info_number(
        info, "master_port",
        leader != NULL ? command_face_member_port(info->call, leader) : 0);
    cmd_info_text(info, "master_link_status", leader != NULL ? "up" : "down");
    cmd_info_text(info, "master_last_io_seconds_ago",
                  leader != NULL ? "0" : "-1");
    cmd_info_number(info, "master_sync_in_progress", 0);
    cmd_info_number(info, "slave_read_repl_offset", info->facts.last_index);
    cmd_info_number(info, "slave_repl_offset", info->facts.applied);
    cmd_info_number(info, "slave_priority", 100);
    cmd_info_number(info, "slave_read_only", 1);
    cmd_info_number(info, "replica_announced", 1);
}

static void cmd_info_replicas(struct cmd_info *info)
{
    const struct command_facts *facts = &info->facts;
    size_t count = 0;
    for (size_t i = 0; i < facts->members_count; i++) {
        count += command_face_is_replica(&facts->members[i]) ? 1 : 0;
    }
    cmd_info_number(info, "connected_slaves", count);
    count = 0;
    for (size_t i = 0; i < facts->members_count; i++) {
        const struct command_member *member = &facts->members[i];
        if (command_face_is_replica(member)) {
            char name[32];
            (void)snprintf(name, sizeof(name), "slave%zu", count);
            cmd_info_print(
                info, name,
                "ip=%s,port=%u,state=online,offset=%" PRIu64 ",lag=0",
                member->host, command_face_member_port(info->call, member),
                cmd_info_offset(facts, member));
            count++;
        }
    }
}

/* Only a leader knows how far each of the others is. Anybody else takes it that
 * they have what is committed: less would look like a replica that is stuck. */
static uint64_t cmd_info_offset(const struct command_facts *facts,
                                const struct command_member *member)
{
    return member->match != 0 || facts->leader_id == facts->node_id
               ? member->match
               : facts->commit;
}

static void cmd_info_put_replid(const char *cluster_id, char *replid)
{
    const size_t count = cluster_id != NULL ? strlen(cluster_id) : 0;
    memset(replid, '0', CMD_INFO_REPLID_DIGITS);
    replid[CMD_INFO_REPLID_DIGITS] = '\0';
    if (count > 0 && count <= CMD_INFO_REPLID_DIGITS) {
        memcpy(replid, cluster_id, count);
    }
}

/* ---- raft ---- */

static void cmd_info_member(struct cmd_info *info, size_t place)
{
    const struct command_member *member = &info->facts.members[place];
    char name[32];
    (void)snprintf(name, sizeof(name), "raft_node%zu", place + 1);
    cmd_info_print(info, name,
                   "id=%" PRIu64 ",addr=%s,role=%s,leader=%s,alive=%s"
                   ",match=%" PRIu64,
                   member->id, member->address,
                   member->voter ? "voter" : "learner",
                   member->leads ? "yes" : "no", member->alive ? "yes" : "no",
                   member->match);
}
