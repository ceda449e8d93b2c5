/* test_holdfast_token.c - signatures: made, checked, and never invented.
 *
 * A million false ones are tried; HOLDFAST_FORGERIES=N tries that many.
 * HOLDFAST_TIMINGS=N, N rounds, prints how long a check takes for each thing
 * that can be wrong; that is for a person to look at, on a quiet machine:
 *
 *     CK_FORK=no HOLDFAST_TIMINGS=20000 tests/unit/client/test_holdfast_token
 */
#include "client/holdfast_token.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "lib/check_runner.h"

#define SECRET_1                                                               \
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define SECRET_2                                                               \
    "ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define CLUSTER "0123456789abcdef0123456789abcdef"
#define OTHER "1123456789abcdef0123456789abcdef"

static char reason[HF_TOKEN_REASON_BYTES];
static char signature[HF_TOKEN_SIGNATURE_BYTES];
static struct hf_token_keys *keys;

static const struct hf_token grant = {.lock_key = "invoices",
                                      .lock_key_bytes = 8,
                                      .owner = "ben",
                                      .owner_bytes = 3,
                                      .token = 84};

/* In the place of the C library's: somebody else may run this. */
static uid_t user;

uid_t geteuid(void)
{
    return user;
}

/* In the place of OpenSSL's: tags are counted, and what they are over. */
static size_t tags_made;
static size_t tagged_bytes;

int EVP_MAC_update(EVP_MAC_CTX *context, const unsigned char *data,
                   size_t bytes)
{
    int (*real)(EVP_MAC_CTX *, const unsigned char *, size_t);
    void *symbol = dlsym(RTLD_NEXT, "EVP_MAC_update");
    memcpy(&real, &symbol, sizeof(real));
    tagged_bytes += bytes;
    return real(context, data, bytes);
}

int EVP_MAC_final(EVP_MAC_CTX *context, unsigned char *out, size_t *count,
                  size_t room)
{
    int (*real)(EVP_MAC_CTX *, unsigned char *, size_t *, size_t);
    void *symbol = dlsym(RTLD_NEXT, "EVP_MAC_final");
    memcpy(&real, &symbol, sizeof(real));
    tags_made++;
    return real(context, out, count, room);
}

static struct hf_token_keys *read_keys(const char *text)
{
    reason[0] = '\0';
    return hf_token_keys_read(text, strlen(text), reason, sizeof(reason));
}

static void setup(void)
{
    user = getuid();
    keys = read_keys("# comment\nk1 " SECRET_1 "\n\n  k2\t" SECRET_2 "  \r\n");
    ck_assert_msg(keys != NULL, "%s", reason);
    ck_assert(
        hf_token_sign(keys, &grant, CLUSTER, HF_TOKEN_EXCLUSIVE, signature));
}

static void teardown(void)
{
    hf_token_keys_close(keys);
    keys = NULL;
}

static bool holds(const struct hf_token *token, const char *text)
{
    return hf_token_holds(keys, token, CLUSTER, text, strlen(text), NULL);
}

/* ---- signatures ---- */

START_TEST(what_was_signed_holds)
{
    enum hf_token_mode mode = 0;
    ck_assert(holds(&grant, signature));
    ck_assert(hf_token_holds(keys, &grant, NULL, signature, strlen(signature),
                             &mode));
    ck_assert_int_eq(mode, HF_TOKEN_EXCLUSIVE);
    ck_assert(hf_token_sign(keys, &grant, CLUSTER, HF_TOKEN_SHARED, signature));
    ck_assert(hf_token_holds(keys, &grant, CLUSTER, signature,
                             strlen(signature), &mode));
    ck_assert_int_eq(mode, HF_TOKEN_SHARED);
}
END_TEST

