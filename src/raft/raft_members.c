/* raft_members.c - a configuration of the group.
 *
 * A short sorted array: groups have a handful of members, so every question is
 * a walk. Bytes: count (u32), then for each member id (u64), role (u8) and
 * address (u16 length and text).
 *
 * To extend: a new field goes into struct raft_member, encode and decode, and
 * raises LIMIT_MEMBERS_BYTES.
 */
#include "raft/raft_members.h"

#include <string.h>

#include "base/checksum.h"
#include "base/ensure.h"

static size_t raft_members_position(const struct raft_members *members,
                                    raft_id_t id);
static bool raft_members_decode_one(struct raft_members *members,
                                    struct reader *reader);

const struct raft_member *raft_members_find(const struct raft_members *members,
                                            raft_id_t id)
{
    const size_t at = raft_members_position(members, id);
    if (at < members->count && members->list[at].id == id) {
        return &members->list[at];
    }
    return NULL;
}

bool raft_members_is_role(uint64_t role)
{
    return role >= RAFT_VOTER && role <= RAFT_JOINING;
}

bool raft_members_is_voter(const struct raft_members *members, raft_id_t id)
{
    const struct raft_member *member = raft_members_find(members, id);
    return member != NULL && member->role == RAFT_VOTER;
}

size_t raft_members_voters_count(const struct raft_members *members)
{
    size_t count = 0;
    for (size_t i = 0; i < members->count; i++) {
        if (members->list[i].role == RAFT_VOTER) {
            count++;
        }
    }
    return count;
}

size_t raft_members_quorum(const struct raft_members *members)
{
    const size_t voters = raft_members_voters_count(members);
    return voters == 0 ? 0 : voters / 2 + 1;
}

bool raft_members_set(struct raft_members *members, raft_id_t id,
                      enum raft_member_role role, struct bytes address)
{
    ENSURE(id != 0);
    ENSURE(raft_members_is_role((uint64_t)role));

    if (address.count > LIMIT_ADDRESS_BYTES) {
        return false;
    }
    const size_t at = raft_members_position(members, id);
    struct raft_member *slot = &members->list[at];
    if (at == members->count || slot->id != id) {
        if (members->count == LIMIT_MEMBERS) {
            return false;
        }
        memmove(slot + 1, slot, (members->count - at) * sizeof(*slot));
        members->count++;
    }
    memset(slot, 0, sizeof(*slot));
    slot->id = id;
    slot->role = role;
    if (address.count > 0) {
        memcpy(slot->address, address.data, address.count);
    }
    return true;
}

bool raft_members_remove(struct raft_members *members, raft_id_t id)
{
    const size_t at = raft_members_position(members, id);
    struct raft_member *slot = &members->list[at];
    if (at == members->count || slot->id != id) {
        return false;
    }
    members->count--;
    memmove(slot, slot + 1, (members->count - at) * sizeof(*slot));
    return true;
}

bool raft_members_equal(const struct raft_members *a,
                        const struct raft_members *b)
{
    if (a->count != b->count) {
        return false;
    }
    for (size_t i = 0; i < a->count; i++) {
        const struct raft_member *one = &a->list[i];
        const struct raft_member *other = &b->list[i];
        if (one->id != other->id || one->role != other->role ||
            strcmp(one->address, other->address) != 0) {
            return false;
        }
    }
    return true;
}

void raft_members_encode(const struct raft_members *members, struct buffer *out)
{
    buffer_u32(out, (uint32_t)members->count);
    for (size_t i = 0; i < members->count; i++) {
        const struct raft_member *member = &members->list[i];
        buffer_u64(out, member->id);
        buffer_u8(out, (uint8_t)member->role);
        buffer_bytes16(out, bytes_of_text(member->address));
    }
}

uint32_t raft_members_checksum(const struct raft_members *members)
{
    struct buffer bytes = {0};
    raft_members_encode(members, &bytes);
    const uint32_t checksum = checksum_crc32c(buffer_view(&bytes));
    buffer_close(&bytes);
    return checksum;
}

enum status raft_members_decode(struct raft_members *members,
                                struct bytes source)
{
    struct reader reader = reader_of(source);
    const uint32_t count = reader_u32(&reader);
    memset(members, 0, sizeof(*members));
    if (count > LIMIT_MEMBERS) {
        return STATUS_BAD_VALUE;
    }
    for (uint32_t i = 0; i < count && !reader.failed; i++) {
        if (!raft_members_decode_one(members, &reader)) {
            return STATUS_BAD_VALUE;
        }
    }
    return reader_finished(&reader) ? STATUS_OK : STATUS_BAD_LENGTH;
}

static bool raft_members_decode_one(struct raft_members *members,
                                    struct reader *reader)
{
    const raft_id_t id = reader_u64(reader);
    const uint8_t role = reader_u8(reader);
    const struct bytes address = reader_bytes16(reader);
    if (reader->failed) {
        return true; /* the caller reports the length */
    }
    if (!raft_members_is_role(role)) {
        return false;
    }
    if (members->count > 0 && members->list[members->count - 1].id >= id) {
        return false;
    }
    if (id == 0 ||
        (address.count > 0 && memchr(address.data, 0, address.count) != NULL)) {
        return false;
    }
    return raft_members_set(members, id, (enum raft_member_role)role, address);
}

/* Where id is, or where it would have to go. */
static size_t raft_members_position(const struct raft_members *members,
                                    raft_id_t id)
{
    size_t at = 0;
    while (at < members->count && members->list[at].id < id) {
        at++;
    }
    return at;
}
