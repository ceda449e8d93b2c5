/* test_peer_body_node.c - what messages between nodes beside Raft may hold. */
#include "wire/peer_body.h"

#include <string.h>

#include "raft/raft_members.h"
#include "unit/wire/peer_fixture.h"

/* ---- texts ---- */

START_TEST(an_address_is_printable_ascii_without_blanks)
{
    for (unsigned value = 0; value < 256; value++) {
        const bool fits = value > ' ' && value <= '~';
        px_check_forgery(&(struct px_forgery){
            PEER_JOIN, 18, 1, value, fits ? STATUS_OK : STATUS_BAD_VALUE});
        px_check_forgery(
            &(struct px_forgery){PEER_JOIN_REPLY, 11, 1, value,
                                 fits ? STATUS_OK : STATUS_BAD_VALUE});
    }
}
END_TEST

START_TEST(a_reason_is_printable_ascii)
{
    for (unsigned value = 0; value < 256; value++) {
        const bool fits = value >= ' ' && value <= '~';
        px_check_forgery(
            &(struct px_forgery){PEER_REMOVE_REPLY, 13, 1, value,
                                 fits ? STATUS_OK : STATUS_BAD_VALUE});
    }
}
END_TEST

/* ---- the reply to a change ---- */

static enum status encode_change(struct peer_change_reply reply)
{
    peer_sample_plain(&px.sample, PEER_JOIN_REPLY);
    px.sample.message.join_reply = reply;
    const enum status joined = px_encode();
    peer_sample_plain(&px.sample, PEER_REMOVE_REPLY);
    px.sample.message.remove_reply = reply;
    const enum status removed = px_encode();
    ck_assert_int_eq(joined, removed);
    return joined;
}

START_TEST(a_change_that_is_done_needs_no_words)
{
    struct peer_change_reply reply = {.result = PEER_CHANGE_OK};
    ck_assert_int_eq(encode_change(reply), STATUS_OK);
    reply.reason = bytes_of_text("why not");
    ck_assert_int_eq(encode_change(reply), STATUS_BAD_VALUE);
    reply.reason = bytes_of(NULL, 0);
    reply.leader = 3;
    ck_assert_int_eq(encode_change(reply), STATUS_BAD_VALUE);
}
END_TEST

START_TEST(who_does_not_lead_may_know_who_does)
{
    struct peer_change_reply reply = {.result = PEER_CHANGE_NOT_LEADER};
    ck_assert_int_eq(encode_change(reply), STATUS_OK);
    reply.leader_address = bytes_of_text("host:1");
    ck_assert_int_eq(encode_change(reply), STATUS_BAD_VALUE);
    reply.leader = 3;
    ck_assert_int_eq(encode_change(reply), STATUS_OK);
    reply.leader_address = bytes_of(NULL, 0);
    ck_assert_int_eq(encode_change(reply), STATUS_OK);
    reply.reason = bytes_of_text("not me");
    ck_assert_int_eq(encode_change(reply), STATUS_BAD_VALUE);
}
END_TEST

START_TEST(a_change_that_is_refused_may_say_why)
{
    struct peer_change_reply reply = {.result = PEER_CHANGE_REFUSED};
    ck_assert_int_eq(encode_change(reply), STATUS_OK);
    reply.reason = bytes_of_text("the last voter cannot leave");
    ck_assert_int_eq(encode_change(reply), STATUS_OK);
    reply.result = PEER_CHANGE_LATER;
    ck_assert_int_eq(encode_change(reply), STATUS_OK);
    reply.leader = 3;
    ck_assert_int_eq(encode_change(reply), STATUS_BAD_VALUE);
}
END_TEST

START_TEST(a_result_is_one_of_four)
{
    for (int result = -1; result < 300; result++) {
        const struct peer_change_reply reply = {
            .result = (enum peer_change_result)result};
        const bool known =
            result >= PEER_CHANGE_OK && result <= PEER_CHANGE_LATER;
        ck_assert_int_eq(encode_change(reply),
                         known ? STATUS_OK : STATUS_BAD_VALUE);
    }
}
END_TEST

/* ---- forwarding ---- */

START_TEST(a_class_is_one_of_three)
{
    for (int value = -1; value < 300; value++) {
        const bool known =
            value >= PEER_REPLY_DONE && value <= PEER_REPLY_UNKNOWN;
        peer_sample_plain(&px.sample, PEER_FORWARD_REPLY);
        px.sample.message.forward_reply.reply_class =
            (enum peer_reply_class)value;
        ck_assert_int_eq(px_encode(), known ? STATUS_OK : STATUS_BAD_VALUE);
    }
}
END_TEST

