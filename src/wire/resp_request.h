/* resp_request.h - requests of clients, out of the bytes of a connection.
 *
 * There is no socket here. A connection appends what it received, in pieces of
 * any size, and asks for requests until there is none left:
 *
 *     resp_request_append(&reader, bytes);
 *     while (resp_request_next(&reader, &request) == RESP_REQUEST_READY) {
 *         ... request.args[0] is the name of the command ...
 *     }
 *
 * A request is an array of bulk strings, or a line of words. Words are split
 * as redis-server splits them:
 *
 *  - blanks separate words; blanks are space, tab, CR, and at the start of a
 *    word vertical tab and form feed too;
 *  - "..." knows \n \r \t \b \a, \xHH, and backslash before any other byte,
 *    which then stands for itself; '...' knows \' alone;
 *  - behind a closing quote comes a blank or the end of the line;
 *  - a line ends with LF, and a CR before it belongs to the end.
 *
 * Lines without words and arrays of no or a negative number of strings are
 * passed over. As in redis-server the byte behind the CR of a length, and the
 * two behind a bulk string, are taken for the end of a line whatever they are.
 * Unlike there, a zero byte is a byte like any other, and a limit is kept
 * whether the bytes arrive as a whole or one by one: how a stream was cut
 * never shows in what comes out.
 *
 * Work and memory are proportional to what was received: no byte is looked at
 * again for bytes that came after it, and nothing is reserved for a length that
 * was only announced. How many bytes may wait for a connection that is busy is
 * its owner's business; resp_request_waiting_bytes() tells.
 */
#ifndef HOLDFAST_WIRE_RESP_REQUEST_H
#define HOLDFAST_WIRE_RESP_REQUEST_H

#include "base/buffer.h"

/* What may be asked before AUTH, as in redis-server 7. */
#define RESP_UNPROVEN_ARGS 10
#define RESP_UNPROVEN_BYTES (16 * 1024)

/* What may be asked after it, if nobody says otherwise. */
#define RESP_ARGS_MAX (1024 * 1024)
#define RESP_BULK_BYTES (4 * 1024 * 1024)
#define RESP_INLINE_BYTES (64 * 1024)
#define RESP_REQUEST_BYTES (16 * 1024 * 1024)

/* Above these a length is called invalid, not unauthenticated. */
#define RESP_ARGS_CEILING INT32_MAX
#define RESP_BULK_CEILING (512 * 1024 * 1024)

/* Every limit is the largest value that is still accepted. None in bytes may be
 * above RESP_BULK_CEILING. */
struct resp_limits {
    size_t args_max;          /* words of a request, its command included */
    size_t bulk_bytes_max;    /* one bulk string */
    size_t inline_bytes_max;  /* a line up to its LF; a length up to its CR */
    size_t request_bytes_max; /* an array from its first byte to its last */
    bool unproven;            /* before AUTH: errors say "unauthenticated" */
};

/* The limits above: of a client that may do anything, and of one that has yet
 * to say who it is. */
struct resp_limits resp_limits_proven(void);
struct resp_limits resp_limits_unproven(void);

/* A request that was read. The views are valid until bytes are added to the
 * reader that gave it, room is reserved in it, or it is asked for another. */
struct resp_request {
    const struct bytes *args;
    size_t args_count; /* at least 1 */
};

enum resp_request_result {
    RESP_REQUEST_READY,      /* here is one */
    RESP_REQUEST_INCOMPLETE, /* more bytes are needed */
    RESP_REQUEST_FAILED      /* answer with the error, then close */
};

/* Where the reader stands. */
enum resp_request_state {
    RESP_REQUEST_AT_START,
    RESP_REQUEST_AT_LENGTH, /* of the next bulk string */
    RESP_REQUEST_IN_BULK,
    RESP_REQUEST_DONE, /* a request was given out and may still be in use */
    RESP_REQUEST_BROKEN
};

/* Bytes of the longest error text, its zero included. */
#define RESP_REQUEST_ERROR_BYTES 64

struct resp_request_span; /* a word while it may still be moved about */

/* One for each connection. The members belong to resp_request.c. */
struct resp_request_reader {
    struct resp_limits limits;
    enum resp_request_state state;
    struct buffer input;
    size_t start;      /* of the request in input; what is before is used up */
    size_t at;         /* what was read of it; counted from start, as below */
    size_t searched;   /* no end of line before this */
    size_t args_left;  /* words to come */
    size_t bulk_bytes; /* of the bulk string that is waited for */
    struct resp_request_span *spans;
    struct bytes *args; /* as many as spans */
    size_t args_count;
    size_t args_capacity;
    char error[RESP_REQUEST_ERROR_BYTES];
};

void resp_request_init(struct resp_request_reader *reader,
                       const struct resp_limits *limits);
void resp_request_close(struct resp_request_reader *reader);

/* Other limits from now on, as after AUTH. The reader never looks beyond the
 * request it was asked for: what came along with an AUTH is judged by the
 * limits that are set when it is asked for. */
void resp_request_limit(struct resp_request_reader *reader,
                        const struct resp_limits *limits);

/* Add bytes at the end of the stream; after a failure they are dropped. */
void resp_request_append(struct resp_request_reader *reader,
                         struct bytes bytes);

/* The same without a copy: room for count bytes, to be filled in place, and how
 * many of them were. No other call may come between the two. */
uint8_t *resp_request_reserve(struct resp_request_reader *reader, size_t count);
void resp_request_advance(struct resp_request_reader *reader, size_t count);

/* The next request.
 *
 * RESP_REQUEST_FAILED is for ever: no request follows, and the connection is
 * to be closed once the error was sent. */
enum resp_request_result resp_request_next(struct resp_request_reader *reader,
                                           struct resp_request *request);

/* Why it failed, in the words of redis-server: "Protocol error: ...", to be
 * sent with "ERR " before it. Printable ASCII whatever the client sent. Only
 * "Protocol error: too big request" is ours. Empty while nothing failed. */
const char *resp_request_error(const struct resp_request_reader *reader);

/* Bytes received and not yet part of a request that was given out. */
size_t resp_request_waiting_bytes(const struct resp_request_reader *reader);

#endif
