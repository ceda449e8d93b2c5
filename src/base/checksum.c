/* checksum.c - CRC32C, by the machine's own instruction or by tables.
 *
 * The polynomial is Castagnoli's because x86 computes it in hardware: the
 * instruction takes eight bytes at a time. Elsewhere eight tables do the same
 * work ("slicing by eight"): table k tells what a byte contributes once k more
 * bytes have followed it, so eight lookups, which do not wait for each other,
 * stand for eight steps that would.
 *
 * The tables are filled before main(), since the server computes checksums in
 * two threads and a table filled on first use would need a lock.
 *
 * To extend: another machine's instruction gets a pair of functions in
 * checksum_paths.h and a line in checksum_crc32c_extend().
 */
#include "base/checksum.h"

#include <string.h>

#include "base/checksum_paths.h"
#include "base/ensure.h"

/* Castagnoli's polynomial, lowest power in the highest bit. */
#define CHECKSUM_POLYNOMIAL 0x82F63B78u

static uint32_t checksum_tables[8][256];

static uint32_t checksum_slice(uint32_t crc, const uint8_t *data);

uint32_t checksum_crc32c(struct bytes bytes)
{
    return checksum_crc32c_extend(0, bytes);
}

uint32_t checksum_crc32c_extend(uint32_t so_far, struct bytes bytes)
{
    if (checksum_instruction_present()) {
        return checksum_by_instruction(so_far, bytes);
    }
    return checksum_by_table(so_far, bytes);
}

uint32_t checksum_by_table(uint32_t so_far, struct bytes bytes)
{
    uint32_t crc = ~so_far;
    size_t i = 0;

    for (; bytes.count - i >= 8; i += 8) {
        crc = checksum_slice(crc, bytes.data + i);
    }
    for (; i < bytes.count; i++) {
        crc = checksum_tables[0][(crc ^ bytes.data[i]) & 0xFF] ^ (crc >> 8);
    }
    return ~crc;
}

/* Eight bytes at once. The checksum so far reaches into the first four. */
static uint32_t checksum_slice(uint32_t crc, const uint8_t *data)
{
    return checksum_tables[7][data[0] ^ (crc & 0xFF)] ^
           checksum_tables[6][data[1] ^ ((crc >> 8) & 0xFF)] ^
           checksum_tables[5][data[2] ^ ((crc >> 16) & 0xFF)] ^
           checksum_tables[4][data[3] ^ (crc >> 24)] ^
           checksum_tables[3][data[4]] ^ checksum_tables[2][data[5]] ^
           checksum_tables[1][data[6]] ^ checksum_tables[0][data[7]];
}

__attribute__((constructor)) static void checksum_fill_tables(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? CHECKSUM_POLYNOMIAL : 0);
        }
        checksum_tables[0][byte] = crc;
    }
    for (int k = 1; k < 8; k++) {
        for (int byte = 0; byte < 256; byte++) {
            const uint32_t crc = checksum_tables[k - 1][byte];
            checksum_tables[k][byte] =
                checksum_tables[0][crc & 0xFF] ^ (crc >> 8);
        }
    }
}

#ifdef __x86_64__

bool checksum_instruction_present(void)
{
    return __builtin_cpu_supports("sse4.2") != 0;
}

__attribute__((target("sse4.2"))) uint32_t
checksum_by_instruction(uint32_t so_far, struct bytes bytes)
{
    uint64_t crc = ~so_far;
    size_t i = 0;

    for (; bytes.count - i >= 8; i += 8) {
        uint64_t word;
        memcpy(&word, bytes.data + i, sizeof(word));
        crc = __builtin_ia32_crc32di(crc, word);
    }
    for (; i < bytes.count; i++) {
        crc = __builtin_ia32_crc32qi((uint32_t)crc, bytes.data[i]);
    }
    return ~(uint32_t)crc;
}

#else

bool checksum_instruction_present(void)
{
    return false;
}

uint32_t checksum_by_instruction(uint32_t so_far, struct bytes bytes)
{
    (void)so_far;
    (void)bytes;
    UNREACHABLE();
}

#endif
