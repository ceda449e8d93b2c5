/* test_node_cluster.c - how a node without a cluster comes into one. */
#include <check.h>
#include <string.h>

#include "lib/check_runner.h"
#include "node/node.h"

#define FOUND_MS 100
#define DIRECTORY 11 /* of node 1 */

static const struct peer_identity nobody = {.incarnation = 7};
static const struct peer_identity theirs = {.cluster = "theirs",
                                            .incarnation = 7};
static const struct peer_identity others = {.cluster = "of others",
                                            .incarnation = 7};

static struct {
    struct node *node;
    struct raft_members members;
    time_ms_t now;
    uint64_t written; /* the newest write */
    bool promised;    /* its promise, and what that holds */
    bool probation;
    uint8_t cluster[PEER_CLUSTER_BYTES];
    bool room;              /* for a chunk of a snapshot */
    bool answered;          /* a stranger */
    struct peer_frame sent; /* the newest frame; kind 0: none since */
} nx;

static void on_write(void *context, const struct node_write *write)
{
    (void)context;
    nx.written = write->number;
    if (write->promise) {
        nx.promised = true;
        nx.probation = write->probation;
        memcpy(nx.cluster, write->cluster, PEER_CLUSTER_BYTES);
    }
}

static void on_send(void *context, raft_id_t to, struct bytes frame)
{
    (void)context;
    (void)to;
    ck_assert_int_eq(peer_frame_decode(frame, &nobody, &nx.sent), STATUS_OK);
}

static void on_answer(void *context, struct bytes frame)
{
    (void)context;
    (void)frame;
    nx.answered = true;
}

static bool on_chunk(void *context, raft_index_t index, uint64_t offset,
                     struct buffer *out, bool *last)
{
    (void)context;
    (void)index;
    (void)offset;
    (void)out;
    (void)last;
    return false;
}

static bool on_stage_room(void *context)
{
    (void)context;
    return nx.room;
}

static void run(void)
{
    do {
        const uint64_t written = nx.written;
        nx.written = 0;
        if (written != 0) {
            node_written(nx.node, written, nx.now);
        }
        node_turn(nx.node, nx.now, nx.now);
    } while (nx.written != 0 || node_deadline(nx.node) <= nx.now);
}

static void wait_ms(time_ms_t ms)
{
    nx.now += ms;
    run();
}

/* Node 1 of a group of two, with an empty log, on probation. */
static void open_as(const struct peer_identity *identity)
{
    const struct node_settings settings = {
        .raft = {.election_ms = 100,
                 .heartbeat_ms = 20,
                 .found_ms = FOUND_MS,
                 .window_entries = 16,
                 .window_bytes = 1024 * 1024,
                 .append_entries = 16,
                 .append_bytes = LIMIT_APPEND_BYTES,
                 .uncommitted_bytes = 1024 * 1024,
                 .promote_lag_entries = 8,
                 .log_bytes = LIMIT_LOG_BYTES},
        .hold_ms = 1000,
        .patience_ms = 1000,
        .resend_ms = 100,
        .alive_ms = 100000,
        .grace_ms = 1000000,
        .tick_ms = 1000000,
        .checkpoint_entries = 1000000,
        .asks_max = 10,
    };
    memset(&nx, 0, sizeof(nx));
    nx.room = true;
    peer_frame_init(&nx.sent);
    ck_assert(
        raft_members_set(&nx.members, 1, RAFT_VOTER,
                         bytes_of_text("h1:7001")) &&
        raft_members_set(&nx.members, 2, RAFT_VOTER, bytes_of_text("h2:7001")));
    const struct node_start start = {
        .self = 1,
        .boot = 7,
        .identity = *identity,
        .boundary_members = &nx.members,
        .probation = true,
        .seed = 1,
    };
    const struct node_ports ports = {.write = on_write,
                                     .send = on_send,
                                     .answer = on_answer,
                                     .chunk = on_chunk,
                                     .stage_room = on_stage_room};
    ck_assert_int_eq(node_new(&settings, &start,
                              lock_machine_new((struct table_seed){{1, 2}}),
                              &ports, &nx.node),
                     STATUS_OK);
    run();
}

/* Nothing is on its disk: it knows no cluster. */
static void open_new(void)
{
    open_as(&(const struct peer_identity){.incarnation = DIRECTORY});
}

static void close_node(void)
{
    node_free(nx.node);
    peer_frame_close(&nx.sent);
}

/* A frame comes in, and no turn is taken yet. */
static enum status hear_only(const struct peer_identity *from,
                             const struct peer_message *message)
{
    struct buffer frame = {0};
    ck_assert_int_eq(peer_frame_encode(from, message, &frame), STATUS_OK);
    const enum status status =
        node_receive(nx.node, buffer_view(&frame), nx.now);
    buffer_close(&frame);
    return status;
}

