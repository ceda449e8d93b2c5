/* client_nodes.c - the nodes a client knows, and which to try next. */
#include "client/client_nodes.h"

#include <string.h>

#include "client/client_memory.h"

static bool client_nodes_read_port(int *port, const char *text, size_t count);
static size_t client_nodes_find(const struct client_nodes *nodes,
                                const struct client_node *node);
static bool client_nodes_add(struct client_nodes *nodes,
                             const struct client_node *node);

enum client_nodes_fault client_nodes_init(struct client_nodes *nodes,
                                          const char *list, size_t start)
{
    static const char separators[] = ", \t\n";
    memset(nodes, 0, sizeof(*nodes));
    const char *at = list + strspn(list, separators);
    while (*at != '\0') {
        const size_t count = strcspn(at, separators);
        struct client_node node;
        if (!client_nodes_read(&node, at, count) ||
            nodes->nodes_count == CLIENT_NODES_MAX) {
            client_nodes_close(nodes);
            return CLIENT_NODES_BAD;
        }
        if (!client_nodes_add(nodes, &node)) {
            client_nodes_close(nodes);
            return CLIENT_NODES_NO_MEMORY;
        }
        at += count;
        at += strspn(at, separators);
    }
    if (nodes->nodes_count == 0) {
        return CLIENT_NODES_EMPTY;
    }
    nodes->at = start % nodes->nodes_count;
    return CLIENT_NODES_GOOD;
}

void client_nodes_close(struct client_nodes *nodes)
{
    client_memory_free(nodes->nodes);
    memset(nodes, 0, sizeof(*nodes));
}

bool client_nodes_read(struct client_node *node, const char *text, size_t count)
{
    const char *at = memrchr(text, '@', count);
    if (at != NULL) {
        int raft_port;
        const size_t before = (size_t)(at - text);
        if (!client_nodes_read_port(&raft_port, at + 1, count - before - 1)) {
            return false;
        }
        count = before;
    }
    const char *colon = memrchr(text, ':', count);
    if (colon == NULL) {
        return false;
    }
    size_t host_count = (size_t)(colon - text);
    const size_t port_count = count - host_count - 1;
    if (host_count >= 2 && text[0] == '[' && text[host_count - 1] == ']') {
        text++;
        host_count -= 2;
    } else if (memchr(text, ':', host_count) != NULL) {
        return false; /* an IPv6 address without brackets */
    }
    if (host_count == 0 || host_count >= sizeof(node->host) ||
        !client_nodes_read_port(&node->port, colon + 1, port_count)) {
        return false;
    }
    memset(node->host, 0, sizeof(node->host));
    memcpy(node->host, text, host_count);
    return true;
}

const struct client_node *client_nodes_current(const struct client_nodes *nodes)
{
    return &nodes->nodes[nodes->at];
}

bool client_nodes_failed(struct client_nodes *nodes)
{
    nodes->at = (nodes->at + 1) % nodes->nodes_count;
    nodes->tried++;
    if (nodes->tried < nodes->nodes_count) {
        return false;
    }
    nodes->tried = 0;
    return true;
}

void client_nodes_works(struct client_nodes *nodes)
{
    nodes->tried = 0;
}

bool client_nodes_move(struct client_nodes *nodes,
                       const struct client_node *node)
{
    size_t at = client_nodes_find(nodes, node);
    if (at == nodes->nodes_count && !client_nodes_add(nodes, node)) {
        return false;
    }
    nodes->at = at;
    return true;
}

void client_nodes_learn(struct client_nodes *nodes,
                        const struct client_node *node)
{
    if (client_nodes_find(nodes, node) == nodes->nodes_count) {
        (void)client_nodes_add(nodes, node);
    }
}

static bool client_nodes_read_port(int *port, const char *text, size_t count)
{
    int value = 0;
    if (count == 0 || count > 5) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
        value = value * 10 + (text[i] - '0');
    }
    *port = value;
    return value > 0 && value <= 65535;
}

/* nodes_count if it is not there. */
static size_t client_nodes_find(const struct client_nodes *nodes,
                                const struct client_node *node)
{
    size_t at = 0;
    while (at < nodes->nodes_count &&
           (nodes->nodes[at].port != node->port ||
            strcmp(nodes->nodes[at].host, node->host) != 0)) {
        at++;
    }
    return at;
}

static bool client_nodes_add(struct client_nodes *nodes,
                             const struct client_node *node)
{
    if (nodes->nodes_count == CLIENT_NODES_MAX) {
        return false;
    }
    struct client_node *grown = client_memory_resize(
        nodes->nodes, nodes->nodes_count + 1, sizeof(*nodes->nodes));
    if (grown == NULL) {
        return false;
    }
    nodes->nodes = grown;
    nodes->nodes[nodes->nodes_count] = *node;
    nodes->nodes_count++;
    return true;
}