START_TEST(a_request_and_its_reply_may_be_empty)
{
    peer_sample_plain(&px.sample, PEER_FORWARD);
    px.sample.message.forward.body = bytes_of(NULL, 0);
    px_there_and_back();

    peer_sample_plain(&px.sample, PEER_FORWARD_REPLY);
    px.sample.message.forward_reply.body = bytes_of(NULL, 0);
    px_there_and_back();
}
END_TEST

START_TEST(a_message_may_be_empty_and_so_may_its_channel)
{
    peer_sample_plain(&px.sample, PEER_PUBLISH);
    px.sample.message.publish.channel = bytes_of(NULL, 0);
    px.sample.message.publish.message = bytes_of(NULL, 0);
    px_there_and_back();
}
END_TEST

START_TEST(the_first_request_is_the_first_unanswered)
{
    peer_sample_plain(&px.sample, PEER_FORWARD);
    px.sample.message.forward.number = 1;
    px.sample.message.forward.first_unanswered = 1;

    px_there_and_back();
}
END_TEST

/* ---- lies ---- */

static const struct px_forgery forgeries[] = {
    /* id; incarnation; address host:7001 with u16 length at 16 */
    {PEER_JOIN, 0, 8, 0, STATUS_BAD_VALUE},
    {PEER_JOIN, 8, 8, 0, STATUS_OK},
    {PEER_JOIN, 16, 2, 8, STATUS_BAD_LENGTH},
    {PEER_JOIN, 16, 2, 10, STATUS_BAD_LENGTH},
    {PEER_JOIN, 18, 1, 0, STATUS_BAD_VALUE},
    {PEER_JOIN, 18, 1, '\n', STATUS_BAD_VALUE},
    {PEER_JOIN, 18, 1, ' ', STATUS_BAD_VALUE},
    {PEER_JOIN, 18, 1, 127, STATUS_BAD_VALUE},
    {PEER_JOIN, 18, 1, 0xc3, STATUS_BAD_VALUE},
    /* result 2; leader 3; address with u16 length at 9; empty reason at 20 */
    {PEER_JOIN_REPLY, 0, 1, 0, STATUS_BAD_VALUE},
    {PEER_JOIN_REPLY, 0, 1, 4, STATUS_BAD_VALUE},
    {PEER_JOIN_REPLY, 0, 1, PEER_CHANGE_OK, STATUS_BAD_VALUE},
    {PEER_JOIN_REPLY, 0, 1, PEER_CHANGE_REFUSED, STATUS_BAD_VALUE},
    {PEER_JOIN_REPLY, 1, 8, 0, STATUS_BAD_VALUE}, /* nobody has no address */
    {PEER_JOIN_REPLY, 11, 1, '\r', STATUS_BAD_VALUE},
    {PEER_JOIN_REPLY, 20, 2, 1, STATUS_BAD_LENGTH},
    /* leader 3; commit; members with u16 length at 16 */
    {PEER_FETCH_REPLY, 0, 8, 0, STATUS_OK},
    {PEER_FETCH_REPLY, 8, 8, PX_BEYOND, STATUS_BAD_VALUE},
    {PEER_FETCH_REPLY, 16, 2, 0, STATUS_BAD_LENGTH},
    {PEER_FETCH_REPLY, 18, 4, 3, STATUS_BAD_LENGTH},
    {PEER_FETCH_REPLY, 30, 1, RAFT_LEARNER, STATUS_BAD_VALUE},
    /* id */
    {PEER_REMOVE, 0, 8, 0, STATUS_BAD_VALUE},
    /* result 3; leader 0; no address; reason from 11 (u16 length 14) */
    {PEER_REMOVE_REPLY, 0, 1, PEER_CHANGE_OK, STATUS_BAD_VALUE},
    {PEER_REMOVE_REPLY, 1, 8, 3, STATUS_BAD_VALUE},
    {PEER_REMOVE_REPLY, 13, 1, ' ', STATUS_OK},
    {PEER_REMOVE_REPLY, 13, 1, '\n', STATUS_BAD_VALUE},
    /* node; boot; number 20; first unanswered 18; body with u32 length */
    {PEER_FORWARD, 0, 8, 0, STATUS_BAD_VALUE},
    {PEER_FORWARD, 8, 8, 0, STATUS_OK},
    {PEER_FORWARD, 16, 8, 0, STATUS_BAD_VALUE},
    {PEER_FORWARD, 16, 8, 17, STATUS_BAD_VALUE},
    {PEER_FORWARD, 16, 8, 18, STATUS_OK},
    {PEER_FORWARD, 16, 8, PX_BEYOND, STATUS_BAD_VALUE},
    {PEER_FORWARD, 24, 8, 0, STATUS_BAD_VALUE},
    {PEER_FORWARD, 24, 8, 21, STATUS_BAD_VALUE},
    {PEER_FORWARD, 32, 4, 5, STATUS_BAD_LENGTH},
    {PEER_FORWARD, 32, 4, UINT32_MAX, STATUS_BAD_LENGTH},
    /* node; boot; number; class; body with u32 length */
    {PEER_HELLO, 0, 1, 0, STATUS_BAD_VALUE},
    {PEER_HELLO, 0, 1, 5, STATUS_BAD_VALUE},
    {PEER_HELLO, 1, 1, 1, STATUS_BAD_VALUE},
    {PEER_HELLO, 2, 1, 2, STATUS_BAD_VALUE},
    {PEER_HELLO, 3, 8, UINT64_MAX, STATUS_OK},
    {PEER_HELLO_REPLY, 0, 1, 0, STATUS_BAD_VALUE},
    {PEER_HELLO_REPLY, 1, 1, 1, STATUS_BAD_VALUE},
    {PEER_HELLO_REPLY, 2, 1, 0, STATUS_OK},
    {PEER_HELLO_REPLY, 2, 1, 4, STATUS_BAD_VALUE},
    {PEER_REMOVED, 0, 8, 0, STATUS_BAD_VALUE},
    {PEER_REMOVED, 0, 8, PX_BEYOND, STATUS_BAD_VALUE},

    {PEER_FORWARD_REPLY, 0, 8, 0, STATUS_BAD_VALUE},
    {PEER_FORWARD_REPLY, 16, 8, 0, STATUS_BAD_VALUE},
    {PEER_FORWARD_REPLY, 24, 1, 0, STATUS_BAD_VALUE},
    {PEER_FORWARD_REPLY, 24, 1, PEER_REPLY_UNKNOWN, STATUS_OK},
    {PEER_FORWARD_REPLY, 24, 1, 4, STATUS_BAD_VALUE},
    {PEER_FORWARD_REPLY, 25, 4, 8, STATUS_BAD_LENGTH},

    {PEER_PUBLISH, 0, 8, 0, STATUS_BAD_VALUE},
    {PEER_PUBLISH, 8, 8, 0, STATUS_BAD_VALUE},
    {PEER_PUBLISH, 8, 8, PX_BEYOND, STATUS_BAD_VALUE},
    {PEER_PUBLISH, 16, 1, 0, STATUS_OK},
    {PEER_PUBLISH, 16, 1, 2, STATUS_BAD_VALUE},
    {PEER_PUBLISH, 17, 4, 14, STATUS_BAD_LENGTH},
    {PEER_PUBLISH, 17, 4, UINT32_MAX, STATUS_BAD_LENGTH},
    {PEER_PUBLISH, 25, 4, 6, STATUS_BAD_LENGTH},
};

