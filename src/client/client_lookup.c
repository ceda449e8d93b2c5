/* client_lookup.c - the addresses of a name, without waiting for them. */
#include "client/client_lookup.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "client/client_heartbeat.h"
#include "client/client_memory.h"

struct client_lookup {
    struct client_node node;
    struct addrinfo *addresses;
    _Atomic int code; /* written last and read first */
    int done_fd;
    _Atomic int owners; /* the thread and whoever asked */
};

static int client_lookup_ask(const struct client_node *node, int flags,
                             struct addrinfo **addresses);
static void *client_lookup_run(void *context);
static void client_lookup_let_go(struct client_lookup *lookup);

int client_lookup_numbers(const struct client_node *node,
                          struct addrinfo **addresses)
{
    return client_lookup_ask(node, AI_NUMERICHOST, addresses);
}

struct client_lookup *client_lookup_begin(const struct client_node *node)
{
    struct client_lookup *lookup = client_memory_new(1, sizeof(*lookup));
    pthread_t thread;
    if (lookup == NULL) {
        return NULL;
    }
    lookup->node = *node;
    lookup->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    atomic_store(&lookup->owners, 2);
    if (lookup->done_fd < 0 ||
        client_heartbeat_thread(&thread, client_lookup_run, lookup) != HF_OK) {
        atomic_store(&lookup->owners, 1);
        client_lookup_let_go(lookup);
        return NULL;
    }
    (void)pthread_detach(thread);
    return lookup;
}

int client_lookup_fd(const struct client_lookup *lookup)
{
    return lookup->done_fd;
}

int client_lookup_take(struct client_lookup *lookup,
                       struct addrinfo **addresses)
{
    const int code = atomic_load(&lookup->code);
    *addresses = lookup->addresses;
    lookup->addresses = NULL;
    client_lookup_let_go(lookup);
    return code;
}

void client_lookup_abandon(struct client_lookup *lookup)
{
    client_lookup_let_go(lookup);
}

static void *client_lookup_run(void *context)
{
    struct client_lookup *lookup = context;
    const uint64_t one = 1;
    struct addrinfo *addresses = NULL;
    const int code = client_lookup_ask(&lookup->node, 0, &addresses);
    lookup->addresses = addresses;
    atomic_store(&lookup->code, code);
    const ssize_t written = write(lookup->done_fd, &one, sizeof(one));
    (void)written;
    client_lookup_let_go(lookup);
    return NULL;
}

static int client_lookup_ask(const struct client_node *node, int flags,
                             struct addrinfo **addresses)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_NUMERICSERV | flags};
    char port[8];
    (void)snprintf(port, sizeof(port), "%d", node->port);
    const int code = getaddrinfo(node->host, port, &hints, addresses);
    if (code != 0) {
        *addresses = NULL;
    }
    return code;
}

static void client_lookup_let_go(struct client_lookup *lookup)
{
    if (atomic_fetch_sub(&lookup->owners, 1) > 1) {
        return;
    }
    if (lookup->addresses != NULL) {
        freeaddrinfo(lookup->addresses);
    }
    if (lookup->done_fd >= 0) {
        (void)close(lookup->done_fd);
    }
    client_memory_free(lookup);
}
