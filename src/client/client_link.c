/* client_link.c - one connection to one node, never blocking.
 *
 * hiredis formats requests and parses replies; the socket is our own, so that
 * it is close-on-exec from the first and a write to a closed connection is an
 * error and not a signal (hiredis itself would write without MSG_NOSIGNAL).
 *
 * A host that has several addresses is tried at each in turn.
 */
#include "client/client_link.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client/client_error.h"
#include "client/client_memory.h"
#include "client/client_reply.h"

/* A node that went away without a word is noticed by the kernel as well, for
 * links that nobody writes to, or where what was written is not taken. */
#define CLIENT_LINK_KEEPALIVE_S 5
#define CLIENT_LINK_KEEPALIVES 2
#define CLIENT_LINK_UNTAKEN_MS 15000

/* What is waiting to be written; it keeps the room that it once needed. */
#define CLIENT_LINK_OUT_BYTES_MIN 4096

static bool client_link_found(struct client_link *link, int code);
static bool client_link_next_address(struct client_link *link);
static void client_link_forget_addresses(struct client_link *link);
static bool client_link_connect(struct client_link *link,
                                const struct addrinfo *address);
static bool client_link_connected(struct client_link *link);
static bool client_link_greet(struct client_link *link);
static bool client_link_read(struct client_link *link);
static bool client_link_append(struct client_link *link, const char *bytes,
                               size_t count);
static bool client_link_broke(struct client_link *link, const char *what);

void client_link_init(struct client_link *link,
                      const struct client_credentials *credentials)
{
    memset(link, 0, sizeof(*link));
    link->credentials = credentials;
    link->fd = -1;
}

bool client_link_start(struct client_link *link, const struct client_node *node)
{
    client_link_stop(link, HF_OK, "");
    link->node = *node;
    const int code = client_lookup_numbers(node, &link->addresses);
    if (code != EAI_NONAME) {
        return client_link_found(link, code);
    }
    link->lookup = client_lookup_begin(node);
    if (link->lookup == NULL) {
        return client_link_broke(link, "no memory or thread to look it up");
    }
    link->fd = client_lookup_fd(link->lookup);
    link->state = CLIENT_LINK_LOOKING;
    return true;
}

void client_link_stop(struct client_link *link, enum hf_status status,
                      const char *reason)
{
    if (link->context != NULL) {
        redisFree(link->context); /* closes the descriptor */
    } else if (link->lookup != NULL) {
        client_lookup_abandon(link->lookup); /* the same */
    } else if (link->fd >= 0) {
        (void)close(link->fd);
    }
    link->context = NULL;
    link->lookup = NULL;
    link->fd = -1;
    link->out_count = 0;
    link->out_sent = 0;
    client_link_forget_addresses(link);
    link->state = CLIENT_LINK_DOWN;
    if (status == HF_OK) {
        (void)client_error_none(&link->reason);
    } else {
        (void)client_error(&link->reason, status, "%.120s:%d: %.80s",
                           link->node.host, link->node.port, reason);
    }
}

void client_link_close(struct client_link *link)
{
    client_link_stop(link, HF_OK, "");
    client_memory_free(link->out);
    link->out = NULL;
    link->out_capacity = 0;
}

short client_link_events(const struct client_link *link)
{
    switch (link->state) {
    case CLIENT_LINK_DOWN:
        return 0;
    case CLIENT_LINK_LOOKING:
        return POLLIN;
    case CLIENT_LINK_CONNECTING:
        return POLLOUT;
    case CLIENT_LINK_GREETING:
    case CLIENT_LINK_UP:
        break;
    }
    return link->out_sent < link->out_count ? POLLIN | POLLOUT : POLLIN;
}

bool client_link_handle(struct client_link *link, short events)
{
    if (link->state == CLIENT_LINK_DOWN) {
        return false;
    }
    if (events == 0) {
        return true;
    }
    if (link->state == CLIENT_LINK_LOOKING) {
        struct client_lookup *lookup = link->lookup;
        link->lookup = NULL;
        link->fd = -1;
        return client_link_found(link,
                                 client_lookup_take(lookup, &link->addresses));
    }
    if (link->state == CLIENT_LINK_CONNECTING) {
        return client_link_connected(link);
    }
    if ((events & (POLLIN | POLLERR | POLLHUP)) != 0 &&
        !client_link_read(link)) {
        return false;
    }
    return client_link_flush(link);
}

redisReply *client_link_reply(struct client_link *link)
{
    void *reply = NULL;
    if (link->state != CLIENT_LINK_UP && link->state != CLIENT_LINK_GREETING) {
        return NULL;
    }
    if (redisReaderGetReply(link->context->reader, &reply) != REDIS_OK) {
        client_link_stop(link, HF_UNREACHABLE,
                         "what came is not the Redis protocol");
        return NULL;
    }
    return reply;
}

bool client_link_send(struct client_link *link, size_t words_count,
                      const char *const *words, const size_t *words_bytes)
{
    char *command = NULL;
    const char **arguments = (const char **)(uintptr_t)words;
    const int count = redisFormatCommandArgv(&command, (int)words_count,
                                             arguments, words_bytes);
    if (count < 0) {
        return false;
    }
    const bool appended = client_link_append(link, command, (size_t)count);
    redisFreeCommand(command);
    return appended;
}

bool client_link_flush(struct client_link *link)
{
    if (link->state == CLIENT_LINK_DOWN) {
        return false;
    }
    if (link->state == CLIENT_LINK_LOOKING ||
        link->state == CLIENT_LINK_CONNECTING) {
        return true;
    }
    while (link->out_sent < link->out_count) {
        const ssize_t sent =
            send(link->fd, link->out + link->out_sent,
                 link->out_count - link->out_sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            link->out_sent += (size_t)sent;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return true;
        } else if (errno != EINTR) {
            return client_link_broke(link, strerrordesc_np(errno));
        }
    }
    link->out_count = 0;
    link->out_sent = 0;
    return true;
}

