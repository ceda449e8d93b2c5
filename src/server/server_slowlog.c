/* server_slowlog.c - the latest commands that took long. */
#include "server/server_slowlog.h"

#include <string.h>

#include "base/memory.h"

void server_slowlog_size(struct server_slowlog *log, size_t capacity)
{
    const uint64_t last_id = log->last_id;
    if (capacity == log->capacity) {
        return;
    }
    server_slowlog_close(log);
    log->list = memory_new(capacity, sizeof(*log->list));
    log->capacity = capacity;
    log->last_id = last_id;
}

void server_slowlog_close(struct server_slowlog *log)
{
    server_slowlog_reset(log);
    memory_free(log->list);
    memset(log, 0, sizeof(*log));
}

void server_slowlog_reset(struct server_slowlog *log)
{
    for (size_t i = 0; i < log->capacity; i++) {
        server_words_close(&log->list[i].words);
    }
    log->count = 0;
    log->next = 0;
}

struct server_slow *server_slowlog_add(struct server_slowlog *log)
{
    if (log->capacity == 0) {
        return NULL;
    }
    struct server_slow *slow = &log->list[log->next];
    log->next = (log->next + 1) % log->capacity;
    if (log->count < log->capacity) {
        log->count++;
    }
    slow->id = log->last_id;
    log->last_id++;
    return slow;
}

const struct server_slow *server_slowlog_at(const struct server_slowlog *log,
                                            size_t place)
{
    if (place >= log->count) {
        return NULL;
    }
    const size_t at = (log->next + log->capacity - 1 - place) % log->capacity;
    return &log->list[at];
}
