/* server_words.c - the arguments of a request, kept beyond the reading. */
#include "server/server_words.h"

#include <string.h>

#include "base/memory.h"

void server_words_copy(struct server_words *words, const struct bytes *args,
                       size_t count)
{
    server_words_close(words);
    words->args = memory_new(count, sizeof(*words->args));
    words->count = count;
    for (size_t i = 0; i < count; i++) {
        buffer_append(&words->bytes, args[i]);
    }
    size_t offset = 0;
    for (size_t i = 0; i < count; i++) {
        words->args[i] = bytes_of(words->bytes.data + offset, args[i].count);
        offset += args[i].count;
    }
}

void server_words_close(struct server_words *words)
{
    buffer_close(&words->bytes);
    memory_free(words->args);
    memset(words, 0, sizeof(*words));
}
