/* net_lookup.c - addresses of names, without waiting for them.
 *
 * An answer is one packet on a pair of sockets. Each thread has a copy of its
 * end and nothing else that is shared, so that it does no harm if nobody wants
 * the answer any more.
 */
#include "net/net_lookup.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"

struct net_lookup_question {
    uint64_t number;
    int fd; /* where the answer goes */
    uint16_t port;
    char host[LIMIT_ADDRESS_BYTES + 1];
};

static bool net_lookup_start(struct net_lookup_question *question);
static void *net_lookup_thread(void *context);

enum status net_lookup_open(struct net_lookup *lookup)
{
    *lookup = (struct net_lookup){.ends = {-1, -1}};
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
                      lookup->ends) == 0
               ? STATUS_OK
               : STATUS_REFUSED;
}

void net_lookup_close(struct net_lookup *lookup)
{
    for (size_t i = 0; i < 2; i++) {
        if (lookup->ends[i] >= 0) {
            (void)close(lookup->ends[i]);
            lookup->ends[i] = -1;
        }
    }
}

int net_lookup_fd(const struct net_lookup *lookup)
{
    return lookup->ends[0];
}

bool net_lookup_ask(struct net_lookup *lookup, uint64_t number,
                    const char *host, uint16_t port)
{
    if (lookup->under_way == NET_LOOKUP_MAX ||
        strlen(host) > LIMIT_ADDRESS_BYTES) {
        return false;
    }
    struct net_lookup_question *question = memory_new(1, sizeof(*question));
    question->number = number;
    question->port = port;
    question->fd = fcntl(lookup->ends[1], F_DUPFD_CLOEXEC, 0);
    (void)snprintf(question->host, sizeof(question->host), "%s", host);
    if (question->fd < 0 || !net_lookup_start(question)) {
        if (question->fd >= 0) {
            (void)close(question->fd);
        }
        memory_free(question);
        return false;
    }
    lookup->under_way++;
    return true;
}

bool net_lookup_take(struct net_lookup *lookup,
                     struct net_lookup_answer *answer)
{
    if (recv(lookup->ends[0], answer, sizeof(*answer), MSG_DONTWAIT) !=
        (ssize_t)sizeof(*answer)) {
        return false;
    }
    lookup->under_way--;
    return true;
}

/* Signals are for the loop. */
static bool net_lookup_start(struct net_lookup_question *question)
{
    pthread_t thread;
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started =
        pthread_create(&thread, NULL, net_lookup_thread, question) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started) {
        (void)pthread_detach(thread);
    }
    return started;
}

static void *net_lookup_thread(void *context)
{
    struct net_lookup_question *question = context;
    struct net_lookup_answer answer = {.number = question->number};
    answer.status =
        net_address_all(question->host, question->port, &answer.addresses);
    (void)send(question->fd, &answer, sizeof(answer), MSG_NOSIGNAL);
    (void)close(question->fd);
    memory_free(question);
    return NULL;
}
