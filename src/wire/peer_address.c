/* peer_address.c - where a member is, as text: host:port[@raft-port]. */
#include "wire/peer_address.h"

#include <string.h>

#include "wire/resp_word.h"

static bool peer_address_same_host(const struct peer_address *a,
                                   const struct peer_address *b);
static bool peer_address_port(struct bytes digits, uint16_t *port);
static bool peer_address_host(struct bytes text, char *host);
static bool peer_address_find(struct bytes text, uint8_t byte, size_t *at);

bool peer_address_read(struct bytes text, struct peer_address *address)
{
    struct bytes plain = text;
    size_t at = 0;
    address->raft_port = 0;
    if (text.count > LIMIT_ADDRESS_BYTES) {
        return false;
    }
    if (peer_address_find(text, '@', &at)) {
        const struct bytes digits =
            bytes_of(text.data + at + 1, text.count - at - 1);
        if (!peer_address_port(digits, &address->raft_port)) {
            return false;
        }
        plain = bytes_of(text.data, at);
    }
    /* The last colon: those of an IPv6 host come before it. */
    if (!peer_address_find(plain, ':', &at) ||
        !peer_address_port(bytes_of(plain.data + at + 1, plain.count - at - 1),
                           &address->port) ||
        !peer_address_host(bytes_of(plain.data, at), address->host)) {
        return false;
    }
    if (address->raft_port == 0) {
        if (address->port > UINT16_MAX - PEER_ADDRESS_RAFT_OFFSET) {
            return false;
        }
        address->raft_port =
            (uint16_t)(address->port + PEER_ADDRESS_RAFT_OFFSET);
    }
    return true;
}

bool peer_address_equal(const struct peer_address *a,
                        const struct peer_address *b)
{
    return peer_address_same_host(a, b) && a->port == b->port &&
           a->raft_port == b->raft_port;
}

bool peer_address_collides(const struct peer_address *a,
                           const struct peer_address *b)
{
    return peer_address_same_host(a, b) &&
           (a->port == b->port || a->port == b->raft_port ||
            a->raft_port == b->port || a->raft_port == b->raft_port);
}

static bool peer_address_same_host(const struct peer_address *a,
                                   const struct peer_address *b)
{
    return resp_word_is(bytes_of_text(a->host), b->host);
}

static bool peer_address_port(struct bytes digits, uint16_t *port)
{
    uint64_t value = 0;
    if (!resp_word_unsigned(digits, &value) || value == 0 ||
        value > UINT16_MAX) {
        return false;
    }
    *port = (uint16_t)value;
    return true;
}

/* Letters, digits and what else addresses and names of hosts have. */
static bool peer_address_host(struct bytes text, char *host)
{
    static const char known[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    const bool v6 = text.count > 2 && text.data[0] == '[' &&
                    text.data[text.count - 1] == ']';
    if (v6) {
        text = bytes_of(text.data + 1, text.count - 2);
    }
    for (size_t i = 0; i < text.count; i++) {
        const char byte = (char)text.data[i];
        if (byte == '\0' || (strchr(known, byte) == NULL &&
                             !(v6 && (byte == ':' || byte == '%')))) {
            return false;
        }
    }
    memcpy(host, text.data, text.count);
    host[text.count] = '\0';
    return text.count > 0;
}

/* The last such byte. */
static bool peer_address_find(struct bytes text, uint8_t byte, size_t *at)
{
    for (size_t i = text.count; i > 0; i--) {
        if (text.data[i - 1] == byte) {
            *at = i - 1;
            return true;
        }
    }
    return false;
}
