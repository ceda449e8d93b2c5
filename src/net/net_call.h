/* net_call.h - ask a node something and wait for the answer.
 *
 * For what happens before there is a loop: a newcomer that asks to be let in.
 * Everything has a time limit and nothing else happens meanwhile; a server that
 * serves must not call this.
 */
#ifndef HOLDFAST_NET_CALL_H
#define HOLDFAST_NET_CALL_H

#include "base/buffer.h"
#include "base/units.h"
#include "net/net_address.h"

struct net_call {
    int fd; /* -1: closed */
    struct buffer input;
    size_t taken; /* of input: the frame that was given out */
};

/* Connect to the first of these addresses that can be, within wait_ms. What the
 * last one said: STATUS_REFUSED: nobody listens there or the way is barred;
 * STATUS_NOT_FOUND: no answer in time. net_call_close() in any case. */
enum status net_call_open(struct net_call *call,
                          const struct net_address_list *to, time_ms_t wait_ms);
void net_call_close(struct net_call *call);

/* The address of our end. */
enum status net_call_local(const struct net_call *call,
                           struct net_address *address);

/* True if who answers this call listens at this socket: then a program has
 * called itself. fd may be -1. */
bool net_call_is_to(const struct net_call *call, int fd);

/* Send a frame and wait for one, wait_ms in all. The reply is valid until the
 * next call. STATUS_INCOMPLETE: the other side closed; STATUS_NOT_FOUND: no
 * answer in time; others as of peer_frame_inspect(). */
enum status net_call_ask(struct net_call *call, struct bytes frame,
                         struct bytes *reply, time_ms_t wait_ms);

#endif
