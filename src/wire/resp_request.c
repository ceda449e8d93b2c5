/* resp_request.c - requests of clients, out of the bytes of a connection.
 *
 * One buffer holds what was received. The request being read starts at `start`,
 * and everything about it is counted from there, so that the buffer may grow
 * and what was used up may be dropped in the middle of it. Words become views
 * only when the request is complete.
 *
 * Why the work stays linear: `at` passes over each byte once; the search for an
 * end of line goes on where it stopped, at `searched`; a bulk string that is
 * still coming costs one comparison a piece; and bytes used up are dropped when
 * they are at least as many as those that have to move.
 *
 * Why cutting the stream changes nothing: a limit is compared with a place in
 * the stream, never with how much happens to be there.
 *
 * To extend: a new shape of request is a case in resp_request_begin(), and a
 * state if it can be incomplete. The order of the checks in resp_request_line()
 * and its callers is that of redis-server, because it decides which error a
 * client sees.
 */
#include "wire/resp_request.h"

#include <stdio.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "wire/resp_split.h"
#include "wire/resp_word.h"

/* What an idle connection may keep. */
#define RESP_REQUEST_KEPT_BYTES (16 * 1024)
#define RESP_REQUEST_KEPT_ARGS 64
#define RESP_REQUEST_ARGS_MIN 8

#define RESP_END_BYTES 2 /* of CR and LF */

struct resp_request_span {
    size_t offset; /* from the start of the request */
    size_t count;
};

/* What one step of the reader came to. */
enum resp_step {
    RESP_STEP_ON,    /* go on with the next */
    RESP_STEP_READY, /* the request is complete */
    RESP_STEP_WAIT,  /* for more bytes */
    RESP_STEP_FAIL   /* the error is written */
};

static void resp_request_forget(struct resp_request_reader *reader);
static void resp_request_skip(struct resp_request_reader *reader);
static void resp_request_shrink(struct resp_request_reader *reader);
static void resp_request_drop(struct resp_request_reader *reader);
static enum resp_step resp_request_step(struct resp_request_reader *reader);
static enum resp_step resp_request_begin(struct resp_request_reader *reader);
static enum resp_step resp_request_inline(struct resp_request_reader *reader);
static enum resp_step resp_request_array(struct resp_request_reader *reader);
static enum resp_step resp_request_length(struct resp_request_reader *reader);
static enum resp_step resp_request_bulk(struct resp_request_reader *reader);
static enum resp_step resp_request_line(struct resp_request_reader *reader,
                                        uint8_t end, const char *too_big,
                                        size_t *line_bytes);
static enum resp_step resp_request_fail(struct resp_request_reader *reader,
                                        const char *text);
static void resp_request_word(struct resp_request_reader *reader, size_t offset,
                              size_t count);
static void resp_request_give(struct resp_request_reader *reader,
                              struct resp_request *request);

struct resp_limits resp_limits_proven(void)
{
    return (struct resp_limits){.args_max = RESP_ARGS_MAX,
                                .bulk_bytes_max = RESP_BULK_BYTES,
                                .inline_bytes_max = RESP_INLINE_BYTES,
                                .request_bytes_max = RESP_REQUEST_BYTES};
}

/* Ten arguments of 16 KB would be 160 KB from somebody unknown: together they
 * may be no more than the longest line. */
struct resp_limits resp_limits_unproven(void)
{
    return (struct resp_limits){.args_max = RESP_UNPROVEN_ARGS,
                                .bulk_bytes_max = RESP_UNPROVEN_BYTES,
                                .inline_bytes_max = RESP_UNPROVEN_BYTES,
                                .request_bytes_max = RESP_INLINE_BYTES,
                                .unproven = true};
}

void resp_request_init(struct resp_request_reader *reader,
                       const struct resp_limits *limits)
{
    memset(reader, 0, sizeof(*reader));
    resp_request_limit(reader, limits);
}

void resp_request_close(struct resp_request_reader *reader)
{
    buffer_close(&reader->input);
    memory_free(reader->spans);
    memory_free(reader->args);
    memset(reader, 0, sizeof(*reader));
}

