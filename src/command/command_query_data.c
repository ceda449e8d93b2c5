/* command_query_data.c - questions about data keys, and their answers.
 *
 * An answer that would not fit is not cut but refused as a whole: half of the
 * keys that match would look like all of them.
 */
#include "command/command_query_data.h"

#include "wire/resp_word.h"

/* What is needed to write keys one by one. */
struct command_query_keys {
    struct buffer *out;
    size_t bytes_end; /* where out must stop */
    const struct bytes *pattern;
    size_t steps; /* left for matching */
    uint32_t count;
    bool cut;
};

static void command_query_data_keys(const struct lock_machine *machine,
                                    const struct command_query *query,
                                    struct buffer *out);
static void command_query_data_step(const struct lock_machine *machine,
                                    const struct command_query *query,
                                    struct buffer *out);

void command_query_data_answer(const struct lock_machine *machine,
                               time_ms_t clock,
                               const struct command_query *query,
                               struct buffer *out)
{
    struct bytes key = bytes_of(NULL, 0);
    const size_t start = out->count;
    switch (query->kind) {
    case COMMAND_QUERY_DATA:
        buffer_u8(out, 1);
        out->data[start] = lock_read_answer(machine, clock, query->text,
                                            COMMAND_QUERY_BYTES_MAX, out);
        return;
    case COMMAND_QUERY_KEYS:
        command_query_data_keys(machine, query, out);
        return;
    case COMMAND_QUERY_STEP:
        command_query_data_step(machine, query, out);
        return;
    default:
        buffer_u8(out, lock_any_data(machine, query->database,
                                     lock_clock(machine), query->cursor, &key));
        buffer_bytes16(out, key);
        return;
    }
}

enum status command_query_data_read(struct reader *reader,
                                    struct command_query_reply *reply)
{
    if (reply->kind == COMMAND_QUERY_STEP) {
        reply->cursor = reader_u64(reader);
    } else {
        reply->found = reader_u8(reader) != 0;
    }
    if (reply->kind == COMMAND_QUERY_ANY) {
        reply->value = reader_bytes16(reader);
    }
    reply->claims = *reader;
    return reader->failed ? STATUS_BAD_LENGTH : STATUS_OK;
}

bool command_query_next_key(struct command_query_reply *reply,
                            struct bytes *key)
{
    struct reader *reader = &reply->claims;
    if (reader->failed || reader->rest.count == 0) {
        return false;
    }
    *key = reader_bytes16(reader);
    return !reader->failed;
}

static void command_query_put_key(void *context, struct bytes key)
{
    struct command_query_keys *keys = context;
    keys->steps -= keys->steps < COMMAND_QUERY_KEY_STEPS
                       ? keys->steps
                       : COMMAND_QUERY_KEY_STEPS;
    if (keys->cut || (keys->pattern != NULL &&
                      !resp_word_matches(*keys->pattern, key, RESP_CASE_EXACT,
                                         &keys->steps))) {
        return;
    }
    if (keys->out->count + 2 + key.count > keys->bytes_end) {
        keys->cut = true;
        return;
    }
    buffer_bytes16(keys->out, key);
    keys->count++;
}

static void command_query_data_keys(const struct lock_machine *machine,
                                    const struct command_query *query,
                                    struct buffer *out)
{
    const size_t start = out->count;
    struct command_query_keys keys = {
        .out = out,
        .bytes_end = start + COMMAND_QUERY_BYTES_MAX,
        .pattern = &query->text,
        .steps = COMMAND_QUERY_KEYS_STEPS,
    };
    uint64_t cursor = 0;
    buffer_u8(out, 1);
    do {
        cursor = lock_visit_data(machine, query->database, lock_clock(machine),
                                 cursor, command_query_put_key, &keys);
    } while (cursor != 0 && !keys.cut && keys.steps > 0);
    if (keys.cut || keys.steps == 0) {
        buffer_cut(out, start);
        buffer_u8(out, 0);
    }
}

/* As with locks: places of the table are listed whole. */
static void command_query_data_step(const struct lock_machine *machine,
                                    const struct command_query *query,
                                    struct buffer *out)
{
    const uint32_t wanted = query->count < COMMAND_QUERY_SCAN_MAX
                                ? query->count
                                : COMMAND_QUERY_SCAN_MAX;
    struct buffer list = {0};
    struct command_query_keys keys = {.out = &list, .bytes_end = SIZE_MAX};
    uint32_t places = wanted * COMMAND_QUERY_SCAN_PLACES;
    uint64_t cursor = query->cursor;
    do {
        cursor = lock_visit_data(machine, query->database, lock_clock(machine),
                                 cursor, command_query_put_key, &keys);
        places -= places > 0 ? 1 : 0;
    } while (cursor != 0 && keys.count < wanted && places > 0 &&
             list.count < COMMAND_QUERY_BYTES_MAX / 2);
    buffer_u64(out, cursor);
    buffer_append(out, buffer_view(&list));
    buffer_close(&list);
}