#define FORGERIES ((int)(sizeof(forgeries) / sizeof(forgeries[0])))

START_TEST(a_field_that_no_correct_node_fills_so_is_refused)
{
    px_check_forgery(&forgeries[_i]);
}
END_TEST

/* ---- limits ---- */

static uint8_t large[PEER_FORWARD_REPLY_BYTES_MAX + 1];

START_TEST(texts_and_bodies_of_nodes_have_their_limits)
{
    memset(large, 'x', sizeof(large));
    peer_sample_plain(&px.sample, PEER_JOIN);
    px.sample.message.join.address = bytes_of(large, LIMIT_ADDRESS_BYTES);
    ck_assert_int_eq(px_encode(), STATUS_OK);
    px.sample.message.join.address = bytes_of(large, LIMIT_ADDRESS_BYTES + 1);
    ck_assert_int_eq(px_encode(), STATUS_TOO_LONG);
    px.sample.message.join.address = bytes_of(large, 0);
    ck_assert_int_eq(px_encode(), STATUS_BAD_VALUE);

    peer_sample_plain(&px.sample, PEER_REMOVE_REPLY);
    px.sample.message.remove_reply.reason =
        bytes_of(large, PEER_REASON_BYTES_MAX);
    ck_assert_int_eq(px_encode(), STATUS_OK);
    px.sample.message.remove_reply.reason =
        bytes_of(large, PEER_REASON_BYTES_MAX + 1);
    ck_assert_int_eq(px_encode(), STATUS_TOO_LONG);

    peer_sample_plain(&px.sample, PEER_FORWARD);
    px.sample.message.forward.body =
        bytes_of(large, PEER_FORWARD_BYTES_MAX + 1);
    ck_assert_int_eq(px_encode(), STATUS_TOO_LONG);
    peer_sample_plain(&px.sample, PEER_FORWARD_REPLY);
    px.sample.message.forward_reply.body =
        bytes_of(large, PEER_FORWARD_REPLY_BYTES_MAX + 1);
    ck_assert_int_eq(px_encode(), STATUS_TOO_LONG);
}
END_TEST

