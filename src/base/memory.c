/* memory.c - malloc's family with the error path taken out, and counted.
 *
 * Every block passes through memory_admit(), which counts it and stops the
 * process if the C library had none to give. The counters are atomic because
 * the server has a writer thread; they guard nothing else, so the relaxed
 * order is enough.
 *
 * To extend: a new way to allocate asks memory_must_fail() first and hands its
 * result to memory_admit(), so that tests can count it and make it fail.
 */
#include "base/memory.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/ensure.h"

static atomic_size_t memory_live;
static atomic_size_t memory_live_bytes;

/* Allocations until the one that fails; 0 when no failure is planned. */
static atomic_size_t memory_countdown;

static bool memory_must_fail(void);
static void *memory_admit(void *block);
static void memory_dismiss(void *block);
static size_t memory_size(size_t count, size_t item_bytes);

void *memory_new(size_t count, size_t item_bytes)
{
    const size_t size = memory_size(count, item_bytes);

    return memory_admit(memory_must_fail() ? NULL : calloc(1, size));
}

void *memory_resize(void *block, size_t count, size_t item_bytes)
{
    const size_t size = memory_size(count, item_bytes);

    if (block != NULL) {
        /* The old block goes; what is admitted below takes its place. */
        memory_dismiss(block);
    }
    return memory_admit(memory_must_fail() ? NULL : realloc(block, size));
}

void *memory_copy(const void *source, size_t count)
{
    ENSURE(source != NULL || count == 0);

    const size_t size = memory_size(count, 1);
    void *copy = memory_admit(memory_must_fail() ? NULL : malloc(size));
    if (count > 0) {
        memcpy(copy, source, count);
    }
    return copy;
}

void memory_free(void *block)
{
    if (block == NULL) {
        return;
    }
    memory_dismiss(block);
    free(block);
}

size_t memory_blocks_live(void)
{
    return atomic_load_explicit(&memory_live, memory_order_relaxed);
}

size_t memory_bytes_live(void)
{
    return atomic_load_explicit(&memory_live_bytes, memory_order_relaxed);
}

void memory_fail_after(size_t allocations_count)
{
    atomic_store_explicit(&memory_countdown, allocations_count,
                          memory_order_relaxed);
}

/* Two threads may both see the last step of the countdown, but the first of
 * them stops the process, so it does not matter what the second one reads. */
static bool memory_must_fail(void)
{
    if (atomic_load_explicit(&memory_countdown, memory_order_relaxed) == 0) {
        return false;
    }
    return atomic_fetch_sub_explicit(&memory_countdown, 1,
                                     memory_order_relaxed) == 1;
}

static void *memory_admit(void *block)
{
    if (block == NULL) {
        ensure_failed("out of memory", __FILE__, __LINE__);
    }
    atomic_fetch_add_explicit(&memory_live, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&memory_live_bytes, malloc_usable_size(block),
                              memory_order_relaxed);
    return block;
}

/* A block is about to go. */
static void memory_dismiss(void *block)
{
    const size_t live_before =
        atomic_fetch_sub_explicit(&memory_live, 1, memory_order_relaxed);
    ENSURE(live_before > 0);
    atomic_fetch_sub_explicit(&memory_live_bytes, malloc_usable_size(block),
                              memory_order_relaxed);
}

/* At least one byte, because the C library may answer a wish for none with
 * NULL, which would read as a failure. */
static size_t memory_size(size_t count, size_t item_bytes)
{
    ENSURE(item_bytes == 0 || count <= SIZE_MAX / item_bytes);

    const size_t size = count * item_bytes;
    return size > 0 ? size : 1;
}
