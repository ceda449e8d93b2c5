/* model_counts.h - which results were seen, and which must be. */
#ifndef HOLDFAST_MODEL_COUNTS_H
#define HOLDFAST_MODEL_COUNTS_H

#include <stdio.h>

#include "model/model_compare.h"

void model_counts_print(const struct model_compare_counts *counts, FILE *out);

/* Print what must be seen in a big run and was not, and what was seen and
 * cannot be. Returns how many there are. A small run may miss some. */
size_t model_counts_check(const struct model_compare_counts *counts, bool small,
                          FILE *out);

#endif
