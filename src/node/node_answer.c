/* node_answer.c - the answer to a command, as bytes between nodes. */
#include "node/node_answer.h"

#include <string.h>

void node_answer_encode(const struct lock_answer *answer, struct buffer *out)
{
    buffer_u8(out, (uint8_t)answer->result);
    buffer_u64(out, answer->token);
    buffer_u64(out, answer->ticket);
    buffer_u64(out, answer->time_ms);
    buffer_u64(out, (uint64_t)answer->count);
    buffer_u8(out, answer->has_value ? 1 : 0);
    buffer_bytes32(out, answer->value);
}

enum status node_answer_decode(struct bytes bytes, struct lock_answer *answer)
{
    struct reader reader = reader_of(bytes);
    memset(answer, 0, sizeof(*answer));
    const uint8_t result = reader_u8(&reader);
    answer->token = reader_u64(&reader);
    answer->ticket = reader_u64(&reader);
    answer->time_ms = reader_u64(&reader);
    answer->count = (int64_t)reader_u64(&reader);
    const uint8_t has_value = reader_u8(&reader);
    answer->value = reader_bytes32(&reader);
    if (!reader_finished(&reader)) {
        return STATUS_BAD_LENGTH;
    }
    if (result >= LOCK_RESULTS_COUNT || has_value > 1) {
        return STATUS_BAD_VALUE;
    }
    answer->result = (enum lock_result)result;
    answer->has_value = has_value != 0;
    return STATUS_OK;
}
