/* test_client_heap.c - the earliest first, any member at any time. */
#include "client/client_heap.h"

#include <string.h>

#include "client/client_times.h"
#include "lib/check_runner.h"

#define TIMERS 500

static struct client_heap heap;
static struct client_timer timers[TIMERS];

/* The earliest by looking at all of them. */
static int64_t earliest(void)
{
    int64_t at = CLIENT_NEVER;
    for (size_t i = 0; i < TIMERS; i++) {
        if (timers[i].place != 0 && timers[i].at < at) {
            at = timers[i].at;
        }
    }
    return at;
}

START_TEST(it_agrees_with_a_plain_search)
{
    uint64_t chance = 7;
    memset(timers, 0, sizeof(timers));
    for (size_t i = 0; i < TIMERS; i++) {
        ck_assert(client_heap_reserve(&heap));
    }
    for (int step = 0; step < 20000; step++) {
        const uint64_t draw = client_times_chance(&chance);
        struct client_timer *timer = &timers[draw % TIMERS];
        const int64_t at = draw % 5 == 0 ? CLIENT_NEVER : (int64_t)(draw >> 40);
        client_heap_set(&heap, timer, at);
        const struct client_timer *first = client_heap_first(&heap);
        ck_assert_int_eq(first != NULL ? first->at : CLIENT_NEVER, earliest());
    }
    for (size_t i = 0; i < TIMERS; i++) {
        client_heap_set(&heap, &timers[i], CLIENT_NEVER);
        client_heap_unreserve(&heap);
    }
    ck_assert_ptr_null(client_heap_first(&heap));
    client_heap_close(&heap);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("client_heap");
    TCase *order = tcase_create("order");
    tcase_add_test(order, it_agrees_with_a_plain_search);
    suite_add_tcase(suite, order);
    return check_run(suite);
}
