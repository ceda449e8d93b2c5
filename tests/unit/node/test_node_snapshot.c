/* test_node_snapshot.c - checkpoints out, snapshots in, while work goes on.
 *
 * Three hosts in a row of steps: in each step what was sent in the one before
 * arrives, every disk finishes its writes, and the leader is asked for some
 * more. A snapshot goes in small chunks, so that it takes many steps.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "lib/check_runner.h"
#include "lib/host.h"
#include "node/node_stream.h"
#include "unit/node/member_fixture.h"

#define HOSTS 3
#define STEP_MS 5
#define ELECTION_MS 100
#define CHECKPOINT_ENTRIES 20
#define TRAILING_ENTRIES 10
#define CHUNK_BYTES 64
#define LOCKS 100 /* their state has far more chunks than the trail entries */

struct frame {
    struct frame *next;
    raft_id_t from;
    raft_id_t to;
    struct buffer bytes;
};

static struct raft_members members;
static struct node_settings settings;
static struct host *hosts[HOSTS];
static bool cut[HOSTS]; /* hears nobody, and is not heard */
static struct frame *sent;
static struct frame **sent_end;
static time_ms_t now;
static uint64_t asked;
static size_t installs;
static struct peer_frame chunk;     /* as it was sent last */
static raft_index_t snapshot_index; /* of that one */

static void on_send(void *context, raft_id_t from, raft_id_t to,
                    struct bytes bytes)
{
    struct peer_frame_head head;
    size_t count = 0;
    (void)context;
    ck_assert_int_eq(peer_frame_inspect(bytes, &head, &count), STATUS_OK);
    if (head.kind == PEER_SNAPSHOT) {
        ck_assert_int_eq(peer_frame_decode(bytes, host_identity(), &chunk),
                         STATUS_OK);
        snapshot_index = chunk.message.raft.snapshot.index;
    }
    struct frame *frame = memory_new(1, sizeof(*frame));
    frame->from = from;
    frame->to = to;
    buffer_append(&frame->bytes, bytes);
    *sent_end = frame;
    sent_end = &frame->next;
}

static void on_installed(void *context, raft_id_t id, raft_index_t index,
                         uint64_t hash)
{
    (void)context;
    (void)id;
    (void)index;
    (void)hash;
    installs++;
}

static void setup(void)
{
    const struct host_owner owner = {.send = on_send,
                                     .installed = on_installed};
    memset(&members, 0, sizeof(members));
    memset(cut, 0, sizeof(cut));
    now = 0;
    asked = 0;
    installs = 0;
    snapshot_index = 0;
    peer_frame_init(&chunk);
    sent = NULL;
    sent_end = &sent;
    settings = (struct node_settings){
        .raft = {.election_ms = ELECTION_MS,
                 .heartbeat_ms = 20,
                 .hint_ms = 20,
                 .window_entries = 64,
                 .window_bytes = 1024 * 1024,
                 .append_entries = 64,
                 .append_bytes = LIMIT_APPEND_BYTES,
                 .uncommitted_bytes = 1024 * 1024,
                 .promote_lag_entries = 8,
                 .log_bytes = 1024 * 1024},
        .hold_ms = 1000,
        .patience_ms = 1000,
        .resend_ms = 100,
        .alive_ms = 1000,
        .grace_ms = 1000000,
        .tick_ms = 1000000,
        .checkpoint_entries = CHECKPOINT_ENTRIES,
        .trailing_entries = TRAILING_ENTRIES,
        .asks_max = 1000,
    };
    for (raft_id_t id = 1; id <= HOSTS; id++) {
        ck_assert(raft_members_set(&members, id, RAFT_VOTER,
                                   bytes_of_text("somewhere")));
    }
    for (raft_id_t id = 1; id <= HOSTS; id++) {
        hosts[id - 1] =
            host_new(&settings, id, &members, &owner, CHUNK_BYTES, id, now);
    }
}

