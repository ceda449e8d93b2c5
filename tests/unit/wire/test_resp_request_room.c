/* test_resp_request_room.c - memory and work follow what was received. */
#include <string.h>

#include "base/memory.h"
#include "lib/check_runner.h"
#include "wire/resp_request.h"

static struct resp_request_reader reader;
static struct buffer stream;
static struct buffer story;

static void setup(void)
{
    const struct resp_limits limits = resp_limits_proven();
    resp_request_init(&reader, &limits);
    buffer_init(&stream);
    buffer_init(&story);
}

static void teardown(void)
{
    resp_request_close(&reader);
    buffer_close(&stream);
    buffer_close(&story);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static void say(const char *text)
{
    buffer_append(&stream, bytes_of_text(text));
}

static void say_many(char byte, size_t count)
{
    memset(buffer_reserve(&stream, count), byte, count);
    buffer_advance(&stream, count);
}

/* Words in angle brackets, a bar behind each request. Called for each byte of
 * megabytes, hence no ck_assert, which writes to a file even if all is well. */
static enum resp_request_result tell(void)
{
    struct resp_request request;
    enum resp_request_result result;
    while ((result = resp_request_next(&reader, &request)) ==
           RESP_REQUEST_READY) {
        for (size_t i = 0; i < request.args_count; i++) {
            buffer_u8(&story, '<');
            buffer_append(&story, request.args[i]);
            buffer_u8(&story, '>');
        }
        buffer_u8(&story, '|');
    }
    if (request.args_count != 0) {
        ck_abort_msg("words without a request");
    }
    return result;
}

START_TEST(waiting_bytes_are_those_of_no_request_yet)
{
    struct resp_request request;
    ck_assert_uint_eq(resp_request_waiting_bytes(&reader), 0);
    resp_request_append(&reader, bytes_of_text("PING\r\nPING\r\n*1\r\n$"));
    ck_assert_uint_eq(resp_request_waiting_bytes(&reader), 17);
    ck_assert_int_eq(resp_request_next(&reader, &request), RESP_REQUEST_READY);
    ck_assert_uint_eq(resp_request_waiting_bytes(&reader), 11);
    ck_assert_int_eq(resp_request_next(&reader, &request), RESP_REQUEST_READY);
    ck_assert_int_eq(resp_request_next(&reader, &request),
                     RESP_REQUEST_INCOMPLETE);
    ck_assert_uint_eq(resp_request_waiting_bytes(&reader), 5);
}
END_TEST

START_TEST(bytes_can_be_written_in_place)
{
    for (int i = 0; i < 1000; i++) {
        uint8_t *room = resp_request_reserve(&reader, 4096);
        memcpy(room, "PING\r\nPI", 8);
        resp_request_advance(&reader, 8);
        ck_assert_int_eq(tell(), RESP_REQUEST_INCOMPLETE);
        memcpy(resp_request_reserve(&reader, 4096), "NG\r\n", 4);
        resp_request_advance(&reader, 4);
        ck_assert_int_eq(tell(), RESP_REQUEST_INCOMPLETE);
    }
    ck_assert_uint_eq(story.count, 2000 * 7);
    ck_assert_uint_le(reader.input.capacity, 8192);
}
END_TEST

/* An endless stream whose end never falls on the end of a request. */
START_TEST(what_was_used_up_is_dropped)
{
    resp_request_append(&reader, bytes_of_text("PI"));
    for (int i = 0; i < 10000; i++) {
        resp_request_append(&reader, bytes_of_text("NG\r\nPI"));
        buffer_clear(&story);
        ck_assert_int_eq(tell(), RESP_REQUEST_INCOMPLETE);
        ck_assert_uint_eq(story.count, 7);
    }
    ck_assert_uint_le(reader.input.capacity, 128);
}
END_TEST

START_TEST(memory_for_something_large_goes_back)
{
    say("*1000\r\n");
    for (int i = 0; i < 1000; i++) {
        say("$1000\r\n");
        say_many('a', 1000);
        say("\r\n");
    }
    resp_request_append(&reader, buffer_view(&stream));
    ck_assert_int_eq(tell(), RESP_REQUEST_INCOMPLETE);
    ck_assert_uint_eq(story.count, 1000 * 1002 + 1);

    ck_assert_uint_eq(reader.input.capacity, 0);
    ck_assert_uint_eq(reader.args_capacity, 0);
}
END_TEST

START_TEST(an_announced_length_reserves_nothing)
{
    resp_request_append(&reader, bytes_of_text("*1000000\r\n$4000000\r\n"));
    ck_assert_int_eq(tell(), RESP_REQUEST_INCOMPLETE);
    ck_assert_uint_le(reader.input.capacity, 64);
    ck_assert_uint_eq(reader.args_capacity, 0);
}
END_TEST

/* Byte by byte: were any of it looked at again for each byte, these megabytes
 * would take minutes. */
START_TEST(a_large_request_in_small_pieces_is_no_more_work)
{
    enum resp_request_result result = RESP_REQUEST_INCOMPLETE;
    say("*2\r\n$4000000\r\n");
    say_many('a', 4000000);
    say("\r\n$4000000\r\n");
    say_many('b', 4000000);
    say("\r\n");
    for (size_t i = 0; i < stream.count; i++) {
        resp_request_append(&reader, bytes_of(stream.data + i, 1));
        result = tell();
    }
    ck_assert_int_eq(result, RESP_REQUEST_INCOMPLETE);
    ck_assert_uint_eq(story.count, 2 * 4000002 + 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("resp_request_room");
    TCase *tests = tcase_create("room");

    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, waiting_bytes_are_those_of_no_request_yet);
    tcase_add_test(tests, bytes_can_be_written_in_place);
    tcase_add_test(tests, what_was_used_up_is_dropped);
    tcase_add_test(tests, memory_for_something_large_goes_back);
    tcase_add_test(tests, an_announced_length_reserves_nothing);
    tcase_add_test(tests, a_large_request_in_small_pieces_is_no_more_work);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}
