/* test_heap.c - the lowest key first, ties by age, any node at any time.
 *
 * The random test compares the heap with a naive model: an array in the order
 * in which keys were given, searched for its lowest key each time.
 */
#include "base/heap.h"

#include <signal.h>
#include <string.h>

#include "base/container.h"
#include "base/memory.h"
#include "base/random.h"
#include "lib/check_runner.h"

#define TIMERS_COUNT 300

struct timer {
    int id;
    struct heap_node due;
};

static struct timer timers[TIMERS_COUNT];
static struct heap heap;

static void open_heap(void)
{
    memset(timers, 0, sizeof(timers));
    for (int i = 0; i < TIMERS_COUNT; i++) {
        timers[i].id = i;
    }
    heap_init(&heap);
}

static void close_heap(void)
{
    heap_close(&heap);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static void insert(int id, uint64_t key)
{
    heap_insert(&heap, &timers[id].due, key);
}

/* The id of the node, or -1 for none. */
static int id_of(struct heap_node *node)
{
    return node == NULL ? -1 : CONTAINER_OF(node, struct timer, due)->id;
}

static int peek(void)
{
    return id_of(heap_peek(&heap));
}

static int pop(void)
{
    return id_of(heap_pop(&heap));
}

START_TEST(an_empty_heap_has_no_first_node_and_no_memory)
{
    ck_assert_int_eq(peek(), -1);
    ck_assert_int_eq(pop(), -1);
    ck_assert_uint_eq(heap_count(&heap), 0);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}
END_TEST

START_TEST(nodes_leave_by_ascending_key)
{
    insert(0, 30);
    insert(1, UINT64_MAX);
    insert(2, 10);
    insert(3, 0);
    insert(4, 20);

    ck_assert_int_eq(pop(), 3);
    ck_assert_int_eq(pop(), 2);
    ck_assert_int_eq(pop(), 4);
    ck_assert_int_eq(pop(), 0);
    ck_assert_int_eq(pop(), 1);
    ck_assert_int_eq(pop(), -1);
}
END_TEST

START_TEST(equal_keys_leave_in_order_of_insertion)
{
    for (int i = 0; i < TIMERS_COUNT; i++) {
        insert(TIMERS_COUNT - 1 - i, 5);
    }

    for (int i = 0; i < TIMERS_COUNT; i++) {
        ck_assert_int_eq(pop(), TIMERS_COUNT - 1 - i);
    }
}
END_TEST

START_TEST(peeking_leaves_the_node_in_place)
{
    insert(1, 5);

    ck_assert_int_eq(peek(), 1);
    ck_assert_int_eq(peek(), 1);
    ck_assert_uint_eq(heap_count(&heap), 1);
}
END_TEST

START_TEST(any_node_can_be_removed)
{
    /* The root, an inner node, and the last one. */
    for (int id = 0; id < 10; id++) {
        for (int i = 0; i < 10; i++) {
            insert(i, (uint64_t)i);
        }
        heap_remove(&heap, &timers[id].due);
        for (int i = 0; i < 10; i++) {
            if (i != id) {
                ck_assert_int_eq(pop(), i);
            }
        }
        ck_assert_int_eq(pop(), -1);
    }
}
END_TEST

/* The node that fills the gap comes from another branch and has to rise. */
START_TEST(the_node_that_fills_a_gap_may_rise)
{
    const uint64_t keys[] = {1, 10, 2, 11, 12, 3, 4, 13, 14, 15, 16, 5};
    for (int i = 0; i < 12; i++) {
        insert(i, keys[i]);
    }

    heap_remove(&heap, &timers[7].due);

    uint64_t last = 0;
    while (heap_count(&heap) > 0) {
        const uint64_t key = heap_pop(&heap)->key;
        ck_assert_uint_ge(key, last);
        last = key;
    }
}
END_TEST

START_TEST(a_lower_key_brings_a_node_forward_and_a_higher_one_back)
{
    insert(0, 10);
    insert(1, 20);
    insert(2, 30);

    heap_change(&heap, &timers[2].due, 5);
    ck_assert_int_eq(peek(), 2);
    heap_change(&heap, &timers[2].due, 15);

    ck_assert_int_eq(pop(), 0);
    ck_assert_int_eq(pop(), 2);
    ck_assert_int_eq(pop(), 1);
}
END_TEST

START_TEST(a_changed_node_comes_last_among_its_equals)
{
    insert(0, 7);
    insert(1, 7);
    insert(2, 9);

    heap_change(&heap, &timers[2].due, 7);
    heap_change(&heap, &timers[0].due, 7);

    ck_assert_int_eq(pop(), 1);
    ck_assert_int_eq(pop(), 2);
    ck_assert_int_eq(pop(), 0);
}
END_TEST

START_TEST(a_node_knows_whether_it_is_in_a_heap)
{
    ck_assert(!heap_holds(&timers[0].due));
    insert(0, 1);
    ck_assert(heap_holds(&timers[0].due));
    heap_remove(&heap, &timers[0].due);
    ck_assert(!heap_holds(&timers[0].due));
    insert(0, 1);
    pop();
    ck_assert(!heap_holds(&timers[0].due));
    insert(0, 1);
    heap_close(&heap);
    ck_assert(!heap_holds(&timers[0].due));
}
END_TEST

struct model_item {
    int id;
    uint64_t key;
};

static struct model_item model[TIMERS_COUNT];
static size_t model_count;

static size_t model_find(int id)
{
    size_t at = 0;
    while (at < model_count && model[at].id != id) {
        at++;
    }
    return at;
}

static void model_remove(size_t at)
{
    model_count--;
    memmove(&model[at], &model[at + 1], (model_count - at) * sizeof(model[0]));
}

static void model_insert(int id, uint64_t key)
{
    model[model_count++] = (struct model_item){.id = id, .key = key};
}

/* The first of those with the lowest key; -1 if there are none. */
static int model_peek(void)
{
    size_t best = 0;
    for (size_t at = 1; at < model_count; at++) {
        if (model[at].key < model[best].key) {
            best = at;
        }
    }
    return model_count > 0 ? model[best].id : -1;
}

static void change_heap_and_model(struct random *random)
{
    const int id = (int)random_below(random, TIMERS_COUNT);
    const uint64_t key = random_below(random, 50);
    const size_t at = model_find(id);

    if (random_chance(random, 1, 5)) {
        const int first = model_peek();
        ck_assert_int_eq(pop(), first);
        if (first >= 0) {
            model_remove(model_find(first));
        }
    } else if (at == model_count) {
        insert(id, key);
        model_insert(id, key);
    } else if (random_chance(random, 1, 4)) {
        heap_remove(&heap, &timers[id].due);
        model_remove(at);
    } else {
        heap_change(&heap, &timers[id].due, key);
        model_remove(at);
        model_insert(id, key);
    }
}

static void assert_slots_are_true(void)
{
    for (size_t slot = 1; slot <= heap.nodes_count; slot++) {
        ck_assert_uint_eq(heap.slots[slot]->slot, slot);
        if (slot > 1) {
            ck_assert(heap_before(heap.slots[slot / 2], heap.slots[slot]));
        }
    }
}

START_TEST(random_changes_agree_with_a_naive_model)
{
    struct random random;
    random_init(&random, 31337);
    model_count = 0;

    for (int i = 0; i < 100000; i++) {
        change_heap_and_model(&random);
        ck_assert_int_eq(peek(), model_peek());
        ck_assert_uint_eq(heap_count(&heap), model_count);
        if (i % 500 == 0) {
            assert_slots_are_true();
        }
    }
}
END_TEST

/* Move all nodes into a fresh heap in the order in which they would leave, as
 * restoring a snapshot does. */
static void rebuild(void)
{
    struct heap fresh;
    heap_init(&fresh);
    while (heap_count(&heap) > 0) {
        struct heap_node *node = heap_pop(&heap);
        heap_insert(&fresh, node, node->key);
    }
    heap_close(&heap);
    heap = fresh;
}

/* The model lives through; the heap is rebuilt now and then and must go on as
 * if nothing had happened. */
START_TEST(a_rebuilt_heap_behaves_like_the_original)
{
    struct random random;
    random_init(&random, 4711);
    model_count = 0;

    for (int i = 0; i < 20000; i++) {
        if (i % 100 == 0) {
            rebuild();
        }
        change_heap_and_model(&random);
        ck_assert_int_eq(peek(), model_peek());
    }
}
END_TEST

START_TEST(inserting_a_node_twice_is_a_bug)
{
    insert(1, 1);
    insert(1, 2);
}
END_TEST

START_TEST(removing_what_is_not_there_is_a_bug)
{
    insert(1, 1);
    heap_remove(&heap, &timers[2].due);
}
END_TEST

START_TEST(changing_what_is_not_there_is_a_bug)
{
    insert(1, 1);
    heap_change(&heap, &timers[2].due, 2);
}
END_TEST

START_TEST(removing_from_another_heap_is_a_bug)
{
    struct heap other;
    heap_init(&other);
    insert(1, 1);
    heap_insert(&other, &timers[2].due, 1);
    heap_remove(&heap, &timers[2].due);
}
END_TEST

static TCase *order_tests(void)
{
    TCase *tests = tcase_create("order");

    tcase_add_checked_fixture(tests, open_heap, close_heap);
    tcase_add_test(tests, an_empty_heap_has_no_first_node_and_no_memory);
    tcase_add_test(tests, nodes_leave_by_ascending_key);
    tcase_add_test(tests, equal_keys_leave_in_order_of_insertion);
    tcase_add_test(tests, peeking_leaves_the_node_in_place);
    tcase_add_test(tests, any_node_can_be_removed);
    tcase_add_test(tests, the_node_that_fills_a_gap_may_rise);
    tcase_add_test(tests,
                   a_lower_key_brings_a_node_forward_and_a_higher_one_back);
    tcase_add_test(tests, a_changed_node_comes_last_among_its_equals);
    tcase_add_test(tests, a_node_knows_whether_it_is_in_a_heap);
    tcase_add_test(tests, random_changes_agree_with_a_naive_model);
    tcase_add_test(tests, a_rebuilt_heap_behaves_like_the_original);
    return tests;
}

static TCase *bug_tests(void)
{
    TCase *tests = tcase_create("bugs");

    tcase_add_checked_fixture(tests, open_heap, NULL);
    tcase_add_test_raise_signal(tests, inserting_a_node_twice_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, removing_what_is_not_there_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, changing_what_is_not_there_is_a_bug,
                                SIGABRT);
    tcase_add_test_raise_signal(tests, removing_from_another_heap_is_a_bug,
                                SIGABRT);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("heap");

    suite_add_tcase(suite, order_tests());
    suite_add_tcase(suite, bug_tests());
    return check_run(suite);
}
