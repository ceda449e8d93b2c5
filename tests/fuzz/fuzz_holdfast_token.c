/* fuzz_holdfast_token.c - signatures and key files from any bytes.
 *
 * The first byte of an input chooses what the rest is:
 *
 *  - a signature of a fixed grant. Only the one that the keys make holds;
 *  - a signature with the grant before it: lock key, owner and token. It holds
 *    if, and only if, signing that grant gives the same text;
 *  - a key file. One that is taken signs, and verifies what it signed.
 */
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/ensure.h"
#include "client/holdfast_token.h"

#define CLUSTER "0123456789abcdef0123456789abcdef"
#define KEYS                                                                   \
    "k1 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n"    \
    "k2 ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

static void fuzz_signature(struct reader *input, bool any_grant);
static bool fuzz_is_ours(const struct hf_token_keys *keys,
                         const struct hf_token *token, struct bytes signature);
static void fuzz_file(struct bytes text);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
    struct reader input = reader_of(bytes_of(data, count));
    switch (reader_u8(&input) % 3) {
    case 0:
        fuzz_signature(&input, false);
        break;
    case 1:
        fuzz_signature(&input, true);
        break;
    default:
        fuzz_file(input.rest);
        break;
    }
    return 0;
}

static void fuzz_signature(struct reader *input, bool any_grant)
{
    static struct hf_token_keys *keys;
    char reason[HF_TOKEN_REASON_BYTES];
    struct hf_token token = {"invoices", 8, "ben", 3, 84};
    if (keys == NULL) {
        keys = hf_token_keys_read(KEYS, strlen(KEYS), reason, sizeof(reason));
        ENSURE(keys != NULL);
    }
    if (any_grant) {
        const struct bytes lock_key = reader_bytes16(input);
        const struct bytes owner = reader_bytes16(input);
        token = (struct hf_token){lock_key.data, lock_key.count, owner.data,
                                  owner.count, reader_u64(input)};
    }
    const struct bytes signature = input->rest;
    const bool holds =
        hf_token_holds(keys, &token, CLUSTER, (const char *)signature.data,
                       signature.count, NULL);
    ENSURE(holds == fuzz_is_ours(keys, &token, signature));
}

/* The second key signs too, if it is the first of other keys. */
static bool fuzz_is_ours(const struct hf_token_keys *keys,
                         const struct hf_token *token, struct bytes signature)
{
    static const char turned[] =
        "k2 ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    char text[HF_TOKEN_SIGNATURE_BYTES];
    char reason[HF_TOKEN_REASON_BYTES];
    bool ours = false;
    struct hf_token_keys *second =
        hf_token_keys_read(turned, strlen(turned), reason, sizeof(reason));
    for (int i = 0; i < 4; i++) {
        const bool made = hf_token_sign(
            i % 2 == 0 ? keys : second, token, CLUSTER,
            i / 2 == 0 ? HF_TOKEN_EXCLUSIVE : HF_TOKEN_SHARED, text);
        ENSURE(made);
        ours = ours || bytes_equal(bytes_of_text(text), signature);
    }
    hf_token_keys_close(second);
    return ours;
}

static void fuzz_file(struct bytes text)
{
    char reason[HF_TOKEN_REASON_BYTES] = "";
    char signature[HF_TOKEN_SIGNATURE_BYTES];
    const struct hf_token token = {"k", 1, "o", 1, 7};
    struct hf_token_keys *keys = hf_token_keys_read(
        (const char *)text.data, text.count, reason, sizeof(reason));
    if (keys == NULL) {
        ENSURE(reason[0] != '\0');
        return;
    }
    const bool made =
        hf_token_sign(keys, &token, CLUSTER, HF_TOKEN_SHARED, signature);
    ENSURE(made && hf_token_keys_count(keys) > 0);
    const bool holds =
        hf_token_holds(keys, &token, NULL, signature, strlen(signature), NULL);
    ENSURE(holds);
    hf_token_keys_close(keys);
}
