/* client_call.c - one command, by a connection of its own.
 *
 * hf_command() runs in the caller's thread: it takes an idle connection or
 * makes one, asks, waits, and decides by the class of the answer whether to ask
 * again, where, and when. It must not share the connection of the heartbeat,
 * which a command that blocks would hold up.
 *
 * What certainly was not done is asked again until the deadline. What may have
 * been done is asked again only if the caller said that twice does no harm.
 */
#include "client/client_call.h"

#include <poll.h>
#include <string.h>

#include "client/client_error.h"
#include "client/client_memory.h"
#include "client/client_reply.h"

/* A node that does not answer a command that may be repeated gets this part of
 * the time, so that there is time left for others. */
#define CLIENT_CALL_PARTS 3

struct client_call_plan {
    struct hf_client *client;
    size_t words_count;
    const char *const *words;
    const size_t *words_bytes;
    const char *node; /* the only one to be asked, or NULL */
    bool may_repeat;
    int64_t timeout_ms;
    int64_t until;
    unsigned attempts;
    bool has_target; /* MOVED, or the node that was given */
    struct client_node target;
    struct hf_error last;
};

/* How an attempt ended. */
enum client_call_end {
    CLIENT_CALL_ANSWERED,
    CLIENT_CALL_NOT_SENT,
    CLIENT_CALL_UNANSWERED, /* sent, at least in part */
    CLIENT_CALL_NO_MEMORY,
};

static enum hf_status client_call_options(struct client_call_plan *plan,
                                          const struct hf_call_options *given,
                                          struct hf_error *error);
static enum hf_status client_call_run(struct client_call_plan *plan,
                                      struct hf_reply **reply,
                                      struct hf_error *error);
static enum hf_status client_call_judge(struct client_call_plan *plan,
                                        const redisReply *answer, bool *again,
                                        struct hf_error *error);
static enum client_call_end client_call_attempt(struct client_call_plan *plan,
                                                redisReply **answer);
static struct client_call *client_call_take(struct client_call_plan *plan,
                                            const struct client_node *node);
static void client_call_give(struct hf_client *client,
                             struct client_call *call);
static bool client_call_wait(struct client_call *call, int64_t until);
static enum client_call_end client_call_ask(struct client_call_plan *plan,
                                            struct client_call *call,
                                            redisReply **answer);
static void client_call_pause(struct client_call_plan *plan);

enum hf_status hf_command(struct hf_client *client, size_t words_count,
                          const char *const *words, const size_t *words_bytes,
                          const struct hf_call_options *options,
                          struct hf_reply **reply, struct hf_error *error)
{
    struct client_call_plan plan = {.client = client,
                                    .words_count = words_count,
                                    .words = words,
                                    .words_bytes = words_bytes};
    *reply = NULL;
    if (words_count == 0 || words_count > 1024 * 1024) {
        return client_error(error, HF_BAD_ARGUMENT, "no command");
    }
    const enum hf_status status = client_call_options(&plan, options, error);
    return status == HF_OK ? client_call_run(&plan, reply, error) : status;
}

void client_call_close_all(struct hf_client *client)
{
    while (!LIST_EMPTY(&client->idle_calls)) {
        struct client_call *call = LIST_FIRST(&client->idle_calls);
        LIST_REMOVE(call, idle);
        client_link_close(&call->link);
        client_memory_free(call);
    }
    client->idle_calls_count = 0;
}

static enum hf_status client_call_options(struct client_call_plan *plan,
                                          const struct hf_call_options *given,
                                          struct hf_error *error)
{
    struct hf_call_options options = HF_CALL_OPTIONS_INIT;
    if (given != NULL) {
        if (given->size < sizeof(size_t) || given->size > sizeof(options)) {
            return client_error(error, HF_BAD_ARGUMENT,
                                "the options are not of this library: begin "
                                "with HF_CALL_OPTIONS_INIT");
        }
        memcpy(&options, given, given->size);
    }
    plan->may_repeat = options.may_repeat;
    plan->timeout_ms = options.timeout_ms > 0 ? options.timeout_ms
                                              : plan->client->call_timeout_ms;
    plan->until = client_times_add(client_times_now(), plan->timeout_ms);
    plan->node = options.node;
    plan->has_target = options.node != NULL;
    if (options.node != NULL &&
        !client_nodes_read(&plan->target, options.node, strlen(options.node))) {
        return client_error(error, HF_BAD_ARGUMENT, "%.100s is not host:port",
                            options.node);
    }
    return HF_OK;
}

