/* server_tokens.c - the keys that sign tokens, of a server while it runs. */
#include "server/server_tokens.h"

#include <sys/stat.h>
#include <unistd.h>

#include "client/holdfast_token.h"
#include "server/server.h"
#include "server/server_options_read.h"

static_assert(HF_TOKEN_SIGNATURE_BYTES == COMMAND_SIGNATURE_BYTES,
              "a signature has the same room everywhere");

static struct hf_token_keys *server_tokens_read(const struct server *server,
                                                char *reason, size_t room);
static void server_tokens_say(const struct server *server);
static struct hf_token server_tokens_of(const struct command_token *token);

bool server_tokens_check(struct server_options *options)
{
    char reason[HF_TOKEN_REASON_BYTES];
    const char *path = options->fence_secret_file;
    struct stat state;
    if (path[0] == '\0') {
        return true;
    }
    if (geteuid() == 0 && stat(path, &state) == 0 && state.st_uid != 0) {
        return true; /* it is its owner who may start the server, not root */
    }
    struct hf_token_keys *keys =
        hf_token_keys_open(path, reason, sizeof(reason));
    hf_token_keys_close(keys);
    return keys != NULL ||
           server_options_read_fail(options, "fence-secret-file", reason);
}

bool server_tokens_open(struct server *server)
{
    char reason[HF_TOKEN_REASON_BYTES];
    if (server->options.fence_secret_file[0] == '\0') {
        server_log(&server->log, SERVER_LOG_NOTICE,
                   "no fence-secret-file: fenced writes are taken without "
                   "signatures");
        return true;
    }
    server->token_keys = server_tokens_read(server, reason, sizeof(reason));
    if (server->token_keys == NULL) {
        server_log(&server->log, SERVER_LOG_WARNING, "fence-secret-file %s: %s",
                   server->options.fence_secret_file, reason);
        return false;
    }
    server_tokens_say(server);
    return true;
}

void server_tokens_reload(struct server *server)
{
    char reason[HF_TOKEN_REASON_BYTES];
    if (server->token_keys == NULL) {
        return;
    }
    struct hf_token_keys *keys =
        server_tokens_read(server, reason, sizeof(reason));
    if (keys == NULL) {
        server_log(&server->log, SERVER_LOG_WARNING,
                   "fence-secret-file %s: %s; the keys stay as they were",
                   server->options.fence_secret_file, reason);
        return;
    }
    hf_token_keys_close(server->token_keys);
    server->token_keys = keys;
    server_tokens_say(server);
}

void server_tokens_close(struct server *server)
{
    hf_token_keys_close(server->token_keys);
    server->token_keys = NULL;
}

void server_tokens_sign(void *context, const struct command_token *token,
                        char signature[COMMAND_SIGNATURE_BYTES])
{
    const struct server *server = context;
    const struct hf_token plain = server_tokens_of(token);
    signature[0] = '\0';
    if (server->token_keys != NULL && server->token_cluster != NULL) {
        (void)hf_token_sign(server->token_keys, &plain, server->token_cluster,
                            token->mode == LOCK_SHARED ? HF_TOKEN_SHARED
                                                       : HF_TOKEN_EXCLUSIVE,
                            signature);
    }
}

bool server_tokens_holds(void *context, const struct command_token *token,
                         struct bytes signature)
{
    const struct server *server = context;
    const struct hf_token plain = server_tokens_of(token);
    return server->token_keys == NULL ||
           hf_token_holds(server->token_keys, &plain, server->token_cluster,
                          (const char *)signature.data, signature.count, NULL);
}

static struct hf_token_keys *server_tokens_read(const struct server *server,
                                                char *reason, size_t room)
{
    return hf_token_keys_open(server->options.fence_secret_file, reason, room);
}

static void server_tokens_say(const struct server *server)
{
    const char *first = hf_token_keys_id(server->token_keys, 0);
    const size_t count = hf_token_keys_count(server->token_keys);
    if (server->engine->grants) {
        server_log(&server->log, SERVER_LOG_NOTICE,
                   "tokens are signed with key %s; keys known: %zu", first,
                   count);
    } else {
        server_log(&server->log, SERVER_LOG_NOTICE,
                   "signatures of tokens are checked; keys known: %zu, the "
                   "first is %s",
                   count, first);
    }
}

static struct hf_token server_tokens_of(const struct command_token *token)
{
    return (struct hf_token){
        .lock_key = token->lock_key.data,
        .lock_key_bytes = token->lock_key.count,
        .owner = token->owner.data,
        .owner_bytes = token->owner.count,
        .token = token->token,
    };
}
