/* store_recover.h - from what is on disk to what a node starts with.
 *
 * Refused, each with its reason:
 *  - a record that is missing, cannot be read, or whose checksum or contents
 *    are wrong: identity, boot, promise, boundary, applied, a record of the
 *    state, an entry of the log with whole ones behind it;
 *  - another cluster, group or node than asked for; a newer format;
 *  - a log with a hole, that does not begin behind its boundary, that ends
 *    before the state, whose terms fall or exceed the promise;
 *  - a state whose hash is not the one noted with it;
 *  - a mark that is damaged, missing, or of another directory.
 *
 * Taken, but as a node that must be repaired: a log that ends before the mark,
 * or has another entry there, or whose end is damaged. LevelDB writes batches
 * whole or not at all, so an entry that is there and wrong is no write that
 * was cut short: it was acknowledged and is lost.
 */
#ifndef HOLDFAST_STORE_RECOVER_H
#define HOLDFAST_STORE_RECOVER_H

#include "store/store_database.h"
#include "store/store_mark.h"

struct store_recovery {
    const struct store_database *database;
    const struct store_mark_value *mark;
    bool mark_found;
    const struct store_options *options;
    struct store_reason *reason;
    struct store_recovered *recovered;
    struct buffer key; /* scratch */
    struct buffer value;
    uint32_t generation;       /* of the state */
    raft_index_t damaged_last; /* entries behind the recovered ones, up to
                                  here, are damaged and to be deleted; or 0 */
};

/* Read everything; changes nothing. recovered->boot is the last one used. On
 * failure recovered holds nothing. */
enum store_result store_recover(struct store_recovery *recovery);

#endif
