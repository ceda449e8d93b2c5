/* lock_command_lock.c - the bodies of the commands about locks.
 *
 * Fields follow in the order in which encode has them. Keys and owners have a
 * length of 16 bits, a mode and a database are one byte each.
 *
 * The checks state what a command can be, and no more: whether a token was
 * ever given, or a ticket, is found out when the command is applied.
 */
#include "lock/lock_command_body.h"

static_assert(LIMIT_KEY_BYTES <= UINT16_MAX && LIMIT_OWNER_BYTES <= UINT16_MAX,
              "keys and owners have a length of 16 bits");
static_assert(LIMIT_DATABASES <= UINT8_MAX + 1, "a database is one byte");

/* Key and owner, which most of these name. */
static enum status lock_command_check_names(struct bytes key,
                                            struct bytes owner)
{
    return lock_command_first(lock_command_check_key(key),
                              lock_command_check_owner(owner));
}

static bool lock_command_is_mode(enum lock_mode mode)
{
    return mode == LOCK_EXCLUSIVE || mode == LOCK_SHARED;
}

static bool lock_command_is_ttl(time_ms_t ttl_ms)
{
    return ttl_ms > 0 && ttl_ms <= LIMIT_TTL_MS;
}

/* ---- tick ---- */

static void lock_command_encode_tick(const struct lock_command *command,
                                     struct buffer *out)
{
    (void)command;
    (void)out;
}

static void lock_command_decode_tick(struct lock_command_source *source,
                                     struct lock_command *command)
{
    (void)source;
    (void)command;
}

static enum status lock_command_check_tick(const struct lock_command *command)
{
    (void)command;
    return STATUS_OK;
}

const struct lock_command_body lock_command_tick = {
    .name = "tick",
    .encode = lock_command_encode_tick,
    .decode = lock_command_decode_tick,
    .check = lock_command_check_tick,
    .of_leader = true,
};

/* ---- acquire ---- */

static void lock_command_encode_acquire(const struct lock_command *command,
                                        struct buffer *out)
{
    const struct lock_acquire *acquire = &command->acquire;
    buffer_bytes16(out, acquire->key);
    buffer_bytes16(out, acquire->owner);
    buffer_u64(out, acquire->seq);
    buffer_u8(out, (uint8_t)acquire->mode);
    buffer_u64(out, acquire->ttl_ms);
    buffer_u64(out, acquire->delay_ms);
    lock_command_put_bool(out, acquire->may_queue);
    lock_command_put_bool(out, acquire->cache);
    buffer_u8(out, (uint8_t)acquire->database);
}

static void lock_command_decode_acquire(struct lock_command_source *source,
                                        struct lock_command *command)
{
    struct lock_acquire *acquire = &command->acquire;
    acquire->key = reader_bytes16(&source->reader);
    acquire->owner = reader_bytes16(&source->reader);
    acquire->seq = reader_u64(&source->reader);
    acquire->mode = (enum lock_mode)reader_u8(&source->reader);
    acquire->ttl_ms = reader_u64(&source->reader);
    acquire->delay_ms = reader_u64(&source->reader);
    acquire->may_queue = lock_command_take_bool(source);
    acquire->cache = lock_command_take_bool(source);
    acquire->database = reader_u8(&source->reader);
}

static enum status
lock_command_check_acquire(const struct lock_command *command)
{
    const struct lock_acquire *acquire = &command->acquire;
    return lock_command_first(
        lock_command_check_names(acquire->key, acquire->owner),
        lock_command_verdict(lock_command_is_mode(acquire->mode) &&
                             lock_command_is_ttl(acquire->ttl_ms) &&
                             acquire->delay_ms <= LIMIT_TTL_MS &&
                             acquire->database < LIMIT_DATABASES));
}

const struct lock_command_body lock_command_acquire = {
    .name = "acquire",
    .encode = lock_command_encode_acquire,
    .decode = lock_command_decode_acquire,
    .check = lock_command_check_acquire,
};

/* ---- release ---- */

static void lock_command_encode_release(const struct lock_command *command,
                                        struct buffer *out)
{
    const struct lock_release *release = &command->release;
    buffer_bytes16(out, release->key);
    buffer_bytes16(out, release->owner);
    buffer_u64(out, release->token);
}

