/* net_stream.h - a connected socket: bytes in as they come, bytes out at the
 * end of a turn.
 *
 * What is written is gathered and leaves with net_stream_flush(), in as few
 * system calls as there are streams. What the socket does not take at once
 * leaves as it becomes writable. A stream never frees itself: when it is over
 * the owner is told once, by the closed callback, and frees it when no callback
 * of it is under way.
 */
#ifndef HOLDFAST_NET_STREAM_H
#define HOLDFAST_NET_STREAM_H

#include "base/buffer.h"
#include "net/net_address.h"
#include "net/net_loop.h"

struct net_stream;

struct net_stream_owner {
    void *context;
    /* A connection that was begun by net_stream_connect() stands. */
    void (*connected)(void *context);
    /* Where to put up to *room bytes that are there to be read; room 0: do not
     * read now, see net_stream_read(). */
    uint8_t *(*reserve)(void *context, size_t *room);
    void (*received)(void *context, size_t count);
    /* All that a flush had to leave behind is sent; may be NULL. */
    void (*drained)(void *context);
    /* It is over: the other side closed, or an error. Nothing more comes. */
    void (*closed)(void *context);
};

struct net_stream {
    struct net_stream_owner owner;
    struct event *read_event;
    struct event *write_event;
    int fd;
    bool connecting;
    bool over;
    int error; /* why it could not connect, as errno; 0: it did, or may */
    bool reading;
    struct buffer out;
    size_t sent; /* of out */
    uint64_t in_bytes;
    uint64_t out_bytes;
};

/* Take over a connected socket. */
enum status net_stream_open(struct net_stream *stream, struct net_loop *loop,
                            int fd_take, const struct net_stream_owner *owner);

/* Begin to connect. */
enum status net_stream_connect(struct net_stream *stream, struct net_loop *loop,
                               const struct net_address *to,
                               const struct net_stream_owner *owner);

/* Close the socket; no callback follows. */
void net_stream_close(struct net_stream *stream);

/* Where to append what is to be sent. */
struct buffer *net_stream_out(struct net_stream *stream);

/* Bytes waiting to leave. */
size_t net_stream_waiting(const struct net_stream *stream);

/* Send what waits, as far as it goes. */
void net_stream_flush(struct net_stream *stream);

/* Ask after an other side that was silent for so many seconds, and give it up
 * after as many more; 0: never. A stream that this is not said of asks after a
 * minute. */
void net_stream_keep_alive(struct net_stream *stream, uint64_t seconds);

/* Stop or go on reading, as back-pressure wants it. */
void net_stream_read(struct net_stream *stream, bool on);

#endif
