/* holdfast.h - libholdfast: locks of a Holdfast cluster that a program can lean
 * on.
 *
 * A client is a handle on one cluster: an owner name, a heartbeat thread and a
 * few connections. A lease is one lock that the client holds or waits for. The
 * heartbeat renews it at a third of its TTL; when nothing was confirmed for
 * half of the TTL the lease is declared lost, long before the server may give
 * the lock to anybody else. A cached lock is a lease that threads of one
 * process share without a message to the server.
 *
 *     struct hf_options options = HF_OPTIONS_INIT;
 *     struct hf_client *client;
 *     struct hf_lease *lease;
 *     struct hf_error error;
 *
 *     options.nodes = "10.0.0.1:7001,10.0.0.2:7001,10.0.0.3:7001";
 *     if (hf_client_open(&options, &client, &error) != HF_OK ||
 *         hf_acquire(client, "db", NULL, &lease, &error) != HF_OK) {
 *         puts(error.text);
 *     }
 *     while (hf_lease_ok(lease)) {
 *         ... one bounded piece of work, written with hf_lease_token() ...
 *     }
 *     hf_lease_free(lease);
 *     hf_client_close(client);
 *
 * THREADS. Every function may be called by any thread at any time, except that
 * whoever frees or closes something must be the last to use it. Callbacks come
 * from a thread of the library that does nothing else, so that a callback that
 * takes its time delays other callbacks and no renewal; a callback may call
 * every function but hf_client_close() and the free or close of the very object
 * it is called for.
 *
 * ERRORS are values: enum hf_status, and if the caller passes a struct
 * hf_error, a text for people. error may always be NULL. Nothing is kept in
 * between: there is no "last error", no global state, and no signal is touched.
 * Out of memory is HF_NO_MEMORY; what the call was to do has not been done
 * then.
 *
 * TIME. Every call has a deadline, and keeps it while a name server hangs. Time
 * is counted on CLOCK_BOOTTIME, which goes on while the machine is suspended,
 * and always from the moment a request was sent, never from the moment its
 * answer came.
 *
 * FORK. A client does not survive fork() in the child: exec, or do not use it.
 * All descriptors are close-on-exec.
 *
 * Structs that the caller fills begin with their size, set by their _INIT, so
 * that members can be added at the end without breaking programs.
 */
#ifndef HOLDFAST_CLIENT_HOLDFAST_H
#define HOLDFAST_CLIENT_HOLDFAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HF_VERSION_MAJOR 0
#define HF_VERSION_MINOR 1
#define HF_VERSION_PATCH 0

#if defined(__GNUC__)
#define HF_API __attribute__((visibility("default")))
#else
#define HF_API
#endif

/* ---- errors ---- */

/* The numbers are part of the ABI: add at the end. */
enum hf_status {
    HF_OK = 0,
    HF_BAD_ARGUMENT = 1, /* refused without asking anybody */
    HF_NO_MEMORY = 2,
    HF_UNREACHABLE = 3, /* no node answered within the deadline */
    HF_NO_LEADER = 4,   /* nodes answered, but none could serve: not done */
    HF_TIMEOUT = 5,     /* the lock was not obtained within the wait */
    HF_CANCELLED = 6,   /* hf_lease_cancel(), hf_cancel(), or the client was
                           closed */
    HF_LOST = 7,        /* the lease is gone: expired, broken or unconfirmed */
    HF_UNCERTAIN = 8,   /* it may or may not have been carried out */
    HF_REFUSED = 9,     /* the server answered with an error; see the text */
    HF_FENCED = 10,     /* a fenced write came with an outdated token */
    HF_BAD_TOKEN = 11,  /* a fenced write came with a bad signature */
    HF_DENIED = 12,     /* wrong password, or not permitted */
    HF_NO_TLS = 13,     /* TLS was asked for and is not built in */
    HF_SYSTEM = 14,     /* the operating system refused: threads, files */
};

struct hf_error {
    enum hf_status status;
    char text[244]; /* one line, always ended, "" if there is nothing to say */
};

/* A few words for a status; never NULL. */
HF_API const char *hf_status_text(enum hf_status status);

/* "0.1.0", of the library that is running. */
HF_API const char *hf_version(void);

/* ---- clients ---- */

struct hf_client;

struct hf_options {
    size_t size;

    /* "host:port" of some nodes, separated by commas or blanks, in any order;
     * the others are learnt. IPv6 as "[::1]:7001". Plain or cluster ports. A
     * name is looked up for each connection, which counts in its time. */
    const char *nodes;

