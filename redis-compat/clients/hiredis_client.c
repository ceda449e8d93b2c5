/* hiredis_client.c - locks through hiredis.
 *
 * Run by ../run-clients, which says what the arguments and the lines on
 * standard input and output mean. hiredis has no cluster mode: against the
 * cluster port this program follows MOVED itself, as its users do.
 *
 * Ann, ben, cid and dan hold one lock in turn, from two connections. One
 * connection waits while the other one goes on: its request is written, and its
 * reply is read later.
 */
#include <hiredis/hiredis.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void fail(const char *what, const char *got)
{
    fprintf(stderr, "hiredis: %s, but got %s\n", what, got);
    exit(1);
}

static redisContext *connect_to(const char *address)
{
    char host[256];
    const char *colon = strrchr(address, ':');
    if (colon == NULL || (size_t)(colon - address) >= sizeof(host)) {
        fail("an address is host:port", address);
    }
    (void)snprintf(host, sizeof(host), "%.*s", (int)(colon - address), address);
    const struct timeval patience = {5, 0};
    redisContext *context =
        redisConnectWithTimeout(host, atoi(colon + 1), patience);
    if (context == NULL || context->err != 0) {
        fail("a connection", context != NULL ? context->errstr : "no memory");
    }
    return context;
}

static redisReply *ask(redisContext *context, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    redisReply *reply = redisvCommand(context, format, args);
    va_end(args);
    if (reply == NULL) {
        fail(format, context->errstr);
    }
    return reply;
}

/* Takes a reply, which must be an integer. */
static long long number(const char *what, redisReply *reply)
{
    if (reply->type != REDIS_REPLY_INTEGER) {
        fail(what, reply->str != NULL ? reply->str : "no integer");
    }
    const long long value = reply->integer;
    freeReplyObject(reply);
    return value;
}

static void expect(const char *what, long long value, redisReply *reply)
{
    const long long got = number(what, reply);
    if (got != value) {
        char text[32];
        (void)snprintf(text, sizeof(text), "%lld", got);
        fail(what, text);
    }
}

static void expect_null(const char *what, redisReply *reply)
{
    if (reply->type != REDIS_REPLY_NIL) {
        fail(what, reply->str != NULL ? reply->str : "no null");
    }
    freeReplyObject(reply);
}

/* The value of a field, in a map that came as a flat array. */
static const redisReply *field(const redisReply *map, const char *name)
{
    if (map->type != REDIS_REPLY_ARRAY) {
        fail(name, map->str != NULL ? map->str : "no array");
    }
    for (size_t i = 0; i + 1 < map->elements; i += 2) {
        if (strcmp(map->element[i]->str, name) == 0) {
            return map->element[i + 1];
        }
    }
    fail(name, "no such field");
    return NULL;
}

static void expect_holder(redisContext *context, const char *key,
                          const char *owner)
{
    redisReply *status = ask(context, "LOCK.STATUS %s", key);
    const redisReply *holders = field(status, "holders");
    if (owner == NULL) {
        if (holders->elements != 0 ||
            strcmp(field(status, "mode")->str, "free") != 0) {
            fail("it is free", field(status, "mode")->str);
        }
    } else if (holders->elements != 1 ||
               strcmp(field(holders->element[0], "owner")->str, owner) != 0) {
        fail("one holder", owner);
    }
    freeReplyObject(status);
}

/* Put an owner in the queue; the reply is read by granted(). */
static void wait_for(redisContext *waiter, redisContext *other, const char *key,
                     const char *owner)
{
    if (redisAppendCommand(waiter, "LOCK.ACQUIRE %s %s 60000 WAIT 40000", key,
                           owner) != REDIS_OK) {
        fail("a request", waiter->errstr);
    }
    int written = 0;
    while (!written) {
        if (redisBufferWrite(waiter, &written) != REDIS_OK) {
            fail("a request that leaves", waiter->errstr);
        }
    }
    for (int i = 0; i < 500; i++) {
        redisReply *status = ask(other, "LOCK.STATUS %s", key);
        const long long waiters = field(status, "waiters")->integer;
        freeReplyObject(status);
        if (waiters == 1) {
            return;
        }
        const struct timespec pause = {0, 10 * 1000 * 1000};
        (void)nanosleep(&pause, NULL);
    }
    fail("it waits", owner);
}

