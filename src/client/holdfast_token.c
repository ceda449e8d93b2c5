/* holdfast_token.c - signatures of fencing tokens: keys, making, checking.
 *
 * A signature is a text of five parts:
 *
 *     1.KEY.CLUSTER.MODE.TAG
 *
 *     KEY       id of the key
 *     CLUSTER   id of the cluster, 32 hexadecimal digits
 *     MODE      e or s: exclusive, shared
 *     TAG       HMAC-SHA-256, 64 hexadecimal digits
 *
 * Digits are small letters only, so that a signature has one spelling. The tag
 * is over
 *
 *     "holdfast-token", a zero, version (8 bits), length of the key's id (8)
 *     and the id, cluster id as text, mode as letter, token (64), length (64)
 *     of the lock's key and the key, length (64) of the owner and the owner
 *
 * with big-endian numbers. Every field has a fixed width or its length before
 * it: no two grants have the same bytes.
 *
 * Secrets go from the file into OpenSSL's contexts and are wiped at once. A
 * context is copied for each use, so that keys can be shared by threads.
 *
 * To change what is signed: a new version, and the old one is still verified
 * for as long as a lease can run.
 */
#include "client/holdfast_token.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HF_TOKEN_VERSION '1'
#define HF_TOKEN_ID_MAX 32
#define HF_TOKEN_SECRET_MIN 32
#define HF_TOKEN_SECRET_MAX 64
#define HF_TOKEN_TAG_BYTES 32
#define HF_TOKEN_FILE_MAX (64 * 1024)
#define HF_TOKEN_DOMAIN "holdfast-token"

struct hf_token_key {
    char id[HF_TOKEN_ID_MAX + 1];
    EVP_MAC_CTX *context; /* keyed */
};

/* The last of the list has a secret that nobody knows. Work is done with it
 * where no key is right, so that it takes as long. */
struct hf_token_keys {
    struct hf_token_key list[HF_TOKEN_KEYS_MAX + 1];
    size_t count; /* without that one */
};

/* The parts of a signature; pointers into it. */
struct hf_token_parts {
    const char *id;
    size_t id_bytes;
    const char *cluster;
    char mode;
    const char *tag;
};

/* A line of a file, with blanks cut off at both ends. */
struct hf_token_line {
    const char *text;
    size_t bytes;
};

static bool hf_token_keys_take(struct hf_token_keys *keys,
                               const struct hf_token_line *line, size_t number,
                               char *reason, size_t reason_bytes);
static bool hf_token_keys_are_private(const struct stat *state, char *reason,
                                      size_t reason_bytes);
static bool hf_token_keys_finish(struct hf_token_keys *keys, char *reason,
                                 size_t reason_bytes);
static bool hf_token_key_init(struct hf_token_key *key,
                              const unsigned char *secret, size_t bytes);
static const struct hf_token_key *
hf_token_keys_find(const struct hf_token_keys *keys, const char *id,
                   size_t bytes);
static bool hf_token_split(const char *signature, size_t bytes,
                           struct hf_token_parts *parts);
static bool hf_token_tag(const struct hf_token_key *key, const char *cluster,
                         char mode, const struct hf_token *token,
                         unsigned char tag[HF_TOKEN_TAG_BYTES]);
static bool hf_token_put_sized(EVP_MAC_CTX *context, const void *data,
                               size_t bytes);
