/* node_read.c - questions and renewals, once a round confirms them.
 *
 * A leader answers from its own state when a quorum round, begun after the
 * question came, shows that it still leads, and everything committed by then
 * is applied. All that came in one turn shares one round.
 *
 * A renewal is a question with an effect on the leader's memory: if the grant
 * is held and its last logged renewal is of this reign with the same ttl, the
 * lease is moved (DESIGN.md, leases, rule 3). Otherwise the log must know: the
 * node that asked is told to write it.
 */
#include <string.h>

#include "base/memory.h"
#include "node/node_state.h"

static void node_read_own(struct node *node);
static void node_read_served(struct node *node);
static void node_read_answer_own(struct node *node, struct node_ask *ask);
static void node_read_answer_served(struct node *node,
                                    const struct node_served *served);
static bool node_read_renew(struct node *node, const struct lock_renew *renew,
                            struct lock_answer *answer);
static void node_read_free(struct node_served *served);

void node_read_ask_round(struct node *node)
{
    if (!node->reign.open || !node->round_wanted) {
        return;
    }
    struct raft_result result;
    node_step(node,
              &(struct raft_event){.kind = RAFT_EVENT_READ, .now = node->now},
              &result);
    if (result.answer != RAFT_TAKEN) {
        return; /* the next turn finds that the reign is over */
    }
    node->round_wanted = false;
    struct node_ask *ask;
    TAILQ_FOREACH (ask, &node->asks.reads, kin) {
        if (ask->state == NODE_ASK_ROUND && ask->round == 0) {
            ask->round = result.round;
        }
    }
    struct node_served *served;
    STAILQ_FOREACH (served, &node->served, next) {
        if (served->round == 0) {
            served->round = result.round;
        }
    }
}

void node_read_confirmed(struct node *node)
{
    if (!node->reign.open || node->installs_pending > 0) {
        return;
    }
    node_read_own(node);
    node_read_served(node);
}

void node_read_close(struct node *node)
{
    while (!STAILQ_EMPTY(&node->served)) {
        struct node_served *served = STAILQ_FIRST(&node->served);
        STAILQ_REMOVE_HEAD(&node->served, next);
        node_read_free(served);
    }
}

enum status node_renew_encode(const struct lock_renew *renew,
                              struct buffer *out)
{
    if (renew->key.count == 0 || renew->key.count > LIMIT_KEY_BYTES ||
        renew->owner.count == 0 || renew->owner.count > LIMIT_OWNER_BYTES ||
        renew->ttl_ms == 0 || renew->ttl_ms > LIMIT_TTL_MS ||
        renew->token >= LIMIT_TOKEN) {
        return STATUS_BAD_VALUE;
    }
    buffer_bytes16(out, renew->key);
    buffer_bytes16(out, renew->owner);
    buffer_u64(out, renew->token);
    buffer_u64(out, renew->ttl_ms);
    return STATUS_OK;
}

enum status node_renew_decode(struct bytes bytes, struct lock_renew *renew)
{
    struct reader reader = reader_of(bytes);
    renew->key = reader_bytes16(&reader);
    renew->owner = reader_bytes16(&reader);
    renew->token = reader_u64(&reader);
    renew->ttl_ms = reader_u64(&reader);
    if (!reader_finished(&reader)) {
        return STATUS_BAD_LENGTH;
    }
    return renew->key.count == 0 || renew->key.count > LIMIT_KEY_BYTES ||
                   renew->owner.count == 0 ||
                   renew->owner.count > LIMIT_OWNER_BYTES ||
                   renew->ttl_ms == 0 || renew->ttl_ms > LIMIT_TTL_MS ||
                   renew->token >= LIMIT_TOKEN
               ? STATUS_BAD_VALUE
               : STATUS_OK;
}

static void node_read_own(struct node *node)
{
    struct node_ask *ask = TAILQ_FIRST(&node->asks.reads);
    while (ask != NULL) {
        struct node_ask *next = TAILQ_NEXT(ask, kin);
        if (ask->state == NODE_ASK_ROUND && ask->round != 0 &&
            ask->round <= node->round) {
            node_read_answer_own(node, ask);
        }
        ask = next;
    }
}

static void node_read_served(struct node *node)
{
    struct node_served *served = STAILQ_FIRST(&node->served);
    while (served != NULL && served->round != 0 &&
           served->round <= node->round) {
        STAILQ_REMOVE_HEAD(&node->served, next);
        node_read_answer_served(node, served);
        node_read_free(served);
        served = STAILQ_FIRST(&node->served);
    }
}

static void node_read_answer_own(struct node *node, struct node_ask *ask)
{
    struct lock_answer answer;
    struct lock_renew renew;
    struct command_query query;
    const struct bytes bytes = buffer_view(&ask->bytes);
    if (ask->kind == COMMAND_PLAN_RENEW) {
        (void)node_renew_decode(bytes, &renew);
        const bool needs_log = node_read_renew(node, &renew, &answer);
        node_request_renewed(node, ask, &answer, needs_log);
        return;
    }
    (void)command_query_decode(bytes, &query);
    buffer_clear(&node->chunk);
    command_query_answer(node->machine, node_clock(node, node->now), &query,
                         &node->chunk);
    node_request_read_done(node, ask, buffer_view(&node->chunk));
}

/* What cannot be read came from a node that speaks another language; it gets
 * no answer and will give up. */
static void node_read_answer_served(struct node *node,
                                    const struct node_served *served)
{
    struct lock_answer answer;
    struct lock_renew renew;
    struct command_query query;
    const struct bytes bytes = buffer_view(&served->bytes);
    if (served->kind == COMMAND_PLAN_RENEW) {
        if (node_renew_decode(bytes, &renew) == STATUS_OK) {
            const bool needs_log = node_read_renew(node, &renew, &answer);
            node_forward_reply_renewal(node, served, &answer, needs_log);
        }
        return;
    }
    if (command_query_decode(bytes, &query) == STATUS_OK) {
        struct buffer reply = {0};
        command_query_answer(node->machine, node_clock(node, node->now), &query,
                             &reply);
        node_forward_reply_read(node, served, buffer_view(&reply));
        buffer_close(&reply);
    }
}

/* True if the log must know of this renewal; otherwise it is done. */
static bool node_read_renew(struct node *node, const struct lock_renew *renew,
                            struct lock_answer *answer)
{
    struct lock_claim_view grant;
    memset(answer, 0, sizeof(*answer));
    answer->result = LOCK_NOT_HELD;
    if (!lock_find_grant(node->machine, renew->key, renew->token, &grant) ||
        !bytes_equal(grant.owner, renew->owner)) {
        return false;
    }
    const time_ms_t due =
        lock_lease_due(node->machine, renew->key, renew->token);
    if (due == TIME_NEVER) {
        return false; /* its end is on its way through the log */
    }
    if (grant.reign != lock_reign(node->machine) ||
        grant.ttl_ms != renew->ttl_ms) {
        return true;
    }
    const time_ms_t until = node_clock(node, node->now) + renew->ttl_ms;
    if (until > due) {
        lock_move_lease(node->machine, renew->key, renew->token, until);
    }
    answer->result = LOCK_RENEWED;
    answer->token = renew->token;
    answer->time_ms = renew->ttl_ms;
    return false;
}

static void node_read_free(struct node_served *served)
{
    buffer_close(&served->bytes);
    memory_free(served);
}
