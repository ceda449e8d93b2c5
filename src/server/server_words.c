/* server_words.c - the arguments of a request, kept beyond the reading. */
#include "server/server_words.h"

#include <string.h>

#include "base/memory.h"

/* One block has it all: this is done for every request that waits. */
void server_words_copy(struct server_words *words, const struct bytes *args,
                       size_t count)
{
    size_t size = count * sizeof(*words->args);
    server_words_close(words);
    for (size_t i = 0; i < count; i++) {
        size += args[i].count;
    }
    words->args = memory_new(1, size);
    words->count = count;
    uint8_t *end = (uint8_t *)(words->args + count);
    for (size_t i = 0; i < count; i++) {
        if (args[i].count > 0) {
            memcpy(end, args[i].data, args[i].count);
        }
        words->args[i] = bytes_of(end, args[i].count);
        end += args[i].count;
    }
}

void server_words_close(struct server_words *words)
{
    memory_free(words->args);
    memset(words, 0, sizeof(*words));
}
