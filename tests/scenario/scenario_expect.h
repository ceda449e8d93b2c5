/* scenario_expect.h - hard checks in a scenario script.
 *
 * A transcript can be regenerated, an expectation cannot: it ends the program
 * with 1 if it does not hold, so that nobody blesses a wrong result.
 */
#ifndef HOLDFAST_SCENARIO_EXPECT_H
#define HOLDFAST_SCENARIO_EXPECT_H

#include "scenario/scenario_cluster.h"

/* Check the rest of an "expect" command. */
void scenario_expect_execute(struct scenario_cluster *cluster,
                             struct scenario_command *command);

/* A list of all expectations with their arguments, for people. */
void scenario_expect_help(FILE *out);

#endif