static void lock_command_decode_release(struct lock_command_source *source,
                                        struct lock_command *command)
{
    struct lock_release *release = &command->release;
    release->key = reader_bytes16(&source->reader);
    release->owner = reader_bytes16(&source->reader);
    release->token = reader_u64(&source->reader);
}

static enum status
lock_command_check_release(const struct lock_command *command)
{
    const struct lock_release *release = &command->release;
    return lock_command_first(
        lock_command_check_names(release->key, release->owner),
        lock_command_verdict(release->token < LIMIT_TOKEN));
}

const struct lock_command_body lock_command_release = {
    .name = "release",
    .encode = lock_command_encode_release,
    .decode = lock_command_decode_release,
    .check = lock_command_check_release,
};

/* ---- renew ---- */

static void lock_command_encode_renew(const struct lock_command *command,
                                      struct buffer *out)
{
    const struct lock_renew *renew = &command->renew;
    buffer_bytes16(out, renew->key);
    buffer_bytes16(out, renew->owner);
    buffer_u64(out, renew->token);
    buffer_u64(out, renew->ttl_ms);
}

static void lock_command_decode_renew(struct lock_command_source *source,
                                      struct lock_command *command)
{
    struct lock_renew *renew = &command->renew;
    renew->key = reader_bytes16(&source->reader);
    renew->owner = reader_bytes16(&source->reader);
    renew->token = reader_u64(&source->reader);
    renew->ttl_ms = reader_u64(&source->reader);
}

static enum status lock_command_check_renew(const struct lock_command *command)
{
    const struct lock_renew *renew = &command->renew;
    return lock_command_first(
        lock_command_check_names(renew->key, renew->owner),
        lock_command_verdict(renew->token < LIMIT_TOKEN &&
                             lock_command_is_ttl(renew->ttl_ms)));
}

const struct lock_command_body lock_command_renew = {
    .name = "renew",
    .encode = lock_command_encode_renew,
    .decode = lock_command_decode_renew,
    .check = lock_command_check_renew,
};

/* ---- cancel ---- */

static void lock_command_encode_cancel(const struct lock_command *command,
                                       struct buffer *out)
{
    const struct lock_cancel *cancel = &command->cancel;
    buffer_bytes16(out, cancel->key);
    buffer_bytes16(out, cancel->owner);
    buffer_u64(out, cancel->seq);
}

static void lock_command_decode_cancel(struct lock_command_source *source,
                                       struct lock_command *command)
{
    struct lock_cancel *cancel = &command->cancel;
    cancel->key = reader_bytes16(&source->reader);
    cancel->owner = reader_bytes16(&source->reader);
    cancel->seq = reader_u64(&source->reader);
}

static enum status lock_command_check_cancel(const struct lock_command *command)
{
    return lock_command_check_names(command->cancel.key, command->cancel.owner);
}

const struct lock_command_body lock_command_cancel = {
    .name = "cancel",
    .encode = lock_command_encode_cancel,
    .decode = lock_command_decode_cancel,
    .check = lock_command_check_cancel,
};

/* ---- abandon ---- */

static void lock_command_encode_abandon(const struct lock_command *command,
                                        struct buffer *out)
{
    const struct lock_abandon *abandon = &command->abandon;
    buffer_bytes16(out, abandon->key);
    buffer_bytes16(out, abandon->owner);
    buffer_u64(out, abandon->seq);
    buffer_u8(out, (uint8_t)abandon->mode);
    buffer_u64(out, abandon->ticket);
    buffer_u64(out, abandon->number);
}

static void lock_command_decode_abandon(struct lock_command_source *source,
                                        struct lock_command *command)
{
    struct lock_abandon *abandon = &command->abandon;
    abandon->key = reader_bytes16(&source->reader);
    abandon->owner = reader_bytes16(&source->reader);
    abandon->seq = reader_u64(&source->reader);
    abandon->mode = (enum lock_mode)reader_u8(&source->reader);
    abandon->ticket = reader_u64(&source->reader);
    abandon->number = reader_u64(&source->reader);
}