static void hf_token_put_number(unsigned char *out, uint64_t number);
static bool hf_token_is_id(const char *text, size_t bytes);
static bool hf_token_is_hex(const char *text, size_t bytes);
static int hf_token_digit(char letter);
static bool hf_token_unhex(const char *text, size_t digits, unsigned char *out);
static bool hf_token_refuse(char *reason, size_t reason_bytes,
                            const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- keys ---- */

struct hf_token_keys *hf_token_keys_open(const char *path, char *reason,
                                         size_t reason_bytes)
{
    struct hf_token_keys *keys = NULL;
    struct stat state;
    char *text = malloc(HF_TOKEN_FILE_MAX);
    size_t count = 0;
    ssize_t got = 1;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 || text == NULL || fstat(fd, &state) != 0) {
        (void)hf_token_refuse(reason, reason_bytes, "%s", strerror(errno));
        goto out;
    }
    if (!hf_token_keys_are_private(&state, reason, reason_bytes)) {
        goto out;
    }
    while (got > 0 && count < HF_TOKEN_FILE_MAX) {
        got = read(fd, text + count, HF_TOKEN_FILE_MAX - count);
        count += got > 0 ? (size_t)got : 0;
    }
    if (got != 0) {
        (void)hf_token_refuse(reason, reason_bytes, "%s",
                              got < 0 ? strerror(errno) : "it is too long");
        goto out;
    }
    keys = hf_token_keys_read(text, count, reason, reason_bytes);
out:
    if (text != NULL) {
        explicit_bzero(text, HF_TOKEN_FILE_MAX);
        free(text);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return keys;
}

/* Whoever else may read the file, or own it and so change its mode, could sign
 * what he likes. */
static bool hf_token_keys_are_private(const struct stat *state, char *reason,
                                      size_t reason_bytes)
{
    if (!S_ISREG(state->st_mode)) {
        return hf_token_refuse(reason, reason_bytes, "it is not a file");
    }
    if (state->st_uid != geteuid() && state->st_uid != 0) {
        return hf_token_refuse(reason, reason_bytes,
                               "it belongs to user %u: only the user of this "
                               "process or root may own a secret (chown)",
                               (unsigned)state->st_uid);
    }
    return (state->st_mode & 0177) == 0 ||
           hf_token_refuse(reason, reason_bytes,
                           "its mode is %04o: only its owner may read a "
                           "secret (chmod 600)",
                           (unsigned)(state->st_mode & 07777));
}

struct hf_token_keys *hf_token_keys_read(const char *text, size_t bytes,
                                         char *reason, size_t reason_bytes)
{
    struct hf_token_keys *keys = calloc(1, sizeof(*keys));
    size_t number = 1;
    size_t at = 0;
    bool good = keys != NULL;
    if (!good) {
        (void)hf_token_refuse(reason, reason_bytes, "out of memory");
    }
    while (good && at < bytes) {
        const char *newline = memchr(text + at, '\n', bytes - at);
        const size_t end = newline != NULL ? (size_t)(newline - text) : bytes;
        struct hf_token_line line = {text + at, end - at};
        while (line.bytes > 0 && strchr(" \t\r", line.text[0]) != NULL &&
               line.text[0] != '\0') {
            line.text++;
            line.bytes--;
        }
        while (line.bytes > 0 && line.text[line.bytes - 1] != '\0' &&
               strchr(" \t\r", line.text[line.bytes - 1]) != NULL) {
            line.bytes--;
        }
        if (line.bytes > 0 && line.text[0] != '#') {
            good =
                hf_token_keys_take(keys, &line, number, reason, reason_bytes);
        }
        at = end + 1;
        number++;
    }
    if (good && hf_token_keys_finish(keys, reason, reason_bytes)) {
        return keys;
    }
    hf_token_keys_close(keys);
    return NULL;
}

/* A line "id secret". What is wrong is told without showing any of it. */
static bool hf_token_keys_take(struct hf_token_keys *keys,
                               const struct hf_token_line *line, size_t number,
                               char *reason, size_t reason_bytes)
{
    unsigned char secret[HF_TOKEN_SECRET_MAX];
    size_t id_bytes = 0;
    while (id_bytes < line->bytes && line->text[id_bytes] != ' ' &&
           line->text[id_bytes] != '\t') {
        id_bytes++;
    }
    size_t at = id_bytes;
    while (at < line->bytes &&
           (line->text[at] == ' ' || line->text[at] == '\t')) {
        at++;
    }
    const size_t digits = line->bytes - at;
    if (!hf_token_is_id(line->text, id_bytes)) {
        return hf_token_refuse(reason, reason_bytes,
                               "line %zu does not begin with the id of a key",
                               number);
    }
    if (digits < 2 * HF_TOKEN_SECRET_MIN || digits > 2 * HF_TOKEN_SECRET_MAX ||
        digits % 2 != 0 || !hf_token_unhex(line->text + at, digits, secret)) {
        explicit_bzero(secret, sizeof(secret));
        return hf_token_refuse(reason, reason_bytes,
                               "the secret in line %zu is not 32 to 64 bytes "
                               "as hexadecimal digits",
                               number);
    }
    bool good = false;
    if (keys->count == HF_TOKEN_KEYS_MAX) {
        (void)hf_token_refuse(reason, reason_bytes,
                              "there are more than %d keys", HF_TOKEN_KEYS_MAX);
    } else if (hf_token_keys_find(keys, line->text, id_bytes) != NULL) {
        (void)hf_token_refuse(reason, reason_bytes,
                              "line %zu has the id of an earlier key", number);
    } else if (!hf_token_key_init(&keys->list[keys->count], secret,
                                  digits / 2)) {
        (void)hf_token_refuse(reason, reason_bytes, "OpenSSL cannot do HMAC");
    } else {
        memcpy(keys->list[keys->count].id, line->text, id_bytes);
        keys->count++;
        good = true;
    }
    explicit_bzero(secret, sizeof(secret));
    return good;
}

static bool hf_token_keys_finish(struct hf_token_keys *keys, char *reason,
                                 size_t reason_bytes)
{
    unsigned char secret[HF_TOKEN_SECRET_MIN];
    if (keys->count == 0) {
        return hf_token_refuse(reason, reason_bytes, "there is no key in it");
    }
    const bool good =
        RAND_bytes(secret, sizeof(secret)) == 1 &&
        hf_token_key_init(&keys->list[keys->count], secret, sizeof(secret));
    explicit_bzero(secret, sizeof(secret));
    return good ||
           hf_token_refuse(reason, reason_bytes, "OpenSSL cannot do HMAC");
}

static bool hf_token_key_init(struct hf_token_key *key,
                              const unsigned char *secret, size_t bytes)
{
    char digest[] = "SHA256";
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end()};
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = mac != NULL ? EVP_MAC_CTX_new(mac) : NULL;
    EVP_MAC_free(mac);
    if (context == NULL ||
        EVP_MAC_init(context, secret, bytes, parameters) != 1) {
        EVP_MAC_CTX_free(context);
        return false;
    }
    key->context = context;
    return true;
}

