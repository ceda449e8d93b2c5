/* test_node_member.c - a change is taken once, and told as it is. */
#include "node/node_member.h"

#include "unit/node/member_fixture.h"

static void open_alone(void)
{
    mx_open(1);
    mx_lead();
}

static void open_three(void)
{
    mx_open(3);
    mx_run();
}

static struct command_change change_of(enum command_change_kind kind,
                                       uint64_t id, const char *address)
{
    return (struct command_change){
        .kind = kind, .id = id, .address = bytes_of_text(address)};
}

/* The frame in which a member asks its leader for a change. */
static void forward(raft_id_t from, uint64_t number, raft_term_t term,
                    const struct command_change *change)
{
    struct buffer body = {0};
    struct buffer encoded = {0};
    ck_assert_int_eq(node_member_encode(change, &encoded), STATUS_OK);
    buffer_u8(&body, MX_TAG_CHANGE);
    buffer_u64(&body, term);
    buffer_append(&body, buffer_view(&encoded));
    const struct peer_message message = {
        .kind = PEER_FORWARD,
        .from = from,
        .to = 1,
        .forward = {.origin = {.node = from, .boot = 3},
                    .number = number,
                    .first_unanswered = number,
                    .body = buffer_view(&body)}};
    mx_hear(&message);
    mx_run();
    buffer_close(&encoded);
    buffer_close(&body);
}

/* The reply of a leader; text: why not. */
static void forward_reply(raft_id_t from, uint64_t number,
                          enum peer_reply_class reply_class, const char *text)
{
    struct buffer body = {0};
    buffer_u8(&body, MX_TAG_CHANGE);
    buffer_append(&body, bytes_of_text(text));
    const struct peer_message message = {
        .kind = PEER_FORWARD_REPLY,
        .from = from,
        .to = 1,
        .forward_reply = {.origin = {.node = 1, .boot = 7},
                          .number = number,
                          .reply_class = reply_class,
                          .body = buffer_view(&body)}};
    mx_hear(&message);
    mx_run();
    buffer_close(&body);
}

static raft_term_t term(void)
{
    return raft_term(node_raft(mx.node));
}

/* ---- as bytes ---- */

START_TEST(changes_keep_their_meaning_as_bytes)
{
    static const struct {
        enum command_change_kind kind;
        uint64_t id;
        const char *address;
        bool good;
    } rows[] = {
        {COMMAND_CHANGE_ADD, 2, "h:1", true},
        {COMMAND_CHANGE_ADD_LEARNER, 2, "[::1]:7001@9", true},
        {COMMAND_CHANGE_ADD, 0, "h:1", false},
        {COMMAND_CHANGE_ADD, 2, "", false},
        {COMMAND_CHANGE_ADD, 2, "h", false},
        {COMMAND_CHANGE_REMOVE, 2, "", true},
        {COMMAND_CHANGE_REMOVE, 0, "", false},
        {COMMAND_CHANGE_REMOVE, 2, "h:1", false},
        {COMMAND_CHANGE_PROMOTE, 2, "", true},
        {COMMAND_CHANGE_TRANSFER, 0, "", true},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct command_change change =
            change_of(rows[i].kind, rows[i].id, rows[i].address);
        struct command_change decoded;
        struct buffer bytes = {0};
        const enum status status = node_member_encode(&change, &bytes);
        ck_assert_msg((status == STATUS_OK) == rows[i].good, "row %zu", i);
        if (rows[i].good) {
            ck_assert_int_eq(node_member_decode(buffer_view(&bytes), &decoded),
                             STATUS_OK);
            ck_assert_int_eq(decoded.kind, rows[i].kind);
            ck_assert_uint_eq(decoded.id, rows[i].id);
            ck_assert(bytes_equal(decoded.address, change.address));
            bytes.count--;
            ck_assert_int_eq(node_member_decode(buffer_view(&bytes), &decoded),
                             STATUS_BAD_LENGTH);
        }
        buffer_close(&bytes);
    }
}
END_TEST

START_TEST(an_unknown_kind_is_refused)
{
    struct command_change decoded;
    struct buffer bytes = {0};
    buffer_u8(&bytes, COMMAND_CHANGE_TRANSFER + 1);
    buffer_u64(&bytes, 2);
    buffer_bytes16(&bytes, bytes_of(NULL, 0));
    ck_assert_int_eq(node_member_decode(buffer_view(&bytes), &decoded),
                     STATUS_BAD_VALUE);
    buffer_close(&bytes);
}
END_TEST

