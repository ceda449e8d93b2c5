/* container.h - from a node back to the struct it is embedded in.
 *
 * The table and the heap hand out their own nodes; the owner of a node knows
 * which struct surrounds it.
 */
#ifndef HOLDFAST_BASE_CONTAINER_H
#define HOLDFAST_BASE_CONTAINER_H

#include <stddef.h>

/* The struct of the given type whose member the pointer points to. The pointer
 * may not be NULL: look before asking. */
#define CONTAINER_OF(pointer, type, member)                                    \
    ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

/* The same for a pointer to const: the struct may only be looked at. */
#define CONTAINER_OF_CONST(pointer, type, member)                              \
    ((const type *)(const void *)((const char *)(pointer)-offsetof(type,       \
                                                                   member)))

#endif
