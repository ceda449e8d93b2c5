/* test_peer_address.c - host:port[@raft-port]. */
#include "lib/check_runner.h"
#include "wire/peer_address.h"

static struct peer_address address;

static bool reads(const char *text)
{
    return peer_address_read(bytes_of_text(text), &address);
}

START_TEST(the_raft_port_follows_or_is_said)
{
    ck_assert(reads("10.0.0.1:7001"));
    ck_assert_str_eq(address.host, "10.0.0.1");
    ck_assert_uint_eq(address.port, 7001);
    ck_assert_uint_eq(address.raft_port, 17001);
    ck_assert(reads("node-1.example_net:60000@9"));
    ck_assert_str_eq(address.host, "node-1.example_net");
    ck_assert_uint_eq(address.port, 60000);
    ck_assert_uint_eq(address.raft_port, 9);
    ck_assert(reads("[fe80::1%eth0]:55535"));
    ck_assert_str_eq(address.host, "fe80::1%eth0");
    ck_assert_uint_eq(address.raft_port, 65535);
}
END_TEST

START_TEST(what_is_no_address_is_refused)
{
    static const char *const texts[] = {
        "",        ":",         "h",          "h:",        ":1",
        "h:0",     "h:65536",   "h:55536",    "h:1@0",     "h:1@",
        "h:1@x",   "h:01",      "h:-1",       "a b:1",     "h:1 ",
        "::1:7",   "[]:1",      "[:1",        "a\nb:1",    "h@2:1",
        "h:1@2@3", "h:1@65536", "\xc3\xa4:1", "[a\tb]:10", "h/x:1",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        ck_assert_msg(!reads(texts[i]), "%s", texts[i]);
    }
    ck_assert(!peer_address_read(bytes_of("h\0:1", 4), &address));
}
END_TEST

START_TEST(length_is_bounded)
{
    char text[LIMIT_ADDRESS_BYTES + 1];
    for (size_t i = 0; i < sizeof(text); i++) {
        text[i] = 'h';
    }
    text[sizeof(text) - 2] = ':';
    text[sizeof(text) - 1] = '1';
    ck_assert(
        peer_address_read(bytes_of(text + 1, LIMIT_ADDRESS_BYTES), &address));
    ck_assert(!peer_address_read(bytes_of(text, sizeof(text)), &address));
}
END_TEST

static bool compare(bool (*how)(const struct peer_address *a,
                                const struct peer_address *b),
                    const char *a, const char *b)
{
    struct peer_address other;
    ck_assert(peer_address_read(bytes_of_text(a), &other) && reads(b));
    return how(&other, &address);
}

START_TEST(what_says_the_same_is_equal)
{
    ck_assert(compare(peer_address_equal, "h:7001", "h:7001@17001"));
    ck_assert(compare(peer_address_equal, "Db1.example:7", "db1.Example:7"));
    ck_assert(!compare(peer_address_equal, "h:7001", "h:7001@17002"));
    ck_assert(!compare(peer_address_equal, "h:7001", "h:7002@17001"));
    ck_assert(!compare(peer_address_equal, "h:7001", "h1:7001"));
    ck_assert(!compare(peer_address_equal, "h1:7001", "h:7001"));
}
END_TEST

START_TEST(who_shares_a_port_of_a_host_collides)
{
    ck_assert(compare(peer_address_collides, "h:7001", "h:7001@9"));
    ck_assert(compare(peer_address_collides, "h:7001", "H:9@17001"));
    ck_assert(compare(peer_address_collides, "h:7001", "h:17001"));
    ck_assert(compare(peer_address_collides, "h:17001", "h:7001"));
    ck_assert(!compare(peer_address_collides, "h:7001", "h:7002"));
    ck_assert(!compare(peer_address_collides, "h:7001", "g:7001"));
}
END_TEST

static Suite *suite(void)
{
    Suite *suite_ = suite_create("peer_address");
    TCase *read = tcase_create("read");
    tcase_add_test(read, the_raft_port_follows_or_is_said);
    tcase_add_test(read, what_is_no_address_is_refused);
    tcase_add_test(read, length_is_bounded);
    suite_add_tcase(suite_, read);
    TCase *two = tcase_create("two");
    tcase_add_test(two, what_says_the_same_is_equal);
    tcase_add_test(two, who_shares_a_port_of_a_host_collides);
    suite_add_tcase(suite_, two);
    return suite_;
}

int main(void)
{
    return check_run(suite());
}
