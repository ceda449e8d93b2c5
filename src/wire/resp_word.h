/* resp_word.h - what commands do with their arguments: compare, count, match.
 *
 * Everything is ASCII and independent of any locale. Bytes from clients can be
 * anything: every function takes every input.
 */
#ifndef HOLDFAST_WIRE_RESP_WORD_H
#define HOLDFAST_WIRE_RESP_WORD_H

#include "base/bytes.h"

/* True if the argument is this word, in letters of either case. */
bool resp_word_is(struct bytes argument, const char *word);

/* A decimal integer as redis-server takes one: nothing but digits, with a minus
 * before them if signed, no plus, no blank, no zero in front, no "-0". False if
 * it is none or does not fit; *value is then unchanged. */
bool resp_word_signed(struct bytes argument, int64_t *value);
bool resp_word_unsigned(struct bytes argument, uint64_t *value);

enum resp_seconds {
    RESP_SECONDS_OK,
    RESP_SECONDS_NEGATIVE, /* "timeout is negative" */
    RESP_SECONDS_INVALID   /* "timeout is not a float or out of range" */
};

/* Seconds as a decimal number, as blocking commands have them, in milliseconds:
 * "1", "1.5", ".5", "+2.", "1e-05". What is not a whole number of milliseconds
 * is rounded up, so that a short wait never turns into 0, which means for ever.
 * At most INT64_MAX ms. *value_ms is set only if RESP_SECONDS_OK.
 *
 * Differs from redis-server in this: no hexadecimal, and no number below 0 is
 * taken for 0. */
enum resp_seconds resp_word_seconds(struct bytes argument, uint64_t *value_ms);

/* Steps that one match may take; enough for a pattern and a text of 1 KB each,
 * whatever they are. */
#define RESP_GLOB_STEPS (2 * 1024 * 1024)

/* How letters are compared. */
enum resp_case {
    RESP_CASE_EXACT,
    RESP_CASE_IGNORED
};

/* True if the whole text matches the pattern, as in redis-server:
 *
 *     *        any number of bytes
 *     ?        one byte
 *     [abc]    one of these; [a-z] a range, in either order; [^...] none of
 *              these. \ takes the meaning from the byte behind it, which then
 *              matches in its own case only. Where ] is missing the set ends
 *              with the pattern
 *     \c       the byte c
 *
 * An empty text matches an empty pattern only, not even "*". Ranges compare
 * bytes as unsigned numbers.
 *
 * *steps is what the match may cost and is lowered by what it did: about one
 * for each byte of the pattern looked at, never more than pattern times text.
 * When it comes to 0 the answer is false and says nothing; a caller with many
 * texts may let them share. */
bool resp_word_matches(struct bytes pattern, struct bytes text,
                       enum resp_case letters, size_t *steps);

#endif
