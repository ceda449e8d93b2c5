/* resp_word.c - words and numbers among the arguments of commands.
 *
 * Numbers are strict because what is written must be what is meant: a client
 * that sends "010" or " 10" has a bug that is better found now.
 *
 * Seconds are read as a row of digits and a power of ten, with integers only,
 * so that all machines agree. Nineteen digits are kept; of those behind them
 * it matters only whether any is not 0, because rounding goes up.
 *
 * A pattern is matched without recursion. Everything in it but a star matches
 * exactly one byte, so that when a match breaks only the last star has to be
 * tried again, one byte further on: what stars before it took can stay. This
 * is what bounds the work by pattern times text, where a recursive matcher
 * takes exponential time.
 *
 * To extend: a new kind of argument is a function here if more than one command
 * takes it.
 */
#include "wire/resp_word.h"

#include <string.h>

#include "base/ensure.h"

/* Digits that any uint64_t can hold. */
#define RESP_WORD_DIGITS 19

/* Powers of ten beyond this make any number too large, or next to nothing. */
#define RESP_WORD_POWER_MAX 1000000

/* A number as it is being read: digits times ten to the power. */
struct resp_decimal {
    uint64_t digits;
    int kept;  /* digits in it, without zeros in front */
    bool more; /* something that is not 0 was left out at the end */
    bool seen; /* at least one digit was there */
    bool negative;
    int64_t power;
};

/* A pattern on its way. */
struct resp_glob {
    struct bytes pattern;
    enum resp_case letters;
    size_t at; /* next byte of the pattern */
};

static uint8_t resp_word_lower(uint8_t byte);
static bool resp_word_is_digit(uint8_t byte);
static bool resp_decimal_read(struct reader *reader,
                              struct resp_decimal *decimal);
static void resp_decimal_digits(struct reader *reader,
                                struct resp_decimal *decimal, bool fraction);
static bool resp_decimal_exponent(struct reader *reader,
                                  struct resp_decimal *decimal);
static bool resp_decimal_round_up(const struct resp_decimal *decimal,
                                  uint64_t *value);
static bool resp_word_next_is(const struct reader *reader, const char *any);
static bool resp_glob_one(struct resp_glob *glob, uint8_t byte, size_t *cost);
static bool resp_glob_part(struct resp_glob *glob, uint8_t byte);
static bool resp_glob_set(struct resp_glob *glob, uint8_t byte);
static bool resp_glob_range(struct resp_glob *glob, uint8_t byte);
static bool resp_glob_same(const struct resp_glob *glob, uint8_t a, uint8_t b);
static uint8_t resp_glob_fold(const struct resp_glob *glob, uint8_t byte);

bool resp_word_is(struct bytes argument, const char *word)
{
    if (strlen(word) != argument.count) {
        return false;
    }
    for (size_t i = 0; i < argument.count; i++) {
        if (resp_word_lower(argument.data[i]) !=
            resp_word_lower((uint8_t)word[i])) {
            return false;
        }
    }
    return true;
}

bool resp_word_signed(struct bytes argument, int64_t *value)
{
    uint64_t size;
    const bool negative = argument.count > 0 && argument.data[0] == '-';
    if (!negative) {
        if (!resp_word_unsigned(argument, &size) || size > INT64_MAX) {
            return false;
        }
        *value = (int64_t)size;
        return true;
    }
    if (!resp_word_unsigned(bytes_of(argument.data + 1, argument.count - 1),
                            &size) ||
        size == 0 || size > (uint64_t)INT64_MAX + 1) {
        return false;
    }
    *value = -(int64_t)(size - 1) - 1;
    return true;
}

bool resp_word_unsigned(struct bytes argument, uint64_t *value)
{
    uint64_t sum = 0;
    if (argument.count == 0 ||
        (argument.data[0] == '0' && argument.count > 1)) {
        return false;
    }
    for (size_t i = 0; i < argument.count; i++) {
        if (!resp_word_is_digit(argument.data[i]) ||
            __builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, argument.data[i] - '0', &sum)) {
            return false;
        }
    }
    *value = sum;
    return true;
}

