/* model_due.h - does the machine know what ends first? */
#ifndef HOLDFAST_MODEL_DUE_H
#define HOLDFAST_MODEL_DUE_H

#include "lock/lock.h"
#include "model/model.h"

/* Do as a leader does: what is due is looked at and moved to its real end,
 * until the earliest is real. NULL, or what is wrong. */
const char *model_due_look(const struct model *model,
                           struct lock_machine *machine);

#endif
