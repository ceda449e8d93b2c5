/* command_face.c - what the server looks like from the port a client came to.
 *
 * To extend: a face is a value of enum command_face and a case in each switch
 * below.
 */
#include "command/command_face.h"

#include <string.h>

#include "base/ensure.h"

void command_face_facts(const struct command_call *call,
                        struct command_facts *facts)
{
    memset(facts, 0, sizeof(*facts));
    call->world->facts(call->world->context, facts);
}

const char *command_face_mode(const struct command_call *call)
{
    switch (call->session->face) {
    case COMMAND_FACE_PLAIN:
        return "standalone";
    case COMMAND_FACE_CLUSTER:
        return "cluster";
    case COMMAND_FACE_SENTINEL:
        return "sentinel";
    }
    UNREACHABLE();
}

bool command_face_is_primary(const struct command_call *call,
                             const struct command_facts *facts)
{
    return call->session->face != COMMAND_FACE_CLUSTER ||
           (facts->node_id == facts->leader_id && facts->leader_id != 0);
}

uint16_t command_face_port(const struct command_call *call,
                           const struct command_facts *facts)
{
    switch (call->session->face) {
    case COMMAND_FACE_PLAIN:
        return facts->port;
    case COMMAND_FACE_CLUSTER:
        return facts->cluster_port;
    case COMMAND_FACE_SENTINEL:
        return facts->sentinel_port;
    }
    UNREACHABLE();
}

uint16_t command_face_member_port(const struct command_call *call,
                                  const struct command_member *member)
{
    return call->session->face == COMMAND_FACE_CLUSTER ? member->cluster_port
                                                       : member->port;
}

const struct command_member *
command_face_leader(const struct command_facts *facts)
{
    for (size_t i = 0; i < facts->members_count; i++) {
        if (facts->leader_id != 0 && facts->members[i].id == facts->leader_id) {
            return &facts->members[i];
        }
    }
    return NULL;
}

bool command_face_is_replica(const struct command_member *member)
{
    return !member->self && member->alive;
}
