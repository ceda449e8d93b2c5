/* test_store_snapshot.c - a state is streamed as it was at its checkpoint. */
#include "store/store_snapshot.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "node/node_stream.h"
#include "store/store_values.h"
#include "unit/store/store_fixture.h"

/* A state of 100 keys as of 10, in chunks of 256 bytes. */
static void setup(void)
{
    fixture_setup();
    options.chunk_bytes = 256;
    reopen();
    write_promise(1, 2);
    write_entries(1, 1, 100);
    for (uint64_t i = 1; i <= 100; i++) {
        char key[16];
        snprintf(key, sizeof(key), "key%03d", (int)i);
        machine_set(found.machine, i, key, "some value or other");
    }
    checkpoint(10, 10, 1);
    wait_all();
}

static void put_record(void *context, const struct lock_record *record)
{
    void **parts = context;
    node_stream_put_record(parts[0], record->key, record->value, parts[1]);
}

/* What the stream of a machine must be. */
static void stream_of(const struct lock_machine *machine, struct buffer *out)
{
    uint32_t checksum = 0;
    void *parts[2] = {out, &checksum};
    lock_visit_records(machine, put_record, parts);
    node_stream_put_end(out, checksum);
}

/* Read chunk by chunk from an offset to the end; how many chunks. */
static size_t read_from(raft_index_t index, uint64_t offset, struct buffer *out)
{
    bool last = false;
    size_t chunks = 0;
    while (!last) {
        const size_t before = out->count;
        ck_assert(store_chunk(store, index, offset, fixture_now, out, &last));
        ck_assert_uint_gt(out->count, before);
        ck_assert_uint_le(out->count - before, 256);
        offset += out->count - before;
        chunks++;
    }
    return chunks;
}

static void assert_stream(raft_index_t index, const struct buffer *expected)
{
    struct buffer out = {0};
    read_from(index, 0, &out);
    ck_assert(bytes_equal(buffer_view(&out), buffer_view(expected)));
    buffer_close(&out);
}

START_TEST(chunks_are_the_records_of_the_machine_in_order)
{
    struct buffer expected = {0};
    struct buffer out = {0};
    stream_of(found.machine, &expected);

    ck_assert_uint_eq(read_from(10, 0, &out), (expected.count + 255) / 256);
    ck_assert(bytes_equal(buffer_view(&out), buffer_view(&expected)));
    buffer_close(&out);
    buffer_close(&expected);
}
END_TEST

START_TEST(an_index_that_is_no_checkpoint_is_not_there)
{
    struct buffer out = {0};
    bool last;

    ck_assert(!store_chunk(store, 9, 0, fixture_now, &out, &last));
    ck_assert(!store_chunk(store, 11, 0, fixture_now, &out, &last));
    ck_assert_uint_eq(out.count, 0);
}
END_TEST

START_TEST(an_offset_behind_the_end_is_not_there)
{
    struct buffer expected = {0};
    struct buffer out = {0};
    bool last;
    stream_of(found.machine, &expected);

    ck_assert(
        !store_chunk(store, 10, expected.count, fixture_now, &out, &last));
    ck_assert(!store_chunk(store, 10, UINT64_MAX, fixture_now, &out, &last));
    ck_assert(
        store_chunk(store, 10, expected.count - 1, fixture_now, &out, &last));
    ck_assert_uint_eq(out.count, 1);
    ck_assert(last);
    buffer_close(&out);
    buffer_close(&expected);
}
END_TEST

START_TEST(a_chunk_can_be_asked_for_again)
{
    struct buffer first = {0};
    struct buffer again = {0};
    bool last;
    for (int i = 0; i < 3; i++) {
        buffer_clear(&again);
        ck_assert(store_chunk(store, 10, 256, fixture_now, &again, &last));
        ck_assert(first.count == 0 ||
                  bytes_equal(buffer_view(&first), buffer_view(&again)));
        buffer_clear(&first);
        buffer_append(&first, buffer_view(&again));
    }
    buffer_close(&first);
    buffer_close(&again);
}
END_TEST

/* More readers than are remembered, at different places. */
START_TEST(many_readers_get_the_same)
{
    struct buffer expected = {0};
    struct buffer outs[6] = {{0}};
    bool done[6] = {false};
    stream_of(found.machine, &expected);
    for (bool more = true; more;) {
        more = false;
        for (size_t reader = 0; reader < 6; reader++) {
            for (size_t i = 0; i <= reader && !done[reader]; i++) {
                ck_assert(store_chunk(store, 10, outs[reader].count,
                                      fixture_now, &outs[reader],
                                      &done[reader]));
                more = true;
            }
        }
    }
    for (size_t reader = 0; reader < 6; reader++) {
        ck_assert(
            bytes_equal(buffer_view(&outs[reader]), buffer_view(&expected)));
        buffer_close(&outs[reader]);
    }
    buffer_close(&expected);
}
END_TEST

START_TEST(a_reader_finishes_while_the_state_goes_on)
{
    struct buffer expected = {0};
    struct buffer out = {0};
    bool last;
    stream_of(found.machine, &expected);
    ck_assert(store_chunk(store, 10, 0, fixture_now, &out, &last));

    for (raft_index_t index = 11; index < 15; index++) {
        machine_set(found.machine, 100 + 2 * index, "key007", "changed");
        machine_set(found.machine, 101 + 2 * index, "another", "one");
        checkpoint(index, index, 1);
        wait_all();
        ck_assert(store_chunk(store, 10, out.count, fixture_now, &out, &last));
    }
    assert_stream(10, &expected); /* another one, who begins only now */
    read_from(10, out.count, &out);
    ck_assert(bytes_equal(buffer_view(&out), buffer_view(&expected)));

    /* Nobody reads it any more. */
    ck_assert(!store_chunk(store, 10, 0, fixture_now, &out, &last));
    buffer_clear(&expected);
    stream_of(found.machine, &expected);
    assert_stream(14, &expected);
    buffer_close(&out);
    buffer_close(&expected);
}
END_TEST

