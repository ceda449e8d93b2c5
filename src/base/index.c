/* index.c - a hash index of things that know their own key.
 *
 * Chained buckets in an array whose size is a power of two. When there are
 * more things than buckets the array is replaced by one twice as large, and by
 * one half as large when three quarters are empty. The old array stays beside
 * the new one and is emptied bucket by bucket, a few with each change, before
 * the next resize can be due.
 *
 * A walk goes in the order of places: the low 32 bits of the hash, read
 * backwards. An array of 2^k buckets puts a thing into the bucket of the k
 * lowest bits, so that one bucket is one range of places, all those with the
 * same first k bits; and whatever the size of the array, now or at the next
 * step, the places before the cursor are the same ones. This is the idea of the
 * cursor of Redis' SCAN, by Pieter Noordhuis. While there are two arrays, a
 * step takes a bucket of the smaller one and all those of the larger one that
 * cover the same range.
 */
#include "base/index.h"

#include "base/ensure.h"
#include "base/memory.h"

/* Buckets of the smallest array. */
#define INDEX_BUCKETS_MIN 16

/* Buckets emptied with each change. Of n buckets that are to be halved n / 8
 * removals may be left until they are to be halved again. */
#define INDEX_STEP 8

struct index_walker {
    const struct index *index;
    uint64_t from; /* places before it were shown */
    index_visit_fn *visit;
    void *context;
};

static void index_resize_if_due(struct index *index);
static void index_walk_buckets(const struct index_walker *walker,
                               const struct index_buckets *buckets,
                               size_t skipped_count, size_t first, size_t step);
static uint64_t index_place(uint64_t hash);
static void index_move_some(struct index *index);
static struct index_node **index_bucket(const struct index *index,
                                        uint64_t hash);
static struct index_node **index_slot(struct index_node **bucket,
                                      const struct index_node *node);

void index_init(struct index *index, index_hash_fn *hash, const void *context)
{
    *index = (struct index){.hash = hash, .context = context};
}

void index_close(struct index *index)
{
    memory_free(index->current.chains);
    memory_free(index->retiring.chains);
    index_init(index, index->hash, index->context);
}

size_t index_count(const struct index *index)
{
    return index->nodes_count;
}

void index_insert(struct index *index, struct index_node *node)
{
    index->nodes_count++;
    index_resize_if_due(index);
    struct index_node **bucket =
        index_bucket(index, index->hash(index->context, node));
    node->chain = *bucket;
    *bucket = node;
    index_move_some(index);
}

struct index_node *index_find(const struct index *index, uint64_t hash,
                              index_match_fn *match, const void *wanted)
{
    if (index->nodes_count == 0) {
        return NULL;
    }
    struct index_node *node = *index_bucket(index, hash);
    while (node != NULL && !match(node, wanted)) {
        node = node->chain;
    }
    return node;
}

void index_remove(struct index *index, struct index_node *node)
{
    ENSURE(index->nodes_count > 0);
    struct index_node **slot = index_slot(
        index_bucket(index, index->hash(index->context, node)), node);
    *slot = node->chain;
    node->chain = NULL;
    index->nodes_count--;
    index_resize_if_due(index);
    index_move_some(index);
}

uint64_t index_walk(const struct index *index, uint64_t place,
                    index_visit_fn *visit, void *context)
{
    ENSURE(place < INDEX_PLACES);

    const struct index_walker walker = {index, place, visit, context};
    const size_t current = index->current.count;
    const size_t retiring = index->retiring.count;
    if (index->nodes_count == 0) {
        return 0;
    }
    /* Buckets of the smaller array; every step-th of the larger. */
    const size_t step = retiring > 0 && retiring < current ? retiring : current;
    ENSURE(step > 0 && step <= INDEX_PLACES);
    const uint64_t range = INDEX_PLACES / step;
    const uint64_t begin = place & ~(range - 1);
    /* Reading backwards twice gives the bits as they were. */
    const size_t first = (size_t)index_place(begin);

    index_walk_buckets(&walker, &index->retiring, index->retired_count, first,
                       step);
    index_walk_buckets(&walker, &index->current, 0, first, step);

    const uint64_t next = begin + range;
    return next < INDEX_PLACES ? next : 0;
}

/* Every step-th bucket from the first on. The leading ones of an array that
 * retires were emptied, whatever they point to. */
static void index_walk_buckets(const struct index_walker *walker,
                               const struct index_buckets *buckets,
                               size_t skipped_count, size_t first, size_t step)
{
    const struct index *index = walker->index;
    for (size_t at = first; at < buckets->count; at += step) {
        const struct index_node *node =
            at >= skipped_count ? buckets->chains[at] : NULL;
        for (; node != NULL; node = node->chain) {
            const uint64_t hash = index->hash(index->context, node);
            if (index_place(hash) >= walker->from) {
                walker->visit(walker->context, node);
            }
        }
    }
}

/* The low 32 bits, the lowest first. */
static uint64_t index_place(uint64_t hash)
{
    uint64_t place = 0;
    for (uint64_t bit = 1; bit < INDEX_PLACES; bit <<= 1) {
        place = place << 1 | ((hash & bit) != 0 ? 1 : 0);
    }
    return place;
}

/* The array for what is now in the index, unless the last resize is still
 * under way. */
static void index_resize_if_due(struct index *index)
{
    const size_t buckets = index->current.count;
    size_t wanted = buckets;
    if (index->retiring.chains != NULL) {
        return;
    }
    if (buckets == 0) {
        wanted = INDEX_BUCKETS_MIN;
    } else if (index->nodes_count > buckets) {
        wanted = buckets * 2;
    } else if (buckets > INDEX_BUCKETS_MIN &&
               index->nodes_count < buckets / 4) {
        wanted = buckets / 2;
    }
    if (wanted == buckets) {
        return;
    }
    index->retiring = index->current;
    index->retired_count = 0;
    index->current.count = wanted;
    index->current.chains = memory_new(wanted, sizeof(*index->current.chains));
}

static void index_move_some(struct index *index)
{
    if (index->retiring.chains == NULL) {
        return;
    }
    for (size_t step = 0;
         step < INDEX_STEP && index->retired_count < index->retiring.count;
         step++) {
        struct index_node *node = index->retiring.chains[index->retired_count];
        index->retired_count++;
        while (node != NULL) {
            struct index_node *next = node->chain;
            struct index_node **bucket =
                index_bucket(index, index->hash(index->context, node));
            node->chain = *bucket;
            *bucket = node;
            node = next;
        }
    }
    if (index->retired_count == index->retiring.count) {
        memory_free(index->retiring.chains);
        index->retiring = (struct index_buckets){NULL, 0};
    }
}

/* The bucket that holds things of this hash: in the old array as long as that
 * bucket was not emptied. */
static struct index_node **index_bucket(const struct index *index,
                                        uint64_t hash)
{
    if (index->retiring.chains != NULL) {
        const size_t at = (size_t)hash & (index->retiring.count - 1);
        if (at >= index->retired_count) {
            return &index->retiring.chains[at];
        }
    }
    return &index->current.chains[(size_t)hash & (index->current.count - 1)];
}

/* Where the bucket points to the node. */
static struct index_node **index_slot(struct index_node **bucket,
                                      const struct index_node *node)
{
    while (*bucket != node) {
        ENSURE(*bucket != NULL);
        bucket = &(*bucket)->chain;
    }
    return bucket;
}
