/* peer_frame.h - frames that carry messages between nodes.
 *
 * A frame is a head of fixed size and a body. Integers are little-endian.
 *
 *     offset  bytes
 *          0      4  magic, the letters HOLD
 *          4      1  version
 *          5      1  type: enum peer_message_kind
 *          6      2  reserved, 0
 *          8      4  length of the body
 *         12      4  group
 *         16     16  cluster id
 *         32      8  from
 *         40      8  to
 *         48      8  incarnation of the sender
 *         56      4  CRC32C of the 56 bytes before and of the body
 *         60         body, see peer_body_raft.c and peer_body_node.c
 *
 * There is no socket here. A connection collects bytes and asks
 * peer_frame_inspect() what they begin with; a head that is wrong is refused
 * before anything of its body is waited for. When a whole frame is there,
 * peer_frame_decode() checks it to the last bit: every relation between fields
 * that a correct sender keeps is a condition here, so that the core never sees
 * a message that no correct member could have sent. Encoding accepts exactly
 * what decoding accepts, and a message has one encoding only.
 *
 * Not checked here, because it takes knowledge of the cluster: whether `to` is
 * this node, whether `from` is a member, and whether it still is the
 * incarnation it was.
 */
#ifndef HOLDFAST_WIRE_PEER_FRAME_H
#define HOLDFAST_WIRE_PEER_FRAME_H

#include "base/buffer.h"
#include "base/status.h"
#include "wire/peer_message.h"

#define PEER_FRAME_VERSION 1
#define PEER_FRAME_HEAD_BYTES 60
#define PEER_CLUSTER_BYTES 16

/* Whom a frame belongs to. A cluster id of zeros is that of a node that does
 * not know its cluster yet. */
struct peer_identity {
    uint8_t cluster[PEER_CLUSTER_BYTES];
    uint32_t group;
    uint64_t incarnation; /* random identity of the sender's data directory:
                             tells a wiped node from the one it was */
};

struct peer_frame_head {
    enum peer_message_kind kind;
    uint32_t body_bytes;
    struct peer_identity identity; /* of the sender */
    raft_id_t from;
    raft_id_t to;
    uint32_t checksum;
};

/* A decoded frame. Keep one per connection: the room for the entries of an
 * AppendEntries is reused from frame to frame. */
struct peer_frame {
    struct peer_frame_head head;
    struct peer_message message;
    struct raft_entry *entries; /* owned; what message.raft.append points to */
    size_t entries_capacity;
};

/* Does whoever has this identity know its cluster? */
bool peer_frame_has_cluster(const struct peer_identity *identity);

void peer_frame_init(struct peer_frame *frame);
void peer_frame_close(struct peer_frame *frame);

/* Append message as a complete frame.
 *
 * identity is the sender's own. On failure out is unchanged:
 *
 *  STATUS_TOO_LONG     something is above its limit;
 *  STATUS_BAD_TYPE     there is no such kind;
 *  STATUS_BAD_CLUSTER  identity has no cluster, and the kind needs one;
 *  STATUS_BAD_VALUE, STATUS_BAD_LENGTH (in a configuration)
 *                      peer_frame_decode() would refuse it.
 *
 * AppendEntries must have its payloads filled in. */
enum status peer_frame_encode(const struct peer_identity *identity,
                              const struct peer_message *message,
                              struct buffer *out);

/* Look at what input begins with; it may end anywhere, and may hold more than
 * one frame.
 *
 *  STATUS_OK           a head that can be the start of a frame; the whole frame
 *                      has *frame_bytes, at most LIMIT_FRAME_BYTES;
 *  STATUS_INCOMPLETE   the head is not there yet; *frame_bytes are needed to
 *                      say more;
 *  STATUS_BAD_MAGIC, _BAD_VERSION, _BAD_TYPE, _BAD_VALUE (reserved bits)
 *                      not a frame that is understood here;
 *  STATUS_TOO_LONG     longer than its type can be.
 *
 * After anything but the first two the stream has lost its step: close it.
 * head is filled in if STATUS_OK; nothing of it is proven before decoding. */
enum status peer_frame_inspect(struct bytes input, struct peer_frame_head *head,
                               size_t *frame_bytes);

/* Decode exactly one frame.
 *
 * expected is the receiver's own identity; its incarnation is not looked at.
 * Views in out->message point into frame and into out, and are valid until
 * either changes. Beside the answers of peer_frame_inspect():
 *
 *  STATUS_INCOMPLETE    frame is shorter than its head says;
 *  STATUS_BAD_LENGTH    it is longer, or lengths in the body do not add up;
 *  STATUS_BAD_CHECKSUM  damaged;
 *  STATUS_BAD_CLUSTER   from another cluster;
 *  STATUS_TOO_LONG      something in it is above its limit;
 *  STATUS_BAD_VALUE     for another group, or no correct sender says this.
 *
 * A newcomer, or a first member before the founding, knows no cluster.
 * Therefore JoinCluster, FetchPeerList, the hellos and Found, unless it says
 * that the cluster was founded, are taken from a sender without one; and for a
 * receiver without one every cluster's frames decode, because it has yet to
 * learn from out->head which is its own: what it then believes is its own
 * affair. Nothing else passes without equal cluster ids. The group must be
 * equal always. */
enum status peer_frame_decode(struct bytes frame,
                              const struct peer_identity *expected,
                              struct peer_frame *out);

/* The checksum that a frame with these bytes has to carry: of the head without
 * its last field, and of the body. frame must hold a whole head. For encoding,
 * decoding, and tests that forge frames. */
uint32_t peer_frame_checksum(struct bytes frame);

#endif