    /* Who holds the locks; at most 256 bytes, without blanks, and not used by
     * any other client. NULL: host, process and chance make one. */
    const char *owner;

    /* For AUTH, or NULL. The password alone is the one of requirepass. */
    const char *username;
    const char *password;

    /* Milliseconds until a call that has no deadline of its own gives up, and
     * until one attempt to connect does. */
    unsigned call_timeout_ms;    /* 5000 */
    unsigned connect_timeout_ms; /* 1000 */

    /* Pauses between rounds of attempts: they double from the first to the
     * last, each drawn at random from its upper half. */
    unsigned backoff_min_ms; /* 10 */
    unsigned backoff_max_ms; /* 1000 */

    /* TLS, if the library was built on a hiredis that offers it: any of these
     * asks for it, and hf_client_open() says HF_NO_TLS where it does not. */
    bool tls;
    const char *tls_ca_file;
    const char *tls_certificate_file;
    const char *tls_key_file;
    const char *tls_server_name;

    /* What the client does about connections, a line at a time, for the log of
     * the program; or NULL. Called by threads of the library; it must not call
     * the library in turn. */
    void (*log)(void *context, const char *line);
    void *log_context;
};

/* clang-format off */
#define HF_OPTIONS_INIT                                                        \
    {                                                                          \
        .size = sizeof(struct hf_options), .call_timeout_ms = 5000,            \
        .connect_timeout_ms = 1000, .backoff_min_ms = 10,                      \
        .backoff_max_ms = 1000,                                                \
    }
/* clang-format on */

/* Make a client and connect it to one of the nodes, within call_timeout_ms.
 * Options are copied. On failure *client is NULL.
 *
 * HF_BAD_ARGUMENT, HF_NO_MEMORY, HF_UNREACHABLE, HF_DENIED, HF_NO_TLS,
 * HF_SYSTEM. */
HF_API enum hf_status hf_client_open(const struct hf_options *options,
                                     struct hf_client **client,
                                     struct hf_error *error);

/* Give all leases back, wait at most a second for the answers, and free it.
 * Whatever still waits ends with HF_CANCELLED. Leases and cached locks of the
 * client must have been freed before; NULL is ignored. */
HF_API void hf_client_close(struct hf_client *client);

/* Its name as an owner. */
HF_API const char *hf_client_owner(const struct hf_client *client);

/* What the client did so far; for tests, metrics and people. */
struct hf_client_stats {
    uint64_t commands_sent;  /* on any connection, repeats included */
    uint64_t commands_again; /* of these, asked again */
    uint64_t renewals_sent;  /* LOCK.RENEW among them */
    uint64_t messages;       /* received by subscription */
    uint64_t connects;       /* connections that were made */
    uint64_t leases_lost;
    uint64_t cached_hits;    /* cached locks taken without a message */
    uint64_t cached_revokes; /* cached locks given back because of a revoke */
};

HF_API void hf_client_stats(const struct hf_client *client,
                            struct hf_client_stats *stats);

/* ---- leases ---- */

/* What a TTL may be, in milliseconds: up to 24 days. */
#define HF_TTL_MS_MIN 100u
#define HF_TTL_MS_MAX (24u * 24 * 3600 * 1000)

struct hf_lease;

enum hf_lease_state {
    HF_LEASE_WAITING = 0, /* asked for, not granted yet */
    HF_LEASE_HELD = 1,
    HF_LEASE_LOST = 2,     /* was held, and is not any more */
    HF_LEASE_RELEASED = 3, /* was held and given back */
    HF_LEASE_FAILED = 4,   /* never held: cancelled, timed out or refused */
};

/* Why a lease was lost. */
enum hf_lost_reason {
    HF_LOST_UNCONFIRMED = 0, /* nothing was confirmed for half of the TTL */
    HF_LOST_ENDED =
        1, /* the server says so: expired, or broken by LOCK.BREAK */
};

/* Called once, when a lease is lost, and before the server may give the lock to
 * anybody else. hf_lease_ok() is false by then. */
typedef void hf_lost_fn(void *context, struct hf_lease *lease,
                        enum hf_lost_reason reason);

#define HF_WAIT_FOREVER (-1)

struct hf_lock_options {
    size_t size;

    /* How long the server keeps the lock for a client that is silent. The
     * client itself gives up at half of it, so let half of it be longer than a
     * fail-over: 5000 or more. At least 100. */
    uint32_t ttl_ms; /* 10000 */

    /* 0: try. HF_WAIT_FOREVER. Else milliseconds. */
    int64_t wait_ms; /* HF_WAIT_FOREVER */

