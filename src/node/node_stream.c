/* node_stream.c - the state as a stream of bytes. */
#include "node/node_stream.h"

#include "base/checksum.h"
#include "base/ensure.h"

void node_stream_put_record(struct buffer *out, struct bytes key,
                            struct bytes value, uint32_t *checksum)
{
    ENSURE(key.count > 0);

    const size_t begin = out->count;
    buffer_u32(out, (uint32_t)key.count);
    buffer_u32(out, (uint32_t)value.count);
    buffer_append(out, key);
    buffer_append(out, value);
    *checksum = checksum_crc32c_extend(
        *checksum, bytes_of(out->data + begin, out->count - begin));
}

void node_stream_put_end(struct buffer *out, uint32_t checksum)
{
    const uint8_t zeros[4] = {0, 0, 0, 0};
    buffer_u32(out, 0);
    buffer_u32(out, checksum_crc32c_extend(checksum, bytes_of(zeros, 4)));
}