/* The bytes that are signed, written down a second time. */
START_TEST(a_signature_is_what_the_format_says)
{
    static const unsigned char signed_bytes[] = "holdfast-token\0"
                                                "1"
                                                "\2k1" CLUSTER "e"
                                                "\0\0\0\0\0\0\0\x54"
                                                "\0\0\0\0\0\0\0\x08"
                                                "invoices"
                                                "\0\0\0\0\0\0\0\x03"
                                                "ben";
    unsigned char secret[32];
    unsigned char tag[32];
    unsigned int count = 0;
    char wanted[HF_TOKEN_SIGNATURE_BYTES] = "1.k1." CLUSTER ".e.";
    for (unsigned i = 0; i < 32; i++) {
        secret[i] = (unsigned char)i;
    }
    ck_assert_ptr_nonnull(HMAC(EVP_sha256(), secret, 32, signed_bytes,
                               sizeof(signed_bytes) - 1, tag, &count));
    for (unsigned i = 0; i < 32; i++) {
        (void)snprintf(wanted + strlen(wanted), 3, "%02x", tag[i]);
    }
    ck_assert_str_eq(signature, wanted);
}
END_TEST

START_TEST(another_grant_does_not_hold)
{
    struct hf_token other = grant;
    other.token = 85;
    ck_assert(!holds(&other, signature));
    other = grant;
    other.owner = "bem";
    ck_assert(!holds(&other, signature));
    other.owner_bytes = 0;
    ck_assert(!holds(&other, signature));
    other = grant;
    other.lock_key_bytes = 7;
    ck_assert(!holds(&other, signature));
    /* Bytes that move from one field into the next. */
    other = grant;
    other.lock_key = "invoicesb";
    other.lock_key_bytes = 9;
    other.owner = "en";
    other.owner_bytes = 2;
    ck_assert(!holds(&other, signature));
}
END_TEST

START_TEST(another_cluster_does_not_hold)
{
    ck_assert(!hf_token_holds(keys, &grant, OTHER, signature, strlen(signature),
                              NULL));
    ck_assert(
        !hf_token_holds(keys, &grant, "", signature, strlen(signature), NULL));
    char moved[HF_TOKEN_SIGNATURE_BYTES];
    memcpy(moved, signature, sizeof(moved));
    moved[5] = '1'; /* the first digit of the cluster id */
    ck_assert(!hf_token_holds(keys, &grant, OTHER, moved, strlen(moved), NULL));
    ck_assert(!hf_token_holds(keys, &grant, NULL, moved, strlen(moved), NULL));
}
END_TEST

START_TEST(no_signature_does_not_hold)
{
    ck_assert(!hf_token_holds(keys, &grant, CLUSTER, NULL, 0, NULL));
    ck_assert(!holds(&grant, "1"));
    ck_assert(!holds(&grant, "1.k1." CLUSTER ".e."));
    ck_assert(!holds(&grant, ""));
}
END_TEST

/* Signatures that do not hold, by what is wrong. */
struct wrong {
    const char *what;
    char text[HF_TOKEN_SIGNATURE_BYTES];
};

static void make_wrong(struct wrong list[6])
{
    static const char *const names[] = {"nothing",         "no signature",
                                        "one byte less",   "an unknown key",
                                        "another cluster", "a wrong tag"};
    for (size_t i = 0; i < 6; i++) {
        list[i].what = names[i];
        memcpy(list[i].text, signature, sizeof(signature));
    }
    list[0].text[0] = '\0';
    memset(list[1].text, 'x', strlen(signature));
    list[2].text[strlen(signature) - 1] = '\0';
    list[3].text[3] = '9';
    list[4].text[5] = '1';
    list[5].text[strlen(signature) - 1] ^= 1;
}

/* One tag each time, over as much but for the id of the key. */
START_TEST(whatever_is_wrong_is_as_much_work)
{
    struct wrong list[6];
    make_wrong(list);
    tagged_bytes = 0;
    ck_assert(holds(&grant, signature));
    const size_t right_bytes = tagged_bytes;
    for (size_t i = 0; i < 6; i++) {
        tags_made = 0;
        tagged_bytes = 0;
        ck_assert_msg(!holds(&grant, list[i].text), "%s", list[i].what);
        ck_assert_msg(tags_made == 1, "%s", list[i].what);
        ck_assert_msg(tagged_bytes == right_bytes ||
                          tagged_bytes == right_bytes - strlen("k1"),
                      "%s", list[i].what);
    }
}
END_TEST