enum resp_seconds resp_word_seconds(struct bytes argument, uint64_t *value_ms)
{
    struct reader reader = reader_of(argument);
    struct resp_decimal decimal = {0};
    uint64_t value;
    if (!resp_decimal_read(&reader, &decimal)) {
        return RESP_SECONDS_INVALID;
    }
    if (decimal.negative && (decimal.digits > 0 || decimal.more)) {
        return RESP_SECONDS_NEGATIVE;
    }
    decimal.power += 3;
    if (!resp_decimal_round_up(&decimal, &value) || value > INT64_MAX) {
        return RESP_SECONDS_INVALID;
    }
    *value_ms = value;
    return RESP_SECONDS_OK;
}

bool resp_word_matches(struct bytes pattern, struct bytes text,
                       enum resp_case letters, size_t *steps)
{
    struct resp_glob glob = {.pattern = pattern, .letters = letters};
    size_t text_at = 0;
    size_t star = 0;  /* behind the last star; 0 if there was none */
    size_t retry = 0; /* where in the text that star was last taken to end */
    if (text.count == 0 || pattern.count == 0) {
        return text.count == pattern.count;
    }
    while (*steps > 0) {
        size_t cost = 1;
        if (glob.at < pattern.count && pattern.data[glob.at] == '*') {
            glob.at++;
            star = glob.at;
            retry = text_at;
        } else if (text_at == text.count || star == pattern.count) {
            return glob.at == pattern.count;
        } else if (resp_glob_one(&glob, text.data[text_at], &cost)) {
            text_at++;
        } else if (star == 0) {
            return false;
        } else {
            retry++;
            text_at = retry;
            glob.at = star;
        }
        *steps -= cost < *steps ? cost : *steps;
    }
    return false;
}

/* ---- decimal numbers ---- */

static bool resp_decimal_read(struct reader *reader,
                              struct resp_decimal *decimal)
{
    if (resp_word_next_is(reader, "+-")) {
        decimal->negative = reader_u8(reader) == '-';
    }
    resp_decimal_digits(reader, decimal, false);
    if (resp_word_next_is(reader, ".")) {
        (void)reader_u8(reader);
        resp_decimal_digits(reader, decimal, true);
    }
    if (!decimal->seen) {
        return false;
    }
    if (resp_word_next_is(reader, "eE")) {
        (void)reader_u8(reader);
        if (!resp_decimal_exponent(reader, decimal)) {
            return false;
        }
    }
    return reader_finished(reader);
}

static void resp_decimal_digits(struct reader *reader,
                                struct resp_decimal *decimal, bool fraction)
{
    while (resp_word_next_is(reader, "0123456789")) {
        const uint8_t digit = (uint8_t)(reader_u8(reader) - '0');
        decimal->seen = true;
        if (decimal->kept == RESP_WORD_DIGITS) {
            decimal->more = decimal->more || digit > 0;
            decimal->power += fraction ? 0 : 1;
            continue;
        }
        decimal->digits = decimal->digits * 10 + digit;
        decimal->kept += decimal->digits > 0 ? 1 : 0;
        decimal->power -= fraction ? 1 : 0;
    }
}

static bool resp_decimal_exponent(struct reader *reader,
                                  struct resp_decimal *decimal)
{
    int64_t power = 0;
    bool negative = false;
    if (resp_word_next_is(reader, "+-")) {
        negative = reader_u8(reader) == '-';
    }
    if (reader->rest.count == 0) {
        return false;
    }
    while (resp_word_next_is(reader, "0123456789")) {
        power = power * 10 + (reader_u8(reader) - '0');
        if (power > RESP_WORD_POWER_MAX) {
            power = RESP_WORD_POWER_MAX;
        }
    }
    decimal->power += negative ? -power : power;
    return true;
}

/* The next whole number that is not below; false if it does not fit.
 *
 * If digits were left out there are nineteen kept ones. Should the power be
 * positive as well, then the result is not exact, but it is too large anyway:
 * the caller takes no more than INT64_MAX, which has nineteen digits. */