static enum status hear(const struct peer_identity *from,
                        const struct peer_message *message)
{
    const enum status status = hear_only(from, message);
    run();
    return status;
}

static struct peer_message of_node_2(struct raft_message raft)
{
    raft.from = 2;
    raft.to = 1;
    return peer_message_of_raft(&raft);
}

static enum status hear_raft(const struct peer_identity *from,
                             struct raft_message raft)
{
    const struct peer_message message = of_node_2(raft);
    return hear(from, &message);
}

static struct raft_message leader_of(raft_term_t term)
{
    return (struct raft_message){.kind = RAFT_MESSAGE_APPEND, .term = term};
}

static enum status hear_leader(const struct peer_identity *from)
{
    return hear_raft(from, leader_of(5));
}

/* Node 2 says that it is new too, and has heard of us; or that we were founded
 * together. */
static struct raft_message report_of(uint64_t directory, bool founded)
{
    struct raft_message report = {.kind = RAFT_MESSAGE_FOUND};
    report.found.founded = founded;
    report.found.members = founded ? 0 : raft_members_checksum(&nx.members);
    report.found.founders =
        (struct raft_founders){.list = {{.id = 1, .directory = DIRECTORY},
                                        {.id = 2, .directory = directory}},
                               .count = 2};
    return report;
}

static void hear_report(uint64_t directory)
{
    ck_assert_int_eq(hear_raft(&nobody, report_of(directory, false)),
                     STATUS_OK);
}

/* A snapshot in one chunk, which is damaged. */
static void hear_chunk(void)
{
    struct buffer members = {0};
    raft_members_encode(&nx.members, &members);
    struct raft_message chunk = {.kind = RAFT_MESSAGE_SNAPSHOT, .term = 5};
    chunk.snapshot.index = 7;
    chunk.snapshot.term = 5;
    chunk.snapshot.last = true;
    chunk.snapshot.members = buffer_view(&members);
    chunk.snapshot.data = bytes_of_text("no record at all");
    ck_assert_int_eq(hear_raft(&theirs, chunk), STATUS_OK);
    buffer_close(&members);
}

static void hear_greeting(void)
{
    const struct peer_message hello = {
        .kind = PEER_HELLO, .from = 5, .to = 1, .hello = {1, 1, 0, 0}};
    ck_assert_int_eq(hear(&theirs, &hello), STATUS_OK);
}

static bool is_known(void)
{
    return peer_frame_has_cluster(node_identity(nx.node));
}

/* It is new as before, and nothing was founded with the report of node 2. */
static void expect_on_probation(void)
{
    hear_report(22);
    wait_ms(FOUND_MS);
    hear_report(22);
    ck_assert(raft_on_probation(node_raft(nx.node)));
    ck_assert(!nx.promised || nx.probation);
}

START_TEST(the_founded_name_their_cluster_after_their_directories)
{
    uint8_t first[PEER_CLUSTER_BYTES];
    wait_ms(FOUND_MS);
    ck_assert_int_eq(nx.sent.head.kind, PEER_FOUND);
    ck_assert(!peer_frame_has_cluster(&nx.sent.head.identity));
    hear_report(22);
    ck_assert(is_known());
    ck_assert(nx.promised && !nx.probation);
    memcpy(first, node_identity(nx.node)->cluster, PEER_CLUSTER_BYTES);
    ck_assert_mem_eq(nx.cluster, first, PEER_CLUSTER_BYTES);
    close_node();

    open_new();
    wait_ms(FOUND_MS);
    hear_report(23); /* it has lost its disk, and we have */

    ck_assert(is_known());
    ck_assert_mem_ne(nx.cluster, first, PEER_CLUSTER_BYTES);
}
END_TEST

START_TEST(the_founded_listen_to_no_other_cluster)
{
    wait_ms(FOUND_MS);
    hear_report(22);

    ck_assert_int_eq(hear_leader(&theirs), STATUS_BAD_CLUSTER);
}
END_TEST

/* Whoever was told of a cluster would found none, ever, and this node may come
 * back without it. */
