/* sim_clients.h - clients of the cluster, and what they may expect.
 *
 * Each client is connected to one node and asks one thing at a time: it takes
 * locks, keeps and renews them by its own clock, writes to stores under their
 * tokens, gives them back or dies; it reads, and writes data. Requests and
 * answers take time, connections break, nodes crash: a client that did not
 * hear asks again, at another node, for the same.
 *
 * sim_clients.c is the connections, sim_session.c what clients do, sim_again.c
 * what they do when they hear nothing, sim_draw.c what they want, sim_judge.c
 * the checkers that watch them.
 */
#ifndef HOLDFAST_SIM_CLIENTS_H
#define HOLDFAST_SIM_CLIENTS_H

#include "sim/sim_cluster.h"
#include "sim/sim_judge.h"
#include "sim/sim_wish.h"

enum {
    SIM_CLIENTS_MAX = 24,
    /* An owner asks for no more than this many grants: each request has a ttl
     * of its own, by which it is known in the log, each shorter than the one
     * before, so that one that is applied late takes nothing away. */
    SIM_SESSION_ACQUIRES = 64,
};

enum sim_client_state {
    SIM_CLIENT_IDLE,    /* between sessions */
    SIM_CLIENT_ASKING,  /* an ask is open */
    SIM_CLIENT_WAITING, /* to ask the same again */
    SIM_CLIENT_HOLDING, /* between the steps of a session */
    SIM_CLIENT_PAUSED,  /* stands still, with a lock */
    SIM_CLIENT_FINISHED,
};

struct sim_client {
    uint32_t number;
    enum sim_client_state state;
    uint32_t node;          /* connected to */
    struct sim_clock clock; /* its own */
    uint64_t wake;          /* token of its timer */

    char owner[SIM_WISH_TEXT];
    uint64_t lives;     /* owners it was */
    time_ms_t ttl_base; /* of this owner's leases */
    uint64_t acquires;  /* of this owner */
    bool unresolved;    /* something of this owner may still be applied */

    struct sim_wish wish; /* what is asked, or is to be asked again */
    uint64_t ask;         /* open; 0: none */
    uint64_t asked_life;  /* of the node */
    time_us_t asked_at;
    time_ms_t asked_local;
    raft_index_t floor; /* applied by somebody when it was asked */
    uint32_t entries;   /* of a renewal: in the log when it was asked */
    uint32_t tries;

    size_t lock;    /* of the session */
    uint64_t claim; /* of the session; 0: none */
    bool has;       /* was told that it holds it */
    uint64_t token;
    enum lock_mode mode;
    uint64_t seq;
    time_ms_t ttl_ms;
    time_ms_t valid_until; /* by its own clock */
    size_t steps;          /* still to do */
    bool last_done;        /* closing: its last write was answered */
};

/* An ask, by its number, for as long as the run lasts. */
struct sim_ask {
    uint32_t client;
    uint32_t node;
    uint64_t life;
    bool at_node;    /* it reached the node ... */
    bool leaderless; /* ... which knew no leader then */
    bool finished;   /* answered for good */
    bool dropped;    /* the node was told that nobody listens */
    bool unblocked;  /* the node was told to end its wait */
    struct sim_wish wish;
};

struct sim_clients {
    struct sim_cluster *cluster;
    struct sim_judge judge;
    struct random random;
    struct sim_client list[SIM_CLIENTS_MAX];
    size_t count;
    struct sim_ask *asks; /* asks[number] */
    uint64_t asks_count;
    size_t asks_capacity;
    uint64_t seqs_count;
    bool closing; /* finish what you have, begin nothing */
};

/* Puts the first events into the queue and hooks itself into the cluster. */
void sim_clients_init(struct sim_clients *clients, struct sim_cluster *cluster);
void sim_clients_close(struct sim_clients *clients);

/* Carry out an event of clients. idle: nobody begins anything. */
void sim_clients_event(struct sim_clients *clients, struct sim_event *event,
                       bool idle);

/* All is healed: some die where they are, the others finish. */
void sim_clients_finish(struct sim_clients *clients);

/* What is not finished, or NULL. A node that is not among members may never
 * get an answer. */
const char *sim_clients_missing(const struct sim_clients *clients,
                                const struct raft_members *members);

/* ---- between sim_clients.c, sim_session.c and sim_again.c ---- */

/* Ask client->wish, or ask it again. */
void sim_clients_ask(struct sim_clients *clients, struct sim_client *client);

/* Close the connection under an open ask. */
void sim_clients_hang_up(struct sim_clients *clients,
                         struct sim_client *client);

/* Have the node end the wait of the open ask. */
void sim_clients_unblock(struct sim_clients *clients,
                         struct sim_client *client);

/* Look at the client again after so long. */
void sim_clients_wake(struct sim_clients *clients, struct sim_client *client,
                      time_us_t after_us);

time_ms_t sim_clients_local(const struct sim_clients *clients,
                            const struct sim_client *client);

/* The clients' time has come. */
void sim_session_wake(struct sim_clients *clients, struct sim_client *client);

/* The open ask has this answer; it is closed unless last is false. */
void sim_session_answered(struct sim_clients *clients,
                          struct sim_client *client,
                          const struct node_reply *reply);

/* The session ends here. */
void sim_session_over(struct sim_clients *clients, struct sim_client *client);

/* Ask for the lock of the session, as client->wish has it. */
void sim_session_acquire(struct sim_clients *clients,
                         struct sim_client *client);

/* A while. */
time_us_t sim_session_think(struct sim_clients *clients);

/* ---- sim_again.c ---- */

/* How long an open ask may take before the client does something about it;
 * and what it does then. */
void sim_again_patience(struct sim_clients *clients, struct sim_client *client);
void sim_again_impatient(struct sim_clients *clients,
                         struct sim_client *client);

/* There is no answer, because the connection broke; or one that says little.
 * The client asks again, elsewhere, or never. */
void sim_again_lost(struct sim_clients *clients, struct sim_client *client);
void sim_again_failed(struct sim_clients *clients, struct sim_client *client);
void sim_again_retry(struct sim_clients *clients, struct sim_client *client);
void sim_again_move(struct sim_clients *clients, struct sim_client *client);

/* A new owner, with nothing to its name. */
void sim_session_reborn(struct sim_clients *clients, struct sim_client *client);

/* The healed phase begins. */
void sim_session_finish(struct sim_clients *clients, struct sim_client *client);

/* A write under the token of a lock reaches the outside store. */
void sim_session_store(struct sim_clients *clients, struct sim_client *client,
                       size_t lock, uint64_t token);

#endif
