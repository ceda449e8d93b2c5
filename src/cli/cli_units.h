/* cli_units.h - times, counts and sizes as people write and read them. */
#ifndef HOLDFAST_CLI_UNITS_H
#define HOLDFAST_CLI_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

/* A whole number in digits, nothing else. */
bool cli_units_number(const char *text, uint64_t *number);

/* A time in milliseconds: "10" and "10s" are seconds, and there are ms, m, h
 * and d. A fraction is taken if it comes to whole milliseconds. */
bool cli_units_duration(const char *text, int64_t *ms);

/* A time as two units at most: 850ms, 3.2s, 4m05s, 2h07m, 3d04h. Negative ones
 * are printed as 0ms. */
void cli_units_print_time(struct buffer *out, int64_t ms);

/* A count or a rate in up to five characters: 812, 4711, 12.3k, 1.23M. */
void cli_units_print_count(struct buffer *out, uint64_t count);

/* Bytes: 512, 1.5K, 12M, 2.0G. */
void cli_units_print_bytes(struct buffer *out, uint64_t bytes);

#endif
