/* client_memory.h - memory that may be refused.
 *
 * The library lives in somebody else's process: running out of memory is a
 * value here, unlike in the rest of the tree. All memory of the library comes
 * through these; tests make them fail by wrapping calloc() and realloc() when
 * they link.
 */
#ifndef HOLDFAST_CLIENT_MEMORY_H
#define HOLDFAST_CLIENT_MEMORY_H

#include <stddef.h>

/* Zeroed; NULL if there is none. */
void *client_memory_new(size_t count, size_t size);

/* As realloc(); on NULL the old block is still there. */
void *client_memory_resize(void *block, size_t count, size_t size);

/* A copy, with a zero behind it. text may be NULL, and so may be the copy. */
char *client_memory_text(const char *text);
char *client_memory_bytes(const char *bytes, size_t count);

void client_memory_free(void *block);

#endif
