/* client_memory.c - memory that may be refused. */
#include "client/client_memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *client_memory_new(size_t count, size_t size)
{
    return calloc(count, size);
}

void *client_memory_resize(void *block, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) {
        return NULL;
    }
    return realloc(block, count * size);
}

char *client_memory_text(const char *text)
{
    return text != NULL ? client_memory_bytes(text, strlen(text)) : NULL;
}

char *client_memory_bytes(const char *bytes, size_t count)
{
    char *copy = count < SIZE_MAX ? calloc(count + 1, 1) : NULL;
    if (copy != NULL && count > 0) {
        memcpy(copy, bytes, count);
    }
    return copy;
}

void client_memory_free(void *block)
{
    free(block);
}
