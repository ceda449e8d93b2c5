/* raft_progress.c - state of one peer, as its leader sees it.
 *
 * Only arithmetic on one struct: raft_replicate.c decides what to send, the
 * raft_recv_*_reply.c files what an answer means.
 */
#include "raft/raft_progress.h"

#include <string.h>

#include "base/ensure.h"

void raft_progress_init(struct raft_progress *progress, raft_id_t id,
                        raft_index_t next_index, time_ms_t now)
{
    ENSURE(id != 0);
    ENSURE(next_index > 0);

    memset(progress, 0, sizeof(*progress));
    progress->id = id;
    progress->heard_at = now;
    buffer_init(&progress->snapshot_members);
    raft_progress_probe(progress, next_index);
}

void raft_progress_close(struct raft_progress *progress)
{
    buffer_close(&progress->snapshot_members);
}

void raft_progress_restart(struct raft_progress *progress, uint64_t probation,
                           raft_index_t next_index, uint64_t round_floor,
                           time_ms_t now)
{
    const raft_index_t leave_index = progress->leave_index;
    const time_ms_t leave_deadline = progress->leave_deadline;
    const raft_id_t id = progress->id;
    raft_progress_close(progress);
    raft_progress_init(progress, id, next_index, now);
    progress->leave_index = leave_index;
    progress->leave_deadline = leave_deadline;
    progress->probation = probation;
    progress->round_floor = round_floor;
}

void raft_progress_probe(struct raft_progress *progress,
                         raft_index_t next_index)
{
    ENSURE(next_index > 0);

    progress->state = RAFT_PROBE;
    progress->snapshot_placed = false;
    progress->next_index = next_index;
    progress->waiting = false;
    if (progress->match_index >= next_index) {
        /* It says that it lost what it had. Never count that as a copy. */
        progress->match_index = next_index - 1;
    }
}

void raft_progress_stream(struct raft_progress *progress,
                          raft_index_t next_index)
{
    ENSURE(next_index > progress->match_index);

    progress->state = RAFT_STREAM;
    progress->snapshot_placed = false;
    progress->next_index = next_index;
    progress->waiting = false;
}

void raft_progress_snapshot(struct raft_progress *progress, raft_index_t index,
                            raft_term_t term,
                            const struct raft_members *members)
{
    ENSURE(index > 0);

    progress->state = RAFT_SNAPSHOT;
    progress->waiting = false;
    progress->snapshot_index = index;
    progress->snapshot_term = term;
    progress->snapshot_offset = 0;
    progress->snapshot_repeated = false;
    buffer_clear(&progress->snapshot_members);
    raft_members_encode(members, &progress->snapshot_members);
}

void raft_progress_accepted(struct raft_progress *progress,
                            raft_index_t prev_index, raft_index_t match_index)
{
    if (match_index > progress->match_index) {
        progress->match_index = match_index;
    }
    const raft_index_t meet =
        prev_index > progress->match_index ? prev_index : progress->match_index;
    switch (progress->state) {
    case RAFT_PROBE:
        if (meet + 1 >= progress->next_index) {
            raft_progress_stream(progress, meet + 1);
        }
        break;
    case RAFT_SNAPSHOT:
        if (progress->match_index >= progress->snapshot_index) {
            raft_progress_stream(progress, progress->match_index + 1);
        }
        break;
    case RAFT_STREAM:
        break;
    }
    if (progress->next_index <= progress->match_index) {
        progress->next_index = progress->match_index + 1;
    }
}

bool raft_progress_refusal_is_news(const struct raft_progress *progress,
                                   raft_index_t prev_index)
{
    switch (progress->state) {
    case RAFT_PROBE:
        return prev_index == progress->next_index - 1;
    case RAFT_STREAM:
        return prev_index >= progress->match_index;
    case RAFT_SNAPSHOT:
        return false;
    }
    UNREACHABLE();
}

size_t raft_progress_room_entries(const struct raft_progress *progress,
                                  size_t window_entries)
{
    const uint64_t out = progress->next_index - 1 - progress->match_index;
    return out < window_entries ? (size_t)(window_entries - out) : 0;
}

uint64_t raft_progress_room_bytes(const struct raft_progress *progress,
                                  const struct raft_log *log,
                                  uint64_t window_bytes)
{
    const uint64_t out = raft_sizes_between(&log->sizes, progress->match_index,
                                            progress->next_index - 1);
    return out < window_bytes ? window_bytes - out : 0;
}
