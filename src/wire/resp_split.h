/* resp_split.h - the words of an inline request, for resp_request.c.
 *
 * resp_request.h says what a word is. They are put right in the line itself:
 * a word without its quotes and backslashes is never longer than it was with
 * them, so that it fits where it began.
 */
#ifndef HOLDFAST_WIRE_RESP_SPLIT_H
#define HOLDFAST_WIRE_RESP_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct resp_split {
    uint8_t *line;
    size_t count;
    size_t at;       /* next byte to look at */
    bool unbalanced; /* a quote is open, or something follows a closed one */
};

/* The words of a line, without its LF. The line is changed on the way. */
struct resp_split resp_split_of(uint8_t *line, size_t count);

/* The next word: where it is in the line. False if there is none, or if the
 * line is wrong: then unbalanced is set. */
bool resp_split_next(struct resp_split *split, size_t *offset, size_t *count);

#endif
