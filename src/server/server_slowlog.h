/* server_slowlog.h - the latest commands that took long. */
#ifndef HOLDFAST_SERVER_SLOWLOG_H
#define HOLDFAST_SERVER_SLOWLOG_H

#include "server/server_words.h"

struct server_slow {
    uint64_t id;
    uint64_t wall_s;
    uint64_t micros;
    struct server_words words;
    char client[128];
    char name[64];
};

/* A ring; a zeroed one is empty. */
struct server_slowlog {
    struct server_slow *list;
    size_t capacity;
    size_t count;
    size_t next;
    uint64_t last_id;
};

/* Keep at most capacity from now on; those that are there are dropped. */
void server_slowlog_size(struct server_slowlog *log, size_t capacity);
void server_slowlog_close(struct server_slowlog *log);
void server_slowlog_reset(struct server_slowlog *log);

/* A new entry, oldest replaced; NULL if none are kept. */
struct server_slow *server_slowlog_add(struct server_slowlog *log);

/* Keep the words of a request: not all of very many, nor of very long ones. */
void server_slowlog_words(struct server_slow *slow, const struct bytes *args,
                          size_t count);

/* Newest first; NULL: no such place. */
const struct server_slow *server_slowlog_at(const struct server_slowlog *log,
                                            size_t place);

#endif
