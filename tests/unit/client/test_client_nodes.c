/* test_client_nodes.c - lists of nodes, and which one is next. */
#include "client/client_nodes.h"

#include <stdio.h>
#include <string.h>

#include "lib/check_runner.h"

static struct client_nodes nodes;

static bool reads(const char *text, struct client_node *node)
{
    return client_nodes_read(node, text, strlen(text));
}

static const char *current(void)
{
    static char text[CLIENT_HOST_BYTES + 8];
    const struct client_node *node = client_nodes_current(&nodes);
    (void)snprintf(text, sizeof(text), "%s:%d", node->host, node->port);
    return text;
}

START_TEST(an_address_is_a_host_and_a_port)
{
    struct client_node node;
    ck_assert(reads("10.0.0.1:7001", &node));
    ck_assert_str_eq(node.host, "10.0.0.1");
    ck_assert_int_eq(node.port, 7001);
    ck_assert(reads("10.0.0.2:7001@17001", &node));
    ck_assert_str_eq(node.host, "10.0.0.2");
    ck_assert_int_eq(node.port, 7001);
    ck_assert(reads("lock-1.example:1", &node));
    ck_assert(reads("[::1]:65535", &node));
    ck_assert_str_eq(node.host, "::1");
}
END_TEST

START_TEST(what_is_no_address_is_refused)
{
    static const char *const bad[] = {
        "",        ":",     "host",     "host:",   ":7001", "host:0",
        "h:65536", "h:7x",  "::1:7001", "[]:7001", "h:-1",  "h:000007",
        "h:1@",    "h:1@x", "h@1",      "@1",      "h:@1",  "h:1@65536",
    };
    struct client_node node;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ck_assert_msg(!reads(bad[i], &node), "%s was taken", bad[i]);
    }
    char text[2 * CLIENT_HOST_BYTES];
    memset(text, 'a', sizeof(text));
    (void)snprintf(text + CLIENT_HOST_BYTES, 8, ":7001");
    ck_assert(!reads(text, &node));
}
END_TEST

START_TEST(a_list_may_have_commas_and_blanks)
{
    ck_assert_int_eq(client_nodes_init(&nodes, " a:1,, b:2\n c:3 ", 0),
                     CLIENT_NODES_GOOD);
    ck_assert_uint_eq(nodes.nodes_count, 3);
    ck_assert_str_eq(current(), "a:1");
    client_nodes_close(&nodes);
    ck_assert_int_eq(client_nodes_init(&nodes, " , ", 0), CLIENT_NODES_EMPTY);
    ck_assert_int_eq(client_nodes_init(&nodes, "a:1,b", 0), CLIENT_NODES_BAD);
}
END_TEST

START_TEST(a_round_visits_each_once)
{
    (void)client_nodes_init(&nodes, "a:1 b:2 c:3", 4);
    ck_assert_str_eq(current(), "b:2");
    ck_assert(!client_nodes_failed(&nodes));
    ck_assert_str_eq(current(), "c:3");
    ck_assert(!client_nodes_failed(&nodes));
    ck_assert_str_eq(current(), "a:1");
    ck_assert(client_nodes_failed(&nodes));
    /* One that works begins the count anew. */
    ck_assert(!client_nodes_failed(&nodes));
    client_nodes_works(&nodes);
    ck_assert(!client_nodes_failed(&nodes));
    ck_assert(!client_nodes_failed(&nodes));
    ck_assert(client_nodes_failed(&nodes));
    client_nodes_close(&nodes);
}
END_TEST

START_TEST(others_are_learnt_once_and_up_to_a_bound)
{
    struct client_node node;
    (void)client_nodes_init(&nodes, "a:1", 0);
    (void)reads("b:2", &node);
    client_nodes_learn(&nodes, &node);
    client_nodes_learn(&nodes, &node);
    ck_assert_uint_eq(nodes.nodes_count, 2);
    ck_assert_str_eq(current(), "a:1");
    ck_assert(client_nodes_move(&nodes, &node));
    ck_assert_str_eq(current(), "b:2");
    for (int port = 1; port < 1000; port++) {
        node.port = port;
        client_nodes_learn(&nodes, &node);
    }
    ck_assert_uint_eq(nodes.nodes_count, CLIENT_NODES_MAX);
    node.port = 5000;
    ck_assert(!client_nodes_move(&nodes, &node));
    ck_assert_str_eq(current(), "b:2");
    client_nodes_close(&nodes);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("client_nodes");
    TCase *lists = tcase_create("lists");
    tcase_add_test(lists, an_address_is_a_host_and_a_port);
    tcase_add_test(lists, what_is_no_address_is_refused);
    tcase_add_test(lists, a_list_may_have_commas_and_blanks);
    tcase_add_test(lists, a_round_visits_each_once);
    tcase_add_test(lists, others_are_learnt_once_and_up_to_a_bound);
    suite_add_tcase(suite, lists);
    return check_run(suite);
}
