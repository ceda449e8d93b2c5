/* lock_records.h - what each kind of record is called and looks like.
 *
 * A row for each kind, in lock_records.c, ties these to the functions of the
 * file that owns the kind:
 *
 *     struct bytes lock_X_record_name(const struct lock_tracked *record);
 *     void lock_X_record_value(const struct lock_machine *machine,
 *                              const struct lock_tracked *record,
 *                              struct buffer *out);
 *     enum status lock_X_record_load(struct lock_machine *machine,
 *                                    struct bytes name, struct bytes value);
 *
 * where X is meta, table (locks), data, fence and requests (origins). value
 * appends, starting with LOCK_RECORD_FORMAT; load reads the same, and refuses
 * whatever value could not have written, without any ENSURE: the bytes may be
 * damaged. A name that is there already is STATUS_BAD_VALUE. A refused load may
 * leave half a record behind, as long as the machine can be freed.
 */
#ifndef HOLDFAST_LOCK_RECORDS_H
#define HOLDFAST_LOCK_RECORDS_H

#include "base/status.h"
#include "lock/lock_changes.h"

/* The name of a record, inside of it. */
struct bytes lock_records_name(const struct lock_tracked *record);

/* Append the value of a record. */
void lock_records_value(const struct lock_machine *machine,
                        const struct lock_tracked *record, struct buffer *out);

/* Append the key of a record. */
void lock_records_key(uint8_t kind, struct bytes name, struct buffer *out);

/* Add the record to a machine that is being loaded. */
enum status lock_records_load(struct lock_machine *machine, struct bytes key,
                              struct bytes value);

#endif
