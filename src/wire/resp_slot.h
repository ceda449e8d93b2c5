/* resp_slot.h - the slot of a key, as clients of a Redis Cluster count them.
 *
 * Holdfast has one shard and needs no slots itself. But a client that is told
 * MOVED looks the slot up in its own map: it must be the one that it would have
 * computed.
 */
#ifndef HOLDFAST_WIRE_RESP_SLOT_H
#define HOLDFAST_WIRE_RESP_SLOT_H

#include "base/bytes.h"

#define RESP_SLOTS 16384

/* CRC16 of the key modulo RESP_SLOTS. If the key has a "{" and somewhere behind
 * the first one a "}", and there is something between the first "{" and the
 * first "}" behind it, then only that counts: keys with the same tag share a
 * slot. */
uint16_t resp_slot_of(struct bytes key);

/* CRC-16/XMODEM: polynomial 0x1021, starting with 0, nothing reflected. */
uint16_t resp_slot_crc16(struct bytes bytes);

#endif
