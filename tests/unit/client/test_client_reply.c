/* test_client_reply.c - what servers say, and what it means. */
#include "client/client_reply.h"

#include <string.h>

#include "lib/check_runner.h"

static redisReader *reader;
static redisReply *reply;

static void open_reader(void)
{
    reader = redisReaderCreate();
    reply = NULL;
}

static void close_reader(void)
{
    freeReplyObject(reply);
    redisReaderFree(reader);
}

/* As it would come by a connection. */
static const redisReply *said(const char *bytes, size_t count)
{
    void *parsed = NULL;
    freeReplyObject(reply);
    reply = NULL;
    ck_assert_int_eq(redisReaderFeed(reader, bytes, count), REDIS_OK);
    ck_assert_int_eq(redisReaderGetReply(reader, &parsed), REDIS_OK);
    ck_assert_ptr_nonnull(parsed);
    reply = parsed;
    return reply;
}

static enum client_answer class_of(const char *text)
{
    return client_reply_class(said(text, strlen(text)));
}

/* A message of this text. */
static struct client_message message_of(const char *text)
{
    char bytes[512];
    const int count = snprintf(
        bytes, sizeof(bytes),
        "*3\r\n$7\r\nmessage\r\n$15\r\n__lock__:owner:\r\n$%zu\r\n%s\r\n",
        strlen(text), text);
    return client_reply_message(said(bytes, (size_t)count));
}

START_TEST(every_error_has_its_class)
{
    ck_assert_int_eq(class_of("+OK\r\n"), CLIENT_ANSWER_DONE);
    ck_assert_int_eq(class_of("$-1\r\n"), CLIENT_ANSWER_DONE);
    ck_assert_int_eq(class_of("-CLUSTERDOWN no leader\r\n"),
                     CLIENT_ANSWER_NOT_HERE);
    ck_assert_int_eq(class_of("-LOADING soon\r\n"), CLIENT_ANSWER_NOT_HERE);
    ck_assert_int_eq(class_of("-TRYAGAIN\r\n"), CLIENT_ANSWER_LATER);
    ck_assert_int_eq(class_of("-NOQUEUE too many\r\n"), CLIENT_ANSWER_LATER);
    ck_assert_int_eq(class_of("-MOVED 1 h:2\r\n"), CLIENT_ANSWER_ELSEWHERE);
    ck_assert_int_eq(class_of("-UNCERTAIN x\r\n"), CLIENT_ANSWER_UNKNOWN);
    ck_assert_int_eq(class_of("-NOAUTH x\r\n"), CLIENT_ANSWER_DENIED);
    ck_assert_int_eq(class_of("-WRONGPASS x\r\n"), CLIENT_ANSWER_DENIED);
    ck_assert_int_eq(class_of("-FENCED token 1 is older than 2\r\n"),
                     CLIENT_ANSWER_FENCED);
    ck_assert_int_eq(class_of("-BADTOKEN x\r\n"), CLIENT_ANSWER_BAD_TOKEN);
    ck_assert_int_eq(class_of("-ERR x\r\n"), CLIENT_ANSWER_ERROR);
    /* A word is not its beginning. */
    ck_assert_int_eq(class_of("-MOVEDX 1 h:2\r\n"), CLIENT_ANSWER_ERROR);
    ck_assert_int_eq(class_of("-TRY\r\n"), CLIENT_ANSWER_ERROR);
}
END_TEST

START_TEST(moved_says_where)
{
    struct client_node node;
    ck_assert(
        client_reply_moved(said("-MOVED 12 10.0.0.3:7101\r\n", 25), &node));
    ck_assert_str_eq(node.host, "10.0.0.3");
    ck_assert_int_eq(node.port, 7101);
    ck_assert(!client_reply_moved(said("-MOVED 12 :7101\r\n", 17), &node));
    ck_assert(!client_reply_moved(said("-MOVED\r\n", 8), &node));
    ck_assert(!client_reply_moved(said("+MOVED 1 a:1\r\n", 14), &node));
}
END_TEST

START_TEST(a_grant_is_a_number_or_a_map)
{
    static const char map[] =
        "*10\r\n$5\r\ntoken\r\n:84\r\n$3\r\nttl\r\n:5000\r\n"
        "$10\r\nexpires-at\r\n:1763460601250\r\n$4\r\nmode\r\n$6\r\nshared\r\n"
        "$9\r\nsignature\r\n$3\r\nabc\r\n";
    const char *signature = NULL;
    ck_assert_uint_eq(client_reply_grant(said(":84\r\n", 5), &signature), 84);
    ck_assert_str_eq(signature, "");
    ck_assert_uint_eq(
        client_reply_grant(said(map, sizeof(map) - 1), &signature), 84);
    ck_assert_str_eq(signature, "abc");
    ck_assert_uint_eq(client_reply_grant(said("+QUEUED\r\n", 9), &signature),
                      0);
    ck_assert_uint_eq(client_reply_grant(said("$-1\r\n", 5), &signature), 0);
    ck_assert_uint_eq(client_reply_grant(said("*0\r\n", 4), &signature), 0);
    ck_assert_uint_eq(client_reply_grant(said(":-4\r\n", 5), &signature), 0);
}
END_TEST

