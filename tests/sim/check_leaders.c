/* check_leaders.c - remembers who led each term.
 *
 * To extend: terms beyond CHECK_TERMS_MAX are taken for a livelock, in which
 * terms grow for ever.
 */
#include "sim/check_leaders.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"

#define CHECK_TERMS_MAX 100000

void check_leaders_init(struct check_leaders *check, struct sim_report *report)
{
    memset(check, 0, sizeof *check);
    check->report = report;
}

void check_leaders_close(struct check_leaders *check)
{
    memory_free(check->leaders);
}

void check_leaders_seen(struct check_leaders *check, raft_term_t term,
                        raft_id_t id)
{
    if (term >= CHECK_TERMS_MAX) {
        sim_report_fail(check->report, SIM_STUCK,
                        "terms run away: n%" PRIu64 " leads term %" PRIu64, id,
                        term);
        return;
    }
    while (check->terms_count <= term) {
        const size_t before = check->terms_count;
        check->terms_count = before == 0 ? 256 : before * 2;
        check->leaders = memory_resize(check->leaders, check->terms_count,
                                       sizeof *check->leaders);
        memset(check->leaders + before, 0,
               (check->terms_count - before) * sizeof *check->leaders);
    }
    const raft_id_t known = check->leaders[term];
    if (known != 0 && known != id) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "two leaders in term %" PRIu64 ": n%" PRIu64
                        " and n%" PRIu64,
                        term, known, id);
    }
    check->leaders[term] = id;
}