START_TEST(a_checkpoint_that_nobody_reads_makes_room)
{
    struct buffer out = {0};
    bool last;
    checkpoint(20, 20, 1);
    wait_all();

    ck_assert(!store_chunk(store, 10, 0, fixture_now, &out, &last));
    ck_assert(store_chunk(store, 20, 0, fixture_now, &out, &last));
    buffer_close(&out);
}
END_TEST

START_TEST(a_reader_that_went_away_is_given_up)
{
    struct buffer out = {0};
    bool last;
    ck_assert(store_chunk(store, 10, 0, fixture_now, &out, &last));
    for (raft_index_t i = 0; i < 20; i++) {
        checkpoint(20 + i, 20 + i, 1);
        wait_all();
    }
    ck_assert(store_chunk(store, 10, 256, fixture_now, &out, &last));

    fixture_now += STORE_SNAPSHOT_PATIENCE_MS - 1;
    checkpoint(50, 50, 1);
    wait_all();
    ck_assert(store_chunk(store, 10, 256, fixture_now, &out, &last));

    fixture_now += STORE_SNAPSHOT_PATIENCE_MS;
    checkpoint(60, 60, 1);
    wait_all();
    ck_assert(!store_chunk(store, 10, 256, fixture_now, &out, &last));
    buffer_close(&out);
}
END_TEST

/* As many as there may be transfers, each of another state. */
START_TEST(all_that_are_read_stay)
{
    struct buffer out = {0};
    bool last;
    for (raft_index_t i = 1; i <= LIMIT_TRANSFERS; i++) {
        ck_assert(store_chunk(store, 10 * i, 0, fixture_now, &out, &last));
        checkpoint(10 * i + 10, 10 * i + 10, 1);
        wait_all();
    }

    for (raft_index_t i = 1; i <= LIMIT_TRANSFERS; i++) {
        ck_assert(store_chunk(store, 10 * i, 256, fixture_now, &out, &last));
    }
    buffer_close(&out);
}
END_TEST

START_TEST(the_checkpoint_found_at_a_start_can_be_streamed)
{
    struct buffer expected = {0};
    stream_of(found.machine, &expected);
    reopen();

    assert_stream(10, &expected);
    buffer_close(&expected);
}
END_TEST

START_TEST(an_installed_state_can_be_streamed)
{
    struct buffer expected = {0};
    struct lock_machine *other = machine_with("other", "state");
    stream_of(other, &expected);
    write_install(500, 1, other);
    wait_all();

    assert_stream(500, &expected);
    buffer_close(&expected);
    lock_machine_free(other);
}
END_TEST

START_TEST(a_damaged_record_is_not_handed_on)
{
    struct buffer out = {0};
    bool last;
    const char record_key[] = "\x03\0key050";
    struct buffer key = {0};
    store_keys_make_state(&key, 7, 0, bytes_of(record_key, 8));
    damage_key(buffer_view(&key));
    struct store_database database;
    struct store_snapshots snapshots;
    struct store_reason line = {reason, sizeof(reason)};
    ck_assert_int_eq(
        store_database_open(&database, data_path, 7, false, 0, &line),
        STORE_OK);
    store_snapshot_init(&snapshots, &database, LIMIT_CHUNK_BYTES);
    store_snapshot_add_take(&snapshots, 10, 0,
                            leveldb_create_snapshot(database.handle), 0);
    ck_assert_ptr_null(store_snapshot_tell_problem(&snapshots));

    ck_assert(!store_snapshot_chunk(&snapshots, 10, 0, 0, &out, &last));
    const char *problem = store_snapshot_tell_problem(&snapshots);
    ck_assert_ptr_nonnull(problem);
    ck_assert_ptr_nonnull(strstr(problem, "key050"));
    /* Tried again and again, it is told once. */
    ck_assert(!store_snapshot_chunk(&snapshots, 10, 0, 0, &out, &last));
    ck_assert_ptr_null(store_snapshot_tell_problem(&snapshots));
    ck_assert_uint_eq(out.count, 0);
    store_snapshot_close(&snapshots);
    store_database_close(&database);
    buffer_close(&key);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("store_snapshot");
    TCase *chunks = tcase_create("chunks");
    tcase_add_checked_fixture(chunks, setup, fixture_teardown);
    tcase_add_test(chunks, chunks_are_the_records_of_the_machine_in_order);
    tcase_add_test(chunks, an_index_that_is_no_checkpoint_is_not_there);
    tcase_add_test(chunks, an_offset_behind_the_end_is_not_there);
    tcase_add_test(chunks, a_chunk_can_be_asked_for_again);
    tcase_add_test(chunks, many_readers_get_the_same);
    tcase_add_test(chunks, a_damaged_record_is_not_handed_on);
    suite_add_tcase(suite, chunks);

    TCase *kept = tcase_create("kept");
    tcase_add_checked_fixture(kept, setup, fixture_teardown);
    tcase_add_test(kept, a_reader_finishes_while_the_state_goes_on);
    tcase_add_test(kept, a_checkpoint_that_nobody_reads_makes_room);
    tcase_add_test(kept, a_reader_that_went_away_is_given_up);
    tcase_add_test(kept, all_that_are_read_stay);
    tcase_add_test(kept, the_checkpoint_found_at_a_start_can_be_streamed);
    tcase_add_test(kept, an_installed_state_can_be_streamed);
    suite_add_tcase(suite, kept);
    return suite;
}

int main(void)
{
    return fixture_main(suite());
}