    bool shared;       /* with other shared leases */
    uint32_t delay_ms; /* lock-delay after an expiry */

    hf_lost_fn *on_lost; /* or NULL */
    void *context;       /* of on_lost */

    struct hf_cancel *cancel; /* what ends the wait early, or NULL */
};

/* clang-format off */
#define HF_LOCK_OPTIONS_INIT                                                   \
    {                                                                          \
        .size = sizeof(struct hf_lock_options), .ttl_ms = 10000,               \
        .wait_ms = HF_WAIT_FOREVER,                                            \
    }
/* clang-format on */

/* Take a lock and wait for it: hf_lease_begin() and hf_lease_await() in one.
 * options may be NULL for the defaults. On failure *lease is NULL.
 *
 * HF_OK: held. HF_TIMEOUT: the wait ran out; with wait_ms 0, somebody has it.
 * HF_UNREACHABLE, HF_NO_LEADER: nobody could be asked; for that the deadline is
 * the longer of wait_ms and call_timeout_ms, and HF_WAIT_FOREVER outlasts any
 * outage. Else HF_BAD_ARGUMENT, HF_NO_MEMORY, HF_REFUSED, HF_DENIED. After
 * every failure the lock is not held; what may still be under way is cancelled
 * or given back by the client in the background. */
HF_API enum hf_status hf_acquire(struct hf_client *client, const char *key,
                                 const struct hf_lock_options *options,
                                 struct hf_lease **lease,
                                 struct hf_error *error);

/* Ask for a lock and return at once. The wait of the options counts from now.
 * The lease is the caller's, who must free it whatever becomes of it. */
HF_API enum hf_status hf_lease_begin(struct hf_client *client, const char *key,
                                     const struct hf_lock_options *options,
                                     struct hf_lease **lease,
                                     struct hf_error *error);

/* Wait until a lease that was begun is held or failed; at most wait_ms, or
 * HF_WAIT_FOREVER for as long as the lease itself waits.
 *
 * HF_OK: held (also if it was held before). HF_TIMEOUT: with the lease still
 * HF_LEASE_WAITING, wait_ms ran out and it goes on waiting; with
 * HF_LEASE_FAILED, its own wait ran out. HF_CANCELLED, HF_LOST, and what
 * hf_acquire() may return. If nobody can be asked at the moment the text says
 * why: a password that was changed meanwhile, for instance, is no end of a wait
 * without limit. */
HF_API enum hf_status hf_lease_await(struct hf_lease *lease, int64_t wait_ms,
                                     struct hf_error *error);

/* End a wait: whoever awaits the lease gets HF_CANCELLED. Nothing happens to a
 * lease that does not wait. Never blocks. */
HF_API void hf_lease_cancel(struct hf_lease *lease);

/* A means to end waits of a client from another thread: whatever was begun with
 * it in its options, be it by hf_acquire(), hf_acquire_all() or
 * hf_lease_begin(). Free it when none of them waits any more, and before the
 * client is closed. HF_NO_MEMORY. */
struct hf_cancel;
HF_API enum hf_status hf_cancel_new(struct hf_client *client,
                                    struct hf_cancel **cancel,
                                    struct hf_error *error);

/* Everything that waits with it gets HF_CANCELLED, and so does everything that
 * is begun with it afterwards: it cannot come too early, and works once. Leases
 * that are held stay so. Never blocks. */
HF_API void hf_cancel(struct hf_cancel *cancel);

/* NULL is ignored. */
HF_API void hf_cancel_free(struct hf_cancel *cancel);

/* Several locks, all or none. They are asked for in the order of their keys'
 * bytes whatever the order of the array, so that programs which take several
 * locks this way never wait for each other in a circle. leases has room for
 * keys_count and is filled in the order of keys; on failure, with NULL. wait_ms
 * bounds the whole, and hf_cancel() ends it. If one is lost while another is
 * waited for, that is HF_LOST and the end. A key that is there twice is
 * HF_BAD_ARGUMENT. */
HF_API enum hf_status hf_acquire_all(struct hf_client *client,
                                     const char *const *keys, size_t keys_count,
                                     const struct hf_lock_options *options,
                                     struct hf_lease **leases,
                                     struct hf_error *error);

/* Whether the lease is held for certain, now. Costs a load and a look at the
 * clock: call it before every write. */
HF_API bool hf_lease_ok(const struct hf_lease *lease);

/* Milliseconds for which it will be so if no renewal succeeds; 0 if it is not
 * held. Work that takes longer than this should look again in between. */