void resp_request_limit(struct resp_request_reader *reader,
                        const struct resp_limits *limits)
{
    ENSURE(limits->bulk_bytes_max <= RESP_BULK_CEILING);
    ENSURE(limits->inline_bytes_max <= RESP_BULK_CEILING);
    ENSURE(limits->request_bytes_max <= RESP_BULK_CEILING);

    reader->limits = *limits;
}

void resp_request_append(struct resp_request_reader *reader, struct bytes bytes)
{
    if (bytes.count > 0) {
        memcpy(resp_request_reserve(reader, bytes.count), bytes.data,
               bytes.count);
        resp_request_advance(reader, bytes.count);
    }
}

uint8_t *resp_request_reserve(struct resp_request_reader *reader, size_t count)
{
    resp_request_forget(reader);
    resp_request_drop(reader);
    return buffer_reserve(&reader->input, count);
}

void resp_request_advance(struct resp_request_reader *reader, size_t count)
{
    if (reader->state != RESP_REQUEST_BROKEN) {
        buffer_advance(&reader->input, count);
    }
}

enum resp_request_result resp_request_next(struct resp_request_reader *reader,
                                           struct resp_request *request)
{
    enum resp_step step = RESP_STEP_ON;
    resp_request_forget(reader);
    while (step == RESP_STEP_ON) {
        step = resp_request_step(reader);
    }
    if (step == RESP_STEP_READY) {
        resp_request_give(reader, request);
        return RESP_REQUEST_READY;
    }
    *request = (struct resp_request){0};
    resp_request_shrink(reader);
    return step == RESP_STEP_WAIT ? RESP_REQUEST_INCOMPLETE
                                  : RESP_REQUEST_FAILED;
}

const char *resp_request_error(const struct resp_request_reader *reader)
{
    return reader->error;
}

size_t resp_request_waiting_bytes(const struct resp_request_reader *reader)
{
    const size_t used = reader->state == RESP_REQUEST_DONE ? reader->at : 0;
    return reader->input.count - reader->start - used;
}

/* ---- room ---- */

/* The request given out last is no longer in use. */
static void resp_request_forget(struct resp_request_reader *reader)
{
    if (reader->state == RESP_REQUEST_DONE) {
        resp_request_skip(reader);
    }
}

/* What was read of this request is used up; the next one starts behind it. */
static void resp_request_skip(struct resp_request_reader *reader)
{
    reader->start += reader->at;
    reader->at = 0;
    reader->searched = 0;
    reader->args_count = 0;
    reader->state = RESP_REQUEST_AT_START;
}

/* Nothing is left to read, or nothing will be: memory that was needed for
 * something large goes back. */
static void resp_request_shrink(struct resp_request_reader *reader)
{
    if (reader->start < reader->input.count) {
        return;
    }
    reader->start = 0;
    buffer_clear(&reader->input);
    if (reader->input.capacity > RESP_REQUEST_KEPT_BYTES) {
        buffer_close(&reader->input);
    }
    if (reader->args_capacity > RESP_REQUEST_KEPT_ARGS) {
        memory_free(reader->spans);
        memory_free(reader->args);
        reader->spans = NULL;
        reader->args = NULL;
        reader->args_capacity = 0;
    }
}

/* Each byte moved is paid for by one that was dropped. */
static void resp_request_drop(struct resp_request_reader *reader)
{
    if (reader->start > 0 &&
        reader->start >= reader->input.count - reader->start) {
        buffer_consume(&reader->input, reader->start);
        reader->start = 0;
    }
}

/* ---- steps ---- */

static enum resp_step resp_request_step(struct resp_request_reader *reader)
{
    switch (reader->state) {
    case RESP_REQUEST_AT_START:
        return resp_request_begin(reader);
    case RESP_REQUEST_AT_LENGTH:
        return resp_request_length(reader);
    case RESP_REQUEST_IN_BULK:
        return resp_request_bulk(reader);
    case RESP_REQUEST_BROKEN:
        return RESP_STEP_FAIL;
    case RESP_REQUEST_DONE:
        break;
    }
    UNREACHABLE();
}

