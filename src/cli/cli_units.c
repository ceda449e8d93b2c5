/* cli_units.c - times, counts and sizes as people write and read them.
 *
 * All in integers: what is printed is cut off and never rounded up, so that
 * nothing looks older or larger than it is.
 */
#include "cli/cli_units.h"

#include <inttypes.h>
#include <string.h>

#include "cli/cli_text.h"

#define SECOND_MS INT64_C(1000)
#define MINUTE_MS (60 * SECOND_MS)
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)

/* Digits before and behind the point: all products below stay in 63 bits. */
#define WHOLE_MAX INT64_C(100000000000)
#define FRACTION_DIGITS 6

static const struct {
    const char *name;
    int64_t ms;
} cli_units_times[] = {
    {"", SECOND_MS},  {"s", SECOND_MS}, {"ms", 1},
    {"m", MINUTE_MS}, {"h", HOUR_MS},   {"d", DAY_MS},
};

static const char *cli_units_digits(const char *text, uint64_t most,
                                    uint64_t *number)
{
    uint64_t value = 0;
    while (*text >= '0' && *text <= '9') {
        const uint64_t digit = (uint64_t)(*text - '0');
        if (value > (most - digit) / 10) {
            return NULL;
        }
        value = value * 10 + digit;
        text++;
    }
    *number = value;
    return text;
}

bool cli_units_number(const char *text, uint64_t *number)
{
    const char *end = cli_units_digits(text, UINT64_MAX, number);
    return end != NULL && end != text && *end == '\0';
}

bool cli_units_duration(const char *text, int64_t *ms)
{
    uint64_t whole;
    uint64_t fraction = 0;
    int64_t scale = 1;
    const char *end = cli_units_digits(text, (uint64_t)WHOLE_MAX, &whole);
    if (end == NULL || end == text) {
        return false;
    }
    if (*end == '.') {
        const char *digits = end + 1;
        end = cli_units_digits(digits, (uint64_t)WHOLE_MAX, &fraction);
        if (end == NULL || end == digits || end - digits > FRACTION_DIGITS) {
            return false;
        }
        for (; digits < end; digits++) {
            scale *= 10;
        }
    }
    for (size_t i = 0; i < sizeof(cli_units_times) / sizeof(cli_units_times[0]);
         i++) {
        const int64_t unit = cli_units_times[i].ms;
        if (strcmp(end, cli_units_times[i].name) != 0) {
            continue;
        }
        if ((int64_t)whole > INT64_MAX / 2 / unit ||
            (int64_t)fraction * unit % scale != 0) {
            return false;
        }
        *ms = (int64_t)whole * unit + (int64_t)fraction * unit / scale;
        return true;
    }
    return false;
}

void cli_units_print_time(struct buffer *out, int64_t ms)
{
    if (ms < SECOND_MS) {
        cli_text_print(out, "%" PRId64 "ms", ms < 0 ? 0 : ms);
    } else if (ms < MINUTE_MS) {
        cli_text_print(out, "%" PRId64 ".%" PRId64 "s", ms / SECOND_MS,
                       ms % SECOND_MS / 100);
    } else if (ms < HOUR_MS) {
        cli_text_print(out, "%" PRId64 "m%02" PRId64 "s", ms / MINUTE_MS,
                       ms % MINUTE_MS / SECOND_MS);
    } else if (ms < DAY_MS) {
        cli_text_print(out, "%" PRId64 "h%02" PRId64 "m", ms / HOUR_MS,
                       ms % HOUR_MS / MINUTE_MS);
    } else {
        cli_text_print(out, "%" PRId64 "d%02" PRId64 "h", ms / DAY_MS,
                       ms % DAY_MS / HOUR_MS);
    }
}

/* Three digits of value / unit. */
static void cli_units_print_scaled(struct buffer *out, uint64_t value,
                                   uint64_t unit, char name)
{
    const uint64_t whole = value / unit;
    const uint64_t shown = value % unit * 100 / unit;
    if (whole < 10) {
        cli_text_print(out, "%" PRIu64 ".%02" PRIu64 "%c", whole, shown, name);
    } else if (whole < 100) {
        cli_text_print(out, "%" PRIu64 ".%" PRIu64 "%c", whole, shown / 10,
                       name);
    } else {
        cli_text_print(out, "%" PRIu64 "%c", whole, name);
    }
}

void cli_units_print_count(struct buffer *out, uint64_t count)
{
    if (count < 10000) {
        cli_text_print(out, "%" PRIu64, count);
    } else if (count < 1000000) {
        cli_units_print_scaled(out, count, 1000, 'k');
    } else if (count < 1000000000) {
        cli_units_print_scaled(out, count, 1000000, 'M');
    } else {
        cli_units_print_scaled(out, count, 1000000000, 'G');
    }
}

void cli_units_print_bytes(struct buffer *out, uint64_t bytes)
{
    if (bytes < 1024) {
        cli_text_print(out, "%" PRIu64, bytes);
    } else if (bytes < UINT64_C(1) << 20) {
        cli_units_print_scaled(out, bytes, UINT64_C(1) << 10, 'K');
    } else if (bytes < UINT64_C(1) << 30) {
        cli_units_print_scaled(out, bytes, UINT64_C(1) << 20, 'M');
    } else {
        cli_units_print_scaled(out, bytes, UINT64_C(1) << 30, 'G');
    }
}