static enum hf_status client_call_run(struct client_call_plan *plan,
                                      struct hf_reply **reply,
                                      struct hf_error *error)
{
    (void)client_error(&plan->last, HF_UNREACHABLE, NULL);
    do {
        redisReply *answer = NULL;
        bool again = true;
        enum hf_status status = HF_UNREACHABLE;
        switch (client_call_attempt(plan, &answer)) {
        case CLIENT_CALL_NO_MEMORY:
            return client_error(error, HF_NO_MEMORY, NULL);
        case CLIENT_CALL_NOT_SENT:
            again = plan->last.status != HF_DENIED;
            status = plan->last.status;
            break;
        case CLIENT_CALL_UNANSWERED:
            again = plan->may_repeat;
            status = HF_UNCERTAIN;
            break;
        case CLIENT_CALL_ANSWERED:
            status = client_call_judge(plan, answer, &again, error);
            if (!again) {
                *reply = client_reply_copy(answer);
            }
            freeReplyObject(answer);
            if (!again) {
                /* It was done, but nobody can be told what came of it. */
                return *reply != NULL ? status
                                      : client_error(error, HF_NO_MEMORY, NULL);
            }
            break;
        }
        if (!again) {
            return client_error(error, status, "%s", plan->last.text);
        }
        client_call_pause(plan);
        plan->attempts++;
    } while (client_times_now() < plan->until);
    return client_error(error, plan->last.status, "%s", plan->last.text);
}

/* What an answer means; *again: ask once more, for the reason in plan->last. */
static enum hf_status client_call_judge(struct client_call_plan *plan,
                                        const redisReply *answer, bool *again,
                                        struct hf_error *error)
{
    const enum client_answer class = client_reply_class(answer);
    const enum hf_status status = client_reply_status(class);
    *again = false;
    switch (class) {
    case CLIENT_ANSWER_DONE:
        return client_error_none(error);
    case CLIENT_ANSWER_ELSEWHERE:
        *again =
            plan->node == NULL && client_reply_moved(answer, &plan->target);
        plan->has_target = *again || plan->node != NULL;
        break;
    case CLIENT_ANSWER_LATER:
    case CLIENT_ANSWER_NOT_HERE:
        *again = true;
        plan->has_target = plan->node != NULL;
        break;
    case CLIENT_ANSWER_UNKNOWN:
        *again = plan->may_repeat;
        break;
    default:
        break;
    }
    (void)client_error(&plan->last, status, "%.240s", answer->str);
    return client_error(error, status, "%.240s", answer->str);
}

static enum client_call_end client_call_attempt(struct client_call_plan *plan,
                                                redisReply **answer)
{
    struct hf_client *client = plan->client;
    struct client_node node = plan->target;
    if (!plan->has_target) {
        (void)pthread_mutex_lock(&client->mutex);
        const struct client_nodes *nodes = &client->endpoint.nodes;
        node = nodes->nodes[(nodes->at + plan->attempts) % nodes->nodes_count];
        (void)pthread_mutex_unlock(&client->mutex);
    }
    struct client_call *call = client_call_take(plan, &node);
    if (call == NULL) {
        return CLIENT_CALL_NO_MEMORY;
    }
    enum client_call_end end = CLIENT_CALL_NOT_SENT;
    if (call->link.state == CLIENT_LINK_UP) {
        end = client_call_ask(plan, call, answer);
    }
    if (end == CLIENT_CALL_ANSWERED) {
        client_call_give(client, call);
        return end;
    }
    plan->last = call->link.reason;
    client_link_close(&call->link);
    client_memory_free(call);
    return end;
}

/* An idle connection to this node, or a new one, which may be down: then its
 * reason says why. NULL: no memory. */
