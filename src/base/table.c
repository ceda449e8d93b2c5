/* table.c - chained buckets, a second array while resizing, and SipHash.
 *
 * Nodes hang in two structures: a chain per bucket, to be found, and one list
 * through all of them, to be walked in insertion order. A walk never looks at
 * the buckets.
 *
 * Resizing: a larger or smaller array becomes current and the old one retires.
 * Every insert and every removal then empties a few of the retiring buckets,
 * from the first to the last. At any moment a hash has exactly one bucket
 * (table_bucket): the retiring one if that has not been emptied yet, else the
 * current one. So nothing is ever searched twice.
 *
 * The steps are large enough that an array has retired before the next resize
 * is due. Growing from n to 2n buckets takes n / 16 operations, and n inserts
 * must happen before 2n buckets are full. Shrinking from n to n / 2 takes as
 * many, and n / 16 removals must happen before the next. What remains in one
 * piece is the allocation of the zeroed array, which large sizes get straight
 * from the operating system.
 *
 * To extend: whatever adds or removes nodes must call table_settle(), and
 * whatever looks for a chain must ask table_bucket().
 */
#include "base/table.h"

#include "base/ensure.h"
#include "base/memory.h"

#define TABLE_BUCKETS_MIN 16

/* Retiring buckets emptied by one insert or removal. */
#define TABLE_STEP_BUCKETS 16

/* An array is halved when only one bucket in this many is in use. Well below
 * the half that a fresh array starts with, so that a table whose size swings
 * around a bound is not resized each time. */
#define TABLE_SPARSE_FACTOR 8

static struct table_node **table_bucket(const struct table *table,
                                        uint64_t hash);
static struct table_node *table_chain_find(struct table_node *chain,
                                           uint64_t hash, struct bytes key);
static void table_settle(struct table *table);
static void table_resize(struct table *table, size_t buckets_count);
static void table_retire_step(struct table *table);
static void table_retire_bucket(struct table *table);

void table_init(struct table *table, struct table_seed seed)
{
    *table = (struct table){.seed = seed};
    TAILQ_INIT(&table->order);
}

void table_close(struct table *table)
{
    memory_free(table->current.chains);
    memory_free(table->retiring.chains);
    table_init(table, table->seed);
}

size_t table_count(const struct table *table)
{
    return table->nodes_count;
}

void table_insert(struct table *table, struct table_node *node,
                  struct bytes key)
{
    if (table->current.count == 0) {
        table_resize(table, TABLE_BUCKETS_MIN);
    }

    node->key = key;
    node->hash = table_hash(table->seed, key);
    struct table_node **bucket = table_bucket(table, node->hash);
    ENSURE(table_chain_find(*bucket, node->hash, key) == NULL);

    node->chain = *bucket;
    *bucket = node;
    TAILQ_INSERT_TAIL(&table->order, node, order);
    table->nodes_count++;
    table_settle(table);
}

struct table_node *table_find(const struct table *table, struct bytes key)
{
    if (table->nodes_count == 0) {
        return NULL;
    }
    const uint64_t hash = table_hash(table->seed, key);

    return table_chain_find(*table_bucket(table, hash), hash, key);
}

void table_remove(struct table *table, struct table_node *node)
{
    ENSURE(table->nodes_count > 0);

    struct table_node **link = table_bucket(table, node->hash);
    while (*link != node) {
        ENSURE(*link != NULL);
        link = &(*link)->chain;
    }
    *link = node->chain;
    node->chain = NULL;
    TAILQ_REMOVE(&table->order, node, order);
    table->nodes_count--;
    table_settle(table);
}

struct table_node *table_first(const struct table *table)
{
    return TAILQ_FIRST(&table->order);
}

struct table_node *table_next(const struct table_node *node)
{
    return TAILQ_NEXT(node, order);
}

/* The one bucket in which a node with this hash hangs or would hang. */
static struct table_node **table_bucket(const struct table *table,
                                        uint64_t hash)
{
    ENSURE(table->current.count > 0);

    if (table->retiring.count > 0) {
        const size_t old = (size_t)hash & (table->retiring.count - 1);
        if (old >= table->retired_count) {
            return &table->retiring.chains[old];
        }
    }
    return &table->current.chains[(size_t)hash & (table->current.count - 1)];
}

static struct table_node *table_chain_find(struct table_node *chain,
                                           uint64_t hash, struct bytes key)
{
    struct table_node *node = chain;
    while (node != NULL &&
           (node->hash != hash || !bytes_equal(node->key, key))) {
        node = node->chain;
    }
    return node;
}

