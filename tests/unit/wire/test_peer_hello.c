/* test_peer_hello.c - which version of the protocol two nodes speak. */
#include "wire/peer_hello.h"

#include "lib/check_runner.h"

static struct peer_hello speaks(uint8_t least, uint8_t most)
{
    return (struct peer_hello){.least = least, .most = most};
}

/* What both sides make of it: 0, or the version they agree on. */
static uint8_t agreed(struct peer_hello one, struct peer_hello other)
{
    const struct peer_hello reply = peer_hello_answer(&other, &one);
    ck_assert_uint_eq(reply.least, other.least);
    ck_assert_uint_eq(reply.most, other.most);
    ck_assert(peer_hello_fits(&one, &reply) == (reply.chosen != 0));
    const struct peer_hello back = peer_hello_answer(&one, &other);
    ck_assert_uint_eq(back.chosen, reply.chosen);
    return reply.chosen;
}

START_TEST(the_highest_that_both_know_is_spoken)
{
    ck_assert_uint_eq(agreed(speaks(1, 1), speaks(1, 1)), 1);
    ck_assert_uint_eq(agreed(speaks(1, 1), speaks(1, 2)), 1);
    ck_assert_uint_eq(agreed(speaks(1, 3), speaks(2, 5)), 3);
    ck_assert_uint_eq(agreed(speaks(2, 4), speaks(4, 255)), 4);
    ck_assert_uint_eq(agreed(peer_hello_ours(), peer_hello_ours()),
                      PEER_VERSION_MOST);
}
END_TEST

START_TEST(nothing_in_common_is_0)
{
    ck_assert_uint_eq(agreed(speaks(1, 1), speaks(2, 3)), 0);
    ck_assert_uint_eq(agreed(speaks(4, 5), speaks(1, 3)), 0);
}
END_TEST

START_TEST(a_choice_that_we_do_not_speak_does_not_fit)
{
    const struct peer_hello ours = speaks(2, 3);
    struct peer_hello reply = {.least = 1, .most = 9, .chosen = 4};
    ck_assert(!peer_hello_fits(&ours, &reply));
    reply.chosen = 1;
    ck_assert(!peer_hello_fits(&ours, &reply));
    reply.chosen = 0;
    ck_assert(!peer_hello_fits(&ours, &reply));
}
END_TEST

START_TEST(people_are_told_who_is_too_old)
{
    char text[PEER_HELLO_TEXT_BYTES];
    const struct peer_hello one = speaks(1, 1);
    const struct peer_hello other = speaks(2, 3);
    peer_hello_text(&one, &other, text, sizeof(text));
    ck_assert_str_eq(text, "it speaks protocol versions 2 to 3, this node 1 to "
                           "1: this node is too old");
    peer_hello_text(&other, &one, text, sizeof(text));
    ck_assert_str_eq(text, "it speaks protocol versions 1 to 1, this node 2 to "
                           "3: it is too old");
}
END_TEST

static Suite *suite(void)
{
    Suite *suite_ = suite_create("peer_hello");
    TCase *hello = tcase_create("hello");
    tcase_add_test(hello, the_highest_that_both_know_is_spoken);
    tcase_add_test(hello, nothing_in_common_is_0);
    tcase_add_test(hello, a_choice_that_we_do_not_speak_does_not_fit);
    tcase_add_test(hello, people_are_told_who_is_too_old);
    suite_add_tcase(suite_, hello);
    return suite_;
}

int main(void)
{
    return check_run(suite());
}