HF_API int64_t hf_lease_left_ms(const struct hf_lease *lease);

HF_API enum hf_lease_state hf_lease_state(const struct hf_lease *lease);

/* A descriptor that becomes readable, and stays so, when the lease is no longer
 * held: lost, released or failed. For poll(); do not read or close it. -1 if
 * there are no more descriptors. Made when first asked for. */
HF_API int hf_lease_fd(struct hf_lease *lease);

/* As hf_lease_fd(), readable when the wait is over: held or failed. */
HF_API int hf_lease_granted_fd(struct hf_lease *lease);

HF_API const char *hf_lease_key(const struct hf_lease *lease);

/* The fencing token: 0 as long as it was never held. */
HF_API uint64_t hf_lease_token(const struct hf_lease *lease);

/* The cluster's signature of the token, for stores that check it, or "" if the
 * cluster does not sign or it was never held. Valid until the lease is freed.
 */
HF_API const char *hf_lease_signature(const struct hf_lease *lease);

/* The name it is held by; for a store that checks signatures. */
HF_API const char *hf_lease_owner(const struct hf_lease *lease);

/* Give it back and wait for the answer, at most call_timeout_ms. Only the grant
 * of this very token is ended. hf_lease_ok() is false from the beginning.
 *
 * HF_OK: released. HF_LOST: it was not held any more. HF_CANCELLED: it waited
 * and does not any longer. HF_UNREACHABLE, HF_NO_LEADER: nobody took it; the
 * client goes on trying until the lease has run out by itself. */
HF_API enum hf_status hf_lease_release(struct hf_lease *lease,
                                       struct hf_error *error);

/* Free it; one that is held is given back, one that waits is cancelled, without
 * waiting for the answers. Returns when no callback of the lease runs any more
 * (so it must not be called by it). NULL is ignored. */
HF_API void hf_lease_free(struct hf_lease *lease);

/* ---- cached locks ---- */

/* One lock that many threads of a process take in turn. The first taker asks
 * the server; then the grant stays with the process and goes from thread to
 * thread for nothing, until the server says that somebody else waits: then it
 * is given back as soon as the thread that has it is done, before any other
 * thread of this process gets it, and asked for again behind the others. */
struct hf_cached;

/* How the process waits behind others. */
enum hf_cached_protocol {
    HF_CACHED_QUEUED = 0, /* in the server's queue, first come first served */
    HF_CACHED_RETRY = 1,  /* outside: told when to try again, and passed by
                             those who queue */
};

struct hf_cached_options {
    size_t size;
    uint32_t ttl_ms; /* 10000 */
    enum hf_cached_protocol protocol;
    bool shared; /* the process shares it with other processes; inside of the
                    process any number of threads have it at a time */
    hf_lost_fn *on_lost; /* or NULL; lease is NULL; for a lock that was in use
                            or cached when it was lost */
    void *context;
};

/* clang-format off */
#define HF_CACHED_OPTIONS_INIT                                                 \
    { .size = sizeof(struct hf_cached_options), .ttl_ms = 10000 }
/* clang-format on */

/* Nothing is asked for yet. One object a key and client: a second one competes
 * with the first like another process. */
HF_API enum hf_status hf_cached_open(struct hf_client *client, const char *key,
                                     const struct hf_cached_options *options,
                                     struct hf_cached **cached,
                                     struct hf_error *error);

/* Take it for the calling thread; not recursive. wait_ms: 0 takes it only if
 * the process has it and no other thread does; HF_WAIT_FOREVER; else
 * milliseconds.
 *
 * HF_OK, HF_TIMEOUT, HF_CANCELLED (hf_cached_cancel()), and what hf_acquire()
 * may return. *token, if not NULL, is the grant's: the same for all threads
 * until the lock was elsewhere. */
HF_API enum hf_status hf_cached_lock(struct hf_cached *cached, int64_t wait_ms,
                                     uint64_t *token, struct hf_error *error);

/* Give it back to the process. HF_LOST: it was lost while it was used. */
HF_API enum hf_status hf_cached_unlock(struct hf_cached *cached,
                                       uint64_t token);

/* Whether the grant with this token is still the process'. As hf_lease_ok(). */
HF_API bool hf_cached_ok(const struct hf_cached *cached, uint64_t token);

/* The cluster's signature of this token copied as text, "" if it has none or
 * the token is not the present one. False if it does not fit. */
HF_API bool hf_cached_signature(const struct hf_cached *cached, uint64_t token,
                                char *text, size_t text_bytes);

