/* test_node_join.c - strangers are let in, and former members are told. */
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

static const struct peer_change_reply *join(raft_id_t id, const char *address)
{
    const struct peer_message message = {
        .kind = PEER_JOIN,
        .from = id,
        .join = {
            .id = id, .address = bytes_of_text(address), .incarnation = 9}};
    mx_hear(&message);
    ck_assert_int_eq(mx.answer.message.kind, PEER_JOIN_REPLY);
    return &mx.answer.message.join_reply;
}

static void expect_reason(const struct peer_change_reply *reply,
                          const char *words)
{
    ck_assert_msg(bytes_equal(reply->reason, bytes_of_text(words)), "%.*s",
                  (int)reply->reason.count, (const char *)reply->reason.data);
}

static void fetch(raft_id_t from, raft_id_t to)
{
    const struct peer_message message = {
        .kind = PEER_FETCH, .from = from, .to = to};
    mx_hear(&message);
    mx_run();
}

static void tell(raft_index_t index)
{
    const struct peer_message message = {
        .kind = PEER_REMOVED, .from = 2, .to = 1, .removed = {.index = index}};
    mx_hear(&message);
    mx_run();
}

START_TEST(yes_is_said_when_it_is_committed)
{
    ck_assert_int_eq(join(2, "h2:7001")->result, PEER_CHANGE_LATER);
    ck_assert_int_eq(join(2, "h2:7001")->result, PEER_CHANGE_LATER);

    mx_run();

    ck_assert_int_eq(join(2, "h2:7001")->result, PEER_CHANGE_OK);
    ck_assert_int_eq(raft_members_find(mx_members(), 2)->role, RAFT_JOINING);
}
END_TEST

START_TEST(an_id_or_address_in_use_is_refused)
{
    (void)join(2, "h2:7001");
    mx_run();

    const struct peer_change_reply *reply = join(2, "other:7001");
    ck_assert_int_eq(reply->result, PEER_CHANGE_REFUSED);
    expect_reason(reply, "id 2 is in use by the member at h2:7001: take "
                         "another, or remove that one first, or announce that "
                         "address if it is this node");
    reply = join(3, "h2:7001");
    ck_assert_int_eq(reply->result, PEER_CHANGE_REFUSED);
    expect_reason(reply, "address h2:7001 is in use by node 2");
}
END_TEST

/* An operator added it and said the raft port that follows anyway. */
START_TEST(an_address_may_be_written_in_two_ways)
{
    (void)join(2, "h2:7001@17001");
    mx_run();

    ck_assert_int_eq(join(2, "H2:7001")->result, PEER_CHANGE_OK);
}
END_TEST

/* A member that lost its disk comes by the same way as it came first. */
START_TEST(a_voter_at_its_own_address_is_let_in)
{
    ck_assert_int_eq(join(1, "h1:7001")->result, PEER_CHANGE_OK);
    ck_assert_int_eq(join(1, "other:7001")->result, PEER_CHANGE_REFUSED);
}
END_TEST

START_TEST(a_newcomer_gets_the_committed_members)
{
    struct raft_members members;
    (void)join(2, "h2:7001");
    fetch(2, 0);
    ck_assert_int_eq(mx.answer.message.kind, PEER_FETCH_REPLY);
    mx_run();

    fetch(2, 0);

    ck_assert_int_eq(
        raft_members_decode(&members, mx.answer.message.fetch_reply.members),
        STATUS_OK);
    ck_assert_uint_eq(members.count, 2);
    ck_assert_uint_eq(mx.answer.message.fetch_reply.leader, 1);
}
END_TEST

START_TEST(who_does_not_lead_names_the_leader)
{
    ck_assert_int_eq(join(4, "h4:7001")->result, PEER_CHANGE_NOT_LEADER);
    ck_assert_uint_eq(mx.answer.message.join_reply.leader, 0);

    mx_follow(3, 1);

    const struct peer_change_reply *reply = join(4, "h4:7001");
    ck_assert_int_eq(reply->result, PEER_CHANGE_NOT_LEADER);
    ck_assert_uint_eq(reply->leader, 3);
    ck_assert(bytes_equal(reply->leader_address, bytes_of_text("h3:7001")));
}
END_TEST

START_TEST(only_who_is_no_member_is_told_when_it_knocks)
{
    (void)join(2, "h2:7001");
    mx_run();
    const size_t before = mx.answers_count;

    fetch(2, 1);
    ck_assert_uint_eq(mx.answers_count, before);
    fetch(3, 1);

    ck_assert_uint_eq(mx.answers_count, before + 1);
    ck_assert_int_eq(mx.answer.message.kind, PEER_REMOVED);
    ck_assert_uint_eq(mx.answer.message.removed.index,
                      raft_members_index(node_raft(mx.node)));
}
END_TEST

START_TEST(who_was_told_believes_it_until_it_is_led_again)
{
    tell(5);
    ck_assert(node_is_removed(mx.node));

    mx_follow(2, 1);

    ck_assert(!node_is_removed(mx.node));
}
END_TEST

/* Its own log has the removal, and the leader goes on sending for a while. */
START_TEST(who_knows_it_is_not_talked_out_of_it)
{
    struct raft_members without = {0};
    struct buffer payload = {0};
    ck_assert(
        raft_members_set(&without, 2, RAFT_VOTER, bytes_of_text("h2:7001")));
    raft_members_encode(&without, &payload);
    const struct raft_entry entry = {.term = 1,
                                     .kind = RAFT_ENTRY_MEMBERS,
                                     .payload = buffer_view(&payload)};
    const struct raft_message removal = {
        .kind = RAFT_MESSAGE_APPEND,
        .from = 2,
        .to = 1,
        .term = 1,
        .append = {.commit = 1, .entries = &entry, .entries_count = 1}};
    const struct peer_message message = peer_message_of_raft(&removal);
    mx_hear(&message);
    mx_run();
    tell(1);
    ck_assert(node_is_removed(mx.node));

    mx_hear(&message);
    mx_run();

    ck_assert(node_is_removed(mx.node));
    buffer_close(&payload);
}
END_TEST

static Suite *suite(void)
{
    Suite *result = suite_create("node_join");
    TCase *leader = tcase_create("leader");
    tcase_add_checked_fixture(leader, open_alone, mx_close);
    tcase_add_test(leader, yes_is_said_when_it_is_committed);
    tcase_add_test(leader, an_id_or_address_in_use_is_refused);
    tcase_add_test(leader, an_address_may_be_written_in_two_ways);
    tcase_add_test(leader, a_voter_at_its_own_address_is_let_in);
    tcase_add_test(leader, a_newcomer_gets_the_committed_members);
    tcase_add_test(leader, only_who_is_no_member_is_told_when_it_knocks);
    suite_add_tcase(result, leader);
    TCase *other = tcase_create("other");
    tcase_add_checked_fixture(other, open_three, mx_close);
    tcase_add_test(other, who_does_not_lead_names_the_leader);
    tcase_add_test(other, who_was_told_believes_it_until_it_is_led_again);
    tcase_add_test(other, who_knows_it_is_not_talked_out_of_it);
    suite_add_tcase(result, other);
    return result;
}

int main(void)
{
    return check_run(suite());
}
