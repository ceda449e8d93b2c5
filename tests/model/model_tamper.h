/* model_tamper.h - does anybody notice? The self-test of the checkers.
 *
 * A history is done by the model alone, and one outcome is falsified before
 * the checkers see it. Each rule has its falsification, and must be the one to
 * complain; without any, nobody may.
 */
#ifndef HOLDFAST_MODEL_TAMPER_H
#define HOLDFAST_MODEL_TAMPER_H

#include <stdbool.h>
#include <stdio.h>

/* Print what each falsification led to; true if all were noticed. */
bool model_tamper_test(FILE *out);

#endif