void hf_token_keys_close(struct hf_token_keys *keys)
{
    if (keys == NULL) {
        return;
    }
    for (size_t i = 0; i <= HF_TOKEN_KEYS_MAX; i++) {
        EVP_MAC_CTX_free(keys->list[i].context); /* wipes what it holds */
    }
    explicit_bzero(keys, sizeof(*keys));
    free(keys);
}

size_t hf_token_keys_count(const struct hf_token_keys *keys)
{
    return keys->count;
}

const char *hf_token_keys_id(const struct hf_token_keys *keys, size_t place)
{
    return place < keys->count ? keys->list[place].id : NULL;
}

static const struct hf_token_key *
hf_token_keys_find(const struct hf_token_keys *keys, const char *id,
                   size_t bytes)
{
    for (size_t i = 0; i < keys->count; i++) {
        if (strlen(keys->list[i].id) == bytes &&
            memcmp(keys->list[i].id, id, bytes) == 0) {
            return &keys->list[i];
        }
    }
    return NULL;
}

/* ---- signatures ---- */

bool hf_token_holds(const struct hf_token_keys *keys,
                    const struct hf_token *token, const char *cluster_id,
                    const char *signature, size_t signature_bytes,
                    enum hf_token_mode *mode)
{
    /* Taken apart where there is none to take apart. */
    static const char nothing[] =
        "1.nobody.00000000000000000000000000000000.e."
        "0000000000000000000000000000000000000000000000000000000000000000";
    struct hf_token_parts parts;
    unsigned char wanted[HF_TOKEN_TAG_BYTES];
    unsigned char tag[HF_TOKEN_TAG_BYTES];
    bool good = hf_token_split(signature, signature_bytes, &parts);
    if (!good) {
        (void)hf_token_split(nothing, sizeof(nothing) - 1, &parts);
    }
    good &= hf_token_unhex(parts.tag, (size_t)2 * HF_TOKEN_TAG_BYTES, wanted);
    const struct hf_token_key *key =
        hf_token_keys_find(keys, parts.id, parts.id_bytes);
    good &= key != NULL;
    if (key == NULL) {
        key = &keys->list[keys->count];
    }
    if (cluster_id != NULL) {
        good &= strlen(cluster_id) == HF_TOKEN_CLUSTER_DIGITS &&
                memcmp(cluster_id, parts.cluster, HF_TOKEN_CLUSTER_DIGITS) == 0;
    }
    const bool made = hf_token_tag(key, parts.cluster, parts.mode, token, tag);
    const bool same = CRYPTO_memcmp(tag, wanted, sizeof(tag)) == 0;
    good = good && made && same;
    if (good && mode != NULL) {
        *mode = parts.mode == 's' ? HF_TOKEN_SHARED : HF_TOKEN_EXCLUSIVE;
    }
    return good;
}

