/* raft_effects.c - builds the effects of a turn.
 *
 * Two outboxes. Messages in the second one wait for a write: the one this turn
 * makes, or, if the turn has nothing to write while earlier writes are on
 * their way, an empty one behind them. Writes become durable in order, so such
 * a message never claims more than is on disk when it leaves.
 *
 * Writes in flight are remembered until they are answered. When entries are
 * cut off, the claim of every write in flight shrinks to what is left of it:
 * its completion may arrive when entries of the same index and term are back
 * in the log and on their way to disk a second time, and must not count for
 * those (the append ABA race).
 */
#include "raft/raft_effects.h"

#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "raft/raft_read.h"
#include "raft/raft_replicate.h"

static struct raft_message *raft_effects_put(struct raft *raft,
                                             struct raft_messages *box,
                                             enum raft_message_kind kind,
                                             raft_id_t to);
static void raft_effects_make_write(struct raft *raft,
                                    struct raft_write *write);
static void raft_effects_fill_write(struct raft *raft,
                                    struct raft_write *write);
static void raft_effects_remember(struct raft *raft,
                                  const struct raft_write *write);
static void raft_effects_make_room(struct raft_flights *flights);
static struct raft_flight *raft_effects_flight(struct raft *raft, size_t i);
static void raft_effects_lower_claims(struct raft *raft,
                                      raft_index_t last_index,
                                      raft_index_t claim);

void raft_effects_close(struct raft *raft)
{
    memory_free(raft->now_box.list);
    memory_free(raft->after_box.list);
    memory_free(raft->flights.list);
    memory_free(raft->own_entries);
    buffer_close(&raft->own_payload);
}

void raft_effects_begin(struct raft *raft)
{
    if (!raft->effects_taken) {
        return;
    }
    raft->effects_taken = false;
    raft->now_box.count = 0;
    raft->after_box.count = 0;
}

void raft_take_effects(struct raft *raft, struct raft_effects *effects)
{
    raft_effects_begin(raft);
    if (raft->role == RAFT_LEADER) {
        raft_read_open_round(raft);
        raft_replicate_all(raft);
    }
    memset(effects, 0, sizeof(*effects));
    raft_effects_make_write(raft, &effects->write);
    effects->now = raft->now_box.list;
    effects->now_count = raft->now_box.count;
    effects->after = raft->after_box.list;
    effects->after_count = raft->after_box.count;
    effects->commit = raft->commit;
    effects->round = raft->rounds.confirmed;
    raft->effects_taken = true;
}

struct raft_message *
raft_effects_send(struct raft *raft, enum raft_message_kind kind, raft_id_t to)
{
    struct raft_messages *box = raft_effects_promise_is_durable(raft)
                                    ? &raft->now_box
                                    : &raft->after_box;
    return raft_effects_put(raft, box, kind, to);
}

struct raft_message *raft_effects_send_after(struct raft *raft,
                                             enum raft_message_kind kind,
                                             raft_id_t to)
{
    return raft_effects_put(raft, &raft->after_box, kind, to);
}

void raft_effects_promise(struct raft *raft)
{
    raft->unwritten.promise = true;
}

bool raft_effects_promise_is_durable(const struct raft *raft)
{
    return !raft->unwritten.promise &&
           raft->flights.promise_number <= raft->flights.landed_number;
}

void raft_effects_appended(struct raft *raft, raft_index_t first_index,
                           const struct raft_entry *entries, size_t count)
{
    ENSURE(count > 0);
    ENSURE(raft->result->count == 0);

    if (raft->unwritten.first_index == 0 ||
        raft->unwritten.first_index > first_index) {
        raft->unwritten.first_index = first_index;
    }
    raft->result->first_index = first_index;
    raft->result->entries = entries;
    raft->result->count = count;
}

void raft_effects_cut(struct raft *raft, raft_index_t first_index)
{
    ENSURE(first_index > raft->commit);

    if (raft->durable_index >= first_index) {
        raft->durable_index = first_index - 1;
    }
    for (size_t i = 0; i < raft->flights.count; i++) {
        struct raft_flight *flight = raft_effects_flight(raft, i);
        if (flight->durable_index >= first_index) {
            flight->durable_index = first_index - 1;
        }
    }
    raft_effects_lower_claims(raft, first_index - 1, first_index - 1);
}

