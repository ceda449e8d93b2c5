/* server_engine.h - what stands behind the clients of a server.
 *
 * The front end reads requests, finds commands, keeps replies in order, logs,
 * takes signals and options; all of that is the same for every program. What a
 * plan is asked of is not: holdfastd asks a replica (server_node.c),
 * holdfast-store a database of its own (fence/fence_engine.c). Each is a table
 * of these functions. Replies come back by server_slot_answered(), never from
 * within ask().
 *
 * One turn of the loop:
 *
 *     clients run        ask() for everything that may be asked
 *     turn()             carry it out, as far as no disk is waited for
 *     clients run        replies leave
 *     finish_turn()      what is left; when the next turn is wanted
 *
 * To add a program: such a table, a struct server_program with its options, a
 * list of its commands, and a main() that calls server_main().
 */
#ifndef HOLDFAST_SERVER_ENGINE_H
#define HOLDFAST_SERVER_ENGINE_H

#include "base/status.h"
#include "base/units.h"
#include "command/command_plan.h"
#include "command/command_world.h"

struct server;
struct server_options;

struct server_engine {
    bool grants; /* it gives tokens out, and so signs them */

    /* Open what is behind; false: one line was logged. close() follows in
     * either case. */
    bool (*start)(struct server *server);
    void (*close)(struct server *server);

    /* Say in the log that clients are served from now on. */
    void (*announce)(const struct server *server);

    void (*turn)(struct server *server);
    time_ms_t (*finish_turn)(struct server *server);

    /* Begin to stop; then asked once a turn, until the answer is true. */
    void (*stop)(struct server *server);
    bool (*may_leave)(const struct server *server);

    /* Why a plan is refused before it is asked, as an error; NULL: it is
     * not. */
    const char *(*objection)(const struct server *server,
                             const struct command_plan *plan);

    /* As node_ask(), node_drop() and node_unblock(). */
    enum status (*ask)(struct server *server, uint64_t ask,
                       const struct command_plan *plan);
    void (*drop)(struct server *server, uint64_t ask);
    bool (*unblock)(struct server *server, uint64_t ask);

    /* Clients of the cluster's face may ask it here. */
    bool (*leads)(const struct server *server);

    /* Its part of the facts, all others being zero. */
    void (*facts)(struct server *server, struct command_facts *facts);

    /* As node_publish(); NULL: there are no other nodes. */
    void (*publish)(struct server *server, bool shard, struct bytes channel,
                    struct bytes message);

    /* --recover: do it and give the exit code; NULL: there is no such thing. */
    int (*recover)(const struct server_options *options);
};

/* holdfastd's. */
extern const struct server_engine server_node_engine;

#endif