/* All threads that wait for it get HF_CANCELLED. */
HF_API void hf_cached_cancel(struct hf_cached *cached);

/* Give the grant back to the server now, if nobody has it; else when done. */
HF_API void hf_cached_drop(struct hf_cached *cached);

/* Free it. Nobody may have it or wait for it. */
HF_API void hf_cached_close(struct hf_cached *cached);

/* ---- plain commands, for tools ---- */

enum hf_reply_kind {
    HF_REPLY_NULL = 0,
    HF_REPLY_INTEGER = 1,
    HF_REPLY_TEXT = 2, /* a bulk or simple string */
    HF_REPLY_ERROR = 3,
    HF_REPLY_ARRAY = 4, /* also a map: names and values in turn */
};

/* A reply and all below it. */
struct hf_reply {
    enum hf_reply_kind kind;
    int64_t integer;
    const char *text; /* of text and error; ended by a zero that is not counted;
                         may hold zeros itself */
    size_t text_bytes;
    struct hf_reply **items; /* of an array */
    size_t items_count;
};

struct hf_call_options {
    size_t size;

    int64_t timeout_ms; /* 0: call_timeout_ms of the client */

    /* Ask this "host:port" and no other; NULL: whichever node serves. */
    const char *node;

    /* The command may be carried out twice without harm. Then it is asked again
     * when a connection breaks before its answer or the answer is -UNCERTAIN;
     * without it that is HF_UNCERTAIN. What certainly was not done is asked
     * again in any case, until the deadline. */
    bool may_repeat;
};

/* clang-format off */
#define HF_CALL_OPTIONS_INIT { .size = sizeof(struct hf_call_options) }
/* clang-format on */

/* Send any command and get its reply, on a connection of its own for the time
 * of the call: it may block. words_bytes may be NULL if all words are plain
 * text; options may be NULL. Redirections and "not done" errors are followed
 * within the deadline. Not for commands that change the connection: SUBSCRIBE,
 * MONITOR, SELECT, MULTI, HELLO.
 *
 * HF_OK: *reply is the caller's, never an error at its top. HF_REFUSED,
 * HF_DENIED, HF_FENCED, HF_BAD_TOKEN: the server answered with an error, whose
 * text is in error, and in *reply as HF_REPLY_ERROR. Else *reply is NULL. */
HF_API enum hf_status hf_command(struct hf_client *client, size_t words_count,
                                 const char *const *words,
                                 const size_t *words_bytes,
                                 const struct hf_call_options *options,
                                 struct hf_reply **reply,
                                 struct hf_error *error);

/* The value beside a name in a map, or NULL. reply may be NULL or anything. */
HF_API const struct hf_reply *hf_reply_field(const struct hf_reply *reply,
                                             const char *name);

/* The same for the common cases, with what is to be returned otherwise. */
HF_API int64_t hf_reply_integer(const struct hf_reply *reply, const char *name,
                                int64_t otherwise);
HF_API const char *hf_reply_text(const struct hf_reply *reply, const char *name,
                                 const char *otherwise);

HF_API void hf_reply_free(struct hf_reply *reply);

/* ---- fenced writes ---- */

/* Write a value under the lease's token: FENCE.SET with LOCK, TOKEN and, if the
 * token is signed, OWNER and SIG. client is one of the store that is written
 * to: the cluster itself, or another one opened on a holdfast-store.
 *
 * A lease that is not ok is HF_LOST and nothing is sent. HF_FENCED: a newer
 * holder has written. HF_UNCERTAIN: the connection broke before the answer; the
 * write is not repeated by itself, because another write of the same holder may
 * have come in between; the caller who knows that none did may repeat it. */
HF_API enum hf_status hf_fence_set(struct hf_client *client,
                                   const struct hf_lease *lease,
                                   const char *key, const void *value,
                                   size_t value_bytes, struct hf_error *error);

/* The same with FENCE.DEL; *deleted, if not NULL, is 0 or 1. */
HF_API enum hf_status hf_fence_delete(struct hf_client *client,
                                      const struct hf_lease *lease,
                                      const char *key, int64_t *deleted,
                                      struct hf_error *error);

/* For tokens that come from elsewhere, such as a cached lock or the environment
 * of a program run under a lock. signature may be NULL or "". Nothing is
 * checked before it is sent. */
HF_API enum hf_status
hf_fence_set_by(struct hf_client *client, const char *lock_key, uint64_t token,
                const char *owner, const char *signature, const char *key,
                const void *value, size_t value_bytes, struct hf_error *error);

#ifdef __cplusplus
}
#endif

#endif