void raft_effects_install(struct raft *raft, raft_index_t index,
                          raft_term_t term, const struct raft_members *members)
{
    for (size_t i = 0; i < raft->flights.count; i++) {
        raft_effects_flight(raft, i)->durable_index = 0;
    }
    raft->durable_index = 0;
    raft->unwritten.first_index = 0;
    raft->unwritten.install = true;
    raft->unwritten.install_index = index;
    raft->unwritten.install_term = term;
    raft->unwritten.install_members = *members;
    raft_effects_lower_claims(raft, index, 0);
}

/* Acknowledgements of this turn that wait for its write must not speak of
 * entries that the same turn has thrown away: they never reach the disk. */
static void raft_effects_lower_claims(struct raft *raft,
                                      raft_index_t last_index,
                                      raft_index_t claim)
{
    for (size_t i = 0; i < raft->after_box.count; i++) {
        struct raft_message *message = &raft->after_box.list[i];
        if (message->kind == RAFT_MESSAGE_APPEND_REPLY &&
            message->append_reply.match_index > last_index) {
            message->append_reply.match_index = claim;
        }
    }
}

static struct raft_message *raft_effects_put(struct raft *raft,
                                             struct raft_messages *box,
                                             enum raft_message_kind kind,
                                             raft_id_t to)
{
    ENSURE(to != raft->self);

    if (box->count == box->capacity) {
        box->capacity = box->capacity * 2 + 8;
        box->list = memory_resize(box->list, box->capacity, sizeof(*box->list));
    }
    struct raft_message *message = &box->list[box->count];
    box->count++;
    memset(message, 0, sizeof(*message));
    message->kind = kind;
    message->from = raft->self;
    message->to = to;
    message->term = raft->term;
    return message;
}

static void raft_effects_make_write(struct raft *raft, struct raft_write *write)
{
    const struct raft_unwritten *wanted = &raft->unwritten;
    const bool content =
        wanted->promise || wanted->install || wanted->first_index != 0;
    const bool behind_others =
        raft->after_box.count > 0 && raft->flights.count > 0;
    if (!content && !behind_others) {
        return; /* all is durable: what waits may leave at once */
    }
    raft_effects_fill_write(raft, write);
    raft_effects_remember(raft, write);
    raft->unwritten.promise = false;
    raft->unwritten.install = false;
    raft->unwritten.first_index = 0;
}

static void raft_effects_fill_write(struct raft *raft, struct raft_write *write)
{
    const struct raft_unwritten *wanted = &raft->unwritten;
    raft->flights.last_number++;
    write->number = raft->flights.last_number;
    write->promise = wanted->promise;
    write->term = raft->term;
    write->vote = raft->vote;
    write->probation = raft->probation.pending;
    write->founders = &raft->probation.founders;
    write->install = wanted->install;
    if (wanted->install) {
        write->install_index = wanted->install_index;
        write->install_term = wanted->install_term;
        write->install_members = &wanted->install_members;
    }
    if (wanted->first_index != 0) {
        write->first_index = wanted->first_index;
        write->last_index = raft_log_last_index(&raft->log);
        write->last_term = raft_log_last_term(&raft->log);
    }
}

static void raft_effects_remember(struct raft *raft,
                                  const struct raft_write *write)
{
    struct raft_flights *flights = &raft->flights;
    raft_effects_make_room(flights);
    struct raft_flight *flight = &flights->list[flights->head + flights->count];
    flights->count++;
    if (write->promise) {
        flights->promise_number = write->number;
    }
    memset(flight, 0, sizeof(*flight));
    flight->number = write->number;
    flight->term = write->last_term;
    flight->index = write->last_index;
    flight->durable_index =
        write->last_index != 0 ? write->last_index : write->install_index;
    flight->promise = write->promise;
}

/* Landed ones leave room in front, which is used before the list grows. */
static void raft_effects_make_room(struct raft_flights *flights)
{
    if (flights->head + flights->count < flights->capacity) {
        return;
    }
    if (flights->head > flights->capacity / 2) {
        memmove(flights->list, flights->list + flights->head,
                flights->count * sizeof(*flights->list));
        flights->head = 0;
        return;
    }
    flights->capacity = flights->capacity * 2 + 8;
    flights->list =
        memory_resize(flights->list, flights->capacity, sizeof(*flights->list));
}

/* The write handed out as the (i + 1)-th of those not yet answered. */
static struct raft_flight *raft_effects_flight(struct raft *raft, size_t i)
{
    ENSURE(i < raft->flights.count);
    return &raft->flights.list[raft->flights.head + i];
}
