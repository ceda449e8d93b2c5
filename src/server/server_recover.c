/* server_recover.c - a cluster of one out of one directory: --recover.
 *
 * The directory is opened as a start would, so that whatever a start refuses is
 * refused here. The log is applied to the state, and the result replaces both,
 * in one write together with the new identity.
 */
#include "server/server_recover.h"

#include <inttypes.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "server/server_options_read.h"
#include "store/store.h"
#include "wire/peer_address.h"

/* What the tokens were, for the report. */
struct server_recover_tokens {
    uint64_t before;
    uint64_t after; /* all later ones are above this */
};

static bool server_recover_open(const struct server_options *options,
                                struct store **store,
                                struct store_recovered *recovered);
static enum status server_recover_apply(struct store_recovered *recovered);
static bool server_recover_members(const struct store_recovered *recovered,
                                   const struct server_options *options,
                                   struct raft_members *members);
static void server_recover_print_place(const struct server_options *options,
                                       const char *address, bool member);
static void server_recover_print(const struct store_recovered *recovered,
                                 const struct store_identity *identity,
                                 const struct raft_members *members,
                                 const struct server_recover_tokens *tokens);
static void server_recover_print_id(const char *what, const uint8_t *id);
static raft_index_t server_recover_last(const struct store_recovered *recovered,
                                        raft_term_t *term);

int server_recover(const struct server_options *options)
{
    struct store *store = NULL;
    struct store_recovered recovered;
    if (!server_recover_open(options, &store, &recovered)) {
        return EXIT_FAILURE;
    }
    struct store_identity identity = recovered.identity;
    const enum status status = server_recover_apply(&recovered);
    if (status != STATUS_OK ||
        RAND_bytes(identity.cluster, STORE_CLUSTER_BYTES) != 1) {
        (void)fprintf(
            stderr, "holdfastd: cannot recover %s: %s\n", options->dir,
            status != STATUS_OK ? status_text(status) : "no random numbers");
        store_recovered_close(&recovered);
        store_close(store);
        return EXIT_FAILURE;
    }
    struct raft_members members;
    struct server_recover_tokens tokens;
    const bool member = server_recover_members(&recovered, options, &members);
    tokens.before = lock_last_token(recovered.machine);
    lock_raise_epoch(recovered.machine);
    tokens.after = lock_token_floor(recovered.machine);
    raft_term_t last_term = 0;
    const raft_index_t last = server_recover_last(&recovered, &last_term);
    const struct node_write write = {.number = 1,
                                     .promise = true,
                                     .term = recovered.term,
                                     .install = true,
                                     .install_index = last,
                                     .install_term = last_term,
                                     .install_members = &members,
                                     .install_machine = recovered.machine};
    store_refound(store, &identity, &write);
    store_close(store); /* waits until it is durable, or ends the process */
    server_recover_print(&recovered, &identity, &members, &tokens);
    server_recover_print_place(options, members.list[0].address, member);
    store_recovered_close(&recovered);
    return EXIT_SUCCESS;
}

/* Nothing is made here, and nothing guessed: which node it is must be said. */
static bool server_recover_open(const struct server_options *options,
                                struct store **store,
                                struct store_recovered *recovered)
{
    char reason[STORE_REASON_BYTES] = "there is no database in it";
    struct timespec wall;
    (void)clock_gettime(CLOCK_REALTIME, &wall);
    if (!server_options_read_given(options, "id") ||
        !server_options_read_given(options, "dir")) {
        (void)fprintf(stderr,
                      "holdfastd: --recover: say with --id and --dir what is "
                      "to be recovered\n");
        return false;
    }
    const struct store_options wanted = {
        .self = options->id,
        .boot_floor = (uint64_t)wall.tv_sec * 1000,
        .seed = {{(uint64_t)wall.tv_nsec, (uint64_t)getpid()}},
    };
    bool open = store_exists(options->dir) &&
                store_open(options->dir, &wanted, store, recovered, reason,
                           sizeof(reason)) == STORE_OK;
    raft_term_t term = 0;
    if (open &&
        (recovered->fresh || server_recover_last(recovered, &term) == 0)) {
        (void)snprintf(reason, sizeof(reason), "it holds no log");
        store_recovered_close(recovered);
        store_close(*store);
        open = false;
    }
    if (!open) {
        (void)fprintf(stderr,
                      "holdfastd: cannot recover %s: %s; nothing was changed\n",
                      options->dir, reason);
    }
    return open;
}

