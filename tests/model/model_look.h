/* model_look.h - is what can be seen of the machine what the model has?
 *
 * Every function gives NULL, or the name of what differs.
 */
#ifndef HOLDFAST_MODEL_LOOK_H
#define HOLDFAST_MODEL_LOOK_H

#include "lock/lock.h"
#include "model/model.h"

/* The answer, whether it is repeated, and all notices in order. */
const char *model_look_outcome(const struct model_outcome *expected,
                               const struct lock_outcome *outcome);

/* Clocks, reign, token and what is easily counted. */
const char *model_look_counts(const struct model *model,
                              const struct lock_machine *machine);

/* How many locks there are, and how many owners. */
const char *model_look_names(const struct model *model,
                             const struct lock_machine *machine);

/* Whatever has this key: lock, data of all databases, fence. */
const char *model_look_key(const struct model *model,
                           const struct lock_machine *machine,
                           struct bytes key);

const char *model_look_owner(const struct model *model,
                             const struct lock_machine *machine,
                             struct bytes owner);

const char *model_look_origin(const struct model *model,
                              const struct lock_machine *machine,
                              uint64_t node);

#endif
