/* lock_changes.h - which records of the state changed, and the state's hash.
 *
 * Every thing that is a record of the state (a lock, a data key, a fence, an
 * origin, and the machine's own numbers) embeds a struct lock_tracked and says
 * here when it comes, changes and goes. In return a checkpoint costs what has
 * changed since the last one, a hash what has changed since the last one, and
 * all records can be found although no hash index can be walked.
 *
 * A record's key is one byte for its kind and then its name, which must lie in
 * one piece inside the record and never change. lock_records.h says for each
 * kind how to get at the name and the value.
 */
#ifndef HOLDFAST_LOCK_CHANGES_H
#define HOLDFAST_LOCK_CHANGES_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/table.h"

struct lock_machine;

/* The first byte of a record's key; records sort by it. */
enum lock_record_kind {
    LOCK_RECORD_META = 1, /* clocks, reigns, tokens: one record, no name */
    LOCK_RECORD_LOCK,     /* name: the key */
    LOCK_RECORD_DATA,     /* name: the database as one byte, then the key */
    LOCK_RECORD_FENCE,    /* name: the key of the lock */
    LOCK_RECORD_ORIGIN,   /* name: the node, eight bytes, big-endian */
    LOCK_RECORD_KINDS_END,
};

/* Values of all kinds start with this byte. */
#define LOCK_RECORD_FORMAT 1

/* Embedded in each record. Small, for there may be millions: whether a record
 * has changed, and whether its hash is out of date, is told by its place. */
struct lock_tracked {
    uint64_t hash;  /* what it adds to the state's hash, unless stale */
    uint32_t place; /* in the list of all records */
    uint8_t kind;   /* enum lock_record_kind */
    bool stored;    /* there is a record of that key in the last checkpoint */
};

/* The members belong to lock_changes.c. */
struct lock_changes {
    const struct lock_machine *machine;
    /* All records: first those whose hash is stale, then others that changed
     * since the last checkpoint, then those that did not. */
    struct lock_tracked **records;
    size_t records_count;
    size_t records_capacity;
    size_t stale_count;
    size_t changed_count; /* includes the stale ones */
    uint64_t sum;         /* of the hashes of all that are not stale */
    struct table gone;    /* struct lock_tombstone by record key */
};

/* The machine is only handed on to those who encode values. */
void lock_changes_init(struct lock_changes *changes,
                       const struct lock_machine *machine,
                       struct table_seed seed);

/* Records still there stay with their owners. */
void lock_changes_close(struct lock_changes *changes);

/* A record came to be: its name is set, its value may still be under way. */
void lock_changes_add(struct lock_changes *changes, struct lock_tracked *record,
                      enum lock_record_kind kind);

/* Its value changed, or is about to within the same command. */
void lock_changes_touch(struct lock_changes *changes,
                        struct lock_tracked *record);

/* The record goes away; the caller frees it afterwards. */
void lock_changes_gone(struct lock_changes *changes,
                       struct lock_tracked *record);

/* All records were loaded from a checkpoint: nothing has changed since. */
void lock_changes_settle(struct lock_changes *changes);

/* Records that changed, came or went since the last checkpoint. */
size_t lock_changes_total(const struct lock_changes *changes);

/* The sum, modulo 2^64, of lock_changes_hash_of() of all records. */
uint64_t lock_changes_hash(struct lock_changes *changes);

/* What a record adds to it: a hash of the length of its key, the key and the
 * value, the same on every replica. */
uint64_t lock_changes_hash_of(struct bytes key, struct bytes value);

/* One line of the lists below: a record, or what is left of one. */
struct lock_change {
    uint8_t kind;
    struct bytes name;
    struct lock_tracked *record; /* NULL: it is gone */
};

/* An owned array, ascending by key, of all records or of all changes; give it
 * back with memory_free(). Valid until the machine changes. */
struct lock_change *lock_changes_list_all(const struct lock_changes *changes,
                                          size_t *count);
struct lock_change *lock_changes_list(const struct lock_changes *changes,
                                      size_t *count);

#endif
