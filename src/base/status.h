/* status.h - what can go wrong with the world, in one list.
 *
 * For failures outside our own code: a file, a network, bytes that are damaged.
 * A request that cannot be served is a value of its own (an outcome, a RESP
 * error), a bug is an ENSURE. Add a line to STATUS_LIST and both the value and
 * its text exist.
 */
#ifndef HOLDFAST_BASE_STATUS_H
#define HOLDFAST_BASE_STATUS_H

#define STATUS_LIST(X)                                                         \
    X(STATUS_OK, "fine")                                                       \
    X(STATUS_INCOMPLETE, "more bytes are needed")                              \
    X(STATUS_TOO_LONG, "longer than the limit allows")                         \
    X(STATUS_BAD_MAGIC, "not a Holdfast frame")                                \
    X(STATUS_BAD_VERSION, "of a protocol version that is not spoken here")     \
    X(STATUS_BAD_TYPE, "of an unknown type")                                   \
    X(STATUS_BAD_CHECKSUM, "damaged: the checksum does not match")             \
    X(STATUS_BAD_CLUSTER, "from another cluster")                              \
    X(STATUS_BAD_LENGTH, "lengths inside do not add up")                       \
    X(STATUS_BAD_VALUE, "a field has a value it cannot have")                  \
    X(STATUS_NOT_FOUND, "not to be found")                                     \
    X(STATUS_IN_USE, "in use by somebody else")                                \
    X(STATUS_REFUSED, "refused by the machine")                                \
    X(STATUS_NO_EVENTS, "libevent could not be set up")

enum status {
#define STATUS_VALUE(name, text) name,
    STATUS_LIST(STATUS_VALUE)
#undef STATUS_VALUE
    STATUS_COUNT
};

/* The text of a status, for a log line or an error reply. Never NULL. */
const char *status_text(enum status status);

#endif