static long long granted(redisContext *waiter, long long older)
{
    void *reply = NULL;
    if (redisGetReply(waiter, &reply) != REDIS_OK) {
        fail("a grant", waiter->errstr);
    }
    const long long token = number("a grant", reply);
    if (token <= older) {
        fail("a younger token", "an older one");
    }
    return token;
}

static void change(const char *how)
{
    char line[16] = "";
    printf("ready %s\n", how);
    fflush(stdout);
    if (fgets(line, sizeof(line), stdin) == NULL ||
        strcmp(line, "next\n") != 0) {
        fail("the driver says next", line);
    }
}

/* The leader's address, from the MOVED of a follower. */
static redisContext *follow_moved(const char *address, const char *key)
{
    for (int i = 0; i < 200; i++) {
        redisContext *context = connect_to(address);
        redisReply *reply = ask(context, "LOCK.STATUS %s", key);
        if (reply->type == REDIS_REPLY_ARRAY) {
            freeReplyObject(reply);
            return context;
        }
        int slot;
        char leader[256];
        if (sscanf(reply->str, "MOVED %d %255s", &slot, leader) == 2) {
            printf("%s\n", reply->str);
            redisFree(context);
            context = connect_to(leader);
            freeReplyObject(reply);
            return context;
        }
        if (strncmp(reply->str, "CLUSTERDOWN", 11) != 0) {
            fail("MOVED", reply->str);
        }
        freeReplyObject(reply);
        redisFree(context);
        const struct timespec pause = {0, 50 * 1000 * 1000};
        (void)nanosleep(&pause, NULL);
    }
    fail("a leader", "none");
    return NULL;
}

/* Right after a crash there may be no leader for a while. */
static void renew_patiently(redisContext *context, const char *key,
                            const char *owner, long long token)
{
    for (int i = 0; i < 200; i++) {
        redisReply *reply =
            ask(context, "LOCK.RENEW %s %s %lld 60000", key, owner, token);
        if (reply->type != REDIS_REPLY_ERROR ||
            strncmp(reply->str, "CLUSTERDOWN", 11) != 0) {
            expect("a renewal", 60000, reply);
            return;
        }
        printf("%s\n", reply->str);
        freeReplyObject(reply);
    }
    fail("a leader", "none");
}

int main(int argc, char **argv)
{
    if (argc < 7) {
        fail("six addresses", "fewer");
    }
    const char *key = "hiredis:plain";
    const char *far = "hiredis:cluster";
    redisContext *one = connect_to(argv[1]);
    redisContext *two = connect_to(argv[1]);

    const long long ann =
        number("a token", ask(one, "LOCK.ACQUIRE %s ann 30000", key));
    expect_null("a refusal", ask(two, "LOCK.ACQUIRE %s ben 30000 WAIT 0", key));
    wait_for(two, one, key, "ben");
    expect_holder(one, key, "ann");
    expect("a renewal", 60000,
           ask(one, "LOCK.RENEW %s ann %lld 60000", key, ann));
    expect("a release", 1, ask(one, "LOCK.RELEASE %s ann %lld", key, ann));
    const long long ben = granted(two, ann);
    expect("no release", 0, ask(one, "LOCK.RELEASE %s ann %lld", key, ann));
    expect_null("no renewal",
                ask(one, "LOCK.RENEW %s ann %lld 1000", key, ann));
    expect_holder(one, key, "ben");
    wait_for(two, one, key, "cid");

    redisContext *leader = follow_moved(argv[4], far);
    const long long eve =
        number("a token", ask(leader, "LOCK.ACQUIRE %s eve 60000", far));
    redisFree(leader);

    change("move");
    expect("a release", 1, ask(one, "LOCK.RELEASE %s ben %lld", key, ben));
    const long long cid = granted(two, ben);
    wait_for(two, one, key, "dan");
    leader = follow_moved(argv[4], far);
    expect("a renewal", 60000,
           ask(leader, "LOCK.RENEW %s eve %lld 60000", far, eve));
    redisFree(leader);

    change("kill");
    renew_patiently(one, key, "cid", cid);
    expect("a release", 1, ask(one, "LOCK.RELEASE %s cid %lld", key, cid));
    const long long dan = granted(two, cid);
    expect("a release", 1, ask(one, "LOCK.RELEASE %s dan %lld", key, dan));
    expect_holder(one, key, NULL);
    leader = follow_moved(argv[4], far);
    renew_patiently(leader, far, "eve", eve);
    expect("a release", 1, ask(leader, "LOCK.RELEASE %s eve %lld", far, eve));
    redisFree(leader);
    redisFree(one);
    redisFree(two);
    return 0;
}