START_TEST(the_largest_request_and_reply_fit)
{
    peer_sample_plain(&px.sample, PEER_FORWARD);
    px.sample.message.forward.body = bytes_of(large, PEER_FORWARD_BYTES_MAX);
    px_there_and_back();

    peer_sample_plain(&px.sample, PEER_FORWARD_REPLY);
    px.sample.message.forward_reply.body =
        bytes_of(large, PEER_FORWARD_REPLY_BYTES_MAX);
    px_there_and_back();
}
END_TEST

START_TEST(channel_and_message_share_their_limit)
{
    peer_sample_plain(&px.sample, PEER_PUBLISH);
    struct peer_publish *publish = &px.sample.message.publish;
    publish->channel = bytes_of(large, LIMIT_PUBLISH_BYTES - 5);
    publish->message = bytes_of(large, 5);
    px_there_and_back();

    publish->message = bytes_of(large, 6);
    ck_assert_int_eq(px_encode(), STATUS_TOO_LONG);
    publish->channel = bytes_of(large, LIMIT_PUBLISH_BYTES + 1);
    publish->message = bytes_of(NULL, 0);
    ck_assert_int_eq(px_encode(), STATUS_TOO_LONG);
}
END_TEST

/* A body may announce more bytes than its kind allows to one of its fields and
 * still be no longer than the kind allows as a whole. */
START_TEST(what_is_above_its_limit_is_not_believed)
{
    memset(large, 'x', LIMIT_ADDRESS_BYTES + 1);
    px_plain(PEER_REMOVE_REPLY);
    buffer_cut(&px.bytes, PX_HEAD);
    buffer_u8(&px.bytes, PEER_CHANGE_NOT_LEADER);
    buffer_u64(&px.bytes, 3);
    buffer_bytes16(&px.bytes, bytes_of(large, LIMIT_ADDRESS_BYTES + 1));
    buffer_u16(&px.bytes, 0);
    px_seal();

    ck_assert_int_eq(px_decode(), STATUS_TOO_LONG);
}
END_TEST

static TCase *text_tests(void)
{
    TCase *tests = px_case("texts");

    tcase_add_test(tests, an_address_is_printable_ascii_without_blanks);
    tcase_add_test(tests, a_reason_is_printable_ascii);
    return tests;
}

static TCase *change_tests(void)
{
    TCase *tests = px_case("change replies");

    tcase_add_test(tests, a_change_that_is_done_needs_no_words);
    tcase_add_test(tests, who_does_not_lead_may_know_who_does);
    tcase_add_test(tests, a_change_that_is_refused_may_say_why);
    tcase_add_test(tests, a_result_is_one_of_four);
    return tests;
}

static TCase *forward_tests(void)
{
    TCase *tests = px_case("forwarding");

    tcase_add_test(tests, a_class_is_one_of_three);
    tcase_add_test(tests, a_request_and_its_reply_may_be_empty);
    tcase_add_test(tests, the_first_request_is_the_first_unanswered);
    tcase_add_test(tests, a_message_may_be_empty_and_so_may_its_channel);
    return tests;
}

static TCase *lie_tests(void)
{
    TCase *tests = px_case("lies");

    tcase_add_loop_test(tests, a_field_that_no_correct_node_fills_so_is_refused,
                        0, FORGERIES);
    return tests;
}

static TCase *limit_tests(void)
{
    TCase *tests = px_case("limits");

    tcase_add_test(tests, texts_and_bodies_of_nodes_have_their_limits);
    tcase_add_test(tests, the_largest_request_and_reply_fit);
    tcase_add_test(tests, channel_and_message_share_their_limit);
    tcase_add_test(tests, what_is_above_its_limit_is_not_believed);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("peer_body_node");

    suite_add_tcase(suite, text_tests());
    suite_add_tcase(suite, change_tests());
    suite_add_tcase(suite, forward_tests());
    suite_add_tcase(suite, lie_tests());
    suite_add_tcase(suite, limit_tests());
    return check_run(suite);
}
