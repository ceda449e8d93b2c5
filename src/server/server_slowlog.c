/* server_slowlog.c - the latest commands that took long. */
#include "server/server_slowlog.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* Of one request, as in Redis. */
#define SERVER_SLOWLOG_WORDS 32
#define SERVER_SLOWLOG_WORD_BYTES 128

static struct bytes server_slowlog_cut(struct bytes word, char *text,
                                       size_t room);

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

/* As Redis cuts them. */
void server_slowlog_words(struct server_slow *slow, const struct bytes *args,
                          size_t count)
{
    struct bytes words[SERVER_SLOWLOG_WORDS];
    char texts[SERVER_SLOWLOG_WORDS][SERVER_SLOWLOG_WORD_BYTES + 48];
    const size_t kept =
        count <= SERVER_SLOWLOG_WORDS ? count : SERVER_SLOWLOG_WORDS - 1;
    for (size_t i = 0; i < kept; i++) {
        words[i] = server_slowlog_cut(args[i], texts[i], sizeof(texts[i]));
    }
    if (kept < count) {
        (void)snprintf(texts[kept], sizeof(texts[kept]),
                       "... (%zu more arguments)", count - kept);
        words[kept] = bytes_of_text(texts[kept]);
    }
    server_words_copy(&slow->words, words, kept < count ? kept + 1 : kept);
}

static struct bytes server_slowlog_cut(struct bytes word, char *text,
                                       size_t room)
{
    if (word.count <= SERVER_SLOWLOG_WORD_BYTES) {
        return word;
    }
    const size_t most = SERVER_SLOWLOG_WORD_BYTES;
    memcpy(text, word.data, most);
    const int count = snprintf(text + most, room - most, "... (%zu more bytes)",
                               word.count - most);
    return bytes_of(text, most + (size_t)count);
}
