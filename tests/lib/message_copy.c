/* message_copy.c - copies a message and all it points to into one block.
 *
 * The block holds the message, then its entries, then the bytes. Two passes:
 * measure, then copy while moving a cursor through the block.
 *
 * To extend: a message kind that borrows something gets a case in both.
 */
#include "lib/message_copy.h"

#include <string.h>

#include "base/memory.h"

static size_t message_copy_bytes(const struct raft_message *message);
static struct bytes message_copy_view(struct bytes source, uint8_t **cursor);
static void message_copy_entries(struct raft_append *append,
                                 const struct raft_append *source,
                                 struct raft_entry *entries);

struct raft_message *message_copy(const struct raft_message *message)
{
    const size_t size =
        sizeof(struct raft_message) + message_copy_bytes(message);
    struct raft_message *copy = memory_new(1, size);

    *copy = *message;
    if (message->kind == RAFT_MESSAGE_APPEND) {
        message_copy_entries(&copy->append, &message->append,
                             (struct raft_entry *)(void *)(copy + 1));
    } else if (message->kind == RAFT_MESSAGE_SNAPSHOT) {
        uint8_t *cursor = (uint8_t *)(copy + 1);
        copy->snapshot.members =
            message_copy_view(message->snapshot.members, &cursor);
        copy->snapshot.data =
            message_copy_view(message->snapshot.data, &cursor);
    }
    return copy;
}

static size_t message_copy_bytes(const struct raft_message *message)
{
    if (message->kind == RAFT_MESSAGE_SNAPSHOT) {
        return message->snapshot.members.count + message->snapshot.data.count;
    }
    if (message->kind != RAFT_MESSAGE_APPEND ||
        message->append.entries == NULL) {
        return 0;
    }
    size_t count = message->append.entries_count * sizeof(struct raft_entry);
    for (size_t i = 0; i < message->append.entries_count; i++) {
        count += message->append.entries[i].payload.count;
    }
    return count;
}

static void message_copy_entries(struct raft_append *append,
                                 const struct raft_append *source,
                                 struct raft_entry *entries)
{
    if (source->entries == NULL) {
        return;
    }
    uint8_t *cursor = (uint8_t *)(entries + source->entries_count);
    for (size_t i = 0; i < source->entries_count; i++) {
        entries[i] = source->entries[i];
        entries[i].payload =
            message_copy_view(source->entries[i].payload, &cursor);
    }
    append->entries = entries;
}

static struct bytes message_copy_view(struct bytes source, uint8_t **cursor)
{
    uint8_t *data = *cursor;

    if (source.count > 0) {
        memcpy(data, source.data, source.count);
    }
    *cursor += source.count;
    return bytes_of(data, source.count);
}
