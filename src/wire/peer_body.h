/* peer_body.h - how each kind of message looks behind its frame head.
 *
 * Private to this folder: peer_frame.c is the face. Each kind is one struct
 * peer_body, a row of data and three functions that share the work so that
 * each stays plain:
 *
 *  encode   writes the fields in their order and cannot fail, because
 *  check    has said before that the values are such as a correct sender has;
 *  decode   reads the fields in their order, whatever they are. Lengths are
 *           the reader's business, values are check's, which runs afterwards.
 *
 * The same check guards both directions: what we would refuse to hear we do
 * not say.
 */
#ifndef HOLDFAST_WIRE_PEER_BODY_H
#define HOLDFAST_WIRE_PEER_BODY_H

#include "base/buffer.h"
#include "base/status.h"
#include "wire/peer_frame.h"
#include "wire/peer_message.h"

/* Who takes part in this exchange beside members of the cluster. */
enum peer_body_party {
    PEER_AMONG_MEMBERS,
    PEER_FROM_STRANGER,   /* the sender may know neither cluster nor receiver */
    PEER_TO_STRANGER,     /* the receiver may not know its cluster */
    PEER_AMONG_STRANGERS, /* neither may, but the sender knows the receiver */
};

/* A body being read. problem is STATUS_OK until a field has a form that the
 * struct could not even hold, such as a truth value of 2; the first stays. */
struct peer_body_source {
    struct reader reader;
    enum status problem;
    struct peer_frame *frame; /* has the room for entries */
};

struct peer_body {
    const char *name;
    enum peer_body_party party;
    size_t bytes_max; /* refused above this before it is even received */
    void (*encode)(const struct peer_message *message, struct buffer *out);
    void (*decode)(struct peer_body_source *source,
                   struct peer_message *message);
    enum status (*check)(const struct peer_message *message);
};

/* The row of a kind, or NULL: any value is allowed. */
const struct peer_body *peer_body_find(enum peer_message_kind kind);

/* What decoding would say of this message: STATUS_OK, STATUS_BAD_TYPE,
 * STATUS_TOO_LONG, STATUS_BAD_VALUE, or STATUS_BAD_LENGTH for a configuration
 * whose bytes are not one. */
enum status peer_body_check(const struct peer_message *message);

/* Append the body of a message that passed peer_body_check(). */
void peer_body_encode(const struct peer_message *message, struct buffer *out);

/* Read and check a body; frame->head says of which kind, from whom and to
 * whom. Fills in frame->message. */
enum status peer_body_decode(struct bytes bytes, struct peer_frame *frame);

/* ---- for the rows ---- */

/* A message without fields of its own. */
void peer_body_encode_nothing(const struct peer_message *message,
                              struct buffer *out);
void peer_body_decode_nothing(struct peer_body_source *source,
                              struct peer_message *message);
enum status peer_body_check_nothing(const struct peer_message *message);

/* A truth value is one byte, 0 or 1. */
void peer_body_put_bool(struct buffer *out, bool value);
bool peer_body_take_bool(struct peer_body_source *source);

/* Note that a field has a form that no encoder writes. */
void peer_body_object(struct peer_body_source *source, enum status problem);

/* STATUS_OK or STATUS_BAD_VALUE. */
enum status peer_body_verdict(bool is_possible);

/* A configuration that decodes and can elect somebody. */
enum status peer_body_check_members(struct bytes members);

extern const struct peer_body peer_body_vote;
extern const struct peer_body peer_body_vote_reply;
extern const struct peer_body peer_body_append;
extern const struct peer_body peer_body_append_reply;
extern const struct peer_body peer_body_snapshot;
extern const struct peer_body peer_body_snapshot_reply;
extern const struct peer_body peer_body_timeout_now;
extern const struct peer_body peer_body_found;
extern const struct peer_body peer_body_join;
extern const struct peer_body peer_body_join_reply;
extern const struct peer_body peer_body_fetch;
extern const struct peer_body peer_body_fetch_reply;
extern const struct peer_body peer_body_remove;
extern const struct peer_body peer_body_remove_reply;
extern const struct peer_body peer_body_forward;
extern const struct peer_body peer_body_forward_reply;
extern const struct peer_body peer_body_publish;
extern const struct peer_body peer_body_hello;
extern const struct peer_body peer_body_hello_reply;
extern const struct peer_body peer_body_removed;

#endif
