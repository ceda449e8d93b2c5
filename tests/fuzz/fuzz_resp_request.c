/* fuzz_resp_request.c - a stream of any bytes against the reader of requests.
 *
 * The first byte of an input chooses the limits, the second how the stream is
 * cut into pieces; the rest is what a client sends.
 *
 * What must hold, beside no ENSURE and no report of a sanitizer:
 *
 *  - A stream gives the same requests, and the same error, whether it comes as
 *    a whole, in pieces, or byte by byte, and whether it is appended or written
 *    in place.
 *  - A request has words, and keeps the limits.
 *  - What was read, written as an array of bulk strings, reads the same again.
 *  - An error is a line of printable text, and nothing follows it.
 *
 * To extend: a limit that is new gets a bit of the first byte.
 */
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "wire/resp_reply.h"
#include "wire/resp_request.h"

/* Bits of the first byte. */
#define FUZZ_UNPROVEN 1
#define FUZZ_FEW_ARGS 2
#define FUZZ_SHORT_BULK 4
#define FUZZ_SHORT_LINE 8
#define FUZZ_SHORT_REQUEST 16
#define FUZZ_IN_PLACE 32

/* One way through the stream, written down as bytes to be compared. */
struct fuzz_way {
    struct resp_request_reader reader;
    struct buffer story;
    size_t again_left; /* requests still to be written and read again */
    bool failed;
};

/* Enough to see it, and the fuzzer stays fast. */
#define FUZZ_AGAIN 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

static struct resp_limits fuzz_limits(uint8_t control);
static void fuzz_walk(struct fuzz_way *way, const struct resp_limits *limits,
                      struct bytes stream, size_t pieces, bool in_place);
static void fuzz_feed(struct fuzz_way *way, struct bytes piece, bool in_place);
static void fuzz_drain(struct fuzz_way *way);
static void fuzz_note(struct fuzz_way *way, const struct resp_request *request);
static void fuzz_failure(struct fuzz_way *way);
static void fuzz_again(const struct resp_request *request);
static void fuzz_close(struct fuzz_way *way);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
    struct reader input = reader_of(bytes_of(data, count));
    const uint8_t control = reader_u8(&input);
    const uint8_t pieces = reader_u8(&input);
    const struct resp_limits limits = fuzz_limits(control);
    const bool in_place = (control & FUZZ_IN_PLACE) != 0;
    struct fuzz_way whole;
    struct fuzz_way cut;

    fuzz_walk(&whole, &limits, input.rest, SIZE_MAX, false);
    fuzz_walk(&cut, &limits, input.rest, pieces, in_place);

    ENSURE(whole.failed == cut.failed);
    ENSURE(bytes_equal(buffer_view(&whole.story), buffer_view(&cut.story)));
    ENSURE(whole.failed || resp_request_waiting_bytes(&whole.reader) ==
                               resp_request_waiting_bytes(&cut.reader));
    fuzz_close(&whole);
    fuzz_close(&cut);
    ENSURE(memory_blocks_live() == 0);
    return 0;
}

static struct resp_limits fuzz_limits(uint8_t control)
{
    struct resp_limits limits = resp_limits_proven();
    if (control & FUZZ_UNPROVEN) {
        limits = resp_limits_unproven();
    }
    if (control & FUZZ_FEW_ARGS) {
        limits.args_max = 3;
    }
    if (control & FUZZ_SHORT_BULK) {
        limits.bulk_bytes_max = 12;
    }
    if (control & FUZZ_SHORT_LINE) {
        limits.inline_bytes_max = 20;
    }
    if (control & FUZZ_SHORT_REQUEST) {
        limits.request_bytes_max = 40;
    }
    return limits;
}

/* ---- the stream ---- */

