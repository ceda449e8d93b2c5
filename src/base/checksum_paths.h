/* checksum_paths.h - the two ways CRC32C is computed, each on its own.
 *
 * For checksum.c, which picks one of them, and for its test, which compares
 * them. Everybody else includes checksum.h.
 */
#ifndef HOLDFAST_BASE_CHECKSUM_PATHS_H
#define HOLDFAST_BASE_CHECKSUM_PATHS_H

#include "base/bytes.h"

/* Works on every machine. */
uint32_t checksum_by_table(uint32_t so_far, struct bytes bytes);

/* True if this machine has the crc32 instruction of SSE4.2. */
bool checksum_instruction_present(void);

/* May be called only if the instruction is present. */
uint32_t checksum_by_instruction(uint32_t so_far, struct bytes bytes);

#endif
