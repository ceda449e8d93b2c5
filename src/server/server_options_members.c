/* server_options_members.c - initial-cluster: 1=host:port[@raft-port],2=...
 *
 * The addresses are those for clients, which is what people know; the port for
 * the other nodes follows from them, unless it is said. And back: the text by
 * which a configuration names a member.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "net/net_address.h"
#include "server/server_options_table.h"
#include "wire/peer_address.h"
#include "wire/resp_word.h"

/* What a part of the text says. */
struct server_options_part {
    struct bytes text; /* all of it */
    uint64_t id;
    char host[LIMIT_ADDRESS_BYTES + 1];
    uint16_t port;
    uint16_t raft_port;
};

static const char *server_options_members_one(struct server_options *options,
                                              struct bytes text);
static bool server_options_members_parse(struct server_options_part *part);
static bool server_options_members_port(struct bytes digits, uint16_t *port);
static bool server_options_members_host(const char *host);
static struct bytes server_options_members_cut(struct bytes *rest, uint8_t at);
static const char *server_options_members_say(struct server_options *options,
                                              struct bytes text,
                                              const char *what);

const char *server_options_members_read(struct server_options *options,
                                        struct bytes text)
{
    server_options_members_close(options);
    while (text.count > 0) {
        const bool ends_here = text.data[text.count - 1] == ',';
        const struct bytes part = server_options_members_cut(&text, ',');
        const char *why_not = server_options_members_one(options, part);
        if (why_not == NULL && text.count == 0 && ends_here) {
            why_not = "nothing follows the last comma";
        }
        if (why_not != NULL) {
            return why_not;
        }
    }
    return NULL;
}

void server_options_members_close(struct server_options *options)
{
    for (size_t i = 0; i < options->members_count; i++) {
        memory_free(options->members[i].host);
    }
    memory_free(options->members);
    options->members = NULL;
    options->members_count = 0;
}

bool server_options_members_add(struct server_options *options, uint64_t id,
                                struct bytes host, uint16_t port,
                                uint16_t raft_port)
{
    size_t place = 0;
    while (place < options->members_count && options->members[place].id < id) {
        place++;
    }
    if (place < options->members_count && options->members[place].id == id) {
        return false;
    }
    options->members =
        memory_resize(options->members, options->members_count + 1,
                      sizeof(options->members[0]));
    struct server_member *member = &options->members[place];
    memmove(member + 1, member,
            (options->members_count - place) * sizeof(*member));
    options->members_count++;
    *member = (struct server_member){.id = id,
                                     .host = memory_new(host.count + 1, 1),
                                     .port = port,
                                     .raft_port = raft_port};
    memcpy(member->host, host.data, host.count);
    return true;
}

const struct server_member *
server_options_members_find(const struct server_options *options, uint64_t id)
{
    for (size_t i = 0; i < options->members_count; i++) {
        if (options->members[i].id == id) {
            return &options->members[i];
        }
    }
    return NULL;
}

/* ---- as text ---- */

void server_options_own_address(const struct server_options *options,
                                const char *host, char *text)
{
    const struct server_member *self =
        server_options_members_find(options, options->id);
    if (options->announce[0] != '\0') {
        (void)snprintf(text, LIMIT_ADDRESS_BYTES + 1, "%s", options->announce);
        return;
    }
    ENSURE(self != NULL);
    if (host == NULL || !server_options_is_everywhere(options->bind.items[0])) {
        host = self->host;
    }
    server_options_address_text(host, self->port, self->raft_port, text);
}

void server_options_address_text(const char *host, uint16_t port,
                                 uint16_t raft_port, char *text)
{
    const bool v6 = strchr(host, ':') != NULL;
    const int count =
        snprintf(text, LIMIT_ADDRESS_BYTES + 1, "%s%.200s%s:%u", v6 ? "[" : "",
                 host, v6 ? "]" : "", (unsigned)port);
    if (raft_port != port + PEER_ADDRESS_RAFT_OFFSET) {
        (void)snprintf(text + count, LIMIT_ADDRESS_BYTES + 1 - (size_t)count,
                       "@%u", (unsigned)raft_port);
    }
}

