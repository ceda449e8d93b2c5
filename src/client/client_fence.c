/* client_fence.c - writes that only the present holder of a lock can make. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "client/client_error.h"
#include "client/client_state.h"

#define CLIENT_FENCE_WORDS_MAX 12

/* FENCE.SET or FENCE.DEL, put together. */
struct client_fence {
    const char *words[CLIENT_FENCE_WORDS_MAX];
    size_t bytes[CLIENT_FENCE_WORDS_MAX];
    size_t count;
};

/* Under which grant. */
struct client_fence_grant {
    const char *lock_key;
    uint64_t token;
    const char *owner;
    const char *signature;
};

static enum hf_status client_fence_check(const struct hf_lease *lease,
                                         struct client_fence_grant *grant,
                                         struct hf_error *error);
static enum hf_status client_fence_send(struct hf_client *client,
                                        struct client_fence *fence,
                                        const struct client_fence_grant *grant,
                                        int64_t *count, struct hf_error *error);
static void client_fence_word(struct client_fence *fence, const char *word);

enum hf_status hf_fence_set(struct hf_client *client,
                            const struct hf_lease *lease, const char *key,
                            const void *value, size_t value_bytes,
                            struct hf_error *error)
{
    struct client_fence_grant grant;
    const enum hf_status status = client_fence_check(lease, &grant, error);
    return status != HF_OK
               ? status
               : hf_fence_set_by(client, grant.lock_key, grant.token,
                                 grant.owner, grant.signature, key, value,
                                 value_bytes, error);
}

enum hf_status hf_fence_set_by(struct hf_client *client, const char *lock_key,
                               uint64_t token, const char *owner,
                               const char *signature, const char *key,
                               const void *value, size_t value_bytes,
                               struct hf_error *error)
{
    const struct client_fence_grant grant = {lock_key, token, owner, signature};
    struct client_fence fence = {.count = 0};
    if (lock_key == NULL || key == NULL || (value == NULL && value_bytes > 0)) {
        return client_error(error, HF_BAD_ARGUMENT, "no key or no value");
    }
    client_fence_word(&fence, "FENCE.SET");
    client_fence_word(&fence, key);
    client_fence_word(&fence, "");
    if (value_bytes > 0) {
        fence.words[fence.count - 1] = value;
        fence.bytes[fence.count - 1] = value_bytes;
    }
    return client_fence_send(client, &fence, &grant, NULL, error);
}

enum hf_status hf_fence_delete(struct hf_client *client,
                               const struct hf_lease *lease, const char *key,
                               int64_t *deleted, struct hf_error *error)
{
    struct client_fence_grant grant;
    struct client_fence fence = {.count = 0};
    const enum hf_status status = client_fence_check(lease, &grant, error);
    if (status != HF_OK) {
        return status;
    }
    if (key == NULL) {
        return client_error(error, HF_BAD_ARGUMENT, "no key");
    }
    client_fence_word(&fence, "FENCE.DEL");
    client_fence_word(&fence, key);
    return client_fence_send(client, &fence, &grant, deleted, error);
}

static enum hf_status client_fence_check(const struct hf_lease *lease,
                                         struct client_fence_grant *grant,
                                         struct hf_error *error)
{
    if (!hf_lease_ok(lease)) {
        return client_error(error, HF_LOST, NULL);
    }
    *grant = (struct client_fence_grant){
        .lock_key = hf_lease_key(lease),
        .token = hf_lease_token(lease),
        .owner = hf_lease_owner(lease),
        .signature = hf_lease_signature(lease),
    };
    return HF_OK;
}

static enum hf_status client_fence_send(struct hf_client *client,
                                        struct client_fence *fence,
                                        const struct client_fence_grant *grant,
                                        int64_t *count, struct hf_error *error)
{
    struct hf_reply *reply = NULL;
    char token[24];
    (void)snprintf(token, sizeof(token), "%" PRIu64, grant->token);
    client_fence_word(fence, "LOCK");
    client_fence_word(fence, grant->lock_key);
    client_fence_word(fence, "TOKEN");
    client_fence_word(fence, token);
    if (grant->owner != NULL && grant->signature != NULL &&
        grant->signature[0] != '\0') {
        client_fence_word(fence, "OWNER");
        client_fence_word(fence, grant->owner);
        client_fence_word(fence, "SIG");
        client_fence_word(fence, grant->signature);
    }
    const enum hf_status status = hf_command(client, fence->count, fence->words,
                                             fence->bytes, NULL, &reply, error);
    if (count != NULL) {
        *count = reply != NULL && reply->kind == HF_REPLY_INTEGER
                     ? reply->integer
                     : 0;
    }
    hf_reply_free(reply);
    return status;
}

static void client_fence_word(struct client_fence *fence, const char *word)
{
    fence->words[fence->count] = word;
    fence->bytes[fence->count] = strlen(word);
    fence->count++;
}