static enum status
lock_command_check_abandon(const struct lock_command *command)
{
    const struct lock_abandon *abandon = &command->abandon;
    return lock_command_first(
        lock_command_check_names(abandon->key, abandon->owner),
        lock_command_verdict(lock_command_is_mode(abandon->mode)));
}

const struct lock_command_body lock_command_abandon = {
    .name = "abandon",
    .encode = lock_command_encode_abandon,
    .decode = lock_command_decode_abandon,
    .check = lock_command_check_abandon,
};

/* ---- break ---- */

static void lock_command_encode_break(const struct lock_command *command,
                                      struct buffer *out)
{
    buffer_bytes16(out, command->break_.key);
    buffer_u64(out, command->break_.token);
}

static void lock_command_decode_break(struct lock_command_source *source,
                                      struct lock_command *command)
{
    command->break_.key = reader_bytes16(&source->reader);
    command->break_.token = reader_u64(&source->reader);
}

static enum status lock_command_check_break(const struct lock_command *command)
{
    return lock_command_first(
        lock_command_check_key(command->break_.key),
        lock_command_verdict(command->break_.token < LIMIT_TOKEN));
}

const struct lock_command_body lock_command_break = {
    .name = "break",
    .encode = lock_command_encode_break,
    .decode = lock_command_decode_break,
    .check = lock_command_check_break,
};

/* ---- what the leader finds: expire, undelay, orphans ---- */

static void lock_command_encode_expire(const struct lock_command *command,
                                       struct buffer *out)
{
    const struct lock_expire *expire = &command->expire;
    buffer_bytes16(out, expire->key);
    buffer_u64(out, expire->token);
    buffer_u32(out, expire->renewals);
}

static void lock_command_decode_expire(struct lock_command_source *source,
                                       struct lock_command *command)
{
    struct lock_expire *expire = &command->expire;
    expire->key = reader_bytes16(&source->reader);
    expire->token = reader_u64(&source->reader);
    expire->renewals = reader_u32(&source->reader);
}

static enum status lock_command_check_expire(const struct lock_command *command)
{
    return lock_command_first(
        lock_command_check_key(command->expire.key),
        lock_command_verdict(command->expire.token < LIMIT_TOKEN));
}

const struct lock_command_body lock_command_expire = {
    .name = "expire",
    .encode = lock_command_encode_expire,
    .decode = lock_command_decode_expire,
    .check = lock_command_check_expire,
    .of_leader = true,
};

static void lock_command_encode_undelay(const struct lock_command *command,
                                        struct buffer *out)
{
    buffer_bytes16(out, command->undelay.key);
    buffer_u64(out, command->undelay.until);
}

static void lock_command_decode_undelay(struct lock_command_source *source,
                                        struct lock_command *command)
{
    command->undelay.key = reader_bytes16(&source->reader);
    command->undelay.until = reader_u64(&source->reader);
}

/* An end beyond LIMIT_TIME_MS can be, but no clock will ever show it. */
static enum status
lock_command_check_undelay(const struct lock_command *command)
{
    return lock_command_first(
        lock_command_check_key(command->undelay.key),
        lock_command_verdict(command->undelay.until <= LIMIT_TIME_MS));
}

const struct lock_command_body lock_command_undelay = {
    .name = "undelay",
    .encode = lock_command_encode_undelay,
    .decode = lock_command_decode_undelay,
    .check = lock_command_check_undelay,
    .of_leader = true,
};

static void lock_command_encode_orphans(const struct lock_command *command,
                                        struct buffer *out)
{
    buffer_u64(out, command->orphans.node);
    buffer_u64(out, command->orphans.boot);
    buffer_u32(out, command->orphans.count_max);
}

static void lock_command_decode_orphans(struct lock_command_source *source,
                                        struct lock_command *command)
{
    command->orphans.node = reader_u64(&source->reader);
    command->orphans.boot = reader_u64(&source->reader);
    command->orphans.count_max = reader_u32(&source->reader);
}

static enum status
lock_command_check_orphans(const struct lock_command *command)
{
    (void)command;
    return STATUS_OK;
}

const struct lock_command_body lock_command_orphans = {
    .name = "orphans",
    .encode = lock_command_encode_orphans,
    .decode = lock_command_decode_orphans,
    .check = lock_command_check_orphans,
    .of_leader = true,
};