/* What node_apply.c does with an entry, as far as the state is concerned. */
static enum status server_recover_apply(struct store_recovered *recovered)
{
    const raft_index_t boundary = recovered->boundary_index;
    for (size_t i = 0; i < recovered->entries_count; i++) {
        const struct raft_entry *entry = &recovered->entries[i];
        const raft_index_t index = boundary + 1 + i;
        struct lock_outcome outcome;
        enum status status = STATUS_OK;
        if (index <= recovered->checkpoint_index) {
            continue;
        }
        if (entry->kind == RAFT_ENTRY_NOOP) {
            lock_open_reign(recovered->machine);
        } else if (entry->kind == RAFT_ENTRY_COMMAND) {
            status =
                lock_apply(recovered->machine, index, entry->payload, &outcome);
        }
        if (status != STATUS_OK) {
            return status;
        }
    }
    return STATUS_OK;
}

/* Ourselves, where we announce that we are, or where the newest configuration
 * has us. False if it does not: then as a cluster of one would begin. */
static bool server_recover_members(const struct store_recovered *recovered,
                                   const struct server_options *options,
                                   struct raft_members *members)
{
    struct raft_members newest = recovered->boundary_members;
    for (size_t i = 0; i < recovered->entries_count; i++) {
        const struct raft_entry *entry = &recovered->entries[i];
        struct raft_members found;
        if (entry->kind == RAFT_ENTRY_MEMBERS &&
            raft_members_decode(&found, entry->payload) == STATUS_OK) {
            newest = found;
        }
    }
    const raft_id_t self = recovered->identity.self;
    const struct raft_member *member = raft_members_find(&newest, self);
    char address[LIMIT_ADDRESS_BYTES + 1];
    if (member != NULL && options->announce[0] == '\0') {
        (void)snprintf(address, sizeof(address), "%s", member->address);
    } else {
        server_options_own_address(options, NULL, address);
    }
    memset(members, 0, sizeof(*members));
    (void)raft_members_set(members, self, RAFT_VOTER, bytes_of_text(address));
    return member != NULL;
}

static raft_index_t server_recover_last(const struct store_recovered *recovered,
                                        raft_term_t *term)
{
    *term = recovered->boundary_term;
    if (recovered->entries_count > 0) {
        *term = recovered->entries[recovered->entries_count - 1].term;
    }
    return recovered->boundary_index + recovered->entries_count;
}

static void server_recover_print(const struct store_recovered *recovered,
                                 const struct store_identity *identity,
                                 const struct raft_members *members,
                                 const struct server_recover_tokens *tokens)
{
    raft_term_t term = 0;
    const raft_index_t last = server_recover_last(recovered, &term);
    const struct lock_counts counts = lock_count(recovered->machine);
    (void)printf("node %" PRIu64 " at %s is now a cluster of its own\n",
                 identity->self, members->list[0].address);
    server_recover_print_id("cluster before", recovered->identity.cluster);
    server_recover_print_id("cluster now", identity->cluster);
    (void)printf("%-18s entry %" PRIu64 " of term %" PRIu64
                 ", all of it taken for committed\n",
                 "log", last, term);
    (void)printf("%-18s %zu locks, %zu grants\n", "state", counts.locks,
                 counts.grants);
    (void)printf("%-18s %" PRIu64 "\n", "last token", tokens->before);
    (void)printf("%-18s above %" PRIu64 "\n", "tokens from now on",
                 tokens->after);
    (void)printf("%-18s with fence-cluster-id refuse them until started again "
                 "with the new id\n",
                 "stores");
    if (recovered->repair_index > last) {
        (void)printf("%-18s entries up to %" PRIu64
                     " had been acknowledged by this node\n",
                     "LOST", recovered->repair_index);
    }
    if (recovered->probation) {
        (void)printf("%-18s this directory was new and may never have had "
                     "all of the data\n",
                     "WARNING");
    }
}

/* What the directory cannot know and the operator may not think of. */
static void server_recover_print_place(const struct server_options *options,
                                       const char *address, bool member)
{
    struct peer_address parts;
    if (!member) {
        (void)printf("%-18s this node was no member any more: what was granted "
                     "since is not here\n",
                     "WARNING");
    }
    if (options->announce[0] == '\0' &&
        peer_address_read(bytes_of_text(address), &parts) &&
        ((server_options_read_given(options, "port") &&
          options->port != parts.port) ||
         (server_options_read_given(options, "raft-port") &&
          options->raft_port != parts.raft_port))) {
        (void)printf("%-18s it is still known at %s: if that is another place "
                     "now, do this again with --announce\n",
                     "WARNING", address);
    }
}

static void server_recover_print_id(const char *what, const uint8_t *id)
{
    (void)printf("%-18s ", what);
    for (size_t i = 0; i < STORE_CLUSTER_BYTES; i++) {
        (void)printf("%02x", id[i]);
    }
    (void)printf("\n");
}