static int compare_ns(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a;
    const int64_t right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* All kinds in turn, so that what else the machine does concerns all. */
START_TEST(how_long_it_takes_is_printed)
{
    const char *rounds = getenv("HOLDFAST_TIMINGS");
    const size_t count = rounds != NULL ? strtoul(rounds, NULL, 10) : 0;
    struct wrong list[6];
    int64_t *times[6];
    make_wrong(list);
    for (size_t i = 0; i < 6; i++) {
        times[i] = calloc(count + 1, sizeof(*times[i]));
    }
    for (size_t round = 0; round < count; round++) {
        for (size_t i = 0; i < 6; i++) {
            struct timespec begin;
            struct timespec end;
            clock_gettime(CLOCK_MONOTONIC, &begin);
            (void)holds(&grant, list[i].text);
            clock_gettime(CLOCK_MONOTONIC, &end);
            times[i][round] =
                (int64_t)(end.tv_sec - begin.tv_sec) * 1000000000 +
                (end.tv_nsec - begin.tv_nsec);
        }
    }
    for (size_t i = 0; i < 6; i++) {
        qsort(times[i], count, sizeof(*times[i]), compare_ns);
        if (count > 0) {
            printf("%-16s %5ld ns\n", list[i].what, (long)times[i][count / 2]);
        }
        free(times[i]);
    }
}
END_TEST

START_TEST(every_flipped_bit_and_every_cut_is_noticed)
{
    const size_t count = strlen(signature);
    for (size_t bit = 0; bit < 8 * count; bit++) {
        char changed[HF_TOKEN_SIGNATURE_BYTES];
        memcpy(changed, signature, sizeof(changed));
        changed[bit / 8] = (char)(changed[bit / 8] ^ (1 << bit % 8));
        ck_assert_msg(
            !hf_token_holds(keys, &grant, CLUSTER, changed, count, NULL),
            "bit %zu", bit);
        ck_assert(!hf_token_holds(keys, &grant, NULL, changed, count, NULL));
    }
    for (size_t cut = 0; cut < count; cut++) {
        ck_assert(!hf_token_holds(keys, &grant, CLUSTER, signature, cut, NULL));
        ck_assert(!hf_token_holds(keys, &grant, CLUSTER, signature + cut + 1,
                                  count - cut - 1, NULL));
    }
    strcat(signature, "0");
    ck_assert(
        !hf_token_holds(keys, &grant, CLUSTER, signature, count + 1, NULL));
    ck_assert(hf_token_holds(keys, &grant, CLUSTER, signature, count, NULL));
}
END_TEST

/* Some are right in all but one field, some are random digits, some have any
 * bits turned. */
START_TEST(nothing_forged_holds)
{
    const char *wanted = getenv("HOLDFAST_FORGERIES");
    const unsigned long forgeries =
        wanted != NULL ? strtoul(wanted, NULL, 10) : 1000000;
    struct random random;
    const size_t count = strlen(signature);
    unsigned long accepted = 0;
    random_init(&random, 7);
    for (unsigned long i = 0; i < forgeries; i++) {
        char forged[HF_TOKEN_SIGNATURE_BYTES];
        struct hf_token token = grant;
        memcpy(forged, signature, sizeof(forged));
        if (i % 3 == 0) {
            token.token = 85 + random_next(&random) % (UINT64_C(1) << 52);
        } else if (i % 3 == 1) {
            for (size_t at = count - 64; at < count; at++) {
                forged[at] = "0123456789abcdef"[random_next(&random) % 16];
            }
        } else {
            uint64_t flips = 1 + random_next(&random) % 4;
            while (flips > 0) {
                const uint64_t bit = random_next(&random) % (8 * count);
                forged[bit / 8] = (char)(forged[bit / 8] ^ (1 << bit % 8));
                flips--;
            }
            if (memcmp(forged, signature, count) == 0) {
                continue; /* turned twice */
            }
        }
        accepted += hf_token_holds(keys, &token, NULL, forged, count, NULL);
    }
    ck_assert_uint_eq(accepted, 0);
}
END_TEST

/* ---- keys ---- */

START_TEST(the_first_key_signs_and_all_verify)
{
    ck_assert_uint_eq(hf_token_keys_count(keys), 2);
    ck_assert_str_eq(hf_token_keys_id(keys, 0), "k1");
    ck_assert_str_eq(hf_token_keys_id(keys, 1), "k2");
    ck_assert_ptr_null(hf_token_keys_id(keys, 2));
    struct hf_token_keys *turned =
        read_keys("k2 " SECRET_2 "\nk1 " SECRET_1 "\n");
    char other[HF_TOKEN_SIGNATURE_BYTES];
    ck_assert(
        hf_token_sign(turned, &grant, CLUSTER, HF_TOKEN_EXCLUSIVE, other));
    ck_assert_str_ne(other, signature);
    ck_assert(holds(&grant, other));
    ck_assert(hf_token_holds(turned, &grant, CLUSTER, signature,
                             strlen(signature), NULL));
    hf_token_keys_close(turned);
}
END_TEST

START_TEST(a_key_that_is_gone_or_has_another_secret_does_not_verify)
{
    struct hf_token_keys *later = read_keys("k2 " SECRET_2);
    ck_assert(!hf_token_holds(later, &grant, CLUSTER, signature,
                              strlen(signature), NULL));
    hf_token_keys_close(later);
    later = read_keys("k1 " SECRET_2);
    ck_assert(!hf_token_holds(later, &grant, CLUSTER, signature,
                              strlen(signature), NULL));
    hf_token_keys_close(later);
}
END_TEST

static void check_refused(const char *text, const char *why)
{
    ck_assert_ptr_null(read_keys(text));
    ck_assert_str_eq(reason, why);
}

START_TEST(a_file_that_is_no_good_is_refused)
{
    static const char secret[] = "the secret in line 1 is not 32 to 64 bytes "
                                 "as hexadecimal digits";
    check_refused("", "there is no key in it");
    check_refused("# k1 " SECRET_1 "\n\n", "there is no key in it");
    check_refused("k1", secret);
    check_refused("k1 abcd", secret);
    check_refused("k1 " SECRET_1 "0", secret);
    check_refused("k1 " SECRET_1 "zz", secret);
    check_refused("k1 " SECRET_1 " more", secret);
    check_refused("k1 " SECRET_1 SECRET_1 "00", secret);
    check_refused("k.1 " SECRET_1,
                  "line 1 does not begin with the id of a key");
    check_refused("k1 " SECRET_1 "\nk1 " SECRET_2,
                  "line 2 has the id of an earlier key");
    char many[9 * 80] = "";
    for (int i = 0; i < 9; i++) {
        (void)snprintf(many + strlen(many), sizeof(many) - strlen(many),
                       "k%d " SECRET_1 "\n", i);
    }
    check_refused(many, "there are more than 8 keys");
}
END_TEST

START_TEST(a_file_is_for_its_owner_only)
{
    char path[] = "/tmp/holdfast-keys-XXXXXX";
    static const char text[] = "k1 " SECRET_1 "\n";
    const int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (int)strlen(text));
    static const mode_t bad[] = {0644, 0640, 0604, 0620, 0700, 0601};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char why[HF_TOKEN_REASON_BYTES];
        ck_assert_int_eq(fchmod(fd, bad[i]), 0);
        ck_assert_ptr_null(hf_token_keys_open(path, reason, sizeof(reason)));
        (void)snprintf(why, sizeof(why),
                       "its mode is %04o: only its owner may read a secret "
                       "(chmod 600)",
                       (unsigned)bad[i]);
        ck_assert_str_eq(reason, why);
    }
    static const mode_t good[] = {0600, 0400};
    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_eq(fchmod(fd, good[i]), 0);
        struct hf_token_keys *read =
            hf_token_keys_open(path, reason, sizeof(reason));
        ck_assert_msg(read != NULL, "%s", reason);
        ck_assert(hf_token_holds(read, &grant, CLUSTER, signature,
                                 strlen(signature), NULL));
        hf_token_keys_close(read);
    }
    close(fd);
    unlink(path);
    ck_assert_ptr_null(hf_token_keys_open(path, reason, sizeof(reason)));
    ck_assert_str_eq(reason, "No such file or directory");
    ck_assert_ptr_null(hf_token_keys_open("/tmp", reason, sizeof(reason)));
    ck_assert_str_eq(reason, "it is not a file");
}
END_TEST

