/* fence_engine.h - what stands behind the clients of holdfast-store. */
#ifndef HOLDFAST_FENCE_ENGINE_H
#define HOLDFAST_FENCE_ENGINE_H

#include "server/server_engine.h"
#include "server/server_options.h"

extern const struct server_engine fence_engine;
extern const struct server_program fence_program;

#endif
