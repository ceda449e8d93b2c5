/* test_net_loop.c - turns come when something happened, and when they are due.
 */
#include "net/net_loop.h"

#include <unistd.h>

#include "unit/net/net_fixture.h"

/* Long enough to be seen, short enough not to be missed. */
#define SOON_MS 20

static unsigned turns;
static unsigned turns_wanted;
static time_ms_t wait_ms; /* until the next turn; 0: no wish */
static unsigned events;
static int ends[2];

static void setup(void)
{
    nx_setup();
    turns = 0;
    turns_wanted = 1;
    wait_ms = 0;
    events = 0;
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
}

static void teardown(void)
{
    (void)close(ends[0]);
    (void)close(ends[1]);
    nx_teardown();
}

static time_ms_t turn(void *context, time_ms_t now)
{
    ck_assert_ptr_eq(context, &turns);
    ck_assert_uint_le(now, net_loop_now());
    turns++;
    if (turns == turns_wanted) {
        net_loop_stop(&nx.loop);
    }
    return wait_ms != 0 ? now + wait_ms : TIME_NEVER;
}

static void take_byte(evutil_socket_t fd, short what, void *context)
{
    char byte;
    (void)what;
    ck_assert_int_eq(read(fd, &byte, 1), 1);
    events++;
    if (context != NULL) {
        net_loop_stop(context);
    }
}

static void run(void)
{
    net_loop_run(&nx.loop, turn, &turns);
}

START_TEST(the_clock_does_not_run_back)
{
    time_ms_t before = net_loop_now();
    for (int i = 0; i < 10000; i++) {
        const time_ms_t now = net_loop_now();
        if (now < before) {
            ck_abort();
        }
        before = now;
    }
}
END_TEST

START_TEST(a_turn_that_stops_is_the_last)
{
    const time_ms_t begin = net_loop_now();
    run();
    ck_assert_uint_eq(turns, 1);
    /* It did not wait for anything: the longest wait is 10 s. */
    ck_assert_uint_lt(net_loop_now() - begin, 9000);
}
END_TEST

START_TEST(a_turn_comes_when_it_is_due)
{
    wait_ms = SOON_MS;
    turns_wanted = 4;
    const time_ms_t begin = net_loop_now();

    run();

    ck_assert_uint_eq(turns, 4);
    /* The timer of libevent may ring a tick early, and no more. */
    ck_assert_uint_ge(net_loop_now() - begin, 3 * (SOON_MS - 10));
}
END_TEST

START_TEST(a_turn_that_is_overdue_comes_at_once)
{
    wait_ms = 1;
    turns_wanted = 100;
    const time_ms_t begin = net_loop_now();
    run();
    ck_assert_uint_lt(net_loop_now() - begin, 10000);
}
END_TEST

START_TEST(an_event_is_followed_by_a_turn)
{
    struct event *event =
        event_new(nx.loop.base, ends[0], EV_READ | EV_PERSIST, take_byte, NULL);
    ck_assert_int_eq(event_add(event, NULL), 0);
    ck_assert_int_eq(write(ends[1], "xyz", 3), 3);
    turns_wanted = 4; /* one first, and one for each byte; nothing is due */

    run();

    ck_assert_uint_eq(events, 3);
    event_free(event);
}
END_TEST

START_TEST(an_event_may_end_the_loop)
{
    struct event *event = event_new(nx.loop.base, ends[0], EV_READ | EV_PERSIST,
                                    take_byte, &nx.loop);
    ck_assert_int_eq(event_add(event, NULL), 0);
    ck_assert_int_eq(write(ends[1], "x", 1), 1);
    turns_wanted = 1000;

    run();

    ck_assert_uint_eq(events, 1);
    ck_assert_uint_eq(turns, 1);
    event_free(event);
}
END_TEST

START_TEST(a_closed_loop_is_empty)
{
    struct net_loop loop;
    ck_assert_int_eq(net_loop_init(&loop), STATUS_OK);
    net_loop_close(&loop);
    ck_assert_ptr_null(loop.base);
    net_loop_close(&loop);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("net_loop");
    TCase *tests = tcase_create("core");

    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, the_clock_does_not_run_back);
    tcase_add_test(tests, a_turn_that_stops_is_the_last);
    tcase_add_test(tests, a_turn_comes_when_it_is_due);
    tcase_add_test(tests, a_turn_that_is_overdue_comes_at_once);
    tcase_add_test(tests, an_event_is_followed_by_a_turn);
    tcase_add_test(tests, an_event_may_end_the_loop);
    tcase_add_test(tests, a_closed_loop_is_empty);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}