static enum resp_step resp_request_begin(struct resp_request_reader *reader)
{
    ENSURE(reader->at == 0 && reader->args_count == 0);

    if (reader->start == reader->input.count) {
        return RESP_STEP_WAIT;
    }
    return reader->input.data[reader->start] == '*'
               ? resp_request_array(reader)
               : resp_request_inline(reader);
}

/* A line of words, which are put right where they stand. */
static enum resp_step resp_request_inline(struct resp_request_reader *reader)
{
    size_t line_bytes;
    const enum resp_step step = resp_request_line(
        reader, '\n', "Protocol error: too big inline request", &line_bytes);
    if (step != RESP_STEP_ON) {
        return step;
    }
    uint8_t *line = reader->input.data + reader->start;
    struct resp_split split = resp_split_of(line, line_bytes);
    size_t offset;
    size_t count;
    while (resp_split_next(&split, &offset, &count)) {
        if (reader->args_count == reader->limits.args_max) {
            return resp_request_fail(
                reader, reader->limits.unproven
                            ? "Protocol error: unauthenticated multibulk length"
                            : "Protocol error: invalid multibulk length");
        }
        resp_request_word(reader, offset, count);
    }
    if (split.unbalanced) {
        return resp_request_fail(
            reader, "Protocol error: unbalanced quotes in request");
    }
    reader->at = line_bytes + 1;
    if (reader->args_count == 0) {
        resp_request_skip(reader);
        return RESP_STEP_ON;
    }
    return RESP_STEP_READY;
}

/* "*count" and the end of its line. */
static enum resp_step resp_request_array(struct resp_request_reader *reader)
{
    size_t line_bytes;
    int64_t count;
    const enum resp_step step = resp_request_line(
        reader, '\r', "Protocol error: too big mbulk count string",
        &line_bytes);
    if (step != RESP_STEP_ON) {
        return step;
    }
    const uint8_t *line = reader->input.data + reader->start;
    const bool number =
        resp_word_signed(bytes_of(line + 1, line_bytes - 1), &count);
    const bool fits = number && count <= RESP_ARGS_CEILING;
    const bool above =
        number && count > 0 && (uint64_t)count > reader->limits.args_max;
    if (!fits || (above && !reader->limits.unproven)) {
        return resp_request_fail(reader,
                                 "Protocol error: invalid multibulk length");
    }
    if (above) {
        return resp_request_fail(
            reader, "Protocol error: unauthenticated multibulk length");
    }
    reader->at = line_bytes + RESP_END_BYTES;
    if (count <= 0) {
        resp_request_skip(reader);
        return RESP_STEP_ON;
    }
    reader->searched = reader->at;
    reader->args_left = (size_t)count;
    reader->state = RESP_REQUEST_AT_LENGTH;
    return RESP_STEP_ON;
}

/* "$length" and the end of its line. */
static enum resp_step resp_request_length(struct resp_request_reader *reader)
{
    size_t line_bytes;
    int64_t length;
    const struct resp_limits *limits = &reader->limits;
    const enum resp_step step = resp_request_line(
        reader, '\r', "Protocol error: too big bulk count string", &line_bytes);
    if (step != RESP_STEP_ON) {
        return step;
    }
    const uint8_t *line = reader->input.data + reader->start + reader->at;
    if (line[0] != '$') {
        const bool printable = line[0] >= ' ' && line[0] <= '~';
        resp_request_fail(reader, "Protocol error: expected '$', got '?'");
        reader->error[strlen(reader->error) - 2] =
            printable ? (char)line[0] : ' ';
        return RESP_STEP_FAIL;
    }
    const bool number =
        resp_word_signed(bytes_of(line + 1, line_bytes - 1), &length);
    const bool fits = number && length >= 0 && length <= RESP_BULK_CEILING;
    const bool above = fits && (uint64_t)length > limits->bulk_bytes_max;
    if (!fits || (above && !limits->unproven)) {
        return resp_request_fail(reader, "Protocol error: invalid bulk length");
    }
    if (above) {
        return resp_request_fail(reader,
                                 "Protocol error: unauthenticated bulk length");
    }
    reader->at += line_bytes + RESP_END_BYTES;
    reader->bulk_bytes = (size_t)length;
    if (reader->at + reader->bulk_bytes + RESP_END_BYTES >
        limits->request_bytes_max) {
        return resp_request_fail(reader, "Protocol error: too big request");
    }
    reader->state = RESP_REQUEST_IN_BULK;
    return RESP_STEP_ON;
}

