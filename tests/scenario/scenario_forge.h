/* scenario_forge.h - messages that no server of the scenario sent.
 *
 * For states that would take many elections to reach honestly, and for
 * messages a careful sender would not write. A forged message must be one that
 * some leader or candidate of a correct group could have sent.
 */
#ifndef HOLDFAST_SCENARIO_FORGE_H
#define HOLDFAST_SCENARIO_FORGE_H

#include "scenario/scenario_cluster.h"

/* Read the rest of a "forge" command and put the message on its way. */
void scenario_forge_execute(struct scenario_cluster *cluster,
                            struct scenario_command *command);

#endif
