/* test_net_call.c - a question, an answer, and a limit to the waiting.
 *
 * The other side is a socket of the test, which has said what it will say, or
 * nothing, before the question is asked: the kernel keeps it.
 */
#include "net/net_call.h"

#include <netinet/in.h>

#include "net/net_greeting.h"
#include "unit/net/net_fixture.h"

/* For what must not take long, and for what is over when it is over. */
#define AMPLE_MS 20000
#define SHORT_MS 20

static struct net_call call;
static struct net_address_list to;
static struct bytes reply;
static struct buffer frame;
static int listener;
static int other; /* its end of the connection */

static int listen_here(void)
{
    const struct net_address any = nx_loopback(0);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(
        bind(fd, (const struct sockaddr *)&any.storage, any.length), 0);
    ck_assert_int_eq(listen(fd, 4), 0);
    return fd;
}

static void setup(void)
{
    const struct peer_identity nobody = {.incarnation = 1};
    listener = listen_here();
    other = -1;
    call = (struct net_call){.fd = -1};
    to = (struct net_address_list){.items = {nx_bound(listener)}, .count = 1};
    frame = (struct buffer){0};
    net_greeting_say(&nobody, 1, 2, &frame);
}

static void teardown(void)
{
    net_call_close(&call);
    buffer_close(&frame);
    (void)close(listener);
    if (other >= 0) {
        (void)close(other);
    }
}

static void open_call(void)
{
    ck_assert_int_eq(net_call_open(&call, &to, AMPLE_MS), STATUS_OK);
    other = accept(listener, NULL, NULL);
    ck_assert_int_ge(other, 0);
}

static void other_says(struct bytes bytes)
{
    ck_assert_int_eq(send(other, bytes.data, bytes.count, MSG_NOSIGNAL),
                     (ssize_t)bytes.count);
}

static enum status ask(time_ms_t wait_ms)
{
    return net_call_ask(&call, buffer_view(&frame), &reply, wait_ms);
}

START_TEST(the_answer_comes_and_the_question_arrived)
{
    uint8_t heard[256];
    open_call();
    other_says(buffer_view(&frame));

    ck_assert_int_eq(ask(AMPLE_MS), STATUS_OK);

    ck_assert(bytes_equal(reply, buffer_view(&frame)));
    const ssize_t count = recv(other, heard, sizeof(heard), 0);
    ck_assert(bytes_equal(bytes_of(heard, (size_t)count), buffer_view(&frame)));
}
END_TEST

START_TEST(answers_that_come_together_are_told_apart)
{
    open_call();
    other_says(buffer_view(&frame));
    frame.data[0] ^= 1; /* the second is no frame */
    other_says(buffer_view(&frame));
    frame.data[0] ^= 1;

    ck_assert_int_eq(ask(AMPLE_MS), STATUS_OK);
    ck_assert_uint_eq(reply.count, frame.count);
    ck_assert_int_eq(ask(AMPLE_MS), STATUS_BAD_MAGIC);
}
END_TEST

START_TEST(who_says_nothing_is_not_waited_for)
{
    open_call();
    other_says(bytes_of(frame.data, frame.count - 1));

    ck_assert_int_eq(ask(SHORT_MS), STATUS_NOT_FOUND);
}
END_TEST

START_TEST(who_closes_has_not_answered)
{
    open_call();
    other_says(bytes_of(frame.data, frame.count - 1));
    (void)shutdown(other, SHUT_WR);

    ck_assert_int_eq(ask(AMPLE_MS), STATUS_INCOMPLETE);
}
END_TEST

START_TEST(where_nobody_listens_is_told_at_once)
{
    (void)shutdown(listener, SHUT_RDWR);

    ck_assert_int_eq(net_call_open(&call, &to, AMPLE_MS), STATUS_REFUSED);
}
END_TEST

START_TEST(a_second_address_is_tried_if_the_first_is_no_good)
{
    const struct net_address good = to.items[0];
    const int closed = listen_here();
    to.items[0] = nx_bound(closed);
    to.items[1] = good;
    to.count = 2;
    (void)close(closed);

    open_call();

    other_says(buffer_view(&frame));
    ck_assert_int_eq(ask(AMPLE_MS), STATUS_OK);
}
END_TEST

START_TEST(no_address_is_nowhere)
{
    to.count = 0;

    ck_assert_int_eq(net_call_open(&call, &to, AMPLE_MS), STATUS_NOT_FOUND);
    ck_assert_int_eq(call.fd, -1);
}
END_TEST

START_TEST(our_end_has_an_address)
{
    struct net_address local;
    struct net_address seen = {.length = sizeof(seen.storage)};
    char ours[128];
    char theirs[128];
    open_call();

    ck_assert_int_eq(net_call_local(&call, &local), STATUS_OK);

    ck_assert_int_eq(
        getpeername(other, (struct sockaddr *)&seen.storage, &seen.length), 0);
    net_address_text(&local, ours, sizeof(ours));
    net_address_text(&seen, theirs, sizeof(theirs));
    ck_assert_str_eq(ours, theirs);
}
END_TEST

START_TEST(who_calls_itself_can_tell)
{
    const struct sockaddr_in any = {.sin_family = AF_INET};
    const int everywhere = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(
        bind(everywhere, (const struct sockaddr *)&any, sizeof(any)), 0);
    ck_assert_int_eq(listen(everywhere, 4), 0);
    open_call();

    ck_assert(net_call_is_to(&call, listener));
    ck_assert(!net_call_is_to(&call, everywhere));
    ck_assert(!net_call_is_to(&call, -1));

    const struct net_address seen = nx_bound(everywhere);
    to.items[0] = nx_loopback(
        ntohs(((const struct sockaddr_in *)&seen.storage)->sin_port));
    net_call_close(&call);
    ck_assert_int_eq(net_call_open(&call, &to, AMPLE_MS), STATUS_OK);
    ck_assert(net_call_is_to(&call, everywhere));
    ck_assert(!net_call_is_to(&call, listener));
    (void)close(everywhere);
}
END_TEST

static Suite *suite(void)
{
    Suite *result = suite_create("net_call");
    TCase *tcase = tcase_create("call");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, the_answer_comes_and_the_question_arrived);
    tcase_add_test(tcase, answers_that_come_together_are_told_apart);
    tcase_add_test(tcase, who_says_nothing_is_not_waited_for);
    tcase_add_test(tcase, who_closes_has_not_answered);
    tcase_add_test(tcase, where_nobody_listens_is_told_at_once);
    tcase_add_test(tcase, a_second_address_is_tried_if_the_first_is_no_good);
    tcase_add_test(tcase, no_address_is_nowhere);
    tcase_add_test(tcase, our_end_has_an_address);
    tcase_add_test(tcase, who_calls_itself_can_tell);
    suite_add_tcase(result, tcase);
    return result;
}

int main(void)
{
    return check_run(suite());
}