static void fuzz_walk(struct fuzz_way *way, const struct resp_limits *limits,
                      struct bytes stream, size_t pieces, bool in_place)
{
    struct reader source = reader_of(stream);
    memset(way, 0, sizeof(*way));
    resp_request_init(&way->reader, limits);
    way->again_left = pieces == SIZE_MAX ? FUZZ_AGAIN : 0;
    for (size_t turn = 1; source.rest.count > 0; turn++) {
        size_t piece = pieces == SIZE_MAX ? SIZE_MAX : 1 + turn * pieces % 67;
        if (piece > source.rest.count) {
            piece = source.rest.count;
        }
        fuzz_feed(way, reader_take(&source, piece), in_place);
        fuzz_drain(way);
    }
}

/* In place there is room for more than comes, and it is not left clean. */
static void fuzz_feed(struct fuzz_way *way, struct bytes piece, bool in_place)
{
    if (!in_place) {
        resp_request_append(&way->reader, piece);
        return;
    }
    uint8_t *room = resp_request_reserve(&way->reader, piece.count + 9);
    memcpy(room, piece.data, piece.count);
    memset(room + piece.count, '\n', 9);
    resp_request_advance(&way->reader, piece.count);
}

static void fuzz_drain(struct fuzz_way *way)
{
    struct resp_request request;
    enum resp_request_result result = resp_request_next(&way->reader, &request);
    while (result == RESP_REQUEST_READY) {
        ENSURE(!way->failed);
        fuzz_note(way, &request);
        result = resp_request_next(&way->reader, &request);
    }
    ENSURE(request.args_count == 0);
    if (result == RESP_REQUEST_FAILED && !way->failed) {
        fuzz_failure(way);
    }
    ENSURE(way->failed == (result == RESP_REQUEST_FAILED));
}

/* ---- what came out ---- */

static void fuzz_note(struct fuzz_way *way, const struct resp_request *request)
{
    const struct resp_limits *limits = &way->reader.limits;
    ENSURE(request->args_count > 0);
    ENSURE(request->args_count <= limits->args_max);
    buffer_u64(&way->story, request->args_count);
    for (size_t i = 0; i < request->args_count; i++) {
        const struct bytes word = request->args[i];
        ENSURE(word.count <= limits->bulk_bytes_max ||
               word.count <= limits->inline_bytes_max);
        buffer_bytes32(&way->story, word);
    }
    if (way->again_left > 0) {
        way->again_left--;
        fuzz_again(request);
    }
}

static void fuzz_failure(struct fuzz_way *way)
{
    const char *text = resp_request_error(&way->reader);
    ENSURE(strncmp(text, "Protocol error: ", 16) == 0);
    for (size_t i = 0; text[i] != 0; i++) {
        ENSURE(text[i] >= ' ' && text[i] <= '~');
    }
    ENSURE(resp_request_waiting_bytes(&way->reader) == 0);
    buffer_append(&way->story, bytes_of_text(text));
    way->failed = true;
}

static void fuzz_again(const struct resp_request *request)
{
    const struct resp_limits limits = resp_limits_proven();
    struct resp_request_reader reader;
    struct resp_request same;
    struct buffer bytes = {0};
    const struct resp_reply writer = {.out = &bytes, .protocol = 2};
    resp_reply_array(&writer, request->args_count);
    for (size_t i = 0; i < request->args_count; i++) {
        resp_reply_bulk(&writer, request->args[i]);
    }
    resp_request_init(&reader, &limits);
    resp_request_append(&reader, buffer_view(&bytes));

    ENSURE(resp_request_next(&reader, &same) == RESP_REQUEST_READY);
    ENSURE(same.args_count == request->args_count);
    for (size_t i = 0; i < same.args_count; i++) {
        ENSURE(bytes_equal(same.args[i], request->args[i]));
    }
    ENSURE(resp_request_waiting_bytes(&reader) == 0);
    ENSURE(resp_request_next(&reader, &same) == RESP_REQUEST_INCOMPLETE);
    resp_request_close(&reader);
    buffer_close(&bytes);
}

static void fuzz_close(struct fuzz_way *way)
{
    resp_request_close(&way->reader);
    buffer_close(&way->story);
}
