/* client_alarm.h - the thread that declares leases lost and tells the program.
 *
 * All functions but start and stop want client->mutex to be held.
 */
#ifndef HOLDFAST_CLIENT_ALARM_H
#define HOLDFAST_CLIENT_ALARM_H

#include "client/client_state.h"

enum hf_status client_alarm_start(struct hf_client *client);
void client_alarm_stop(struct hf_client *client);

/* A lease is held until lost_at. Renewals move lost_at without a word to the
 * alarm, which looks again when the time has come. */
void client_alarm_set(struct hf_lease *lease);

/* A lease was lost: its callback is due. */
void client_alarm_mourn(struct hf_lease *lease);

#endif
