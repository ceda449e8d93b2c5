/* net_address.c - where to listen and where to connect. */
#include "net/net_address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

static bool net_address_port(struct bytes digits, uint16_t *port);
static enum status net_address_find(const char *host, uint16_t port, int flags,
                                    struct net_address *items, size_t room,
                                    size_t *count);

enum status net_address_split(struct bytes text, char *host, size_t host_room,
                              uint16_t *port)
{
    size_t colon = text.count;
    while (colon > 0 && text.data[colon - 1] != ':') {
        colon--;
    }
    if (colon == 0) {
        return STATUS_BAD_VALUE;
    }
    const struct bytes digits = bytes_of(text.data + colon, text.count - colon);
    struct bytes name = bytes_of(text.data, colon - 1);
    if (name.count >= 2 && name.data[0] == '[' &&
        name.data[name.count - 1] == ']') {
        name = bytes_of(name.data + 1, name.count - 2);
    }
    if (name.count == 0 || name.count >= host_room ||
        memchr(name.data, 0, name.count) != NULL ||
        !net_address_port(digits, port)) {
        return STATUS_BAD_VALUE;
    }
    memcpy(host, name.data, name.count);
    host[name.count] = 0;
    return STATUS_OK;
}

enum status net_address_of(const char *host, uint16_t port,
                           struct net_address *address)
{
    size_t count = 0;
    return net_address_find(host, port, AI_NUMERICSERV, address, 1, &count);
}

enum status net_address_all(const char *host, uint16_t port,
                            struct net_address_list *list)
{
    return net_address_find(host, port, AI_NUMERICSERV, list->items,
                            NET_ADDRESS_LIST_MAX, &list->count);
}

enum status net_address_of_number(const char *host, uint16_t port,
                                  struct net_address *address)
{
    size_t count = 0;
    return net_address_find(host, port, AI_NUMERICSERV | AI_NUMERICHOST,
                            address, 1, &count);
}

static enum status net_address_find(const char *host, uint16_t port, int flags,
                                    struct net_address *items, size_t room,
                                    size_t *count)
{
    char digits[8];
    struct addrinfo *found = NULL;
    *count = 0;
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = flags};
    (void)snprintf(digits, sizeof(digits), "%u", (unsigned)port);
    if (getaddrinfo(host, digits, &hints, &found) != 0 || found == NULL) {
        return STATUS_NOT_FOUND;
    }
    for (const struct addrinfo *each = found; each != NULL && *count < room;
         each = each->ai_next) {
        struct net_address *address = &items[*count];
        memset(address, 0, sizeof(*address));
        memcpy(&address->storage, each->ai_addr, each->ai_addrlen);
        address->length = each->ai_addrlen;
        (*count)++;
    }
    freeaddrinfo(found);
    return STATUS_OK;
}

enum status net_address_of_path(const char *path, struct net_address *address)
{
    struct sockaddr_un *unix_address = (struct sockaddr_un *)&address->storage;
    memset(address, 0, sizeof(*address));
    if (strlen(path) == 0 || strlen(path) >= sizeof(unix_address->sun_path)) {
        return STATUS_TOO_LONG;
    }
    unix_address->sun_family = AF_UNIX;
    memcpy(unix_address->sun_path, path, strlen(path));
    address->length = sizeof(*unix_address);
    return STATUS_OK;
}

void net_address_text(const struct net_address *address, char *text,
                      size_t room)
{
    char host[INET6_ADDRSTRLEN] = "?";
    const struct sockaddr_in *v4 =
        (const struct sockaddr_in *)&address->storage;
    const struct sockaddr_in6 *v6 =
        (const struct sockaddr_in6 *)&address->storage;
    switch (address->storage.ss_family) {
    case AF_INET:
        (void)inet_ntop(AF_INET, &v4->sin_addr, host, sizeof(host));
        (void)snprintf(text, room, "%s:%u", host,
                       (unsigned)ntohs(v4->sin_port));
        break;
    case AF_INET6:
        (void)inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof(host));
        (void)snprintf(text, room, "[%s]:%u", host,
                       (unsigned)ntohs(v6->sin6_port));
        break;
    default:
        (void)snprintf(text, room, "unixsocket:0");
        break;
    }
}

bool net_address_is_local(const struct net_address *address)
{
    const struct sockaddr_in *v4 =
        (const struct sockaddr_in *)&address->storage;
    const struct sockaddr_in6 *v6 =
        (const struct sockaddr_in6 *)&address->storage;
    switch (address->storage.ss_family) {
    case AF_INET:
        return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
    case AF_INET6:
        return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr) ||
               (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr) &&
                v6->sin6_addr.s6_addr[12] == 127);
    default:
        return true;
    }
}

static bool net_address_port(struct bytes digits, uint16_t *port)
{
    uint32_t value = 0;
    if (digits.count == 0 || digits.count > 5) {
        return false;
    }
    for (size_t i = 0; i < digits.count; i++) {
        if (digits.data[i] < '0' || digits.data[i] > '9') {
            return false;
        }
        value = value * 10 + (uint32_t)(digits.data[i] - '0');
    }
    if (value == 0 || value > UINT16_MAX) {
        return false;
    }
    *port = (uint16_t)value;
    return true;
}