START_TEST(a_message_is_read_from_both_ends)
{
    struct client_message message = message_of("lock-granted a key 17");
    ck_assert_int_eq(message.kind, CLIENT_MESSAGE_GRANTED);
    ck_assert_uint_eq(message.key_bytes, 5);
    ck_assert_mem_eq(message.key, "a key", 5);
    ck_assert_uint_eq(message.token, 17);
    message = message_of("lock-retry a key 17");
    ck_assert_int_eq(message.kind, CLIENT_MESSAGE_RETRY);
    ck_assert_uint_eq(message.key_bytes, 8);
    ck_assert_int_eq(message_of("lock-revoke k 1").kind, CLIENT_MESSAGE_REVOKE);
    ck_assert_int_eq(message_of("lock-refused k").kind, CLIENT_MESSAGE_REFUSED);
    message = message_of("lock-lost a key 3 expired");
    ck_assert_int_eq(message.kind, CLIENT_MESSAGE_LOST);
    ck_assert_uint_eq(message.key_bytes, 5);
    ck_assert_uint_eq(message.token, 3);
}
END_TEST

START_TEST(what_is_no_message_is_nothing)
{
    static const char *const texts[] = {
        "",
        "lock-granted",
        "lock-granted ",
        "lock-granted k",
        "lock-granted k x",
        "lock-granted k -1",
        "lock-grantedk 1",
        "other k 1",
        "lock-lost k 3",
        "granted k 1",
        "lock-revoke k 99999999999999999999",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        ck_assert_msg(message_of(texts[i]).kind == CLIENT_MESSAGE_OTHER,
                      "%s was understood", texts[i]);
    }
    ck_assert_int_eq(client_reply_message(said("+PONG\r\n", 7)).kind,
                     CLIENT_MESSAGE_OTHER);
    ck_assert_int_eq(
        client_reply_message(said("*3\r\n:1\r\n:2\r\n:3\r\n", 16)).kind,
        CLIENT_MESSAGE_OTHER);
}
END_TEST

START_TEST(a_copy_has_everything)
{
    static const char bytes[] = "*5\r\n$4\r\nname\r\n*2\r\n:7\r\n$-1\r\n$"
                                "4\r\nsize\r\n:12\r\n-ERR x\r\n";
    struct hf_reply *copy = client_reply_copy(said(bytes, sizeof(bytes) - 1));
    ck_assert_ptr_nonnull(copy);
    ck_assert_uint_eq(copy->items_count, 5);
    ck_assert_int_eq(hf_reply_integer(copy, "size", -1), 12);
    ck_assert_int_eq(hf_reply_integer(copy, "none", -1), -1);
    ck_assert_str_eq(hf_reply_text(copy, "size", "?"), "?");
    const struct hf_reply *list = hf_reply_field(copy, "name");
    ck_assert_uint_eq(list->items_count, 2);
    ck_assert_int_eq(list->items[1]->kind, HF_REPLY_NULL);
    ck_assert_int_eq(copy->items[4]->kind, HF_REPLY_ERROR);
    ck_assert_ptr_null(hf_reply_field(NULL, "name"));
    hf_reply_free(copy);
}
END_TEST

START_TEST(bytes_that_are_no_text_are_kept)
{
    struct hf_reply *copy = client_reply_copy(said("$3\r\na\0b\r\n", 9));
    ck_assert_uint_eq(copy->text_bytes, 3);
    ck_assert_mem_eq(copy->text, "a\0b", 4);
    hf_reply_free(copy);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("client_reply");
    TCase *replies = tcase_create("replies");
    tcase_add_checked_fixture(replies, open_reader, close_reader);
    tcase_add_test(replies, every_error_has_its_class);
    tcase_add_test(replies, moved_says_where);
    tcase_add_test(replies, a_grant_is_a_number_or_a_map);
    tcase_add_test(replies, a_message_is_read_from_both_ends);
    tcase_add_test(replies, what_is_no_message_is_nothing);
    tcase_add_test(replies, a_copy_has_everything);
    tcase_add_test(replies, bytes_that_are_no_text_are_kept);
    suite_add_tcase(suite, replies);
    return check_run(suite);
}
