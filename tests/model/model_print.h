/* model_print.h - commands and outcomes as lines that people can read. */
#ifndef HOLDFAST_MODEL_PRINT_H
#define HOLDFAST_MODEL_PRINT_H

#include <stdio.h>

#include "lock/lock_outcome.h"

void model_print_command(FILE *out, uint64_t index,
                         const struct lock_command *command);
void model_print_answer(FILE *out, const struct lock_answer *answer,
                        bool repeated);
void model_print_notice(FILE *out, const struct lock_notice *notice);

#endif
