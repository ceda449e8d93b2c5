/* bench_load.h - lanes, links and the load they make, for bench_l*.c only. */
#ifndef HOLDFAST_UTILS_BENCH_LOAD_H
#define HOLDFAST_UTILS_BENCH_LOAD_H

#include <hiredis/hiredis.h>
#include <sys/socket.h>

#include "bench.h"

struct bench_load;
struct bench_link;

/* A reply, as far as anybody looks at it. */
struct bench_reply {
    int type;
    long long integer;
    char text[64]; /* its beginning */
    size_t count;
};

/* One client. */
struct bench_lane {
    struct bench_link *link;
    struct bench_lane *next_delayed;
    size_t number;
    enum bench_kind doing;
    bool busy;    /* a request is under way */
    bool delayed; /* is in the list of those that pause */
    bool holds;
    uint64_t wake_ns;
    uint64_t sent_ns;
    uint64_t began_ns; /* its cycle */
    size_t command;    /* next of the commands */
    uint64_t commands; /* sent; __token__ in mode command */
    char key[192], owner[64], token[64];
    size_t key_count, owner_count, token_count;
};

/* One connection. */
struct bench_link {
    struct bench_load *load;
    int fd; /* -1: none */
    bool connecting;
    bool writing; /* waits until the socket takes more */
    size_t address;
    uint64_t connect_at_ns; /* while there is none */
    redisReader *reader;
    struct bench_text out;
    size_t sent;               /* of out */
    struct bench_lane *lanes;  /* pipeline of them */
    struct bench_lane **asked; /* a ring: who is to get the next replies */
    size_t asked_first, asked_count;
    size_t skip; /* replies that nobody asked for: AUTH */
};

struct bench_load {
    const struct bench_options *options;
    struct bench_stats *stats;
    struct bench_template *acquire, *renew, *release;
    struct bench_template *commands[BENCH_COMMANDS_MAX];
    struct bench_template *auth;
    struct sockaddr_storage sockets[BENCH_ADDRESSES_MAX];
    socklen_t socket_bytes[BENCH_ADDRESSES_MAX];
    int epoll;
    struct bench_link *links;
    size_t links_down;
    bool ever_connected;
    int connect_errno;
    struct bench_reply reply;
    char *data;
    uint64_t random;
    struct bench_lane *delayed_first, *delayed_last;
    uint64_t sequences; /* begun */
    size_t busy;        /* lanes with a request under way */
    bool counting;
    bool stopping;
};

/* ---- bench_link.c ---- */

/* Look the addresses up; false: it was said what is wrong. */
bool bench_link_resolve(struct bench_load *load);
void bench_link_init(struct bench_load *load, struct bench_link *link,
                     size_t number);
void bench_link_close(struct bench_link *link);
void bench_link_connect(struct bench_link *link, uint64_t now);

/* Something happened to its socket. */
void bench_link_event(struct bench_link *link, unsigned events);
void bench_link_flush(struct bench_link *link);

/* ---- bench_lane.c ---- */

/* Write the next request of a lane, if there is one to be made. */
void bench_lane_next(struct bench_lane *lane, uint64_t now);

/* Its request was answered: load->reply. */
void bench_lane_answered(struct bench_lane *lane, uint64_t now);

/* Its connection broke: whatever it had is gone. */
void bench_lane_reset(struct bench_lane *lane);

/* Let those go on whose pause is over; when the next one is, or UINT64_MAX. */
uint64_t bench_lane_wake(struct bench_load *load, uint64_t now);

#endif
