/* checksum.h - CRC32C (Castagnoli), over frames, log entries and snapshots. */
#ifndef HOLDFAST_BASE_CHECKSUM_H
#define HOLDFAST_BASE_CHECKSUM_H

#include "base/bytes.h"

/* The checksum of bytes alone. */
uint32_t checksum_crc32c(struct bytes bytes);

/* The checksum of everything summed so far followed by bytes; start with 0. */
uint32_t checksum_crc32c_extend(uint32_t so_far, struct bytes bytes);

#endif
