/* limits.h - every bound of the system, and how the bounds relate.
 *
 * A queue, a length or a count that could grow has its limit here and nowhere
 * else. Static checks below keep them consistent: what is accepted at one door
 * must fit through the next.
 */
#ifndef HOLDFAST_BASE_LIMITS_H
#define HOLDFAST_BASE_LIMITS_H

#include <assert.h>
#include <stdint.h>

/* Members of a group: voters and learners together. */
#define LIMIT_MEMBERS 16

/* A term this far above our own is no honest member's: no cluster holds so many
 * elections while a member is away. Believed, it would soon leave no term for
 * the next one. */
#define LIMIT_TERM_LEAP (UINT64_C(1) << 32)

/* host:port of a member, as text. */
#define LIMIT_ADDRESS_BYTES 255

/* A configuration as a log entry: a count, then id, role and address each. */
#define LIMIT_MEMBERS_BYTES                                                    \
    (4 + LIMIT_MEMBERS * (8 + 1 + 2 + LIMIT_ADDRESS_BYTES))

/* One log entry's payload. */
#define LIMIT_ENTRY_BYTES (64 * 1024)

/* A lock or data key, and the name of a lock's owner. */
#define LIMIT_KEY_BYTES 1024
#define LIMIT_OWNER_BYTES 256

/* A record of the state: its name, and what it says. A lock with all that wait
 * for it is one, so the second is far above what is of use. */
#define LIMIT_RECORD_KEY_BYTES (LIMIT_KEY_BYTES + 64)
#define LIMIT_RECORD_BYTES (UINT32_C(1) << 31)

/* Databases that SELECT knows. */
#define LIMIT_DATABASES 16

/* A data value that one entry can carry, beside its key and its head. */
#define LIMIT_VALUE_BYTES (LIMIT_ENTRY_BYTES - 4096)

/* Times and clocks in ms: some 8,900 years, so that sums cannot overflow. */
#define LIMIT_TIME_MS (UINT64_C(1) << 48)

/* The lease of a grant: at most a year. */
#define LIMIT_TTL_MS (UINT64_C(366) * 24 * 3600 * 1000)

/* Tokens are below this: numbers that a double holds exactly. The epoch has
 * the bits above LIMIT_TOKEN_COUNTER_BITS. */
#define LIMIT_TOKEN (UINT64_C(1) << 53)
#define LIMIT_TOKEN_COUNTER_BITS 40

/* Answers that an origin may leave unacknowledged and the machine remembers. */
#define LIMIT_REMEMBERED 65536

/* Entries in one AppendEntries, and the payload bytes they may carry. */
#define LIMIT_APPEND_ENTRIES 4096
#define LIMIT_APPEND_BYTES (1024 * 1024)

/* The log that a node keeps in memory and on disk behind a checkpoint, and what
 * an entry costs there beside its payload. A checkpoint comes before a quarter
 * as much again was appended. */
#define LIMIT_LOG_BYTES (128 * 1024 * 1024)
#define LIMIT_KEPT_HEAD_BYTES 64

/* Snapshots that a leader sends at a time, each of which may be another one. */
#define LIMIT_TRANSFERS 4

/* State carried by one InstallSnapshot chunk. */
#define LIMIT_CHUNK_BYTES (1024 * 1024)

/* What the leader's state may answer to one question. */
#define LIMIT_ANSWER_BYTES (2 * 1024 * 1024)

/* Replies of one client that have not left, and answers that the clients of one
 * node wait for: much less than a link between nodes may have waiting. */
#define LIMIT_REPLIES_BYTES (1024 * 1024)
#define LIMIT_EXPECTED_BYTES (8 * 1024 * 1024)

/* holdfast-store: writes that wait for its disk, above which clients are told
 * to come again, and answers that its reading thread makes before they are
 * collected. */
#define LIMIT_STORE_QUEUE_BYTES (64 * 1024 * 1024)
#define LIMIT_STORE_ANSWERS_BYTES (8 * 1024 * 1024)

/* What stands before an entry, or around such an answer, on its way between a
 * follower and the leader. */
#define LIMIT_FORWARD_HEAD_BYTES 256

/* A published message and its channel, which go to every node. */
#define LIMIT_PUBLISH_BYTES (1024 * 1024)

/* A whole frame between peers, header included. */
#define LIMIT_FRAME_BYTES (4 * 1024 * 1024)

/* What a frame spends on an entry beside its payload: term, kind, length. */
#define LIMIT_ENTRY_HEAD_BYTES 16

/* Everything in a frame that is neither entries nor state. */
#define LIMIT_FRAME_OVERHEAD_BYTES (64 * 1024)

/* The tool: locks of one run, and locks that it looks at to show some. */
#define LIMIT_TOOL_KEYS 64
#define LIMIT_TOOL_SAMPLE 10000

static_assert(LIMIT_MEMBERS_BYTES <= LIMIT_ENTRY_BYTES,
              "a configuration is a log entry");
static_assert(LIMIT_ENTRY_BYTES <= LIMIT_APPEND_BYTES,
              "every entry can be sent");
static_assert(LIMIT_APPEND_BYTES +
                      LIMIT_APPEND_ENTRIES * LIMIT_ENTRY_HEAD_BYTES +
                      LIMIT_FRAME_OVERHEAD_BYTES <=
                  LIMIT_FRAME_BYTES,
              "a full AppendEntries fits into a frame");
static_assert(LIMIT_CHUNK_BYTES + LIMIT_MEMBERS_BYTES +
                      LIMIT_FRAME_OVERHEAD_BYTES <=
                  LIMIT_FRAME_BYTES,
              "a full snapshot chunk fits into a frame");
static_assert(LIMIT_ANSWER_BYTES + LIMIT_FORWARD_HEAD_BYTES +
                      LIMIT_FRAME_OVERHEAD_BYTES <=
                  LIMIT_FRAME_BYTES,
              "every answer of the leader fits into a frame");
static_assert(LIMIT_PUBLISH_BYTES + LIMIT_FRAME_OVERHEAD_BYTES <=
                  LIMIT_FRAME_BYTES,
              "every published message fits into a frame");

#endif
