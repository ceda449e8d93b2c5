/* memory.h - memory that is there or the process is not.
 *
 * The server's memory is bounded by limits.h, so running out of it is a fault
 * of the machine and not a case to handle: every function here returns memory
 * or stops the process. Callers stay straight. The client library does not use
 * this header, since it lives in somebody else's process.
 */
#ifndef HOLDFAST_BASE_MEMORY_H
#define HOLDFAST_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed memory for count items of item_bytes each. The product may not
 * overflow; asking for 0 bytes gives a pointer that can be freed. */
void *memory_new(size_t count, size_t item_bytes);

/* Resize a block got from this header, keeping its contents. What was added at
 * the end is not initialised. block may be NULL. */
void *memory_resize(void *block, size_t count, size_t item_bytes);

/* An owned copy of count bytes; count may be 0. */
void *memory_copy(const void *source, size_t count);

/* Give a block back. NULL is allowed. */
void memory_free(void *block);

/* Blocks handed out and not yet given back: zero when a test has cleaned up. */
size_t memory_blocks_live(void);
/* And how many bytes they have room for. */
size_t memory_bytes_live(void);

/* Let the n-th allocation from now on fail (1 is the next one), so that a test
 * can see the process stop cleanly; 0 switches this off. */
void memory_fail_after(size_t allocations_count);

#endif