static struct client_call *client_call_take(struct client_call_plan *plan,
                                            const struct client_node *node)
{
    struct hf_client *client = plan->client;
    struct client_call *call;
    (void)pthread_mutex_lock(&client->mutex);
    LIST_FOREACH (call, &client->idle_calls, idle) {
        if (call->link.node.port == node->port &&
            strcmp(call->link.node.host, node->host) == 0) {
            LIST_REMOVE(call, idle);
            client->idle_calls_count--;
            break;
        }
    }
    (void)pthread_mutex_unlock(&client->mutex);
    if (call != NULL && !client_link_is_spoilt(&call->link)) {
        return call;
    }
    if (call == NULL) {
        call = client_memory_new(1, sizeof(*call));
        if (call == NULL) {
            return NULL;
        }
        client_link_init(&call->link, &client->credentials);
    }
    const int64_t until = client_times_min(
        plan->until, client_times_now() + client->connect_timeout_ms);
    bool live = client_link_start(&call->link, node);
    while (live && call->link.state != CLIENT_LINK_UP) {
        live = client_call_wait(call, until);
    }
    if (live) {
        atomic_fetch_add_explicit(&client->stats.connects, 1,
                                  memory_order_relaxed);
    }
    return call;
}

static void client_call_give(struct hf_client *client, struct client_call *call)
{
    (void)pthread_mutex_lock(&client->mutex);
    const bool keep = client->idle_calls_count < CLIENT_IDLE_CALLS_MAX &&
                      call->link.state == CLIENT_LINK_UP;
    if (keep) {
        LIST_INSERT_HEAD(&client->idle_calls, call, idle);
        client->idle_calls_count++;
    }
    (void)pthread_mutex_unlock(&client->mutex);
    if (!keep) {
        client_link_close(&call->link);
        client_memory_free(call);
    }
}

/* Until something happens to the link; false: it is down, or time is over. */
static bool client_call_wait(struct client_call *call, int64_t until)
{
    struct pollfd polled = {.fd = call->link.fd,
                            .events = client_link_events(&call->link)};
    const int64_t left_ms = until - client_times_now();
    const int64_t most_ms = 60 * 1000;
    if (left_ms <= 0) {
        client_link_stop(&call->link, HF_UNREACHABLE, "no answer in time");
        return false;
    }
    (void)poll(&polled, 1, (int)client_times_min(left_ms, most_ms));
    return client_link_handle(&call->link, polled.revents);
}

static enum client_call_end client_call_ask(struct client_call_plan *plan,
                                            struct client_call *call,
                                            redisReply **answer)
{
    int64_t until = plan->until;
    if (plan->may_repeat && plan->node == NULL) {
        until = client_times_min(
            until, client_times_now() + plan->timeout_ms / CLIENT_CALL_PARTS);
    }
    if (!client_link_send(&call->link, plan->words_count, plan->words,
                          plan->words_bytes)) {
        return CLIENT_CALL_NO_MEMORY;
    }
    atomic_fetch_add_explicit(&plan->client->stats.commands_sent, 1,
                              memory_order_relaxed);
    if (plan->attempts > 0) {
        atomic_fetch_add_explicit(&plan->client->stats.commands_again, 1,
                                  memory_order_relaxed);
    }
    bool live = client_link_flush(&call->link);
    while (live) {
        *answer = client_link_reply(&call->link);
        if (*answer != NULL) {
            return CLIENT_CALL_ANSWERED;
        }
        live =
            call->link.state == CLIENT_LINK_UP && client_call_wait(call, until);
    }
    return CLIENT_CALL_UNANSWERED;
}

/* A little rest after each round of the nodes, or of the one there is. */
static void client_call_pause(struct client_call_plan *plan)
{
    struct hf_client *client = plan->client;
    (void)pthread_mutex_lock(&client->mutex);
    const unsigned count =
        plan->has_target ? 1 : (unsigned)client->endpoint.nodes.nodes_count;
    const uint64_t chance = client_times_chance(&client->chance);
    (void)pthread_mutex_unlock(&client->mutex);
    if ((plan->attempts + 1) % count != 0) {
        return;
    }
    const int64_t pause_ms =
        client_times_backoff_ms(client->backoff_min_ms, client->backoff_max_ms,
                                plan->attempts / count, chance);
    const int64_t left_ms = plan->until - client_times_now();
    if (left_ms > 0) {
        (void)poll(NULL, 0, (int)client_times_min(pause_ms, left_ms));
    }
}
