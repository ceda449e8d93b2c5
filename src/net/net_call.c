/* net_call.c - ask a node something and wait for the answer. */
#include "net/net_call.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "net/net_loop.h"
#include "wire/peer_frame.h"

#define NET_CALL_READ_BYTES 4096

static enum status net_call_connect(struct net_call *call,
                                    const struct net_address *to,
                                    time_ms_t deadline);
static enum status net_call_wait(const struct net_call *call, short what,
                                 time_ms_t deadline);
static enum status net_call_send(const struct net_call *call,
                                 struct bytes frame, time_ms_t deadline);

/* Those that are left share what is left of the time: one that swallows packets
 * leaves some for the others. */
enum status net_call_open(struct net_call *call,
                          const struct net_address_list *to, time_ms_t wait_ms)
{
    const time_ms_t deadline = net_loop_now() + wait_ms;
    enum status status = STATUS_NOT_FOUND;
    *call = (struct net_call){.fd = -1};
    for (size_t i = 0; i < to->count && status != STATUS_OK; i++) {
        const time_ms_t now = net_loop_now();
        const time_ms_t left_ms = now < deadline ? deadline - now : 0;
        net_call_close(call);
        status = net_call_connect(call, &to->items[i],
                                  now + left_ms / (time_ms_t)(to->count - i));
    }
    return status;
}

static enum status net_call_connect(struct net_call *call,
                                    const struct net_address *to,
                                    time_ms_t deadline)
{
    int error = 0;
    socklen_t length = sizeof(error);
    *call = (struct net_call){
        .fd = socket(to->storage.ss_family,
                     SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (call->fd < 0) {
        return STATUS_REFUSED;
    }
    if (connect(call->fd, (const struct sockaddr *)&to->storage, to->length) !=
            0 &&
        errno != EINPROGRESS) {
        return STATUS_REFUSED;
    }
    const enum status status = net_call_wait(call, POLLOUT, deadline);
    if (status != STATUS_OK) {
        return status;
    }
    if (getsockopt(call->fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0 ||
        error != 0) {
        return STATUS_REFUSED;
    }
    return STATUS_OK;
}

void net_call_close(struct net_call *call)
{
    if (call->fd >= 0) {
        (void)close(call->fd);
        call->fd = -1;
    }
    buffer_close(&call->input);
}

enum status net_call_local(const struct net_call *call,
                           struct net_address *address)
{
    *address = (struct net_address){.length = sizeof(address->storage)};
    return getsockname(call->fd, (struct sockaddr *)&address->storage,
                       &address->length) == 0
               ? STATUS_OK
               : STATUS_REFUSED;
}

/* Who listens everywhere is at every address of this machine, and a call to one
 * of those comes from the same. */
bool net_call_is_to(const struct net_call *call, int fd)
{
    struct net_address ends[3];
    char hosts[3][INET6_ADDRSTRLEN + 2];
    uint16_t ports[3];
    for (size_t i = 0; i < 3; i++) {
        char text[128];
        struct net_address *end = &ends[i];
        struct sockaddr *raw = (struct sockaddr *)&end->storage;
        *end = (struct net_address){.length = sizeof(end->storage)};
        if ((i == 1 ? getpeername(call->fd, raw, &end->length)
                    : getsockname(i == 0 ? call->fd : fd, raw, &end->length)) !=
            0) {
            return false;
        }
        net_address_text(end, text, sizeof(text));
        if (net_address_split(bytes_of_text(text), hosts[i], sizeof(hosts[i]),
                              &ports[i]) != STATUS_OK) {
            return false;
        }
    }
    const bool everywhere =
        strcmp(hosts[2], "0.0.0.0") == 0 || strcmp(hosts[2], "::") == 0;
    return ports[1] == ports[2] &&
           strcmp(hosts[1], everywhere ? hosts[0] : hosts[2]) == 0;
}

enum status net_call_ask(struct net_call *call, struct bytes frame,
                         struct bytes *reply, time_ms_t wait_ms)
{
    const time_ms_t deadline = net_loop_now() + wait_ms;
    struct peer_frame_head head;
    size_t frame_bytes = 0;
    buffer_consume(&call->input, call->taken);
    call->taken = 0;
    enum status status = net_call_send(call, frame, deadline);
    while (status == STATUS_OK) {
        status =
            peer_frame_inspect(buffer_view(&call->input), &head, &frame_bytes);
        if (status == STATUS_OK && call->input.count >= frame_bytes) {
            call->taken = frame_bytes;
            *reply = bytes_of(call->input.data, frame_bytes);
            return STATUS_OK;
        }
        if (status != STATUS_OK && status != STATUS_INCOMPLETE) {
            return status;
        }
        status = net_call_wait(call, POLLIN, deadline);
        if (status != STATUS_OK) {
            return status;
        }
        const ssize_t count =
            recv(call->fd, buffer_reserve(&call->input, NET_CALL_READ_BYTES),
                 NET_CALL_READ_BYTES, 0);
        if (count > 0) {
            buffer_advance(&call->input, (size_t)count);
        } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
            return STATUS_INCOMPLETE;
        }
    }
    return status;
}

static enum status net_call_send(const struct net_call *call,
                                 struct bytes frame, time_ms_t deadline)
{
    size_t sent = 0;
    while (sent < frame.count) {
        const ssize_t count =
            send(call->fd, frame.data + sent, frame.count - sent, MSG_NOSIGNAL);
        if (count > 0) {
            sent += (size_t)count;
        } else if (errno == EAGAIN || errno == EINTR) {
            const enum status status = net_call_wait(call, POLLOUT, deadline);
            if (status != STATUS_OK) {
                return status;
            }
        } else {
            return STATUS_INCOMPLETE;
        }
    }
    return STATUS_OK;
}

static enum status net_call_wait(const struct net_call *call, short what,
                                 time_ms_t deadline)
{
    struct pollfd waits = {.fd = call->fd, .events = what};
    for (;;) {
        const time_ms_t now = net_loop_now();
        if (now >= deadline) {
            return STATUS_NOT_FOUND;
        }
        const int ready = poll(&waits, 1, (int)(deadline - now));
        if (ready > 0) {
            return STATUS_OK;
        }
        if (ready < 0 && errno != EINTR) {
            return STATUS_REFUSED;
        }
    }
}