bool client_link_is_spoilt(const struct client_link *link)
{
    struct pollfd look = {.fd = link->fd, .events = POLLIN};
    return link->state != CLIENT_LINK_UP || poll(&look, 1, 0) != 0;
}

/* ---- connecting ---- */

/* What getaddrinfo() said. */
static bool client_link_found(struct client_link *link, int code)
{
    if (code != 0) {
        return client_link_broke(link, gai_strerror(code));
    }
    link->next_address = link->addresses;
    return client_link_next_address(link);
}

static bool client_link_next_address(struct client_link *link)
{
    while (link->next_address != NULL) {
        const struct addrinfo *address = link->next_address;
        link->next_address = address->ai_next;
        if (client_link_connect(link, address)) {
            return true;
        }
    }
    return client_link_broke(link, errno != 0 ? strerrordesc_np(errno)
                                              : "no address");
}

static void client_link_forget_addresses(struct client_link *link)
{
    if (link->addresses != NULL) {
        freeaddrinfo(link->addresses);
    }
    link->addresses = NULL;
    link->next_address = NULL;
}

/* False with errno: this address is no good. */
static bool client_link_connect(struct client_link *link,
                                const struct addrinfo *address)
{
    const int on = 1;
    const int idle_s = CLIENT_LINK_KEEPALIVE_S;
    const int probes = CLIENT_LINK_KEEPALIVES;
    const int untaken_ms = CLIENT_LINK_UNTAKEN_MS;
    if (link->fd >= 0) {
        (void)close(link->fd);
    }
    link->fd = socket(address->ai_family,
                      SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (link->fd < 0) {
        return false;
    }
    (void)setsockopt(link->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    (void)setsockopt(link->fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    (void)setsockopt(link->fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s,
                     sizeof(idle_s));
    (void)setsockopt(link->fd, IPPROTO_TCP, TCP_KEEPINTVL, &idle_s,
                     sizeof(idle_s));
    (void)setsockopt(link->fd, IPPROTO_TCP, TCP_KEEPCNT, &probes,
                     sizeof(probes));
    (void)setsockopt(link->fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &untaken_ms,
                     sizeof(untaken_ms));
    link->state = CLIENT_LINK_CONNECTING;
    return connect(link->fd, address->ai_addr, address->ai_addrlen) == 0 ||
           errno == EINPROGRESS;
}

/* The socket can be written to, so the attempt has ended one way or another. */
static bool client_link_connected(struct client_link *link)
{
    int code = 0;
    socklen_t count = sizeof(code);
    if (getsockopt(link->fd, SOL_SOCKET, SO_ERROR, &code, &count) != 0) {
        code = errno;
    }
    if (code != 0) {
        errno = code;
        return client_link_next_address(link);
    }
    client_link_forget_addresses(link);
    link->context = redisConnectFd(link->fd);
    if (link->context == NULL || link->context->err != 0) {
        return client_link_broke(link, "out of memory");
    }
    link->context->flags &= ~REDIS_BLOCK;
    return client_link_greet(link);
}

static bool client_link_greet(struct client_link *link)
{
    const struct client_credentials *who = link->credentials;
    if (who->password == NULL) {
        link->state = CLIENT_LINK_UP;
        return client_link_flush(link);
    }
    const bool named = who->username != NULL;
    const char *words[3] = {"AUTH", named ? who->username : who->password,
                            who->password};
    link->state = CLIENT_LINK_GREETING;
    if (!client_link_send(link, named ? 3 : 2, words, NULL)) {
        return client_link_broke(link, "out of memory");
    }
    return client_link_flush(link);
}

/* ---- reading ---- */

static bool client_link_read(struct client_link *link)
{
    if (redisBufferRead(link->context) != REDIS_OK) {
        return client_link_broke(link, link->context->errstr);
    }
    if (link->state != CLIENT_LINK_GREETING) {
        return true;
    }
    redisReply *reply = client_link_reply(link);
    if (reply == NULL) {
        return link->state != CLIENT_LINK_DOWN;
    }
    if (reply->type == REDIS_REPLY_ERROR) {
        const enum client_answer answer = client_reply_class(reply);
        char text[80];
        (void)snprintf(text, sizeof(text), "%.79s", reply->str);
        client_link_stop(link,
                         answer == CLIENT_ANSWER_NOT_HERE ||
                                 answer == CLIENT_ANSWER_LATER
                             ? HF_UNREACHABLE
                             : HF_DENIED,
                         text);
    } else {
        link->state = CLIENT_LINK_UP;
    }
    freeReplyObject(reply);
    return link->state == CLIENT_LINK_UP;
}

/* ---- writing ---- */

static bool client_link_append(struct client_link *link, const char *bytes,
                               size_t count)
{
    const size_t needed = link->out_count + count;
    if (needed > link->out_capacity) {
        const size_t capacity = needed * 2 > CLIENT_LINK_OUT_BYTES_MIN
                                    ? needed * 2
                                    : CLIENT_LINK_OUT_BYTES_MIN;
        char *grown = client_memory_resize(link->out, capacity, 1);
        if (grown == NULL) {
            return false;
        }
        link->out = grown;
        link->out_capacity = capacity;
    }
    memcpy(link->out + link->out_count, bytes, count);
    link->out_count = needed;
    return true;
}

static bool client_link_broke(struct client_link *link, const char *what)
{
    char text[80];
    (void)snprintf(text, sizeof(text), "%.79s", what != NULL ? what : "broken");
    client_link_stop(link, HF_UNREACHABLE, text);
    return false;
}
