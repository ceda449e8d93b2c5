/* test_net_greeting.c - two sides greet, or say why they do not. */
#include "net/net_greeting.h"

#include <string.h>

#include "lib/check_runner.h"

static const struct peer_identity one = {.incarnation = 11};
static const struct peer_identity two = {.cluster = "0123456789abcde",
                                         .incarnation = 22};

static struct buffer said;
static struct buffer answered;
static raft_id_t from;
static unsigned version;
static char why[PEER_HELLO_TEXT_BYTES];

static void setup(void)
{
    said = (struct buffer){0};
    answered = (struct buffer){0};
    from = 0;
    version = 0;
    why[0] = '\0';
}

static void teardown(void)
{
    buffer_close(&said);
    buffer_close(&answered);
}

/* What node 2 makes of what was said. */
static enum status answer(void)
{
    return net_greeting_answer(&two, 2, buffer_view(&said), &answered, &from,
                               why);
}

static enum status hear(void)
{
    return net_greeting_answered(&one, buffer_view(&answered), &version, why);
}

/* A hello of node 1 to node 2, or its reply, as another release may say it. */
static void speak(struct buffer *out, const struct peer_identity *identity,
                  enum peer_message_kind kind, struct peer_hello hello)
{
    struct peer_message message = {.kind = kind, .from = 1, .to = 2};
    if (kind == PEER_HELLO) {
        message.hello = hello;
    } else {
        message.hello_reply = hello;
    }
    buffer_clear(out);
    ck_assert_int_eq(peer_frame_encode(identity, &message, out), STATUS_OK);
}

START_TEST(both_know_who_and_which_version)
{
    net_greeting_say(&one, 1, 2, &said);

    ck_assert_int_eq(answer(), STATUS_OK);
    ck_assert_int_eq(hear(), STATUS_OK);

    ck_assert_uint_eq(from, 1);
    ck_assert_uint_eq(version, PEER_VERSION_MOST);
}
END_TEST

START_TEST(who_does_not_know_whom_it_reached_is_answered)
{
    net_greeting_say(&one, 1, 0, &said);

    ck_assert_int_eq(answer(), STATUS_OK);
}
END_TEST

START_TEST(what_is_for_somebody_else_is_not_answered)
{
    net_greeting_say(&one, 1, 3, &said);

    ck_assert_int_eq(answer(), STATUS_BAD_VALUE);
    ck_assert_uint_eq(answered.count, 0);
}
END_TEST

START_TEST(what_is_no_hello_is_not_answered)
{
    speak(&said, &one, PEER_HELLO_REPLY,
          (struct peer_hello){.least = 1, .most = 1, .chosen = 1});

    ck_assert_int_eq(answer(), STATUS_BAD_VALUE);
    ck_assert_uint_eq(answered.count, 0);

    net_greeting_say(&one, 1, 2, &answered);
    ck_assert_int_eq(hear(), STATUS_BAD_TYPE);
}
END_TEST

START_TEST(a_bit_that_changed_is_noticed)
{
    net_greeting_say(&one, 1, 2, &said);
    said.data[said.count - 1] ^= 0x10;

    ck_assert_int_eq(answer(), STATUS_BAD_CHECKSUM);
    ck_assert_uint_eq(answered.count, 0);
}
END_TEST

START_TEST(both_sides_say_that_nothing_is_in_common)
{
    const uint8_t next = PEER_VERSION_MOST + 1;
    speak(&said, &one, PEER_HELLO,
          (struct peer_hello){.least = next, .most = next});

    ck_assert_int_eq(answer(), STATUS_BAD_VERSION);
    ck_assert_ptr_nonnull(strstr(why, "this node is too old"));
    ck_assert_int_eq(hear(), STATUS_BAD_VERSION);
}
END_TEST

START_TEST(a_version_that_we_do_not_speak_was_not_chosen_for_us)
{
    const uint8_t next = PEER_VERSION_MOST + 1;
    speak(&answered, &two, PEER_HELLO_REPLY,
          (struct peer_hello){.least = 1, .most = next, .chosen = next});

    ck_assert_int_eq(hear(), STATUS_BAD_VERSION);
}
END_TEST

static Suite *suite(void)
{
    Suite *result = suite_create("net_greeting");
    TCase *tcase = tcase_create("greeting");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, both_know_who_and_which_version);
    tcase_add_test(tcase, who_does_not_know_whom_it_reached_is_answered);
    tcase_add_test(tcase, what_is_for_somebody_else_is_not_answered);
    tcase_add_test(tcase, what_is_no_hello_is_not_answered);
    tcase_add_test(tcase, a_bit_that_changed_is_noticed);
    tcase_add_test(tcase, both_sides_say_that_nothing_is_in_common);
    tcase_add_test(tcase, a_version_that_we_do_not_speak_was_not_chosen_for_us);
    suite_add_tcase(result, tcase);
    return result;
}

int main(void)
{
    return check_run(suite());
}
