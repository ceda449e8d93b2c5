/* raft_members.h - a configuration of the group: who votes, who only listens.
 *
 * Addresses travel with the configuration, so that the log is the one place
 * that says who belongs to the group and where to find them; the core itself
 * never looks at them. Members are kept in ascending order of id: equal
 * configurations have equal bytes.
 */
#ifndef HOLDFAST_RAFT_MEMBERS_H
#define HOLDFAST_RAFT_MEMBERS_H

#include "base/buffer.h"
#include "base/limits.h"
#include "base/status.h"
#include "raft/raft_types.h"

enum raft_member_role {
    RAFT_VOTER = 1,
    RAFT_LEARNER, /* receives the log and counts for nothing */
    RAFT_JOINING, /* a learner that is to vote once it has caught up. The wish
                     is kept here so that it outlives the leader it was told
                     to; acting on it is the shell's business */
};

struct raft_member {
    raft_id_t id;
    enum raft_member_role role;
    char address[LIMIT_ADDRESS_BYTES + 1]; /* zero-terminated text */
};

struct raft_members {
    struct raft_member list[LIMIT_MEMBERS];
    size_t count;
};

/* The member with this id, or NULL. */
const struct raft_member *raft_members_find(const struct raft_members *members,
                                            raft_id_t id);

/* True for the values of enum raft_member_role. */
bool raft_members_is_role(uint64_t role);

bool raft_members_is_voter(const struct raft_members *members, raft_id_t id);

size_t raft_members_voters_count(const struct raft_members *members);

/* Votes that make a majority; 0 if there is no voter. */
size_t raft_members_quorum(const struct raft_members *members);

/* Add a member, or give one that is there a new role and address. id must not
 * be 0; address may be empty. Returns false, and changes nothing, if there is
 * no room or the address is too long. */
bool raft_members_set(struct raft_members *members, raft_id_t id,
                      enum raft_member_role role, struct bytes address);

/* Take a member out; false if it was not there. */
bool raft_members_remove(struct raft_members *members, raft_id_t id);

bool raft_members_equal(const struct raft_members *a,
                        const struct raft_members *b);

/* Append the canonical bytes, at most LIMIT_MEMBERS_BYTES. */
void raft_members_encode(const struct raft_members *members,
                         struct buffer *out);

/* A checksum of these bytes. */
uint32_t raft_members_checksum(const struct raft_members *members);

/* Read what raft_members_encode() wrote. Bytes from anywhere are safe: ids out
 * of order, unknown roles, zeros in an address or wrong lengths are refused
 * and leave *members unspecified. */
enum status raft_members_decode(struct raft_members *members,
                                struct bytes source);

#endif
