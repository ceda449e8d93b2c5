/* server_recover.h - a cluster of one out of one directory: --recover.
 *
 * For the day on which a majority of the nodes is lost for good. It cannot be
 * told which entries at the end of the log were committed, so all are taken;
 * others that were committed may be missing. Hence the epoch of tokens is
 * raised: every token from now on is higher than any that was ever given out.
 * And the cluster gets another id, so that nobody of the old one, should he
 * come back, is listened to.
 */
#ifndef HOLDFAST_SERVER_RECOVER_H
#define HOLDFAST_SERVER_RECOVER_H

#include "server/server_options.h"

/* Do it, and tell on standard output what was done; or say on standard error
 * why not, and change nothing. The exit code of the program. */
int server_recover(const struct server_options *options);

#endif
