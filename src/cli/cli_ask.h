/* cli_ask.h - ask the cluster for what a sample has.
 *
 * Every function returns HF_OK or tells in error why not; what was gathered by
 * then stays in the sample.
 */
#ifndef HOLDFAST_CLI_ASK_H
#define HOLDFAST_CLI_ASK_H

#include "cli/cli_sample.h"
#include "client/holdfast.h"

/* One command. A text of the reply is any bytes. */
enum hf_status cli_ask(struct hf_client *client, const char *const *words,
                       size_t words_count, struct hf_reply **reply,
                       struct hf_error *error);

/* The bytes of a text beside a name in a map; empty if there is none. */
struct bytes cli_ask_bytes(const struct hf_reply *reply, const char *name);

/* The members, each asked itself for at most timeout_ms. One that does not
 * answer is no failure. */
enum hf_status cli_ask_members(struct hf_client *client, int64_t timeout_ms,
                               struct cli_sample *sample,
                               struct hf_error *error);

/* Where the walk through the held locks is. */
struct cli_ask_walk {
    char cursor[24];
    bool is_over;
};

#define CLI_ASK_WALK_INIT                                                      \
    {                                                                          \
        .cursor = "0"                                                          \
    }

/* Some more of the held locks, each with up to waiters_max of its queue, until
 * the sample has locks_max, deadline_ms has come or there are no more. */
enum hf_status cli_ask_locks(struct hf_client *client,
                             struct cli_ask_walk *walk, size_t locks_max,
                             size_t waiters_max, int64_t deadline_ms,
                             struct cli_sample *sample, struct hf_error *error);

/* One lock into the sample, held or not. */
enum hf_status cli_ask_lock(struct hf_client *client, struct bytes key,
                            size_t waiters_max, struct cli_sample *sample,
                            struct hf_error *error);

#endif
