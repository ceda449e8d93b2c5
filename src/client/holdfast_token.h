/* holdfast_token.h - is this fencing token one that the cluster gave out?
 *
 * With fence-secret-file set, a Holdfast cluster signs the token of a grant:
 * LOCK.ACQUIRE ... WITHINFO has it as "signature". Whoever shares the secrets
 * can tell a granted token from an invented one, and so any service can be a
 * store that fences (holdfast-fencing(7)):
 *
 *     struct hf_token_keys *keys;
 *     char why[HF_TOKEN_REASON_BYTES];
 *
 *     keys = hf_token_keys_open("/etc/holdfast/fence-keys", why, sizeof(why));
 *
 *     const struct hf_token token = {.lock_key = "invoices",
 *                                    .lock_key_bytes = 8,
 *                                    .owner = "ben",
 *                                    .owner_bytes = 3,
 *                                    .token = 84};
 *     if (hf_token_holds(keys, &token, NULL, signature, strlen(signature),
 *                        NULL)) {
 *         ... compare 84 with the highest token seen for this lock ...
 *     }
 *
 * A signature is HMAC-SHA-256 and proves that the cluster granted the lock to
 * this owner, in this mode, under this token. It does not prove who shows it,
 * nor that the lease still runs: the second is what comparing tokens is for.
 *
 * Functions may be called by several threads at once with the same keys. They
 * return false or NULL when something is wrong, memory included, and never
 * print, exit or keep a secret where it is not needed.
 */
#ifndef HOLDFAST_CLIENT_HOLDFAST_TOKEN_H
#define HOLDFAST_CLIENT_HOLDFAST_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Room that is enough for every signature, and for every reason, with the
 * zero. */
#define HF_TOKEN_SIGNATURE_BYTES 160
#define HF_TOKEN_REASON_BYTES 160

/* Digits of a cluster id, as RAFT.STATUS shows it. */
#define HF_TOKEN_CLUSTER_DIGITS 32

/* Keys in a file at most. */
#define HF_TOKEN_KEYS_MAX 8

struct hf_token_keys;

enum hf_token_mode {
    HF_TOKEN_EXCLUSIVE = 1,
    HF_TOKEN_SHARED = 2
};

/* What was granted. */
struct hf_token {
    const void *lock_key;
    size_t lock_key_bytes;
    const void *owner;
    size_t owner_bytes;
    uint64_t token;
};

/* Read the keys of a file. It must be a regular file that only its owner can
 * read (mode 0600 or 0400), who is the effective user of the process or root.
 * Each line is the id of a key, 1 to 32 letters, digits, '-' or '_', a blank,
 * and its secret, 32 to 64 bytes as hexadecimal digits; lines that begin with
 * # are comments. The first key signs, all verify. NULL: reason says why not,
 * without anything of a secret. */
struct hf_token_keys *hf_token_keys_open(const char *path, char *reason,
                                         size_t reason_bytes);

/* The same from memory, which the caller should wipe. */
struct hf_token_keys *hf_token_keys_read(const char *text, size_t bytes,
                                         char *reason, size_t reason_bytes);

/* Forget them. NULL is allowed. */
void hf_token_keys_close(struct hf_token_keys *keys);

/* How many there are, and the id of one; the first signs. */
size_t hf_token_keys_count(const struct hf_token_keys *keys);
const char *hf_token_keys_id(const struct hf_token_keys *keys, size_t place);

/* True if a signature is the cluster's own for this token. cluster_id: accept
 * tokens of this cluster only; NULL: of any that has one of the keys. mode, if
 * it is not NULL, is set to that of the grant.
 *
 * Does the same work whatever is wrong: an unknown key, a wrong signature,
 * another lock, owner or cluster, no signature at all. */
bool hf_token_holds(const struct hf_token_keys *keys,
                    const struct hf_token *token, const char *cluster_id,
                    const char *signature, size_t signature_bytes,
                    enum hf_token_mode *mode);

/* Sign with the first key, as the cluster does. False: out of memory, or the
 * cluster id is none. */
bool hf_token_sign(const struct hf_token_keys *keys,
                   const struct hf_token *token, const char *cluster_id,
                   enum hf_token_mode mode,
                   char signature[HF_TOKEN_SIGNATURE_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
