/* fuzz_resp_word.c - numbers, seconds, patterns and slots from any bytes.
 *
 * The first byte of an input chooses what the rest is. Each function is held
 * against a plainer one that is right by its simplicity:
 *
 *  - an integer is what printing its value gives, and nothing else is one;
 *  - seconds are compared with what strtold() makes of them, as far as that
 *    is exact;
 *  - a pattern is matched by a recursive matcher, short as it must be;
 *  - a slot is computed bit by bit.
 *
 * To extend: a function of resp_word.h that takes any bytes gets its case in
 * LLVMFuzzerTestOneInput().
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "wire/resp_slot.h"
#include "wire/resp_word.h"

/* Short enough for exponential time. */
#define FUZZ_PATTERN_BYTES 14
#define FUZZ_TEXT_BYTES 12

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

static void fuzz_integer(struct bytes word);
static void fuzz_seconds(struct bytes word);
static void fuzz_glob(struct bytes input, enum resp_case letters);
static bool fuzz_matches(struct bytes pattern, struct bytes text,
                         enum resp_case letters);
static bool fuzz_part(struct bytes *pattern, uint8_t byte,
                      enum resp_case letters);
static bool fuzz_set(struct bytes *pattern, uint8_t byte,
                     enum resp_case letters);
static struct bytes fuzz_from(struct bytes bytes, size_t count);
static int fuzz_fold(uint8_t byte, enum resp_case letters);
static void fuzz_slot(struct bytes key);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
    struct reader input = reader_of(bytes_of(data, count));
    const uint8_t control = reader_u8(&input);
    switch (control % 5) {
    case 0:
        fuzz_integer(input.rest);
        break;
    case 1:
        fuzz_seconds(input.rest);
        break;
    case 2:
        fuzz_glob(input.rest, RESP_CASE_EXACT);
        break;
    case 3:
        fuzz_glob(input.rest, RESP_CASE_IGNORED);
        break;
    default:
        fuzz_slot(input.rest);
        break;
    }
    return 0;
}

/* ---- numbers ---- */

static void fuzz_integer(struct bytes word)
{
    char text[32];
    char copy[32] = {0};
    int64_t value = 7;
    uint64_t size = 7;
    const bool is_signed = resp_word_signed(word, &value);
    const bool is_unsigned = resp_word_unsigned(word, &size);
    ENSURE(is_signed || value == 7);
    ENSURE(is_unsigned || size == 7);
    if (word.count < sizeof(copy) && word.count > 0) {
        memcpy(copy, word.data, word.count);
    }
    snprintf(text, sizeof(text), "%" PRId64, (int64_t)strtoll(copy, NULL, 10));
    ENSURE(is_signed == bytes_equal(word, bytes_of_text(text)));
    ENSURE(!is_signed || value == strtoll(copy, NULL, 10));
    snprintf(text, sizeof(text), "%" PRIu64,
             (uint64_t)strtoull(copy, NULL, 10));
    ENSURE(is_unsigned == bytes_equal(word, bytes_of_text(text)));
    ENSURE(!is_unsigned || size == strtoull(copy, NULL, 10));
}

/* strtold() rounds to 64 bits and so may be one unit off at a whole number, or
 * more where milliseconds fill them: near enough is asked for. */
static void fuzz_seconds(struct bytes word)
{
    char copy[64] = {0};
    char *end = copy;
    uint64_t value_ms = 7;
    const enum resp_seconds result = resp_word_seconds(word, &value_ms);
    ENSURE(result == RESP_SECONDS_OK || value_ms == 7);
    if (word.count == 0 || word.count >= sizeof(copy)) {
        ENSURE(word.count > 0 || result == RESP_SECONDS_INVALID);
        return;
    }
    memcpy(copy, word.data, word.count);
    if (strspn(copy, "0123456789+-.eE") != word.count) {
        ENSURE(result == RESP_SECONDS_INVALID);
        return;
    }
    const long double seconds = strtold(copy, &end);
    const long double wanted = seconds * 1000;
    if ((size_t)(end - copy) != word.count) {
        ENSURE(result == RESP_SECONDS_INVALID);
    } else if (seconds < 0) {
        ENSURE(result == RESP_SECONDS_NEGATIVE);
    } else if (result == RESP_SECONDS_OK) {
        const long double above = (long double)value_ms - wanted;
        ENSURE(above > -2 && above < 3);
    } else {
        ENSURE(result == RESP_SECONDS_INVALID ? wanted > 9.2e18L
                                              : seconds == 0);
    }
}

/* ---- patterns ---- */

