/* resp_reply.h - replies to clients, in protocol 2 or 3.
 *
 * A command says what it means and the client gets it in the protocol it chose
 * with HELLO:
 *
 *                    protocol 2           protocol 3
 *     null           $-1                  _
 *     null array     *-1                  _
 *     map of n       *2n                  %n
 *     set of n       *n                   ~n
 *     push of n      *n                   >n
 *     boolean        :1 or :0             #t or #f
 *     decimal        bulk string          ,text
 *     verbatim       bulk string          =text with its format
 *
 * Simple strings and errors are lines. Whatever text they are made of, bytes of
 * clients included, no control byte gets into them: each becomes a space. All
 * other text goes out as bulk strings, which may hold anything.
 *
 * A header promises elements; the caller writes as many as it announced.
 */
#ifndef HOLDFAST_WIRE_RESP_REPLY_H
#define HOLDFAST_WIRE_RESP_REPLY_H

#include "base/buffer.h"

/* Where replies go. A plain value: make one where a reply is written. */
struct resp_reply {
    struct buffer *out; /* appended to */
    int protocol;       /* 2 or 3 */
};

/* +text. For words like PONG and QUEUED. */
void resp_reply_simple(const struct resp_reply *reply, struct bytes text);
void resp_reply_ok(const struct resp_reply *reply);

/* -text. The text starts with the word that tells the kind of error, as in
 * "ERR syntax error". */
void resp_reply_error(const struct resp_reply *reply, struct bytes text);
void resp_reply_error_text(const struct resp_reply *reply, const char *text);

void resp_reply_integer(const struct resp_reply *reply, int64_t value);
void resp_reply_boolean(const struct resp_reply *reply, bool value);

/* A number with a fraction, written by the caller: digits, sign, point and
 * exponent, or inf, -inf, nan. */
void resp_reply_decimal(const struct resp_reply *reply, const char *text);

void resp_reply_bulk(const struct resp_reply *reply, struct bytes bytes);
void resp_reply_bulk_text(const struct resp_reply *reply, const char *text);
void resp_reply_bulk_unsigned(const struct resp_reply *reply, uint64_t value);

/* The name of a field, before its value in a map. */
void resp_reply_key(const struct resp_reply *reply, const char *name);

/* Text for people. format has three letters: "txt" or "mkd". */
void resp_reply_verbatim(const struct resp_reply *reply, const char *format,
                         struct bytes text);

/* Nothing, in the place of a value or in the place of an array. */
void resp_reply_null(const struct resp_reply *reply);
void resp_reply_null_array(const struct resp_reply *reply);

/* Headers. A map is followed by a key and a value for each of its pairs. A push
 * is only for clients that asked for it. */
void resp_reply_array(const struct resp_reply *reply, size_t count);
void resp_reply_map(const struct resp_reply *reply, size_t pairs_count);
void resp_reply_set(const struct resp_reply *reply, size_t count);
void resp_reply_push(const struct resp_reply *reply, size_t count);

#endif
