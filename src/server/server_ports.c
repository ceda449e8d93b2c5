/* server_ports.c - the node's ports: disk, links, replies, notices. */
#include "server/server.h"

/* A busy node writes several checkpoints a second: one a minute is for people,
 * and the count in it tells of the others. */
#define SERVER_PORTS_CHECKPOINTS_MS 60000

static void server_ports_write(void *context, const struct node_write *write);
static void server_ports_checkpoint(void *context,
                                    const struct node_checkpoint *checkpoint);
static bool server_ports_chunk(void *context, raft_index_t index,
                               uint64_t offset, struct buffer *out, bool *last);
static void server_ports_stage(void *context, struct bytes key,
                               struct bytes value);
static void server_ports_unstage(void *context);
static bool server_ports_stage_room(void *context);
static void server_ports_send(void *context, raft_id_t to, struct bytes frame);
static void server_ports_offer(void *context, raft_id_t to, struct bytes frame);
static void server_ports_published(void *context, bool shard,
                                   struct bytes channel, struct bytes message);
static void server_ports_answer(void *context, struct bytes frame);
static void server_ports_reply(void *context, uint64_t ask,
                               const struct node_reply *reply);
static void server_ports_notice(void *context,
                                const struct lock_notice *notice);
static void server_ports_line(void *context, const char *text);

struct node_ports server_ports(struct server *server)
{
    return (struct node_ports){
        .context = server,
        .write = server_ports_write,
        .checkpoint = server_ports_checkpoint,
        .chunk = server_ports_chunk,
        .stage = server_ports_stage,
        .unstage = server_ports_unstage,
        .stage_room = server_ports_stage_room,
        .send = server_ports_send,
        .offer = server_ports_offer,
        .published = server_ports_published,
        .answer = server_ports_answer,
        .reply = server_ports_reply,
        .notice = server_ports_notice,
        .line = server_ports_line,
        .line_wanted = &server->tells_all,
    };
}

static void server_ports_write(void *context, const struct node_write *write)
{
    struct server *server = context;
    /* The frames of this turn are waited for by other disks, and to hand over
     * a write may cost us the processor: so they leave before it. */
    net_peers_flush(&server->peers);
    if (write->install) {
        server_log(&server->log, SERVER_LOG_NOTICE,
                   "fell behind: the state is replaced by that of entry %llu",
                   (unsigned long long)write->install_index);
    }
    store_write(server->store, write);
}

static void server_ports_checkpoint(void *context,
                                    const struct node_checkpoint *checkpoint)
{
    struct server *server = context;
    const bool due =
        server->checkpoints == 0 ||
        server->now - server->checkpoint_said_at >= SERVER_PORTS_CHECKPOINTS_MS;
    server->checkpoints++;
    server_log(&server->log, due ? SERVER_LOG_NOTICE : SERVER_LOG_VERBOSE,
               "checkpoint %llu at entry %llu, log starts behind %llu",
               (unsigned long long)server->checkpoints,
               (unsigned long long)checkpoint->index,
               (unsigned long long)checkpoint->boundary_index);
    if (due) {
        server->checkpoint_said_at = server->now;
    }
    store_checkpoint(server->store, checkpoint);
}

static bool server_ports_chunk(void *context, raft_index_t index,
                               uint64_t offset, struct buffer *out, bool *last)
{
    struct server *server = context;
    if (store_chunk(server->store, index, offset, server->now, out, last)) {
        return true;
    }
    const char *problem = store_tell_chunk_problem(server->store);
    if (problem != NULL) {
        server_log(&server->log, SERVER_LOG_WARNING,
                   "the state on disk cannot be read, so that no member can be "
                   "sent it from here: %s; hand leadership over and see "
                   "holdfastd(8), DISK LOSS",
                   problem);
    }
    return false;
}

static void server_ports_stage(void *context, struct bytes key,
                               struct bytes value)
{
    struct server *server = context;
    store_stage(server->store, key, value);
}

static void server_ports_unstage(void *context)
{
    struct server *server = context;
    store_unstage(server->store);
}

static bool server_ports_stage_room(void *context)
{
    struct server *server = context;
    return store_stage_room(server->store);
}

static void server_ports_send(void *context, raft_id_t to, struct bytes frame)
{
    struct server *server = context;
    net_peers_send(&server->peers, to, frame);
}

static void server_ports_offer(void *context, raft_id_t to, struct bytes frame)
{
    struct server *server = context;
    net_peers_offer(&server->peers, to, frame);
}

static void server_ports_published(void *context, bool shard,
                                   struct bytes channel, struct bytes message)
{
    (void)server_publish(context,
                         shard ? COMMAND_SHARD_CHANNEL : COMMAND_CHANNEL,
                         channel, message);
}

static void server_ports_answer(void *context, struct bytes frame)
{
    struct server *server = context;
    if (server->peers.answer != NULL) {
        buffer_append(server->peers.answer, frame);
    }
}

static void server_ports_reply(void *context, uint64_t ask,
                               const struct node_reply *reply)
{
    server_slot_answered(context, ask, reply);
}

static void server_ports_notice(void *context, const struct lock_notice *notice)
{
    server_tell_notice(context, notice);
}

static void server_ports_line(void *context, const char *text)
{
    struct server *server = context;
    server_log(&server->log, SERVER_LOG_DEBUG, "%s", text);
}