bool hf_token_sign(const struct hf_token_keys *keys,
                   const struct hf_token *token, const char *cluster_id,
                   enum hf_token_mode mode,
                   char signature[HF_TOKEN_SIGNATURE_BYTES])
{
    const struct hf_token_key *key = &keys->list[0];
    const char letter = mode == HF_TOKEN_SHARED ? 's' : 'e';
    unsigned char tag[HF_TOKEN_TAG_BYTES];
    signature[0] = '\0';
    if (strlen(cluster_id) != HF_TOKEN_CLUSTER_DIGITS ||
        !hf_token_is_hex(cluster_id, HF_TOKEN_CLUSTER_DIGITS) ||
        !hf_token_tag(key, cluster_id, letter, token, tag)) {
        return false;
    }
    int used = snprintf(signature, HF_TOKEN_SIGNATURE_BYTES, "%c.%s.%s.%c.",
                        HF_TOKEN_VERSION, key->id, cluster_id, letter);
    for (size_t i = 0; i < HF_TOKEN_TAG_BYTES; i++) {
        used +=
            snprintf(signature + used, HF_TOKEN_SIGNATURE_BYTES - (size_t)used,
                     "%02x", tag[i]);
    }
    return true;
}

/* Find the parts; false if it is no signature at all. */
static bool hf_token_split(const char *signature, size_t bytes,
                           struct hf_token_parts *parts)
{
    /* What follows the id has a fixed length. */
    const size_t tail = 1 + HF_TOKEN_CLUSTER_DIGITS + 1 + 1 + 1 +
                        (size_t)2 * HF_TOKEN_TAG_BYTES;
    if (bytes < 2 + 1 + tail || bytes > 2 + HF_TOKEN_ID_MAX + tail ||
        signature[0] != HF_TOKEN_VERSION || signature[1] != '.') {
        return false;
    }
    const char *rest = signature + bytes - tail;
    const char *cluster = rest + 1;
    const char *mode = cluster + HF_TOKEN_CLUSTER_DIGITS;
    const char *tag = mode + 3;
    const size_t id_bytes = bytes - tail - 2;
    if (rest[0] != '.' || mode[0] != '.' || mode[2] != '.' ||
        (mode[1] != 'e' && mode[1] != 's') ||
        !hf_token_is_id(signature + 2, id_bytes) ||
        !hf_token_is_hex(cluster, HF_TOKEN_CLUSTER_DIGITS) ||
        !hf_token_is_hex(tag, (size_t)2 * HF_TOKEN_TAG_BYTES)) {
        return false;
    }
    *parts =
        (struct hf_token_parts){signature + 2, id_bytes, cluster, mode[1], tag};
    return true;
}

