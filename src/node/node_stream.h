/* node_stream.h - the state as a stream of bytes, as snapshots carry it.
 *
 *     record   length of key (32 bits, > 0), length of value (32 bits), key,
 *              value; as often as there are records
 *     end      32 bits of 0, CRC32C of all bytes before
 *
 * Cut into chunks anywhere. Whoever makes a stream uses the two functions
 * below; node_snapshot.c reads it.
 */
#ifndef HOLDFAST_NODE_STREAM_H
#define HOLDFAST_NODE_STREAM_H

#include "base/buffer.h"

/* Append a record; *checksum covers the stream so far and starts at 0. */
void node_stream_put_record(struct buffer *out, struct bytes key,
                            struct bytes value, uint32_t *checksum);
void node_stream_put_end(struct buffer *out, uint32_t checksum);

#endif
