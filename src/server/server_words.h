/* server_words.h - the arguments of a request, kept beyond the reading. */
#ifndef HOLDFAST_SERVER_WORDS_H
#define HOLDFAST_SERVER_WORDS_H

#include "base/bytes.h"

/* A zeroed struct has no words. */
struct server_words {
    struct bytes *args; /* what they point to lies behind them */
    size_t count;
};

void server_words_copy(struct server_words *words, const struct bytes *args,
                       size_t count);
void server_words_close(struct server_words *words);

#endif