/* After each change: go on with a resize under way, else see if one is due. */
static void table_settle(struct table *table)
{
    const size_t count = table->current.count;

    if (table->retiring.count > 0) {
        table_retire_step(table);
    } else if (table->nodes_count > count) {
        table_resize(table, count * 2);
    } else if (count > TABLE_BUCKETS_MIN &&
               table->nodes_count < count / TABLE_SPARSE_FACTOR) {
        table_resize(table, count / 2);
    }
    ENSURE(table->nodes_count <= table->current.count);
}

static void table_resize(struct table *table, size_t buckets_count)
{
    ENSURE(table->retiring.count == 0);
    ENSURE(buckets_count > 0 && (buckets_count & (buckets_count - 1)) == 0);

    table->retiring = table->current;
    table->retired_count = 0;
    table->current.chains =
        memory_new(buckets_count, sizeof(*table->current.chains));
    table->current.count = buckets_count;
}

static void table_retire_step(struct table *table)
{
    for (int i = 0; i < TABLE_STEP_BUCKETS; i++) {
        if (table->retired_count < table->retiring.count) {
            table_retire_bucket(table);
        }
    }
    if (table->retired_count == table->retiring.count) {
        memory_free(table->retiring.chains);
        table->retiring = (struct table_buckets){0};
        table->retired_count = 0;
    }
}

static void table_retire_bucket(struct table *table)
{
    struct table_node *node = table->retiring.chains[table->retired_count];

    /* Counted as emptied first: from here on table_bucket() gives the new
     * place of its nodes. */
    table->retired_count++;
    while (node != NULL) {
        struct table_node *following = node->chain;
        struct table_node **bucket = table_bucket(table, node->hash);
        node->chain = *bucket;
        *bucket = node;
        node = following;
    }
}

/* SipHash by Aumasson and Bernstein, with one round for each word of eight
 * bytes and three to finish: the variant for tables, whose hashes nobody sees.
 * The last word holds what is left over and the length. */

struct table_sip {
    uint64_t v0, v1, v2, v3;
};

static uint64_t table_rotate_left(uint64_t value, unsigned bits)
{
    return (value << bits) | (value >> (64 - bits));
}

static inline void table_sip_round(struct table_sip *sip)
{
    sip->v0 += sip->v1;
    sip->v2 += sip->v3;
    sip->v1 = table_rotate_left(sip->v1, 13) ^ sip->v0;
    sip->v3 = table_rotate_left(sip->v3, 16) ^ sip->v2;
    sip->v0 = table_rotate_left(sip->v0, 32);

    sip->v2 += sip->v1;
    sip->v0 += sip->v3;
    sip->v1 = table_rotate_left(sip->v1, 17) ^ sip->v2;
    sip->v3 = table_rotate_left(sip->v3, 21) ^ sip->v0;
    sip->v2 = table_rotate_left(sip->v2, 32);
}

static inline void table_sip_word(struct table_sip *sip, uint64_t word)
{
    sip->v3 ^= word;
    table_sip_round(sip);
    sip->v0 ^= word;
}

/* The end of the input, less than 8 bytes, the first the lowest. */
static uint64_t table_sip_rest(const uint8_t *at, size_t count)
{
    uint64_t word = 0;
    while (count > 0) {
        count--;
        word = word << 8 | at[count];
    }
    return word;
}

uint64_t table_hash(struct table_seed seed, struct bytes bytes)
{
    /* The constants are the authors': "somepseudorandomlygeneratedbytes". */
    struct table_sip sip = {
        .v0 = seed.words[0] ^ UINT64_C(0x736f6d6570736575),
        .v1 = seed.words[1] ^ UINT64_C(0x646f72616e646f6d),
        .v2 = seed.words[0] ^ UINT64_C(0x6c7967656e657261),
        .v3 = seed.words[1] ^ UINT64_C(0x7465646279746573),
    };
    const uint8_t *at = bytes.data;
    size_t left = bytes.count;

    for (; left >= 8; at += 8, left -= 8) {
        table_sip_word(&sip, bytes_load_u64(at));
    }
    const uint64_t last =
        (uint64_t)bytes.count << 56 | table_sip_rest(at, left);
    table_sip_word(&sip, last);

    sip.v2 ^= 0xFF;
    table_sip_round(&sip);
    table_sip_round(&sip);
    table_sip_round(&sip);
    return sip.v0 ^ sip.v1 ^ sip.v2 ^ sip.v3;
}
