/* scenario_verbs.h - the commands a scenario script may use. */
#ifndef HOLDFAST_SCENARIO_VERBS_H
#define HOLDFAST_SCENARIO_VERBS_H

#include "scenario/scenario_cluster.h"

/* Execute one command and write its part of the transcript. */
void scenario_verbs_execute(struct scenario_cluster *cluster,
                            struct scenario_command *command);

/* Read [FROM->TO] [KIND], both optional. */
struct scenario_pattern
scenario_verbs_pattern(struct scenario_command *command);

/* A list of all verbs with their arguments, for people. */
void scenario_verbs_help(FILE *out);

#endif
