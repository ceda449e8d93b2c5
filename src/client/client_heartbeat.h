/* client_heartbeat.h - the thread that talks to the cluster.
 *
 * All functions but start and stop want client->mutex to be held.
 */
#ifndef HOLDFAST_CLIENT_HEARTBEAT_H
#define HOLDFAST_CLIENT_HEARTBEAT_H

#include "client/client_state.h"

/* HF_OK, or HF_SYSTEM. */
enum hf_status client_heartbeat_start(struct hf_client *client);

/* End it and wait for that; is_stopping must be set. */
void client_heartbeat_stop(struct hf_client *client);

/* Have it look around soon. */
void client_heartbeat_wake(struct hf_client *client);

/* Have it look at a lease soon, and wake it. */
void client_heartbeat_look(struct hf_lease *lease);

/* A thread whose signals are all blocked: the program's handlers run in its own
 * threads. */
enum hf_status client_heartbeat_thread(pthread_t *thread, void *(*run)(void *),
                                       void *context);

/* Set a timer descriptor to a time of CLOCK_BOOTTIME; NEVER stops it. */
void client_heartbeat_arm(int timer_fd, int64_t at);

/* Tell the program's log, if there is one. */
void client_heartbeat_log(const struct hf_client *client, const char *format,
                          ...) __attribute__((format(printf, 2, 3)));

#endif