/* A pattern, a zero byte, a text. */
static void fuzz_glob(struct bytes input, enum resp_case letters)
{
    struct bytes pattern = input;
    struct bytes text = {0};
    const uint8_t *zero =
        input.count > 0 ? memchr(input.data, 0, input.count) : NULL;
    if (zero != NULL) {
        pattern.count = (size_t)(zero - input.data);
        text = bytes_of(zero + 1, input.count - pattern.count - 1);
    }
    size_t steps = RESP_GLOB_STEPS;
    const bool matches = resp_word_matches(pattern, text, letters, &steps);
    ENSURE(RESP_GLOB_STEPS - steps <= (pattern.count + 1) * (text.count + 2));
    for (size_t few = 0; few < 8; few++) {
        size_t left = few;
        if (resp_word_matches(pattern, text, letters, &left) != matches) {
            ENSURE(matches && left == 0);
        }
    }
    if (pattern.count <= FUZZ_PATTERN_BYTES && text.count <= FUZZ_TEXT_BYTES) {
        const bool wanted = text.count == 0
                                ? pattern.count == 0
                                : fuzz_matches(pattern, text, letters);
        ENSURE(matches == wanted);
    }
}

static bool fuzz_matches(struct bytes pattern, struct bytes text,
                         enum resp_case letters)
{
    if (pattern.count == 0) {
        return text.count == 0;
    }
    if (pattern.data[0] == '*') {
        return fuzz_matches(fuzz_from(pattern, 1), text, letters) ||
               (text.count > 0 &&
                fuzz_matches(pattern, fuzz_from(text, 1), letters));
    }
    return text.count > 0 && fuzz_part(&pattern, text.data[0], letters) &&
           fuzz_matches(pattern, fuzz_from(text, 1), letters);
}

static bool fuzz_part(struct bytes *pattern, uint8_t byte,
                      enum resp_case letters)
{
    uint8_t first = pattern->data[0];
    *pattern = fuzz_from(*pattern, 1);
    if (first == '[') {
        return fuzz_set(pattern, byte, letters);
    }
    if (first == '\\' && pattern->count > 0) {
        first = pattern->data[0];
        *pattern = fuzz_from(*pattern, 1);
    } else if (first == '?') {
        return true;
    }
    return fuzz_fold(first, letters) == fuzz_fold(byte, letters);
}

/* The set as a table of all bytes, then a look at one of them. */
static bool fuzz_set(struct bytes *pattern, uint8_t byte,
                     enum resp_case letters)
{
    bool in[256] = {false};
    const bool without = pattern->count > 0 && pattern->data[0] == '^';
    struct bytes rest = fuzz_from(*pattern, without ? 1 : 0);
    while (rest.count > 0 && rest.data[0] != ']') {
        int low = fuzz_fold(rest.data[0], letters);
        int high = low;
        size_t used = 1;
        if (rest.count >= 2 && rest.data[0] == '\\') {
            in[rest.data[1]] = true;
            rest = fuzz_from(rest, 2);
            continue;
        }
        if (rest.count >= 3 && rest.data[1] == '-') {
            const bool swapped = rest.data[0] > rest.data[2];
            low = fuzz_fold(rest.data[swapped ? 2 : 0], letters);
            high = fuzz_fold(rest.data[swapped ? 0 : 2], letters);
            used = 3;
        }
        for (int each = 0; each < 256; each++) {
            const int folded = fuzz_fold((uint8_t)each, letters);
            in[each] = in[each] || (folded >= low && folded <= high);
        }
        rest = fuzz_from(rest, used);
    }
    *pattern = fuzz_from(rest, rest.count > 0 ? 1 : 0);
    return in[byte] != without;
}

static struct bytes fuzz_from(struct bytes bytes, size_t count)
{
    return count == 0 ? bytes
                      : bytes_of(bytes.data + count, bytes.count - count);
}

static int fuzz_fold(uint8_t byte, enum resp_case letters)
{
    return letters == RESP_CASE_IGNORED && byte >= 'A' && byte <= 'Z'
               ? byte + 32
               : byte;
}

/* ---- slots ---- */

static void fuzz_slot(struct bytes key)
{
    unsigned crc = 0;
    for (size_t i = 0; i < key.count * 8; i++) {
        const unsigned bit = key.data[i / 8] >> (7 - i % 8) & 1;
        crc = (crc << 1 & 0xffff) ^ ((crc >> 15 ^ bit) != 0 ? 0x1021U : 0);
    }
    ENSURE(resp_slot_crc16(key) == crc);
    ENSURE(resp_slot_of(key) < RESP_SLOTS);
    if (key.count == 0 || memchr(key.data, '{', key.count) == NULL) {
        ENSURE(resp_slot_of(key) == crc % RESP_SLOTS);
    }
}