/* ---- at the leader ---- */

START_TEST(a_change_is_done_when_its_entry_is_applied)
{
    mx_ask(1, COMMAND_CHANGE_ADD_LEARNER, 2, "h2:7001");
    node_turn(mx.node, mx.now, mx.now);
    ck_assert_uint_eq(mx.replies_count, 0); /* it is not on disk */

    mx_run();

    ck_assert_int_eq(mx.reply.reply_class, NODE_DONE);
    ck_assert_uint_eq(mx.reply.index, raft_members_index(node_raft(mx.node)));
    ck_assert_int_eq(raft_members_find(mx_members(), 2)->role, RAFT_LEARNER);
}
END_TEST

START_TEST(what_cannot_be_done_is_told_with_the_reason)
{
    mx_change(COMMAND_CHANGE_ADD, 2, "h2:7001");
    ck_assert_int_eq(mx.reply.reply_class, NODE_DONE);
    static const struct {
        enum command_change_kind kind;
        uint64_t id;
        const char *address;
        const char *error;
    } rows[] = {
        {COMMAND_CHANGE_ADD, 2, "h3:7001",
         "ERR id 2 is in use by the member at h2:7001"},
        {COMMAND_CHANGE_ADD, 3, "h2:7001",
         "ERR address h2:7001 is in use by node 2"},
        {COMMAND_CHANGE_ADD, 3, "h2:7001@9",
         "ERR address h2:7001 is in use by node 2"},
        {COMMAND_CHANGE_ADD, 3, "H2:9@17001",
         "ERR address h2:7001 is in use by node 2"},
        {COMMAND_CHANGE_PROMOTE, 1, "", "ERR node 1 votes already"},
        {COMMAND_CHANGE_PROMOTE, 2, "",
         "TRYAGAIN node 2 has not caught up yet"},
        {COMMAND_CHANGE_PROMOTE, 9, "", "ERR there is no member 9"},
        {COMMAND_CHANGE_REMOVE, 9, "", "ERR there is no member 9"},
        {COMMAND_CHANGE_REMOVE, 1, "", "ERR node 1 is the last voter"},
        {COMMAND_CHANGE_TRANSFER, 2, "",
         "ERR node 2 is a learner: it cannot lead"},
        {COMMAND_CHANGE_TRANSFER, 9, "", "ERR there is no member 9"},
        {COMMAND_CHANGE_TRANSFER, 0, "", "TRYAGAIN no other voter answers"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        mx_change(rows[i].kind, rows[i].id, rows[i].address);
        ck_assert_int_eq(mx.reply.reply_class, NODE_NOT_DONE);
        ck_assert_str_eq(mx.error, rows[i].error);
    }
}
END_TEST

START_TEST(a_change_for_another_is_taken_once)
{
    const struct command_change add =
        change_of(COMMAND_CHANGE_ADD_LEARNER, 3, "h3:7001");
    mx_change(COMMAND_CHANGE_ADD_LEARNER, 2, "h2:7001");
    forward(2, 4, term(), &add);
    ck_assert_ptr_nonnull(raft_members_find(mx_members(), 3));
    ck_assert_uint_eq(mx.sent_count, 1);
    ck_assert_int_eq(mx.sent.message.kind, PEER_FORWARD_REPLY);
    ck_assert_int_eq(mx.sent.message.forward_reply.reply_class,
                     PEER_REPLY_DONE);

    forward(2, 4, term(), &add); /* comes twice */
    forward(2, 3, term(), &add); /* comes late */

    ck_assert_uint_eq(mx.sent_count, 1);
}
END_TEST

START_TEST(coming_and_going_makes_no_news_of_it)
{
    const struct command_change add =
        change_of(COMMAND_CHANGE_ADD_LEARNER, 3, "h3:7001");
    mx_change(COMMAND_CHANGE_ADD_LEARNER, 2, "h2:7001");
    forward(2, 4, term(), &add);
    mx_change(COMMAND_CHANGE_REMOVE, 2, "");
    forward(3, 1, term(), &add); /* somebody else is remembered meanwhile */
    mx_change(COMMAND_CHANGE_ADD_LEARNER, 2, "h2:7001");
    const size_t sent = mx.sent_count;

    forward(2, 4, term(), &add);

    ck_assert_uint_eq(mx.sent_count, sent);
}
END_TEST

START_TEST(a_change_of_another_term_is_left_alone)
{
    const struct command_change add =
        change_of(COMMAND_CHANGE_ADD_LEARNER, 3, "h3:7001");
    mx_change(COMMAND_CHANGE_ADD_LEARNER, 2, "h2:7001");

    forward(2, 4, term() - 1, &add);

    ck_assert_ptr_null(raft_members_find(mx_members(), 3));
    ck_assert_uint_eq(mx.sent_count,
                      0); /* its other copy may have been taken */
}
END_TEST

START_TEST(who_is_no_member_changes_nothing)
{
    const struct command_change add =
        change_of(COMMAND_CHANGE_ADD_LEARNER, 3, "h3:7001");

    forward(2, 4, term(), &add);

    ck_assert_ptr_null(raft_members_find(mx_members(), 3));
    ck_assert_uint_eq(mx.sent_count, 0);
}
END_TEST

/* ---- at a node that does not lead ---- */

START_TEST(a_change_sent_back_goes_out_under_a_new_number)
{
    mx_follow(2, 1);
    mx_ask(1, COMMAND_CHANGE_REMOVE, 3, "");
    mx_run();
    ck_assert_int_eq(mx.sent.message.kind, PEER_FORWARD);
    const uint64_t first = mx.sent.message.forward.number;

    forward_reply(2, first, PEER_REPLY_NOT_DONE, "");
    mx_wait(50);
    ck_assert_uint_eq(mx.replies_count, 0);
    const uint64_t second = mx.sent.message.forward.number;
    ck_assert_uint_gt(second, first);

    forward_reply(2, first, PEER_REPLY_NOT_DONE, "ERR of the first copy");
    ck_assert_uint_eq(mx.replies_count, 0);
    forward_reply(2, second, PEER_REPLY_NOT_DONE, "ERR so it is");
    ck_assert_int_eq(mx.reply.reply_class, NODE_NOT_DONE);
    ck_assert_str_eq(mx.error, "ERR so it is");
}
END_TEST

START_TEST(a_change_that_somebody_may_have_is_not_sent_again)
{
    mx_follow(2, 1);
    mx_ask(1, COMMAND_CHANGE_REMOVE, 3, "");
    mx_run();
    ck_assert_uint_eq(mx.changes_count, 1);

    mx_follow(3, 2);
    mx_wait(50);
    ck_assert_uint_eq(mx.changes_count, 1);
    for (size_t i = 0; i < 100; i++) {
        mx_follow(3, 2);
        mx_wait(20);
    }

    ck_assert_uint_eq(mx.changes_count, 1);
    ck_assert_uint_eq(mx.replies_count, 1);
    ck_assert_int_eq(mx.reply.reply_class, NODE_UNKNOWN);
}
END_TEST

static Suite *suite(void)
{
    Suite *result = suite_create("node_member");
    TCase *bytes = tcase_create("bytes");
    tcase_add_test(bytes, changes_keep_their_meaning_as_bytes);
    tcase_add_test(bytes, an_unknown_kind_is_refused);
    suite_add_tcase(result, bytes);
    TCase *leader = tcase_create("leader");
    tcase_add_checked_fixture(leader, open_alone, mx_close);
    tcase_add_test(leader, a_change_is_done_when_its_entry_is_applied);
    tcase_add_test(leader, what_cannot_be_done_is_told_with_the_reason);
    tcase_add_test(leader, a_change_for_another_is_taken_once);
    tcase_add_test(leader, coming_and_going_makes_no_news_of_it);
    tcase_add_test(leader, a_change_of_another_term_is_left_alone);
    tcase_add_test(leader, who_is_no_member_changes_nothing);
    suite_add_tcase(result, leader);
    TCase *other = tcase_create("other");
    tcase_add_checked_fixture(other, open_three, mx_close);
    tcase_add_test(other, a_change_sent_back_goes_out_under_a_new_number);
    tcase_add_test(other, a_change_that_somebody_may_have_is_not_sent_again);
    suite_add_tcase(result, other);
    return result;
}

int main(void)
{
    return check_run(suite());
}
