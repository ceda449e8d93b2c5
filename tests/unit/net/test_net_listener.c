/* test_net_listener.c - who knocks is let in, one by one. */
#include "net/net_listener.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "unit/net/net_fixture.h"

#define CROWD 200

static struct net_listener listener;
static int accepted[CROWD];
static size_t accepted_count;
static struct net_address last_from;
static size_t troubles;
static int last_error;
static char folder[64];
static char path[80];

static void let_in(void *context, int fd, const struct net_address *from)
{
    ck_assert_ptr_eq(context, &listener);
    ck_assert_uint_lt(accepted_count, CROWD);
    accepted[accepted_count] = fd;
    accepted_count++;
    last_from = *from;
}

static void in_trouble(void *context, int error)
{
    ck_assert_ptr_eq(context, &troubles);
    troubles++;
    last_error = error;
}

/* This process may open one more file; the limit that it had. */
static struct rlimit allow_one_file(void)
{
    struct rlimit before;
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
    const int next = dup(STDIN_FILENO);
    ck_assert_int_ge(next, 0);
    (void)close(next);
    const struct rlimit one = {.rlim_cur = (rlim_t)next + 1,
                               .rlim_max = before.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &one), 0);
    return before;
}

static enum status open_at(const struct net_address *address)
{
    return net_listener_open(&listener, &nx.loop, address, let_in, &listener);
}

static void setup(void)
{
    nx_setup();
    accepted_count = 0;
    listener = (struct net_listener){.fd = -1};
    (void)snprintf(folder, sizeof(folder), "/tmp/test_net_listener-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/socket", folder);
}

static void teardown(void)
{
    net_listener_close(&listener);
    for (size_t i = 0; i < accepted_count; i++) {
        (void)close(accepted[i]);
    }
    (void)unlink(path);
    (void)rmdir(folder);
    nx_teardown();
}

START_TEST(a_connection_comes_with_its_address)
{
    const struct net_address any = nx_loopback(0);
    ck_assert_int_eq(open_at(&any), STATUS_OK);
    const struct net_address where = nx_bound(listener.fd);

    const int fd = nx_dial(&where);
    NX_UNTIL(accepted_count == 1);

    const struct net_address mine = nx_bound(fd);
    char seen[64];
    char wanted[64];
    net_address_text(&last_from, seen, sizeof(seen));
    net_address_text(&mine, wanted, sizeof(wanted));
    ck_assert_str_eq(seen, wanted);
    ck_assert_int_ne(fcntl(accepted[0], F_GETFL) & O_NONBLOCK, 0);
    ck_assert_int_ne(fcntl(accepted[0], F_GETFD) & FD_CLOEXEC, 0);
    (void)close(fd);
}
END_TEST

START_TEST(a_crowd_is_let_in_over_several_turns)
{
    const struct net_address any = nx_loopback(0);
    int crowd[CROWD];
    ck_assert_int_eq(open_at(&any), STATUS_OK);
    const struct net_address where = nx_bound(listener.fd);
    for (size_t i = 0; i < CROWD; i++) {
        crowd[i] = nx_dial(&where);
    }

    nx_turn();
    ck_assert_uint_gt(accepted_count, 0);
    ck_assert_uint_lt(accepted_count, CROWD);
    NX_UNTIL(accepted_count == CROWD);

    for (size_t i = 0; i < CROWD; i++) {
        (void)close(crowd[i]);
    }
}
END_TEST

/* The connection stays, and the loop must not spin for it. */
START_TEST(without_a_file_left_nobody_is_let_in_for_a_moment)
{
    const struct net_address any = nx_loopback(0);
    ck_assert_int_eq(open_at(&any), STATUS_OK);
    net_listener_tell(&listener, in_trouble, &troubles);
    const struct net_address where = nx_bound(listener.fd);
    const int first = nx_dial(&where);
    const int second = nx_dial(&where);
    const struct rlimit before = allow_one_file();

    NX_UNTIL(troubles == 1);
    ck_assert_int_eq(last_error, EMFILE);
    ck_assert_uint_eq(accepted_count, 1);
    for (size_t i = 0; i < 5; i++) {
        nx_turn();
    }
    ck_assert_uint_le(troubles, 2);

    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
    NX_UNTIL(accepted_count == 2);
    (void)close(first);
    (void)close(second);
}
END_TEST

START_TEST(a_port_has_one_listener)
{
    const struct net_address any = nx_loopback(0);
    struct net_listener second;
    ck_assert_int_eq(open_at(&any), STATUS_OK);
    const struct net_address where = nx_bound(listener.fd);

    ck_assert_int_eq(
        net_listener_open(&second, &nx.loop, &where, let_in, &second),
        STATUS_IN_USE);

    ck_assert_int_eq(second.fd, -1);
    ck_assert_ptr_null(second.event);
}
END_TEST

START_TEST(an_address_of_another_machine_is_refused)
{
    struct net_address elsewhere;
    ck_assert_int_eq(net_address_of("192.0.2.1", 0, &elsewhere), STATUS_OK);
    ck_assert_int_eq(open_at(&elsewhere), STATUS_REFUSED);
}
END_TEST

START_TEST(who_comes_after_the_end_is_not_let_in)
{
    const struct net_address any = nx_loopback(0);
    ck_assert_int_eq(open_at(&any), STATUS_OK);
    const struct net_address where = nx_bound(listener.fd);
    const int early = nx_dial(&where);

    net_listener_close(&listener);
    net_listener_close(&listener); /* twice does no harm */

    nx_settle();
    ck_assert_uint_eq(accepted_count, 0);
    NX_UNTIL(nx_is_over(early));
    const int late = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_ne(
        connect(late, (const struct sockaddr *)&where.storage, where.length),
        0);
    (void)close(early);
    (void)close(late);
}
END_TEST

START_TEST(a_unix_socket_is_its_owners_alone)
{
    struct net_address where;
    struct stat state;
    const mode_t mask = umask(0);
    ck_assert_int_eq(net_address_of_path(path, &where), STATUS_OK);

    ck_assert_int_eq(open_at(&where), STATUS_OK);

    ck_assert_int_eq(umask(mask), 0); /* as it was */
    ck_assert_int_eq(stat(path, &state), 0);
    ck_assert_int_eq(state.st_mode & 0077, 0);
    const int fd = nx_dial(&where);
    NX_UNTIL(accepted_count == 1);
    ck_assert(net_address_is_local(&last_from));
    (void)close(fd);
}
END_TEST

START_TEST(a_unix_socket_that_was_left_behind_is_replaced)
{
    struct net_address where;
    ck_assert_int_eq(net_address_of_path(path, &where), STATUS_OK);
    ck_assert_int_eq(open_at(&where), STATUS_OK);
    net_listener_close(&listener);
    ck_assert_int_eq(access(path, F_OK), 0);

    ck_assert_int_eq(open_at(&where), STATUS_OK);

    const int fd = nx_dial(&where);
    NX_UNTIL(accepted_count == 1);
    (void)close(fd);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("net_listener");
    TCase *tests = tcase_create("core");

    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_connection_comes_with_its_address);
    tcase_add_test(tests, a_crowd_is_let_in_over_several_turns);
    tcase_add_test(tests, without_a_file_left_nobody_is_let_in_for_a_moment);
    tcase_add_test(tests, a_port_has_one_listener);
    tcase_add_test(tests, an_address_of_another_machine_is_refused);
    tcase_add_test(tests, who_comes_after_the_end_is_not_let_in);
    tcase_add_test(tests, a_unix_socket_is_its_owners_alone);
    tcase_add_test(tests, a_unix_socket_that_was_left_behind_is_replaced);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}
