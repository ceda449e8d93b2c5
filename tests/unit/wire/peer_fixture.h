/* peer_fixture.h - a message, its frame and a forger, for the tests of bodies.
 *
 * Every test program has its own copy of all this; what one of them leaves
 * unused costs nothing. Helpers start with px_, short because every line of a
 * test has one.
 *
 * Arrange:  px_plain() encodes the plain sample of a kind, or change px.sample
 *           and call px_encode(); px_poke() overwrites a field of the body and
 *           px_seal() makes length and checksum fit again.
 * Act:      px_decode().
 * Check:    its answer, and px.frame.
 *
 * Forged frames carry a correct checksum: damage is test_peer_frame.c's
 * subject, here the sender itself is wrong.
 */
#ifndef HOLDFAST_TESTS_PEER_FIXTURE_H
#define HOLDFAST_TESTS_PEER_FIXTURE_H

#include "base/memory.h"
#include "lib/check_runner.h"
#include "lib/peer_sample.h"
#include "wire/peer_body.h"

#define PX_HEAD PEER_FRAME_HEAD_BYTES
#define PX_LENGTH_AT 8
#define PX_CHECKSUM_AT 56

/* The first number that is not sent. */
#define PX_BEYOND (PEER_NUMBER_MAX + 1)

struct px {
    struct peer_identity self;
    struct peer_sample sample;
    struct peer_frame frame;
    struct buffer bytes; /* the frame */
    uint8_t *exact;      /* what was decoded last; views point here */
};

/* One field of a plain message overwritten: where in the body, and what
 * decoding then says. */
struct px_forgery {
    enum peer_message_kind kind;
    size_t at;
    size_t width;
    uint64_t value;
    enum status status;
};

static struct px px;

static inline void px_setup(void)
{
    px.self = peer_sample_identity();
    peer_frame_init(&px.frame);
    buffer_init(&px.bytes);
    px.exact = NULL;
}

static inline void px_teardown(void)
{
    peer_frame_close(&px.frame);
    buffer_close(&px.bytes);
    memory_free(px.exact);
    ck_assert_uint_eq(memory_blocks_live(), 0);
}

static inline TCase *px_case(const char *name)
{
    TCase *tests = tcase_create(name);
    tcase_add_checked_fixture(tests, px_setup, px_teardown);
    return tests;
}

static inline enum status px_encode(void)
{
    buffer_clear(&px.bytes);
    return peer_frame_encode(&px.self, &px.sample.message, &px.bytes);
}

static inline void px_plain(enum peer_message_kind kind)
{
    peer_sample_plain(&px.sample, kind);
    ck_assert_int_eq(px_encode(), STATUS_OK);
}

static inline void px_poke(size_t at, size_t width, uint64_t value)
{
    ck_assert_uint_le(PX_HEAD + at + width, px.bytes.count);
    for (size_t i = 0; i < width; i++) {
        px.bytes.data[PX_HEAD + at + i] = (uint8_t)(value >> (8 * i));
    }
}

static inline void px_seal(void)
{
    buffer_patch_u32(&px.bytes, PX_LENGTH_AT,
                     (uint32_t)(px.bytes.count - PX_HEAD));
    buffer_patch_u32(&px.bytes, PX_CHECKSUM_AT,
                     peer_frame_checksum(buffer_view(&px.bytes)));
}

/* Decode from a block of exactly the right size, so that a sanitizer sees one
 * read too far. Whatever is accepted must encode to the same bytes again. */
static inline enum status px_decode(void)
{
    memory_free(px.exact);
    px.exact = memory_copy(px.bytes.data, px.bytes.count);
    const enum status status = peer_frame_decode(
        bytes_of(px.exact, px.bytes.count), &px.self, &px.frame);
    if (status == STATUS_OK) {
        struct buffer again = {0};
        ck_assert_int_eq(peer_frame_encode(&px.frame.head.identity,
                                           &px.frame.message, &again),
                         STATUS_OK);
        ck_assert(bytes_equal(buffer_view(&again), buffer_view(&px.bytes)));
        buffer_close(&again);
    }
    return status;
}

/* Send px.sample and receive it again, unchanged. */
static inline void px_there_and_back(void)
{
    ck_assert_int_eq(px_encode(), STATUS_OK);
    ck_assert_int_eq(px_decode(), STATUS_OK);
    ck_assert(peer_sample_equal(&px.frame.message, &px.sample.message));
}

static inline void px_check_forgery(const struct px_forgery *forgery)
{
    px_plain(forgery->kind);
    px_poke(forgery->at, forgery->width, forgery->value);
    px_seal();

    const enum status status = px_decode();

    ck_assert_msg(status == forgery->status, "%s, body byte %zu = %#llx: %s",
                  peer_message_kind_text(forgery->kind), forgery->at,
                  (unsigned long long)forgery->value, status_text(status));
}

#endif
