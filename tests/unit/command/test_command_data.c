/* test_command_data.c - the commands for data keys, from words to replies.
 *
 * That the replies are those of Redis is for redis-compat/replay to show; here
 * is one of each, and what no server on a wire can show: the ends of clocks.
 */
#include "command/command_data.h"

#include "unit/command/data_fixture.h"

START_TEST(values_are_set_and_read)
{
    check_says("SET k v", "+OK");
    check_says("GET k", "$1 v");
    check_says("SET k w NX", "$-1");
    check_says("SET k w XX GET", "$1 v");
    check_says("SETNX k x", ":0");
    check_says("GETSET k x", "$1 w");
    check_says("STRLEN k", ":1");
    check_says("APPEND k yz", ":3");
    check_says("GETRANGE k -2 -1", "$2 yz");
    check_says("SUBSTR k 0 0", "$1 x");
    check_says("GETDEL k", "$3 xyz");
    check_says("GET k", "$-1");
    session.protocol = 3;
    check_says("GET k", "_");
    check_says("MSET a 1 b 2", "+OK");
    check_says("MSETNX b 1 c 2", ":0");
    check_says("MGET a b c", "*3 $1 1 $1 2 _");
    check_says("INCR a", ":2");
    check_says("INCRBY a 40", ":42");
    check_says("DECR a", ":41");
    check_says("DECRBY a 1", ":40");
}
END_TEST

START_TEST(keys_are_looked_for_and_deleted)
{
    check_says("MSET a 1 b 2 c 3 d 4", "+OK");
    check_says("EXISTS a a none", ":2");
    check_says("TOUCH a none", ":1");
    check_says("TYPE a", "+string");
    check_says("TYPE none", "+none");
    check_says("DBSIZE", ":4");
    check_says("DEL a none", ":1");
    check_says("UNLINK b", ":1");
    check_says("DELEX c IFEQ 4", ":0");
    check_says("DELEX c IFNE 4", ":1");
    check_says("DELIFEQ d 3", ":0");
    check_says("KEYS *", "*1 $1 d");
    ck_assert(call.plan.alone); /* it keeps the leader for a while */
    check_says("SCAN 0", "*2 $1 0 *1 $1 d");
    check_says("SCAN 0 TYPE list", "*2 $1 0 *0");
    check_says("RANDOMKEY", "$1 d");
    check_says("DELIFEQ d 4", ":1");
    check_says("RANDOMKEY", "$-1");
    check_says("SET x 1", "+OK");
    check_says("FLUSHDB", "+OK");
    check_says("DBSIZE", ":0");
    check_says("FLUSHALL NOW", "-ERR syntax error");
}
END_TEST

START_TEST(lives_end_by_the_cluster_clock)
{
    check_says("SET k v PX 100", "+OK");
    now += 99;
    check_says("PTTL k", ":1");
    check_says("TTL k", ":0");
    check_says("PEXPIRETIME k", ":1100");
    now += 1;
    check_says("PTTL k", ":0"); /* no entry is behind its end yet */
    check_says("SET tick tock", "+OK");
    check_says("PTTL k", ":-2");
    check_says("DBSIZE", ":2"); /* nobody has swept it */
    check_says("DEL tick", ":1");
    check_says("GET k", "$-1");
    check_says("SETEX k 10 v", "+OK");
    check_says("PSETEX k 10000 v", "+OK");
    check_says("EXPIRE k 20 GT", ":1");
    check_says("EXPIRE k 30 LT", ":0");
    check_says("EXPIRE k 5 XX LT", ":1");
    check_says("PEXPIREAT k 1", ":1");
    check_says("EXISTS k", ":0");
    check_says("SET k v", "+OK");
    check_says("EXPIREAT k 9999", ":1");
    check_says("EXPIRETIME k", ":9999");
    check_says("GETEX k PERSIST", "$1 v");
    check_says("TTL k", ":-1");
    check_says("PEXPIRE k 5", ":1");
    check_says("PERSIST k", ":1");
    check_says("GETEX none EX 0", "$-1");
    check_says("GETEX k EX 0", "-ERR invalid expire time in 'getex' command");
}
END_TEST

START_TEST(a_held_lock_is_of_another_type)
{
    const char *const refused[] = {"GET l",   "SET l v",    "DEL l",
                                   "INCR l",  "EXPIRE l 1", "TTL l",
                                   "GETEX l", "STRLEN l"};
    hold("l", "ann", LOCK_EXCLUSIVE);
    check_says("TYPE l", "+lock");
    check_says("EXISTS l", ":1");
    check_says("MGET l", "*1 $-1");
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        check_says(refused[i], "-WRONGTYPE Operation against a key holding the "
                               "wrong kind of value");
    }
}
END_TEST

START_TEST(what_is_too_long_is_refused)
{
    static uint8_t bytes[LIMIT_ENTRY_BYTES];
    memset(bytes, 'x', sizeof(bytes));
    const struct bytes set_long[] = {text("SET"), text("k"),
                                     bytes_of(bytes, LIMIT_VALUE_BYTES + 1)};
    ck_assert_str_eq(
        says_args(set_long, 3),
        "-ERR string exceeds maximum allowed size (61440 bytes)\r\n");
    const struct bytes long_key[] = {text("GET"),
                                     bytes_of(bytes, LIMIT_KEY_BYTES + 1)};
    ck_assert_str_eq(says_args(long_key, 2),
                     "-ERR key is longer than 1024 bytes\r\n");
    struct bytes many[70];
    many[0] = text("MGET");
    for (size_t i = 1; i < 70; i++) {
        many[i] = bytes_of(bytes, LIMIT_KEY_BYTES);
    }
    ck_assert_str_eq(says_args(many, 70),
                     "-ERR too many keys for one request\r\n");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("command_data");
    TCase *tests = tcase_create("commands");

    tcase_add_checked_fixture(tests, setup_data, teardown_data);
    tcase_add_test(tests, values_are_set_and_read);
    tcase_add_test(tests, keys_are_looked_for_and_deleted);
    tcase_add_test(tests, lives_end_by_the_cluster_clock);
    tcase_add_test(tests, a_held_lock_is_of_another_type);
    tcase_add_test(tests, what_is_too_long_is_refused);
    suite_add_tcase(suite, tests);
    return check_run(suite);
}