static void deliver(struct frame *frame_take)
{
    while (frame_take != NULL) {
        struct frame *frame = frame_take;
        frame_take = frame->next;
        if (!cut[frame->from - 1] && !cut[frame->to - 1] &&
            host_is_up(hosts[frame->to - 1])) {
            ck_assert_int_eq(node_receive(host_node(hosts[frame->to - 1]),
                                          buffer_view(&frame->bytes), now),
                             STATUS_OK);
        }
        buffer_close(&frame->bytes);
        memory_free(frame);
    }
}

static void teardown(void)
{
    memset(cut, true, sizeof(cut));
    deliver(sent);
    peer_frame_close(&chunk);
    for (size_t i = 0; i < HOSTS; i++) {
        host_free(hosts[i]);
    }
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static struct host *leader(void)
{
    for (size_t i = 0; i < HOSTS; i++) {
        if (!cut[i] && host_is_up(hosts[i]) &&
            node_reigns(host_node(hosts[i]))) {
            return hosts[i];
        }
    }
    return NULL;
}

static void step(void)
{
    struct frame *arrived = sent;
    sent = NULL;
    sent_end = &sent;
    now += STEP_MS;
    deliver(arrived);
    for (size_t i = 0; i < HOSTS; i++) {
        if (host_is_up(hosts[i])) {
            host_persist(hosts[i], host_writes_pending(hosts[i]), now);
            host_turn(hosts[i], now, now);
        }
    }
}

static struct host *elect(void)
{
    for (int i = 0; i < 1000 && leader() == NULL; i++) {
        step();
    }
    ck_assert_ptr_nonnull(leader());
    return leader();
}

/* One command, with an owner of this size; of the state only what is new. */
static void ask(size_t key, size_t owner_bytes)
{
    static char owner[LIMIT_OWNER_BYTES];
    char name[32];
    (void)snprintf(name, sizeof(name), "key%zu", key);
    memset(owner, 'o', sizeof(owner));
    const struct command_plan plan = {
        .kind = COMMAND_PLAN_WRITE,
        .write = {.kind = LOCK_COMMAND_ACQUIRE,
                  .acquire = {.key = bytes_of_text(name),
                              .owner = bytes_of(owner, owner_bytes),
                              .mode = LOCK_EXCLUSIVE,
                              .ttl_ms = 1000000}}};
    ck_assert_int_eq(node_ask(host_node(leader()), ++asked, &plan, now),
                     STATUS_OK);
}

static void work(size_t steps, size_t owner_bytes)
{
    for (size_t i = 0; i < steps; i++) {
        ask(0, owner_bytes);
        step();
    }
}

/* A follower of a leader with many locks whose log goes on without it. */
static struct host *left_behind(void)
{
    struct host *first = elect();
    struct host *behind = hosts[host_id(first) % HOSTS];
    work(10, 5);
    cut[host_id(behind) - 1] = true;
    for (size_t i = 1; i <= LOCKS; i++) {
        ask(i, 5);
        step();
    }
    /* For longer than anything is kept for the sake of who is silent. */
    work(12 * ELECTION_MS / STEP_MS, 5);
    ck_assert_ptr_eq(leader(), first);
    ck_assert_uint_gt(raft_first_index(host_raft(first)),
                      raft_last_index(host_raft(behind)) + 1);
    return behind;
}

static uint64_t lag(const struct host *host)
{
    return host_applied_index(leader()) - host_applied_index(host);
}

/* Work until it has all but the newest, for so many steps. */
static bool comes_back(struct host *behind, size_t steps, size_t owner_bytes)
{
    cut[host_id(behind) - 1] = false;
    for (size_t i = 0; i < steps && lag(behind) > 5; i++) {
        work(1, owner_bytes);
    }
    return lag(behind) <= 5;
}

/* The log that the transfer needs is longer than the trail by far. */
START_TEST(one_snapshot_is_enough_whatever_is_done_meanwhile)
{
    struct host *behind = left_behind();
    const raft_index_t before = host_applied_index(leader());

    ck_assert(comes_back(behind, 2000, 5));
    ck_assert_uint_eq(installs, 1);
    ck_assert_uint_gt(host_applied_index(leader()) - before,
                      5 * TRAILING_ENTRIES);
    work(5, 5);
    ck_assert_uint_le(lag(behind), 5);
}
END_TEST

START_TEST(what_was_kept_goes_when_it_is_not_needed_any_more)
{
    struct host *behind = left_behind();
    ck_assert(comes_back(behind, 2000, 5));

    work(2 * CHECKPOINT_ENTRIES, 5);

    const raft_index_t last = raft_last_index(host_raft(leader()));
    ck_assert_uint_le(last - raft_first_index(host_raft(leader())),
                      TRAILING_ENTRIES + 2 * CHECKPOINT_ENTRIES);
}
END_TEST

START_TEST(nothing_is_kept_for_who_is_silent)
{
    struct host *behind = left_behind();
    cut[host_id(behind) - 1] = false;
    work(20, 5);
    ck_assert_uint_eq(installs, 0);
    const raft_index_t first = raft_first_index(host_raft(leader()));
    work(2 * CHECKPOINT_ENTRIES, 5);
    ck_assert_uint_eq(raft_first_index(host_raft(leader())), first);

    cut[host_id(behind) - 1] = true;
    work(12 * ELECTION_MS / STEP_MS, 5);

    const raft_index_t last = raft_last_index(host_raft(leader()));
    ck_assert_uint_le(last - raft_first_index(host_raft(leader())),
                      TRAILING_ENTRIES + 2 * CHECKPOINT_ENTRIES);
}
END_TEST

/* On disk the log begins where it does in memory. */
START_TEST(disk_and_memory_keep_the_same)
{
    struct host *behind = left_behind();
    cut[host_id(behind) - 1] = false;
    for (size_t i = 0; i < 300; i++) {
        work(1, 5);
        for (size_t h = 0; h < HOSTS; h++) {
            const struct raft *raft = host_raft(hosts[h]);
            if (!host_install_pending(hosts[h])) {
                ck_assert_uint_eq(host_durable_boundary(hosts[h], NULL) + 1,
                                  raft_first_index(raft));
            }
        }
    }
}
END_TEST

/* Some of it has come, and it will never be whole. */
START_TEST(a_snapshot_that_is_gone_gives_way_at_once)
{
    struct host *behind = left_behind();
    cut[host_id(behind) - 1] = false;
    work(2 * CHECKPOINT_ENTRIES, 5);
    ck_assert_uint_eq(installs, 0);
    ck_assert_uint_gt(host_checkpoint_index(leader(), NULL), snapshot_index);
    const raft_index_t before = snapshot_index;

    host_forget_checkpoints(leader());
    work(5, 5);

    ck_assert_uint_gt(snapshot_index, before);
    ck_assert(comes_back(behind, 2000, 5));
    ck_assert_uint_eq(installs, 1);
}
END_TEST

static uint64_t kept_bytes(void)
{
    const struct raft *raft = host_raft(leader());
    return raft_kept_bytes(raft, raft_first_index(raft) - 1,
                           raft_last_index(raft));
}

/* Long entries: neither the trail nor the distance between two checkpoints may
 * grow with them. */
START_TEST(the_log_is_bounded_in_bytes)
{
    for (size_t i = 0; i < HOSTS; i++) {
        host_free(hosts[i]);
    }
    settings.checkpoint_entries = 10000;
    settings.trailing_entries = 10000;
    settings.raft.log_bytes = 8000;
    const struct host_owner owner = {.send = on_send};
    for (raft_id_t id = 1; id <= HOSTS; id++) {
        hosts[id - 1] =
            host_new(&settings, id, &members, &owner, CHUNK_BYTES, id, now);
    }
    (void)elect();
    uint64_t most = 0;

    for (size_t i = 0; i < 300; i++) {
        work(1, 200);
        most = kept_bytes() > most ? kept_bytes() : most;
    }

    ck_assert_uint_gt(most, settings.raft.log_bytes);
    ck_assert_uint_lt(most, 2 * settings.raft.log_bytes);
}
END_TEST

/* ---- in ---- */

/* The first chunk of a snapshot for node 1. */
static void hear_chunk(struct bytes data)
{
    struct buffer of_members = {0};
    mx_open(3);
    mx_run();
    mx_follow(2, 1);
    raft_members_encode(mx_members(), &of_members);
    const struct raft_message snapshot = {
        .kind = RAFT_MESSAGE_SNAPSHOT,
        .from = 2,
        .to = 1,
        .term = 1,
        .snapshot = {.index = 9,
                     .term = 1,
                     .members = buffer_view(&of_members),
                     .data = data}};
    const struct peer_message message = peer_message_of_raft(&snapshot);
    mx_hear(&message);
    buffer_close(&of_members);
}

/* The beginning of a record of these lengths. */
static void hear_lengths(uint32_t key_bytes, uint32_t value_bytes)
{
    struct buffer data = {0};
    const uint8_t text[100] = {0};
    buffer_u32(&data, key_bytes);
    buffer_u32(&data, value_bytes);
    buffer_append(&data, bytes_of(text, sizeof(text)));
    hear_chunk(buffer_view(&data));
    buffer_close(&data);
}

START_TEST(a_record_may_take_several_chunks)
{
    hear_lengths(LIMIT_RECORD_KEY_BYTES, LIMIT_RECORD_BYTES);

    ck_assert_uint_eq(mx.unstaged_count, 0);
}
END_TEST

/* Else everything that follows would be kept for it. */
START_TEST(a_record_of_impossible_length_is_refused_at_once)
{
    hear_lengths(LIMIT_RECORD_KEY_BYTES + 1, 1);
    ck_assert_uint_eq(mx.unstaged_count, 1);
    mx_close();

    hear_lengths(5, LIMIT_RECORD_BYTES + 1);
    ck_assert_uint_eq(mx.unstaged_count, 1);
}
END_TEST

START_TEST(a_record_that_is_none_is_refused_at_once)
{
    struct buffer data = {0};
    uint32_t checksum = 0;
    node_stream_put_record(&data, bytes_of_text("\x7fnothing"),
                           bytes_of_text("value"), &checksum);

    hear_chunk(buffer_view(&data));

    ck_assert_uint_eq(mx.staged_count, 0);
    ck_assert_uint_eq(mx.unstaged_count, 1);
    buffer_close(&data);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("node_snapshot");
    TCase *kept = tcase_create("kept");
    tcase_add_checked_fixture(kept, setup, teardown);
    tcase_add_test(kept, one_snapshot_is_enough_whatever_is_done_meanwhile);
    tcase_add_test(kept, what_was_kept_goes_when_it_is_not_needed_any_more);
    tcase_add_test(kept, nothing_is_kept_for_who_is_silent);
    tcase_add_test(kept, disk_and_memory_keep_the_same);
    tcase_add_test(kept, the_log_is_bounded_in_bytes);
    tcase_add_test(kept, a_snapshot_that_is_gone_gives_way_at_once);
    suite_add_tcase(suite, kept);

    TCase *in = tcase_create("in");
    tcase_add_checked_fixture(in, NULL, mx_close);
    tcase_add_test(in, a_record_may_take_several_chunks);
    tcase_add_test(in, a_record_of_impossible_length_is_refused_at_once);
    tcase_add_test(in, a_record_that_is_none_is_refused_at_once);
    suite_add_tcase(suite, in);
    return suite;
}

int main(void)
{
    return check_run(suite());
}
