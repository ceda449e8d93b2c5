/* peer_hello.c - which version of the protocol two nodes speak. */
#include "wire/peer_hello.h"

#include <stdio.h>

static_assert(PEER_VERSION_LEAST >= 1 &&
                  PEER_VERSION_LEAST <= PEER_VERSION_MOST,
              "some version is spoken");

struct peer_hello peer_hello_ours(void)
{
    return (struct peer_hello){.least = PEER_VERSION_LEAST,
                               .most = PEER_VERSION_MOST};
}

struct peer_hello peer_hello_answer(const struct peer_hello *ours,
                                    const struct peer_hello *theirs)
{
    struct peer_hello answer = *ours;
    answer.chosen = ours->most < theirs->most ? ours->most : theirs->most;
    if (answer.chosen < ours->least || answer.chosen < theirs->least) {
        answer.chosen = 0;
    }
    return answer;
}

bool peer_hello_fits(const struct peer_hello *ours,
                     const struct peer_hello *reply)
{
    return reply->chosen >= ours->least && reply->chosen <= ours->most;
}

void peer_hello_text(const struct peer_hello *ours,
                     const struct peer_hello *theirs, char *text, size_t room)
{
    (void)snprintf(text, room,
                   "it speaks protocol versions %u to %u, this node %u to %u: "
                   "%s too old",
                   (unsigned)theirs->least, (unsigned)theirs->most,
                   (unsigned)ours->least, (unsigned)ours->most,
                   theirs->least > ours->most ? "this node is" : "it is");
}
