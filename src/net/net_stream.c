/* net_stream.c - a connected socket. */
#include "net/net_stream.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

#include "base/ensure.h"

/* A buffer that has grown beyond this is given back once it is empty. */
#define NET_STREAM_KEEP_BYTES (256 * 1024)

/* Seconds of silence after which the machine asks whether the other side is
 * still there, and between questions, if nobody says otherwise; and how many
 * go unanswered. */
#define NET_STREAM_KEEPALIVE_S 60
#define NET_STREAM_KEEPALIVE_STEP_S 10
#define NET_STREAM_KEEPALIVE_COUNT 3

static enum status net_stream_start(struct net_stream *stream,
                                    struct net_loop *loop, int fd,
                                    const struct net_stream_owner *owner);
static void net_stream_tune(int fd);
static void net_stream_ask_after(int fd, int idle, int step);
static void net_stream_readable(evutil_socket_t fd, short what, void *context);
static void net_stream_writable(evutil_socket_t fd, short what, void *context);
static void net_stream_end(struct net_stream *stream);
static void net_stream_sent(struct net_stream *stream, size_t count);

enum status net_stream_open(struct net_stream *stream, struct net_loop *loop,
                            int fd_take, const struct net_stream_owner *owner)
{
    const enum status status = net_stream_start(stream, loop, fd_take, owner);
    if (status == STATUS_OK) {
        net_stream_read(stream, true);
    }
    return status;
}

enum status net_stream_connect(struct net_stream *stream, struct net_loop *loop,
                               const struct net_address *to,
                               const struct net_stream_owner *owner)
{
    const int fd = socket(to->storage.ss_family,
                          SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return STATUS_REFUSED;
    }
    const enum status status = net_stream_start(stream, loop, fd, owner);
    if (status != STATUS_OK) {
        return status;
    }
    if (connect(fd, (const struct sockaddr *)&to->storage, to->length) != 0 &&
        errno != EINPROGRESS) {
        net_stream_close(stream);
        return STATUS_REFUSED;
    }
    stream->connecting = true;
    (void)event_add(stream->write_event, NULL);
    return STATUS_OK;
}

void net_stream_close(struct net_stream *stream)
{
    if (stream->read_event != NULL) {
        event_free(stream->read_event);
        stream->read_event = NULL;
    }
    if (stream->write_event != NULL) {
        event_free(stream->write_event);
        stream->write_event = NULL;
    }
    if (stream->fd >= 0) {
        (void)close(stream->fd);
        stream->fd = -1;
    }
    buffer_close(&stream->out);
    stream->sent = 0;
    stream->over = true;
}

struct buffer *net_stream_out(struct net_stream *stream)
{
    return &stream->out;
}

size_t net_stream_waiting(const struct net_stream *stream)
{
    return stream->out.count - stream->sent;
}

void net_stream_flush(struct net_stream *stream)
{
    if (stream->over || stream->connecting) {
        return;
    }
    while (stream->sent < stream->out.count) {
        const ssize_t count =
            send(stream->fd, stream->out.data + stream->sent,
                 stream->out.count - stream->sent, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            (void)event_add(stream->write_event, NULL);
            return;
        }
        if (count <= 0) {
            net_stream_end(stream);
            return;
        }
        net_stream_sent(stream, (size_t)count);
    }
}

void net_stream_read(struct net_stream *stream, bool on)
{
    if (stream->over || stream->reading == on) {
        return;
    }
    stream->reading = on;
    if (on) {
        (void)event_add(stream->read_event, NULL);
    } else {
        (void)event_del(stream->read_event);
    }
}

void net_stream_keep_alive(struct net_stream *stream, uint64_t seconds)
{
    const int idle = (int)seconds;
    const int step = idle / NET_STREAM_KEEPALIVE_COUNT;
    net_stream_ask_after(stream->fd, idle, step > 0 ? step : 1);
}

static enum status net_stream_start(struct net_stream *stream,
                                    struct net_loop *loop, int fd,
                                    const struct net_stream_owner *owner)
{
    *stream = (struct net_stream){.owner = *owner, .fd = fd};
    net_stream_tune(fd);
    stream->read_event = event_new(loop->base, fd, EV_READ | EV_PERSIST,
                                   net_stream_readable, stream);
    stream->write_event =
        event_new(loop->base, fd, EV_WRITE, net_stream_writable, stream);
    if (stream->read_event == NULL || stream->write_event == NULL) {
        net_stream_close(stream);
        return STATUS_NO_EVENTS;
    }
    return STATUS_OK;
}

/* Small messages leave at once, and a peer that vanished is noticed. None of
 * this applies to Unix sockets, where it fails and does not matter. */
static void net_stream_tune(int fd)
{
    const int yes = 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    net_stream_ask_after(fd, NET_STREAM_KEEPALIVE_S,
                         NET_STREAM_KEEPALIVE_STEP_S);
}

/* After idle seconds of silence, and every step seconds from then on; idle 0:
 * never. */
static void net_stream_ask_after(int fd, int idle, int step)
{
    const int on = idle > 0 ? 1 : 0;
    const int count = NET_STREAM_KEEPALIVE_COUNT;
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    if (on == 0) {
        return;
    }
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &step, sizeof(step));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
}

static void net_stream_readable(evutil_socket_t fd, short what, void *context)
{
    struct net_stream *stream = context;
    (void)what;
    size_t room = 0;
    uint8_t *space = stream->owner.reserve(stream->owner.context, &room);
    if (room == 0) {
        return;
    }
    const ssize_t count = recv(fd, space, room, 0);
    if (count > 0) {
        stream->in_bytes += (uint64_t)count;
        stream->owner.received(stream->owner.context, (size_t)count);
    } else if (count == 0 ||
               (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
        stream->owner.received(stream->owner.context, 0);
        net_stream_end(stream);
    } else {
        stream->owner.received(stream->owner.context, 0);
    }
}

static void net_stream_writable(evutil_socket_t fd, short what, void *context)
{
    struct net_stream *stream = context;
    (void)what;
    if (stream->connecting) {
        int error = 0;
        socklen_t length = sizeof(error);
        if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0 ||
            error != 0) {
            stream->error = error;
            net_stream_end(stream);
            return;
        }
        stream->connecting = false;
        net_stream_read(stream, true);
        if (stream->owner.connected != NULL) {
            stream->owner.connected(stream->owner.context);
        }
    }
    net_stream_flush(stream);
    if (!stream->over && net_stream_waiting(stream) == 0 &&
        stream->owner.drained != NULL) {
        stream->owner.drained(stream->owner.context);
    }
}

static void net_stream_end(struct net_stream *stream)
{
    if (stream->over) {
        return;
    }
    (void)event_del(stream->read_event);
    (void)event_del(stream->write_event);
    stream->over = true;
    stream->owner.closed(stream->owner.context);
}

static void net_stream_sent(struct net_stream *stream, size_t count)
{
    ENSURE(count <= net_stream_waiting(stream));
    stream->sent += count;
    stream->out_bytes += count;
    if (stream->sent == stream->out.count) {
        stream->sent = 0;
        if (stream->out.capacity > NET_STREAM_KEEP_BYTES) {
            buffer_close(&stream->out);
        } else {
            buffer_clear(&stream->out);
        }
    } else if (stream->sent > NET_STREAM_KEEP_BYTES &&
               stream->sent > stream->out.count / 2) {
        /* One that is never empty must not keep all that it ever sent. */
        buffer_consume(&stream->out, stream->sent);
        stream->sent = 0;
    }
}
