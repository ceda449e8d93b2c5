/* check_promises.h - nothing leaves before the sync that covers it.
 *
 * Every message that leaves is held against the sender's disk at that moment:
 * the term it speaks under, the vote it grants or asks for, the entries it
 * says to have.
 */
#ifndef HOLDFAST_SIM_CHECK_PROMISES_H
#define HOLDFAST_SIM_CHECK_PROMISES_H

#include "lib/host.h"
#include "sim/sim_report.h"

void check_promises_sent(struct sim_report *report, const struct host *sender,
                         const struct raft_message *message);

#endif