START_TEST(nothing_is_said_under_an_id_that_is_not_durable)
{
    const struct peer_message fetch = {.kind = PEER_FETCH, .from = 9};
    struct peer_message report = of_node_2(report_of(22, false));
    wait_ms(FOUND_MS);
    nx.sent.head.kind = 0;
    /* It answers this one, and is founded by the next. */
    report.raft.found.founders.count = 1;
    report.raft.found.founders.list[0] = report.raft.found.founders.list[1];
    ck_assert_int_eq(hear_only(&nobody, &report), STATUS_OK);
    report = of_node_2(report_of(22, false));
    ck_assert_int_eq(hear_only(&nobody, &report), STATUS_OK);
    node_turn(nx.node, nx.now, nx.now);
    ck_assert(is_known());
    ck_assert_int_eq(nx.sent.head.kind, PEER_FOUND);
    ck_assert(!peer_frame_has_cluster(&nx.sent.head.identity));
    ck_assert(!peer_frame_has_cluster(node_told_identity(nx.node)));

    nx.sent.head.kind = 0;
    ck_assert_int_eq(hear_only(&nobody, &fetch), STATUS_OK);
    node_publish(nx.node, false, bytes_of_text("c"), bytes_of_text("m"));
    ck_assert_int_eq(nx.sent.head.kind, 0);
    ck_assert(!nx.answered);

    run();
    ck_assert_mem_eq(node_told_identity(nx.node)->cluster, nx.cluster,
                     PEER_CLUSTER_BYTES);
}
END_TEST

START_TEST(an_id_that_others_have_is_no_news)
{
    struct peer_identity founded = nobody;
    const struct peer_message report = of_node_2(report_of(22, false));
    const struct peer_message append = of_node_2(leader_of(5));
    wait_ms(FOUND_MS);
    ck_assert_int_eq(hear_only(&nobody, &report), STATUS_OK);
    node_turn(nx.node, nx.now, nx.now);
    memcpy(founded.cluster, node_identity(nx.node)->cluster,
           PEER_CLUSTER_BYTES);
    ck_assert_int_eq(hear_only(&founded, &append), STATUS_OK);

    ck_assert(peer_frame_has_cluster(node_told_identity(nx.node)));
}
END_TEST

/* Its disk may have voted there. */
START_TEST(the_founded_listen_to_no_other_cluster_in_the_same_turn)
{
    wait_ms(FOUND_MS);
    const struct peer_message report = of_node_2(report_of(22, false));
    const struct peer_message append = of_node_2(leader_of(5));
    ck_assert_int_eq(hear_only(&nobody, &report), STATUS_OK);
    ck_assert_int_eq(hear_only(&theirs, &append), STATUS_BAD_CLUSTER);
    run();

    ck_assert(nx.promised && !nx.probation);
    ck_assert_mem_ne(nx.cluster, theirs.cluster, PEER_CLUSTER_BYTES);
    ck_assert_uint_eq(raft_term(node_raft(nx.node)), 0);
}
END_TEST

START_TEST(whom_the_core_does_not_follow_lends_no_name)
{
    wait_ms(FOUND_MS);
    ck_assert_int_eq(hear_raft(&theirs, leader_of(LIMIT_TERM_LEAP + 1)),
                     STATUS_OK);

    ck_assert(!is_known());
    ck_assert_uint_eq(node_heard_from(nx.node), 2);
    expect_on_probation();
}
END_TEST

START_TEST(a_damaged_snapshot_founds_nothing)
{
    wait_ms(FOUND_MS);
    hear_chunk();

    ck_assert(!is_known());
    expect_on_probation();
}
END_TEST

START_TEST(a_snapshot_without_room_founds_nothing)
{
    wait_ms(FOUND_MS);
    nx.room = false;
    hear_chunk();

    ck_assert(!is_known());
    expect_on_probation();
}
END_TEST

START_TEST(the_founders_are_believed_under_their_name_only)
{
    uint8_t name[PEER_CLUSTER_BYTES];
    struct peer_identity founded = nobody;
    wait_ms(FOUND_MS);
    hear_report(22);
    memcpy(name, nx.cluster, PEER_CLUSTER_BYTES);
    close_node();

    open_new();
    ck_assert_int_eq(hear_raft(&theirs, report_of(22, true)), STATUS_OK);
    ck_assert(!is_known());
    expect_on_probation();

    ck_assert_int_eq(hear_leader(&theirs), STATUS_OK);
    ck_assert_int_eq(hear_raft(&theirs, report_of(22, true)), STATUS_OK);
    expect_on_probation();
    close_node();

    open_new();
    memcpy(founded.cluster, name, PEER_CLUSTER_BYTES);
    ck_assert_int_eq(hear_leader(&founded), STATUS_OK);
    ck_assert(nx.probation);
    ck_assert_int_eq(hear_raft(&founded, report_of(22, true)), STATUS_OK);
    ck_assert(!nx.probation);
    ck_assert_mem_eq(nx.cluster, name, PEER_CLUSTER_BYTES);
}
END_TEST

/* It was killed before it had anything else of that cluster. */
START_TEST(who_comes_back_with_a_cluster_founds_none)
{
    struct peer_identity identity = theirs;
    close_node();
    identity.incarnation = DIRECTORY;
    open_as(&identity);

    expect_on_probation();
    ck_assert_mem_eq(node_identity(nx.node)->cluster, theirs.cluster,
                     PEER_CLUSTER_BYTES);
}
END_TEST

