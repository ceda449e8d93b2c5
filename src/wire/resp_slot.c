/* resp_slot.c - the slot of a key, as clients of a Redis Cluster count them.
 *
 * The checksum goes half a byte at a time: a table of sixteen numbers can be
 * checked by eye (each is the polynomial times its index, without carries),
 * and keys are short.
 *
 * To extend: nothing here can change, the clients compute the same.
 */
#include "wire/resp_slot.h"

#include <string.h>

#include "base/ensure.h"

static struct bytes resp_slot_tag(struct bytes key);

uint16_t resp_slot_of(struct bytes key)
{
    const uint16_t slot = resp_slot_crc16(resp_slot_tag(key)) % RESP_SLOTS;

    ENSURE(slot < RESP_SLOTS);
    return slot;
}

uint16_t resp_slot_crc16(struct bytes bytes)
{
    static const uint16_t halves[16] = {
        0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50a5, 0x60c6, 0x70e7,
        0x8108, 0x9129, 0xa14a, 0xb16b, 0xc18c, 0xd1ad, 0xe1ce, 0xf1ef};
    uint32_t crc = 0;
    for (size_t i = 0; i < bytes.count; i++) {
        const uint32_t byte = bytes.data[i];
        crc = (crc << 4 & 0xffff) ^ halves[crc >> 12 ^ byte >> 4];
        crc = (crc << 4 & 0xffff) ^ halves[crc >> 12 ^ (byte & 15)];
    }
    return (uint16_t)crc;
}

/* The part of the key that counts. */
static struct bytes resp_slot_tag(struct bytes key)
{
    if (key.count == 0) {
        return key;
    }
    const uint8_t *open = memchr(key.data, '{', key.count);
    if (open == NULL) {
        return key;
    }
    const uint8_t *start = open + 1;
    const size_t rest = key.count - (size_t)(start - key.data);
    const uint8_t *end = rest > 0 ? memchr(start, '}', rest) : NULL;
    if (end == NULL || end == start) {
        return key;
    }
    return bytes_of(start, (size_t)(end - start));
}