/* ---- one member ---- */

static const char *server_options_members_one(struct server_options *options,
                                              struct bytes text)
{
    struct server_options_part part = {.text = text};
    if (!server_options_members_parse(&part)) {
        return server_options_members_say(
            options, text, "is not id=host:port or id=host:port@raft-port");
    }
    if (part.raft_port == 0) {
        if (part.port > UINT16_MAX - PEER_ADDRESS_RAFT_OFFSET) {
            return server_options_members_say(
                options, text, "needs @raft-port: port + 10000 is above 65535");
        }
        part.raft_port = (uint16_t)(part.port + PEER_ADDRESS_RAFT_OFFSET);
    }
    for (size_t i = 0; i < options->members_count; i++) {
        const struct server_member *other = &options->members[i];
        if (strcmp(other->host, part.host) == 0 &&
            (other->port == part.port || other->raft_port == part.raft_port)) {
            return server_options_members_say(
                options, text, "has the address of another member");
        }
    }
    if (options->members_count == LIMIT_MEMBERS) {
        (void)snprintf(options->reason, sizeof(options->reason),
                       "there are more than %d members", LIMIT_MEMBERS);
        return options->reason;
    }
    if (!server_options_members_add(options, part.id, bytes_of_text(part.host),
                                    part.port, part.raft_port)) {
        (void)snprintf(options->reason, sizeof(options->reason),
                       "id %" PRIu64 " is there twice", part.id);
        return options->reason;
    }
    return NULL;
}

static bool server_options_members_parse(struct server_options_part *part)
{
    struct bytes rest = part->text;
    int64_t id;
    if (rest.count == 0 || memchr(rest.data, '=', rest.count) == NULL) {
        return false;
    }
    if (!resp_word_signed(server_options_members_cut(&rest, '='), &id) ||
        id < 1) {
        return false;
    }
    part->id = (uint64_t)id;
    const bool says_raft_port =
        rest.count > 0 && memchr(rest.data, '@', rest.count) != NULL;
    const struct bytes address = server_options_members_cut(&rest, '@');
    if (says_raft_port &&
        !server_options_members_port(rest, &part->raft_port)) {
        return false;
    }
    return address.count <= LIMIT_ADDRESS_BYTES &&
           net_address_split(address, part->host, sizeof(part->host),
                             &part->port) == STATUS_OK &&
           part->port > 0 && server_options_members_host(part->host);
}

static bool server_options_members_port(struct bytes digits, uint16_t *port)
{
    int64_t value;
    if (!resp_word_signed(digits, &value) || value < 1 || value > UINT16_MAX) {
        return false;
    }
    *port = (uint16_t)value;
    return true;
}

/* Letters, digits and what else addresses and names of hosts have. */
static bool server_options_members_host(const char *host)
{
    return strspn(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                        "0123456789.-_:%") == strlen(host);
}

/* What is before the first such byte; the rest is what is behind it. */
static struct bytes server_options_members_cut(struct bytes *rest, uint8_t at)
{
    const struct bytes whole = *rest;
    size_t count = 0;
    while (count < whole.count && whole.data[count] != at) {
        count++;
    }
    const size_t used = count < whole.count ? count + 1 : count;
    *rest = bytes_of(whole.data + used, whole.count - used);
    return bytes_of(whole.data, count);
}

static const char *server_options_members_say(struct server_options *options,
                                              struct bytes text,
                                              const char *what)
{
    char quoted[160];
    (void)server_log_escape(quoted, sizeof(quoted), (const char *)text.data,
                            text.count);
    (void)snprintf(options->reason, sizeof(options->reason), "'%s' %s", quoted,
                   what);
    return options->reason;
}
