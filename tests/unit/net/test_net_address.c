/* test_net_address.c - addresses as people write them, and back. */
#include "net/net_address.h"

#include <string.h>
#include <sys/un.h>

#include "lib/check_runner.h"

static char host[256];
static uint16_t port;

static enum status split(const char *text)
{
    port = 0;
    host[0] = 0;
    return net_address_split(bytes_of_text(text), host, sizeof(host), &port);
}

static const char *text_of(const struct net_address *address)
{
    static char text[128];
    net_address_text(address, text, sizeof(text));
    return text;
}

static struct net_address address_of(const char *name)
{
    struct net_address address;
    ck_assert_int_eq(net_address_of(name, 7001, &address), STATUS_OK);
    return address;
}

START_TEST(a_host_and_a_port_are_told_apart)
{
    ck_assert_int_eq(split("example.net:7001"), STATUS_OK);
    ck_assert_str_eq(host, "example.net");
    ck_assert_uint_eq(port, 7001);
    ck_assert_int_eq(split("[::1]:65535"), STATUS_OK);
    ck_assert_str_eq(host, "::1");
    ck_assert_uint_eq(port, 65535);
    ck_assert_int_eq(split("10.0.0.1:1"), STATUS_OK);
    ck_assert_str_eq(host, "10.0.0.1");
    ck_assert_uint_eq(port, 1);
}
END_TEST

START_TEST(what_is_no_address_is_refused)
{
    static const char *const wrong[] = {
        "",      "host",     "host:",       ":7001",    "[]:7001",  "host:0",
        "h:abc", "h:70 001", "host:65536",  "h:123456", "host:-1",  "h:+1",
        "h: 1",  "h:1 ",     "[::1]:70011", "7001",     "host:0x1",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        ck_assert_msg(split(wrong[i]) == STATUS_BAD_VALUE, "%s", wrong[i]);
    }
    const struct bytes hidden = bytes_of("a\0b:7001", 8);
    ck_assert_int_eq(net_address_split(hidden, host, sizeof(host), &port),
                     STATUS_BAD_VALUE);
}
END_TEST

START_TEST(a_host_must_fit_with_its_end)
{
    char small[4];
    ck_assert_int_eq(
        net_address_split(bytes_of_text("abc:1"), small, sizeof(small), &port),
        STATUS_OK);
    ck_assert_str_eq(small, "abc");
    ck_assert_int_eq(
        net_address_split(bytes_of_text("abcd:1"), small, sizeof(small), &port),
        STATUS_BAD_VALUE);
}
END_TEST

START_TEST(numbers_need_nobody_to_look_them_up)
{
    struct net_address address = address_of("127.0.0.1");
    ck_assert_int_eq(address.storage.ss_family, AF_INET);
    ck_assert_str_eq(text_of(&address), "127.0.0.1:7001");
    address = address_of("::1");
    ck_assert_int_eq(address.storage.ss_family, AF_INET6);
    ck_assert_str_eq(text_of(&address), "[::1]:7001");
    address = address_of("2001:db8::2");
    ck_assert_str_eq(text_of(&address), "[2001:db8::2]:7001");
}
END_TEST

START_TEST(a_path_is_an_address_too)
{
    struct net_address address;
    char path[200];
    ck_assert_int_eq(net_address_of_path("/tmp/x.sock", &address), STATUS_OK);
    ck_assert_int_eq(address.storage.ss_family, AF_UNIX);
    ck_assert_str_eq(text_of(&address), "unixsocket:0");

    ck_assert_int_eq(net_address_of_path("", &address), STATUS_TOO_LONG);
    const size_t room = sizeof(((struct sockaddr_un *)NULL)->sun_path);
    memset(path, 'x', sizeof(path));
    path[room - 1] = 0;
    ck_assert_int_eq(net_address_of_path(path, &address), STATUS_OK);
    path[room - 1] = 'x';
    path[room] = 0;
    ck_assert_int_eq(net_address_of_path(path, &address), STATUS_TOO_LONG);
}
END_TEST

START_TEST(a_text_is_cut_to_its_room)
{
    const struct net_address address = address_of("127.0.0.1");
    char small[6];
    net_address_text(&address, small, sizeof(small));
    ck_assert_str_eq(small, "127.0");
}
END_TEST

START_TEST(loopback_and_sockets_are_local)
{
    static const char *const here[] = {"127.0.0.1", "127.255.0.9", "::1",
                                       "::ffff:127.0.0.1"};
    static const char *const elsewhere[] = {
        "10.0.0.1", "0.0.0.0", "128.0.0.1", "::", "::2", "::ffff:10.0.0.1"};
    for (size_t i = 0; i < sizeof(here) / sizeof(here[0]); i++) {
        const struct net_address address = address_of(here[i]);
        ck_assert_msg(net_address_is_local(&address), "%s", here[i]);
    }
    for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++) {
        const struct net_address address = address_of(elsewhere[i]);
        ck_assert_msg(!net_address_is_local(&address), "%s", elsewhere[i]);
    }
    struct net_address path;
    ck_assert_int_eq(net_address_of_path("/tmp/x", &path), STATUS_OK);
    ck_assert(net_address_is_local(&path));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("net_address");
    TCase *tests = tcase_create("core");

    tcase_add_test(tests, a_host_and_a_port_are_told_apart);
    tcase_add_test(tests, what_is_no_address_is_refused);
    tcase_add_test(tests, a_host_must_fit_with_its_end);
    tcase_add_test(tests, numbers_need_nobody_to_look_them_up);
    tcase_add_test(tests, a_path_is_an_address_too);
    tcase_add_test(tests, a_text_is_cut_to_its_room);
    tcase_add_test(tests, loopback_and_sockets_are_local);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}