static bool resp_decimal_round_up(const struct resp_decimal *decimal,
                                  uint64_t *value)
{
    uint64_t result = decimal->digits;
    uint64_t left_over = decimal->more ? 1 : 0;
    ENSURE(decimal->kept == RESP_WORD_DIGITS || !decimal->more);

    if (result == 0) {
        *value = 0;
        return true;
    }
    for (int64_t power = decimal->power; power > 0; power--) {
        if (__builtin_mul_overflow(result, 10, &result)) {
            return false;
        }
    }
    for (int64_t power = decimal->power; power < 0 && result > 0; power++) {
        left_over |= result % 10;
        result /= 10;
    }
    *value = result + (left_over > 0 ? 1 : 0);
    return true;
}

static bool resp_word_next_is(const struct reader *reader, const char *any)
{
    return reader->rest.count > 0 && reader->rest.data[0] != 0 &&
           strchr(any, reader->rest.data[0]) != NULL;
}

/* ---- letters ---- */

static uint8_t resp_word_lower(uint8_t byte)
{
    return byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte + ('a' - 'A')) : byte;
}

static bool resp_word_is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

/* ---- patterns ---- */

/* Does the next part of the pattern, if there is one, match this byte? */
static bool resp_glob_one(struct resp_glob *glob, uint8_t byte, size_t *cost)
{
    const size_t before = glob->at;
    if (before == glob->pattern.count) {
        return false;
    }
    const bool matches = resp_glob_part(glob, byte);
    *cost = glob->at - before;
    return matches;
}

/* A part is anything but a star. The pattern moves on behind it. */
static bool resp_glob_part(struct resp_glob *glob, uint8_t byte)
{
    const uint8_t first = glob->pattern.data[glob->at++];
    switch (first) {
    case '?':
        return true;
    case '[':
        return resp_glob_set(glob, byte);
    case '\\':
        if (glob->at < glob->pattern.count) {
            return resp_glob_same(glob, glob->pattern.data[glob->at++], byte);
        }
        return resp_glob_same(glob, first, byte);
    default:
        return resp_glob_same(glob, first, byte);
    }
}

/* A set, behind its opening bracket. */
static bool resp_glob_set(struct resp_glob *glob, uint8_t byte)
{
    const uint8_t *data = glob->pattern.data;
    const size_t count = glob->pattern.count;
    bool found = false;
    bool inverted = false;
    if (glob->at < count && data[glob->at] == '^') {
        inverted = true;
        glob->at++;
    }
    while (glob->at < count && data[glob->at] != ']') {
        const size_t left = count - glob->at;
        if (data[glob->at] == '\\' && left >= 2) {
            found = found || data[glob->at + 1] == byte;
            glob->at += 2;
        } else if (left >= 3 && data[glob->at + 1] == '-') {
            found = resp_glob_range(glob, byte) || found;
        } else {
            found = found || resp_glob_same(glob, data[glob->at], byte);
            glob->at++;
        }
    }
    if (glob->at < count) {
        glob->at++;
    }
    return found != inverted;
}

/* The ends change places before their case is ignored: as in redis-server,
 * [Z-a] holds no letter then. */
static bool resp_glob_range(struct resp_glob *glob, uint8_t byte)
{
    const uint8_t first = glob->pattern.data[glob->at];
    const uint8_t last = glob->pattern.data[glob->at + 2];
    const uint8_t low = resp_glob_fold(glob, first < last ? first : last);
    const uint8_t high = resp_glob_fold(glob, first < last ? last : first);
    const uint8_t folded = resp_glob_fold(glob, byte);
    glob->at += 3;
    return folded >= low && folded <= high;
}

static bool resp_glob_same(const struct resp_glob *glob, uint8_t a, uint8_t b)
{
    return resp_glob_fold(glob, a) == resp_glob_fold(glob, b);
}

static uint8_t resp_glob_fold(const struct resp_glob *glob, uint8_t byte)
{
    return glob->letters == RESP_CASE_IGNORED ? resp_word_lower(byte) : byte;
}
