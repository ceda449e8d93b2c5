/* lock_view.h - a claim as others may see it. */
#ifndef HOLDFAST_LOCK_VIEW_H
#define HOLDFAST_LOCK_VIEW_H

#include "lock/lock.h"

struct lock_claim;

/* Fill in the view; its texts point into the claim and its lock. */
void lock_view_claim(const struct lock_machine *machine,
                     const struct lock_claim *claim,
                     struct lock_claim_view *view);

#endif
