/* test_client_lookup.c - names that take their time keep nobody waiting.
 *
 * The name server is this file: a name that begins with "slow" takes a while,
 * and "quick" is this machine.
 */
#include "client/client_lookup.h"

#include <dlfcn.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "client/client_link.h"
#include "client/client_times.h"
#include "lib/check_runner.h"

#define SLOW_MS 700

typedef int lookup_fn(const char *host, const char *port,
                      const struct addrinfo *hints,
                      struct addrinfo **addresses);

static _Atomic int asked;
static _Atomic int answered;

int getaddrinfo(const char *host, const char *port,
                const struct addrinfo *hints, struct addrinfo **addresses)
{
    const struct timespec pause = {.tv_nsec = SLOW_MS * 1000000L};
    lookup_fn *real;
    void *found = dlsym(RTLD_NEXT, "getaddrinfo");
    memcpy(&real, &found, sizeof(real));
    if ((hints->ai_flags & AI_NUMERICHOST) != 0) {
        return real(host, port, hints, addresses);
    }
    atomic_fetch_add(&asked, 1);
    if (strncmp(host, "slow", 4) == 0) {
        (void)nanosleep(&pause, NULL);
    }
    const int code = strstr(host, "none") != NULL
                         ? EAI_NONAME
                         : real("127.0.0.1", port, hints, addresses);
    atomic_fetch_add(&answered, 1);
    return code;
}

static const struct client_credentials nobody;
static struct client_link link_of_ours;
static int64_t begun;

static bool begin(const char *host)
{
    struct client_node node = {.port = 1}; /* where nobody listens */
    memcpy(node.host, host, strlen(host) + 1);
    client_link_init(&link_of_ours, &nobody);
    begun = client_times_now();
    return client_link_start(&link_of_ours, &node);
}

/* Until its state is another one. */
static void go_on(void)
{
    const enum client_link_state state = link_of_ours.state;
    while (link_of_ours.state == state) {
        struct pollfd polled = {.fd = link_of_ours.fd,
                                .events = client_link_events(&link_of_ours)};
        ck_assert_int_eq(poll(&polled, 1, 10000), 1);
        (void)client_link_handle(&link_of_ours, polled.revents);
    }
}

static void wait_for_all_answers(void)
{
    const struct timespec pause = {.tv_nsec = 10000000L};
    while (atomic_load(&answered) < atomic_load(&asked)) {
        (void)nanosleep(&pause, NULL);
    }
    (void)nanosleep(&pause, NULL); /* and the thread ends */
}

START_TEST(an_address_is_not_looked_up)
{
    (void)begin("127.0.0.1");
    ck_assert_int_ne(link_of_ours.state, CLIENT_LINK_LOOKING);
    ck_assert_int_eq(atomic_load(&asked), 0);
    client_link_close(&link_of_ours);
    (void)begin("::1");
    ck_assert_int_ne(link_of_ours.state, CLIENT_LINK_LOOKING);
    client_link_close(&link_of_ours);
}
END_TEST

START_TEST(a_name_is_connected_to_when_its_addresses_are_there)
{
    ck_assert(begin("quick.example"));
    ck_assert_int_eq(link_of_ours.state, CLIENT_LINK_LOOKING);
    go_on();
    ck_assert_int_eq(atomic_load(&answered), 1);
    if (link_of_ours.state == CLIENT_LINK_CONNECTING) {
        go_on();
    }
    ck_assert_int_eq(link_of_ours.state, CLIENT_LINK_DOWN);
    ck_assert_ptr_nonnull(strstr(link_of_ours.reason.text, "refused"));
    client_link_close(&link_of_ours);
}
END_TEST

START_TEST(a_name_that_there_is_not_breaks_the_link)
{
    ck_assert(begin("quick.none"));
    go_on();
    ck_assert_int_eq(link_of_ours.state, CLIENT_LINK_DOWN);
    ck_assert_int_eq(link_of_ours.reason.status, HF_UNREACHABLE);
    ck_assert_ptr_nonnull(strstr(link_of_ours.reason.text, "quick.none:1"));
    client_link_close(&link_of_ours);
}
END_TEST

START_TEST(who_gives_up_leaves_the_lookup_behind)
{
    ck_assert(begin("slow.example"));
    ck_assert(client_link_flush(&link_of_ours));
    client_link_close(&link_of_ours);
    ck_assert(begin("slow.none"));
    client_link_close(&link_of_ours);
    ck_assert_int_lt(client_times_now() - begun, SLOW_MS / 2);
    wait_for_all_answers();
}
END_TEST

START_TEST(opening_a_client_has_its_deadline)
{
    struct hf_options options = HF_OPTIONS_INIT;
    struct hf_client *client;
    struct hf_error error;
    options.nodes = "slow.example:7001";
    options.call_timeout_ms = 100;
    begun = client_times_now();
    ck_assert_int_eq(hf_client_open(&options, &client, &error), HF_UNREACHABLE);
    ck_assert_int_lt(client_times_now() - begun, SLOW_MS / 2);
    ck_assert_ptr_nonnull(strstr(error.text, "no answer in time"));
    wait_for_all_answers();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("client_lookup");
    TCase *names = tcase_create("names");
    tcase_add_test(names, an_address_is_not_looked_up);
    tcase_add_test(names, a_name_is_connected_to_when_its_addresses_are_there);
    tcase_add_test(names, a_name_that_there_is_not_breaks_the_link);
    tcase_add_test(names, who_gives_up_leaves_the_lookup_behind);
    tcase_add_test(names, opening_a_client_has_its_deadline);
    suite_add_tcase(suite, names);
    return check_run(suite);
}
