/* store_reason.h - one line for a person that says why not. */
#ifndef HOLDFAST_STORE_REASON_H
#define HOLDFAST_STORE_REASON_H

#include "base/bytes.h"
#include "store/store.h"

/* The caller's buffer; bytes may be 0. */
struct store_reason {
    char *text;
    size_t bytes;
};

/* Write the line and return result, so that a refusal is one statement. */
enum store_result store_reason_give(const struct store_reason *reason,
                                    enum store_result result,
                                    const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Printable text for any bytes: what is not printable ASCII, a quote or a
 * backslash becomes \xNN. Cut with "..." if room is too small; always
 * zero-terminated. Returns text. room is at least 8. */
const char *store_reason_escape(struct bytes bytes, char *text, size_t room);

#endif
