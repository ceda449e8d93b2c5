/* raft_fixture.c - one Raft member on a bench, for the unit tests.
 *
 * There is one bench a process, the global fx: libcheck forks for each test,
 * and a test that names its member in every line reads worse.
 *
 * To extend: an event gets a function that ends in fx_step(), a message one
 * that fills it in and returns it.
 */
#include "unit/raft/raft_fixture.h"

#include <string.h>

#include "base/memory.h"

struct fx fx;

/* Payloads and chunks all point here. */
static const uint8_t filler[LIMIT_ENTRY_BYTES + 1];

static void fx_step(struct raft_event *event);
static void fx_line(void *context, const char *text);
static size_t fx_entries_of(struct raft_entry *entries, const char *terms);
static void fx_copy_box(struct fx_box *box, const struct raft_message *list,
                        size_t count);
static const struct raft_message *
fx_find(const struct fx_box *box, enum raft_message_kind kind, raft_id_t to);
static struct raft_message fx_message(enum raft_message_kind kind,
                                      raft_id_t from, raft_term_t term);

/* ---- arrange ---- */

void fx_setup(void)
{
    memset(&fx, 0, sizeof(fx));
}

void fx_teardown(void)
{
    raft_free(fx.raft);
    fx.raft = NULL;
    buffer_close(&fx.config);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

void fx_plan(size_t voters_count)
{
    fx.settings.election_ms = FX_ELECTION_MS;
    fx.settings.heartbeat_ms = FX_HEARTBEAT_MS;
    fx.settings.hint_ms = FX_HINT_MS;
    fx.settings.window_entries = FX_WINDOW_ENTRIES;
    fx.settings.window_bytes = FX_WINDOW_BYTES;
    fx.settings.append_entries = FX_APPEND_ENTRIES;
    fx.settings.append_bytes = FX_APPEND_BYTES;
    fx.settings.uncommitted_bytes = FX_UNCOMMITTED_BYTES;
    fx.settings.promote_lag_entries = FX_PROMOTE_LAG;
    fx.settings.log_bytes = FX_LOG_BYTES;
    fx.members = fx_voters(voters_count);
    memset(&fx.start, 0, sizeof(fx.start));
    fx.start.self = 1;
    fx.start.boundary_members = &fx.members;
    fx.start.entries = fx.start_entries;
    fx.start.seed = 7;
    fx.start.now = 10000;
}

void fx_plan_member(raft_id_t id, enum raft_member_role role)
{
    ck_assert(raft_members_set(&fx.members, id, role, bytes_of_text("")));
}

void fx_plan_log(const char *terms, raft_term_t term)
{
    fx.start.entries_count = fx_entries_of(fx.start_entries, terms);
    fx.start.term = term;
}

void fx_plan_config(size_t at, const struct raft_members *members)
{
    buffer_clear(&fx.config);
    raft_members_encode(members, &fx.config);
    fx.start_entries[at].kind = RAFT_ENTRY_MEMBERS;
    fx.start_entries[at].payload = buffer_view(&fx.config);
}

enum status fx_try(void)
{
    const struct raft_tracer tracer = {.line = fx_line, .context = &fx};

    fx.now = fx.start.now;
    fx.writes_count = 0;
    return raft_new(&fx.settings, &fx.start, &tracer, &fx.raft);
}

void fx_open(void)
{
    ck_assert_int_eq(fx_try(), STATUS_OK);
}

void fx_group(size_t voters_count)
{
    fx_plan(voters_count);
    fx_open();
}

void fx_group_with_log(size_t voters_count, const char *terms, raft_term_t term)
{
    fx_plan(voters_count);
    fx_plan_log(terms, term);
    fx_open();
}

struct raft_members fx_voters(size_t voters_count)
{
    struct raft_members members = {.count = 0};
    for (raft_id_t id = 1; id <= voters_count; id++) {
        ck_assert(
            raft_members_set(&members, id, RAFT_VOTER, bytes_of_text("")));
    }
    return members;
}

void fx_follow(raft_id_t leader, raft_term_t term)
{
    fx_receive(fx_append(leader, term, 0, 0, "", 0));
    fx_settle();
    ck_assert_int_eq(raft_role(fx.raft), RAFT_FOLLOWER);
    ck_assert_uint_eq(raft_leader(fx.raft), leader);
}

void fx_stand_pre(void)
{
    fx_deadline();
    ck_assert_int_ne(raft_role(fx.raft), RAFT_FOLLOWER);
    fx_take();
}

void fx_grant_pre_votes(void)
{
    const struct raft_members *members = raft_members(fx.raft);
    const raft_term_t term = raft_term(fx.raft) + 1;
    for (size_t i = 0; i < members->count; i++) {
        const struct raft_member *member = &members->list[i];
        if (member->id != 1 && member->role == RAFT_VOTER &&
            raft_role(fx.raft) == RAFT_PRE_CANDIDATE) {
            fx_receive(fx_pre_reply(member->id, term, true));
        }
    }
}

void fx_grant_votes(void)
{
    const struct raft_members *members = raft_members(fx.raft);
    for (size_t i = 0; i < members->count; i++) {
        const struct raft_member *member = &members->list[i];
        if (member->id != 1 && member->role == RAFT_VOTER &&
            raft_role(fx.raft) == RAFT_CANDIDATE) {
            fx_receive(fx_vote_reply(member->id, raft_term(fx.raft), true));
        }
    }
}

void fx_stand(void)
{
    fx_stand_pre();
    fx_grant_pre_votes();
    fx_take();
    fx_persist_all();
}

void fx_win(void)
{
    fx_stand();
    fx_grant_votes();
    ck_assert_int_eq(raft_role(fx.raft), RAFT_LEADER);
}

void fx_lead(size_t voters_count)
{
    fx_group(voters_count);
    fx_win();
    fx_settle();
}

void fx_reign(size_t voters_count)
{
    fx_lead(voters_count);
    fx_ack_all();
    ck_assert_uint_eq(raft_commit(fx.raft), 1);
}

void fx_ack_all(void)
{
    fx_settle();
    for (size_t i = 0; i < fx.raft->reign.peers_count; i++) {
        fx_receive(
            fx_accept(fx.raft->reign.peers[i].id, raft_last_index(fx.raft)));
    }
    fx_settle();
}

/* ---- act ---- */

static void fx_step(struct raft_event *event)
{
    event->now = fx.now;
    raft_step(fx.raft, event, &fx.result);
}

void fx_time(time_ms_t at)
{
    struct raft_event event = {.kind = RAFT_EVENT_TIME};
    fx.now = at;
    fx_step(&event);
}

void fx_wait(time_ms_t ms)
{
    fx_time(fx.now + ms);
}

void fx_deadline(void)
{
    ck_assert_uint_ne(raft_deadline(fx.raft), TIME_NEVER);
    const time_ms_t deadline = raft_deadline(fx.raft);
    fx_time(deadline > fx.now ? deadline : fx.now);
}

void fx_pass(time_ms_t ms)
{
    fx.now += ms;
}

void fx_receive(struct raft_message message)
{
    struct raft_event event = {.kind = RAFT_EVENT_RECEIVE, .message = &message};
    fx_step(&event);
}

enum raft_answer fx_submit(size_t count, size_t payload_bytes)
{
    struct bytes payloads[FX_ENTRIES];
    ck_assert_uint_le(count, FX_ENTRIES);
    ck_assert_uint_le(payload_bytes, sizeof(filler));
    for (size_t i = 0; i < count; i++) {
        payloads[i] = bytes_of(filler, payload_bytes);
    }
    struct raft_event event = {.kind = RAFT_EVENT_SUBMIT,
                               .submit = {payloads, count}};
    fx_step(&event);
    return fx.result.answer;
}

uint64_t fx_read(void)
{
    struct raft_event event = {.kind = RAFT_EVENT_READ};
    fx_step(&event);
    return fx.result.round;
}

enum raft_answer fx_change(enum raft_change_kind kind, raft_id_t id)
{
    struct raft_event event = {.kind = RAFT_EVENT_CHANGE,
                               .change = {.kind = kind, .id = id}};
    fx_step(&event);
    return fx.result.answer;
}

enum raft_answer fx_transfer(raft_id_t to)
{
    struct raft_event event = {.kind = RAFT_EVENT_TRANSFER, .transfer = {to}};
    fx_step(&event);
    return fx.result.answer;
}

void fx_checkpoint(raft_index_t index, raft_index_t boundary_index)
{
    struct raft_event event = {.kind = RAFT_EVENT_CHECKPOINT,
                               .checkpoint = {index, boundary_index}};
    fx_step(&event);
}

void fx_lose_peer(raft_id_t id)
{
    struct raft_event event = {.kind = RAFT_EVENT_PEER_LOST, .peer_lost = id};
    fx_step(&event);
}

void fx_damage(void)
{
    struct raft_event event = {.kind = RAFT_EVENT_SNAPSHOT_DAMAGED};
    fx_step(&event);
}

void fx_lose_snapshot(raft_index_t index)
{
    struct raft_event event = {.kind = RAFT_EVENT_SNAPSHOT_GONE,
                               .snapshot_gone = index};
    fx_step(&event);
}

void fx_persist(void)
{
    ck_assert_uint_gt(fx.writes_count, 0);
    const struct raft_write write = fx.writes[0];
    fx.writes_count--;
    memmove(fx.writes, fx.writes + 1, fx.writes_count * sizeof(write));
    struct raft_event event = {
        .kind = RAFT_EVENT_PERSISTED,
        .persisted = {write.number, write.last_term, write.last_index}};
    fx_step(&event);
}

void fx_persist_all(void)
{
    while (fx.writes_count > 0) {
        fx_persist();
    }
}

void fx_settle(void)
{
    const struct raft_unwritten *wanted = &fx.raft->unwritten;
    do {
        fx_take();
        fx_persist_all();
    } while (wanted->promise || wanted->install || wanted->first_index != 0);
}

/* ---- messages ---- */

static struct raft_message fx_message(enum raft_message_kind kind,
                                      raft_id_t from, raft_term_t term)
{
    struct raft_message message;
    memset(&message, 0, sizeof(message));
    message.kind = kind;
    message.from = from;
    message.to = 1;
    message.term = term;
    return message;
}

struct raft_message fx_vote(raft_id_t from, raft_term_t term,
                            raft_index_t last_index, raft_term_t last_term)
{
    struct raft_message message = fx_message(RAFT_MESSAGE_VOTE, from, term);
    message.vote.last_index = last_index;
    message.vote.last_term = last_term;
    return message;
}

struct raft_message fx_pre_vote(raft_id_t from, raft_term_t term,
                                raft_index_t last_index, raft_term_t last_term)
{
    struct raft_message message = fx_vote(from, term, last_index, last_term);
    message.vote.pre = true;
    return message;
}

struct raft_message fx_vote_reply(raft_id_t from, raft_term_t term,
                                  bool granted)
{
    struct raft_message message =
        fx_message(RAFT_MESSAGE_VOTE_REPLY, from, term);
    message.vote_reply.granted = granted;
    return message;
}

struct raft_message fx_pre_reply(raft_id_t from, raft_term_t term, bool granted)
{
    struct raft_message message = fx_vote_reply(from, term, granted);
    message.vote_reply.pre = true;
    return message;
}

struct raft_message fx_append(raft_id_t from, raft_term_t term,
                              raft_index_t prev_index, raft_term_t prev_term,
                              const char *terms, raft_index_t commit)
{
    struct raft_message message = fx_message(RAFT_MESSAGE_APPEND, from, term);
    message.append.prev_index = prev_index;
    message.append.prev_term = prev_term;
    message.append.commit = commit;
    message.append.entries_count = fx_entries_of(fx.entries, terms);
    message.append.entries = fx.entries;
    return message;
}

void fx_append_config(size_t at, const struct raft_members *members)
{
    buffer_clear(&fx.config);
    raft_members_encode(members, &fx.config);
    fx.entries[at].kind = RAFT_ENTRY_MEMBERS;
    fx.entries[at].payload = buffer_view(&fx.config);
}

struct raft_message fx_accept(raft_id_t from, raft_index_t match_index)
{
    struct raft_message message =
        fx_message(RAFT_MESSAGE_APPEND_REPLY, from, raft_term(fx.raft));
    message.append_reply.accepted = true;
    message.append_reply.prev_index = match_index;
    message.append_reply.match_index = match_index;
    message.append_reply.round = fx.raft->rounds.sent;
    return message;
}

struct raft_message fx_refuse(raft_id_t from, raft_index_t prev_index,
                              raft_index_t recovery_index,
                              raft_term_t recovery_term)
{
    struct raft_message message =
        fx_message(RAFT_MESSAGE_APPEND_REPLY, from, raft_term(fx.raft));
    message.append_reply.prev_index = prev_index;
    message.append_reply.recovery_index = recovery_index;
    message.append_reply.recovery_term = recovery_term;
    message.append_reply.round = fx.raft->rounds.sent;
    return message;
}

struct raft_message fx_chunk_reply(raft_id_t from, raft_index_t index,
                                   uint64_t offset, bool installed)
{
    struct raft_message message =
        fx_message(RAFT_MESSAGE_SNAPSHOT_REPLY, from, raft_term(fx.raft));
    message.snapshot_reply.index = index;
    message.snapshot_reply.offset = offset;
    message.snapshot_reply.installed = installed;
    message.snapshot_reply.round = fx.raft->rounds.sent;
    return message;
}

struct raft_message fx_chunk(raft_id_t from, raft_term_t term,
                             raft_index_t index, raft_term_t snapshot_term,
                             uint64_t offset, size_t data_bytes, bool last)
{
    struct raft_message message = fx_message(RAFT_MESSAGE_SNAPSHOT, from, term);
    buffer_clear(&fx.config);
    raft_members_encode(&fx.members, &fx.config);
    message.snapshot.index = index;
    message.snapshot.term = snapshot_term;
    message.snapshot.offset = offset;
    message.snapshot.members = buffer_view(&fx.config);
    message.snapshot.data = bytes_of(filler, data_bytes);
    message.snapshot.last = last;
    return message;
}

struct raft_message fx_timeout_now(raft_id_t from, raft_term_t term)
{
    return fx_message(RAFT_MESSAGE_TIMEOUT_NOW, from, term);
}

static size_t fx_entries_of(struct raft_entry *entries, const char *terms)
{
    const size_t count = strlen(terms);
    ck_assert_uint_le(count, FX_ENTRIES);
    for (size_t i = 0; i < count; i++) {
        entries[i].term = (raft_term_t)(terms[i] - '0');
        entries[i].kind = RAFT_ENTRY_COMMAND;
        entries[i].payload = bytes_of(filler, FX_ENTRY_BYTES);
    }
    return count;
}

/* ---- check ---- */

void fx_take(void)
{
    struct raft_effects effects;
    raft_take_effects(fx.raft, &effects);
    fx.write = effects.write;
    if (effects.write.install) {
        fx.install_members = *effects.write.install_members;
        fx.write.install_members = &fx.install_members;
    }
    if (effects.write.number != 0) {
        ck_assert_uint_lt(fx.writes_count, FX_WRITES);
        fx.writes[fx.writes_count] = fx.write;
        fx.writes_count++;
    }
    fx_copy_box(&fx.now_box, effects.now, effects.now_count);
    fx_copy_box(&fx.after_box, effects.after, effects.after_count);
    fx.commit = effects.commit;
    fx.round = effects.round;
}

static void fx_copy_box(struct fx_box *box, const struct raft_message *list,
                        size_t count)
{
    ck_assert_uint_le(count, FX_MESSAGES);
    box->count = count;
    for (size_t i = 0; i < count; i++) {
        struct raft_message *copy = &box->list[i];
        *copy = list[i];
        if (copy->kind == RAFT_MESSAGE_SNAPSHOT) {
            const struct bytes members = list[i].snapshot.members;
            memcpy(box->members[i], members.data, members.count);
            copy->snapshot.members = bytes_of(box->members[i], members.count);
        }
    }
}

const struct raft_message *fx_now(enum raft_message_kind kind, raft_id_t to)
{
    return fx_find(&fx.now_box, kind, to);
}

const struct raft_message *fx_after(enum raft_message_kind kind, raft_id_t to)
{
    return fx_find(&fx.after_box, kind, to);
}

const struct raft_message *fx_sent(enum raft_message_kind kind, raft_id_t to)
{
    const struct raft_message *message = fx_now(kind, to);
    if (message == NULL) {
        message = fx_after(kind, to);
    }
    ck_assert_ptr_nonnull(message);
    return message;
}

static const struct raft_message *
fx_find(const struct fx_box *box, enum raft_message_kind kind, raft_id_t to)
{
    for (size_t i = 0; i < box->count; i++) {
        const struct raft_message *message = &box->list[i];
        if (message->kind == kind && message->to == to) {
            return message;
        }
    }
    return NULL;
}

size_t fx_count(enum raft_message_kind kind, raft_id_t to)
{
    const struct fx_box *boxes[] = {&fx.now_box, &fx.after_box};
    size_t count = 0;
    for (size_t b = 0; b < 2; b++) {
        for (size_t i = 0; i < boxes[b]->count; i++) {
            const struct raft_message *message = &boxes[b]->list[i];
            if (message->kind == kind && (to == 0 || message->to == to)) {
                count++;
            }
        }
    }
    return count;
}

size_t fx_count_all(void)
{
    return fx.now_box.count + fx.after_box.count;
}

const struct raft_progress *fx_peer(raft_id_t id)
{
    for (size_t i = 0; i < fx.raft->reign.peers_count; i++) {
        if (fx.raft->reign.peers[i].id == id) {
            return &fx.raft->reign.peers[i];
        }
    }
    ck_abort_msg("%u is no peer", (unsigned)id);
    return NULL;
}

bool fx_said(const char *text)
{
    return strstr(fx.trace, text) != NULL;
}

static void fx_line(void *context, const char *text)
{
    struct fx *bench = context;
    const size_t used = strlen(bench->trace);
    const size_t more = strlen(text);
    ck_assert_uint_lt(used + more + 1, sizeof(bench->trace));
    memcpy(bench->trace + used, text, more);
    bench->trace[used + more] = '\n';
    bench->trace[used + more + 1] = '\0';
}

const char *fx_log(void)
{
    static char text[FX_ENTRIES + 1];
    size_t count = 0;
    for (raft_index_t index = raft_first_index(fx.raft);
         index <= raft_last_index(fx.raft) && count < FX_ENTRIES; index++) {
        raft_term_t term = 0;
        ck_assert(raft_term_at(fx.raft, index, &term));
        text[count] = (char)('0' + term);
        count++;
    }
    text[count] = '\0';
    return text;
}
