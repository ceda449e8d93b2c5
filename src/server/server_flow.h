/* server_flow.h - how much of one client is under way at a time.
 *
 * How much a server holds for a client is decided by how fast the client reads
 * and not by how much it asks for at once. While LIMIT_REPLIES_BYTES of its
 * replies have not left, no further request of it begins, and its stream is
 * given no more than that. Who reads gets everything and who does not has to
 * wait; nobody is cut off for what it asked.
 *
 * How long the answer to a request will be is not known before it is there.
 * Until then it counts as long as answers to this client were of late. If there
 * is no room when it comes after all, a read is put back and asked again when
 * there is; and so are all behind it, because none may see an older state than
 * one before it. A write is done and its answer stays.
 */
#ifndef HOLDFAST_SERVER_FLOW_H
#define HOLDFAST_SERVER_FLOW_H

#include <stdbool.h>
#include <stddef.h>

struct server_client;
struct server_slot;

/* Of a client; the members belong to server_flow.c. */
struct server_flow {
    size_t replies_bytes;  /* in slots: worded and not in the stream */
    size_t expected_bytes; /* what slots that ask count for */
    size_t guess_read_bytes;
    size_t guess_bytes;   /* of an answer that is not to a read */
    size_t put_back;      /* slots that are to ask again */
    bool others_put_back; /* so must those that ask behind them */
};

/* The same of one slot. */
struct server_flow_part {
    size_t reply_bytes;
    size_t expected_bytes;
    bool put_back;
};

void server_flow_init(struct server_flow *flow);

/* True if another request of the client may begin. */
bool server_flow_is_open(const struct server_client *client);

/* True if the reply of the first slot, which is done, may go to the stream. */
bool server_flow_may_leave(const struct server_client *client);

/* ---- what becomes of a slot ---- */

/* It asks. */
void server_flow_asked(struct server_slot *slot);

/* The answer to a slot is there: true if it is dropped, because it must be
 * asked for again. */
bool server_flow_puts_back(struct server_slot *slot);

/* Its reply is worded, or some of it. */
void server_flow_worded(struct server_slot *slot);

/* Its reply went to the stream, or nobody wants it. */
void server_flow_left(struct server_slot *slot);

/* ---- asking again ---- */

/* Let slots that were put back ask, as far as there is room. */
void server_flow_ask_again(struct server_client *client);

/* True if that would do something. */
bool server_flow_may_ask_again(const struct server_client *client);

#endif