static enum resp_step resp_request_bulk(struct resp_request_reader *reader)
{
    ENSURE(reader->args_left > 0);

    const size_t there = reader->input.count - reader->start - reader->at;
    if (there < reader->bulk_bytes + RESP_END_BYTES) {
        return RESP_STEP_WAIT;
    }
    resp_request_word(reader, reader->at, reader->bulk_bytes);
    reader->at += reader->bulk_bytes + RESP_END_BYTES;
    reader->searched = reader->at;
    reader->args_left--;
    reader->state = RESP_REQUEST_AT_LENGTH;
    return reader->args_left > 0 ? RESP_STEP_ON : RESP_STEP_READY;
}

/* ---- parts of a step ---- */

/* A line that starts at `at`: how many bytes come before its end.
 *
 * The end is LF, or CR and any byte. A line may be as long as a limit, without
 * its end: one byte more without an end in sight and it is too big. */
static enum resp_step resp_request_line(struct resp_request_reader *reader,
                                        uint8_t end, const char *too_big,
                                        size_t *line_bytes)
{
    const size_t ends_by = reader->at + reader->limits.inline_bytes_max + 1;
    const size_t there = reader->input.count - reader->start;
    const size_t until = there < ends_by ? there : ends_by;
    const uint8_t *data = reader->input.data + reader->start;
    const uint8_t *found = NULL;
    if (reader->searched < until) {
        found = memchr(data + reader->searched, end, until - reader->searched);
    }
    if (found == NULL) {
        if (until == ends_by) {
            return resp_request_fail(reader, too_big);
        }
        reader->searched = until;
        return RESP_STEP_WAIT;
    }
    const size_t found_at = (size_t)(found - data);
    if (end == '\r' && found_at + 1 == there) {
        reader->searched = found_at;
        return RESP_STEP_WAIT;
    }
    *line_bytes = found_at - reader->at;
    return RESP_STEP_ON;
}

/* Nothing that was received is looked at again. */
static enum resp_step resp_request_fail(struct resp_request_reader *reader,
                                        const char *text)
{
    ENSURE(strlen(text) < RESP_REQUEST_ERROR_BYTES);

    snprintf(reader->error, sizeof(reader->error), "%s", text);
    reader->state = RESP_REQUEST_BROKEN;
    reader->start = reader->input.count;
    return RESP_STEP_FAIL;
}

static void resp_request_word(struct resp_request_reader *reader, size_t offset,
                              size_t count)
{
    if (reader->args_count == reader->args_capacity) {
        const size_t capacity = reader->args_capacity == 0
                                    ? RESP_REQUEST_ARGS_MIN
                                    : reader->args_capacity * 2;
        reader->spans =
            memory_resize(reader->spans, capacity, sizeof(*reader->spans));
        reader->args =
            memory_resize(reader->args, capacity, sizeof(*reader->args));
        reader->args_capacity = capacity;
    }
    reader->spans[reader->args_count++] =
        (struct resp_request_span){.offset = offset, .count = count};
}

static void resp_request_give(struct resp_request_reader *reader,
                              struct resp_request *request)
{
    ENSURE(reader->args_count > 0);

    const uint8_t *data = reader->input.data + reader->start;
    for (size_t i = 0; i < reader->args_count; i++) {
        const struct resp_request_span *span = &reader->spans[i];
        ENSURE(span->offset + span->count <= reader->at);
        reader->args[i] = bytes_of(data + span->offset, span->count);
    }
    reader->state = RESP_REQUEST_DONE;
    request->args = reader->args;
    request->args_count = reader->args_count;
}