/* Who owns a file can read it whatever its mode says. */
START_TEST(a_file_of_somebody_else_is_refused)
{
    char path[] = "/tmp/holdfast-keys-XXXXXX";
    static const char text[] = "k1 " SECRET_1 "\n";
    char why[HF_TOKEN_REASON_BYTES];
    uid_t owner = getuid();
    const int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (int)strlen(text));
    if (owner == 0) { /* whose files are everybody's */
        owner = 4711;
        struct hf_token_keys *of_root =
            hf_token_keys_open(path, reason, sizeof(reason));
        ck_assert_msg(of_root != NULL, "%s", reason);
        hf_token_keys_close(of_root);
        ck_assert_int_eq(fchown(fd, owner, (gid_t)-1), 0);
    }
    user = owner + 1;
    ck_assert_ptr_null(hf_token_keys_open(path, reason, sizeof(reason)));
    (void)snprintf(why, sizeof(why),
                   "it belongs to user %u: only the user of this process or "
                   "root may own a secret (chown)",
                   (unsigned)owner);
    ck_assert_str_eq(reason, why);
    user = owner;
    struct hf_token_keys *own =
        hf_token_keys_open(path, reason, sizeof(reason));
    ck_assert_msg(own != NULL, "%s", reason);
    hf_token_keys_close(own);
    close(fd);
    unlink(path);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite_ = suite_create("holdfast_token");
    TCase *signatures = tcase_create("signatures");
    tcase_add_checked_fixture(signatures, setup, teardown);
    tcase_set_timeout(signatures, 120); /* a million takes its time */
    tcase_add_test(signatures, what_was_signed_holds);
    tcase_add_test(signatures, a_signature_is_what_the_format_says);
    tcase_add_test(signatures, another_grant_does_not_hold);
    tcase_add_test(signatures, another_cluster_does_not_hold);
    tcase_add_test(signatures, no_signature_does_not_hold);
    tcase_add_test(signatures, whatever_is_wrong_is_as_much_work);
    tcase_add_test(signatures, how_long_it_takes_is_printed);
    tcase_add_test(signatures, every_flipped_bit_and_every_cut_is_noticed);
    tcase_add_test(signatures, nothing_forged_holds);
    suite_add_tcase(suite_, signatures);
    TCase *files = tcase_create("keys");
    tcase_add_checked_fixture(files, setup, teardown);
    tcase_add_test(files, the_first_key_signs_and_all_verify);
    tcase_add_test(files,
                   a_key_that_is_gone_or_has_another_secret_does_not_verify);
    tcase_add_test(files, a_file_that_is_no_good_is_refused);
    tcase_add_test(files, a_file_is_for_its_owner_only);
    tcase_add_test(files, a_file_of_somebody_else_is_refused);
    suite_add_tcase(suite_, files);
    return suite_;
}

int main(void)
{
    return check_run(suite());
}