START_TEST(who_has_other_first_members_is_named_once)
{
    const raft_id_t *ids = NULL;
    struct raft_message report = report_of(22, false);
    wait_ms(FOUND_MS);
    ck_assert_uint_eq(node_misfits(nx.node, &ids), 0);
    report.found.members++;
    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_eq(hear_raft(&nobody, report), STATUS_OK);
        ck_assert_uint_eq(node_misfits(nx.node, &ids), 1);
        ck_assert_uint_eq(ids[0], 2);
    }
    ck_assert(raft_on_probation(node_raft(nx.node)));

    hear_report(22);
    ck_assert(!raft_on_probation(node_raft(nx.node)));
    ck_assert_uint_eq(node_misfits(nx.node, &ids), 1);
}
END_TEST

START_TEST(a_leader_takes_it_into_its_cluster)
{
    ck_assert_int_eq(hear_leader(&theirs), STATUS_OK);

    ck_assert_mem_eq(node_identity(nx.node)->cluster, theirs.cluster,
                     PEER_CLUSTER_BYTES);
    ck_assert(nx.promised && nx.probation);
    ck_assert_mem_eq(nx.cluster, theirs.cluster, PEER_CLUSTER_BYTES);
    ck_assert_int_eq(nx.sent.head.kind, PEER_APPEND_REPLY);
    ck_assert_mem_eq(nx.sent.head.identity.cluster, theirs.cluster,
                     PEER_CLUSTER_BYTES);
    ck_assert_int_eq(hear_leader(&others), STATUS_BAD_CLUSTER);
}
END_TEST

START_TEST(a_greeting_founds_nothing_and_is_no_leader)
{
    hear_greeting();
    wait_ms(FOUND_MS);
    hear_report(22);

    ck_assert(!is_known());
    ck_assert(raft_on_probation(node_raft(nx.node)));
    ck_assert_uint_eq(node_heard_from(nx.node), 5);

    ck_assert_int_eq(hear_leader(&theirs), STATUS_OK);
    ck_assert(is_known());
}
END_TEST

START_TEST(a_candidate_founds_nothing_and_gets_no_answer)
{
    nx.sent.head.kind = 0;
    ck_assert_int_eq(
        hear_raft(&theirs,
                  (struct raft_message){.kind = RAFT_MESSAGE_VOTE, .term = 9}),
        STATUS_OK);
    ck_assert_int_eq(nx.sent.head.kind,
                     PEER_FOUND); /* its report, taken back */
    wait_ms(FOUND_MS);
    hear_report(22);

    ck_assert(!is_known());
    ck_assert_uint_eq(raft_term(node_raft(nx.node)), 0);
    ck_assert_int_eq(nx.sent.head.kind, PEER_FOUND);
}
END_TEST

START_TEST(strangers_are_not_heard)
{
    const struct peer_message fetch = {.kind = PEER_FETCH, .from = 9};
    ck_assert_int_eq(hear(&nobody, &fetch), STATUS_OK);
    wait_ms(FOUND_MS);
    hear_report(22);

    ck_assert(is_known());
    ck_assert_uint_eq(node_heard_from(nx.node), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("node_cluster");
    TCase *tests = tcase_create("cluster");
    tcase_add_checked_fixture(tests, open_new, close_node);
    tcase_add_test(tests,
                   the_founded_name_their_cluster_after_their_directories);
    tcase_add_test(tests, the_founded_listen_to_no_other_cluster);
    tcase_add_test(tests, nothing_is_said_under_an_id_that_is_not_durable);
    tcase_add_test(tests, an_id_that_others_have_is_no_news);
    tcase_add_test(tests,
                   the_founded_listen_to_no_other_cluster_in_the_same_turn);
    tcase_add_test(tests, whom_the_core_does_not_follow_lends_no_name);
    tcase_add_test(tests, a_damaged_snapshot_founds_nothing);
    tcase_add_test(tests, a_snapshot_without_room_founds_nothing);
    tcase_add_test(tests, the_founders_are_believed_under_their_name_only);
    tcase_add_test(tests, who_comes_back_with_a_cluster_founds_none);
    tcase_add_test(tests, who_has_other_first_members_is_named_once);
    tcase_add_test(tests, a_leader_takes_it_into_its_cluster);
    tcase_add_test(tests, a_greeting_founds_nothing_and_is_no_leader);
    tcase_add_test(tests, a_candidate_founds_nothing_and_gets_no_answer);
    tcase_add_test(tests, strangers_are_not_heard);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}