static bool hf_token_tag(const struct hf_token_key *key, const char *cluster,
                         char mode, const struct hf_token *token,
                         unsigned char tag[HF_TOKEN_TAG_BYTES])
{
    const unsigned char id_bytes = (unsigned char)strlen(key->id);
    unsigned char fixed[sizeof(HF_TOKEN_DOMAIN) + 2 + HF_TOKEN_ID_MAX +
                        HF_TOKEN_CLUSTER_DIGITS + 1 + 8];
    size_t at = sizeof(HF_TOKEN_DOMAIN); /* with its zero */
    size_t count = 0;
    memcpy(fixed, HF_TOKEN_DOMAIN, sizeof(HF_TOKEN_DOMAIN));
    fixed[at++] = HF_TOKEN_VERSION;
    fixed[at++] = id_bytes;
    memcpy(fixed + at, key->id, id_bytes);
    at += id_bytes;
    memcpy(fixed + at, cluster, HF_TOKEN_CLUSTER_DIGITS);
    at += HF_TOKEN_CLUSTER_DIGITS;
    fixed[at++] = (unsigned char)mode;
    hf_token_put_number(fixed + at, token->token);
    at += 8;
    EVP_MAC_CTX *context = EVP_MAC_CTX_dup(key->context);
    const bool good =
        context != NULL && EVP_MAC_update(context, fixed, at) == 1 &&
        hf_token_put_sized(context, token->lock_key, token->lock_key_bytes) &&
        hf_token_put_sized(context, token->owner, token->owner_bytes) &&
        EVP_MAC_final(context, tag, &count, HF_TOKEN_TAG_BYTES) == 1 &&
        count == HF_TOKEN_TAG_BYTES;
    EVP_MAC_CTX_free(context);
    if (!good) {
        memset(tag, 0, HF_TOKEN_TAG_BYTES);
    }
    return good;
}

static bool hf_token_put_sized(EVP_MAC_CTX *context, const void *data,
                               size_t bytes)
{
    unsigned char length[8];
    hf_token_put_number(length, bytes);
    return EVP_MAC_update(context, length, sizeof(length)) == 1 &&
           (bytes == 0 || EVP_MAC_update(context, data, bytes) == 1);
}

static void hf_token_put_number(unsigned char *out, uint64_t number)
{
    for (size_t i = 0; i < 8; i++) {
        out[i] = (unsigned char)(number >> (56 - 8 * i));
    }
}

/* ---- texts ---- */

static bool hf_token_is_id(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        const char letter = text[i];
        if (!(letter >= 'a' && letter <= 'z') &&
            !(letter >= 'A' && letter <= 'Z') &&
            !(letter >= '0' && letter <= '9') && letter != '-' &&
            letter != '_') {
            return false;
        }
    }
    return bytes > 0 && bytes <= HF_TOKEN_ID_MAX;
}

/* Small letters only. */
static bool hf_token_is_hex(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (!(text[i] >= '0' && text[i] <= '9') &&
            !(text[i] >= 'a' && text[i] <= 'f')) {
            return false;
        }
    }
    return true;
}

static int hf_token_digit(char letter)
{
    if (letter >= '0' && letter <= '9') {
        return letter - '0';
    }
    if (letter >= 'a' && letter <= 'f') {
        return letter - 'a' + 10;
    }
    return letter >= 'A' && letter <= 'F' ? letter - 'A' + 10 : -1;
}

static bool hf_token_unhex(const char *text, size_t digits, unsigned char *out)
{
    for (size_t i = 0; i < digits / 2; i++) {
        const int high = hf_token_digit(text[2 * i]);
        const int low = hf_token_digit(text[2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        out[i] = (unsigned char)(high * 16 + low);
    }
    return true;
}

/* Always false, so that a refusal is one statement. */
static bool hf_token_refuse(char *reason, size_t reason_bytes,
                            const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(reason, reason_bytes, format, arguments);
    va_end(arguments);
    return false;
}
