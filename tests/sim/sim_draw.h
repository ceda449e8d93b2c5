/* sim_draw.h - draws what a client wants next, into client->wish. */
#ifndef HOLDFAST_SIM_DRAW_H
#define HOLDFAST_SIM_DRAW_H

#include "sim/sim_clients.h"

/* A session: which lock, how, and what for. */
void sim_draw_acquire(struct sim_clients *clients, struct sim_client *client);

/* What belongs to the lock it has. */
void sim_draw_renew(struct sim_clients *clients, struct sim_client *client);
void sim_draw_release(struct sim_clients *clients, struct sim_client *client);
void sim_draw_fenced(struct sim_clients *clients, struct sim_client *client);

/* A write to the outside store leaves, under the token it has. */
void sim_draw_store_write(struct sim_clients *clients,
                          struct sim_client *client);

/* Anything that needs no lock. */
void sim_draw_other(struct sim_clients *clients, struct sim_client *client);

/* The last write of a run. */
void sim_draw_last(struct sim_clients *clients, struct sim_client *client);

#endif
