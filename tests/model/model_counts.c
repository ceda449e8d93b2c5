/* model_counts.c - the table of commands and the results they can have.
 *
 * A result that was never seen is a test that never ran.
 *
 * To extend: a new command is a row.
 */
#include "model/model_counts.h"

#include <inttypes.h>

#define ONE(result) (UINT32_C(1) << (result))

/* Whoever numbers his requests can be told these, whatever he asks; a leader's
 * own commands have no numbers, but for a few. */
#define ANY (ONE(LOCK_OUTDATED) | ONE(LOCK_WINDOW_FULL))

static const struct {
    enum lock_command_kind kind;
    uint32_t results; /* that must be seen */
} model_counts_rows[] = {
    {LOCK_COMMAND_TICK, ONE(LOCK_DONE)},
    {LOCK_COMMAND_ACQUIRE, ONE(LOCK_GRANTED) | ONE(LOCK_QUEUED) |
                               ONE(LOCK_REFUSED) | ONE(LOCK_WRONG_TYPE) | ANY},
    {LOCK_COMMAND_RELEASE, ONE(LOCK_RELEASED) | ONE(LOCK_NOT_HELD) | ANY},
    {LOCK_COMMAND_RENEW, ONE(LOCK_RENEWED) | ONE(LOCK_NOT_HELD) | ANY},
    {LOCK_COMMAND_CANCEL, ONE(LOCK_CANCELLED) | ONE(LOCK_NOTHING) | ANY},
    {LOCK_COMMAND_ABANDON,
     ONE(LOCK_CANCELLED) | ONE(LOCK_RELEASED) | ONE(LOCK_NOTHING) | ANY},
    {LOCK_COMMAND_BREAK, ONE(LOCK_BROKEN) | ANY},
    {LOCK_COMMAND_EXPIRE, ONE(LOCK_EXPIRED) | ONE(LOCK_NOTHING)},
    {LOCK_COMMAND_UNDELAY, ONE(LOCK_DONE) | ONE(LOCK_NOTHING)},
    {LOCK_COMMAND_ORPHANS, ONE(LOCK_CANCELLED) | ONE(LOCK_NOTHING)},
    {LOCK_COMMAND_SET,
     ONE(LOCK_DONE) | ONE(LOCK_REFUSED) | ONE(LOCK_WRONG_TYPE) | ANY},
    {LOCK_COMMAND_DELETE, ONE(LOCK_DONE) | ONE(LOCK_WRONG_TYPE) | ANY},
    {LOCK_COMMAND_ADD, ONE(LOCK_DONE) | ONE(LOCK_NOT_A_NUMBER) |
                           ONE(LOCK_OVERFLOW) | ONE(LOCK_WRONG_TYPE) | ANY},
    {LOCK_COMMAND_APPEND,
     ONE(LOCK_DONE) | ONE(LOCK_TOO_LONG) | ONE(LOCK_WRONG_TYPE) | ANY},
    {LOCK_COMMAND_DEADLINE,
     ONE(LOCK_DONE) | ONE(LOCK_NOTHING) | ONE(LOCK_WRONG_TYPE) | ANY},
    {LOCK_COMMAND_SWEEP, ONE(LOCK_DONE) | ONE(LOCK_NOTHING)},
    {LOCK_COMMAND_FENCE_SET,
     ONE(LOCK_DONE) | ONE(LOCK_FENCED) | ONE(LOCK_WRONG_TYPE) | ANY},
    {LOCK_COMMAND_FENCE_DELETE,
     ONE(LOCK_DONE) | ONE(LOCK_FENCED) | ONE(LOCK_WRONG_TYPE) | ANY},
    {LOCK_COMMAND_SET_MANY,
     ONE(LOCK_DONE) | ONE(LOCK_REFUSED) | ONE(LOCK_WRONG_TYPE) | ANY},
    {LOCK_COMMAND_FETCH, ONE(LOCK_DONE) | ONE(LOCK_WRONG_TYPE) | ANY},
    {LOCK_COMMAND_FLUSH, ONE(LOCK_DONE) | ANY},
    {LOCK_COMMAND_READ, ONE(LOCK_DONE) | ONE(LOCK_TOO_LONG) | ANY},
    {LOCK_COMMAND_BATCH, ONE(LOCK_DONE) | ONE(LOCK_REFUSED) | ANY},
};

enum {
    MODEL_COUNTS_ROWS = sizeof model_counts_rows / sizeof *model_counts_rows,
};

void model_counts_print(const struct model_compare_counts *counts, FILE *out)
{
    for (size_t i = 0; i < MODEL_COUNTS_ROWS; i++) {
        const enum lock_command_kind kind = model_counts_rows[i].kind;
        fprintf(out, "  %-12s", lock_command_kind_text(kind));
        for (int result = 0; result < LOCK_RESULTS_COUNT; result++) {
            if (counts->seen[kind][result] > 0) {
                fprintf(out, "  %s %" PRIu64,
                        lock_result_text((enum lock_result)result),
                        counts->seen[kind][result]);
            }
        }
        fputc('\n', out);
    }
    fprintf(out,
            "  repeated answers %" PRIu64 ", reigns %" PRIu64
            ", epochs %" PRIu64 ", reloads %" PRIu64 ", restarts %" PRIu64 "\n",
            counts->repeats, counts->reigns, counts->epochs, counts->reloads,
            counts->restarts);
}

size_t model_counts_check(const struct model_compare_counts *counts, bool small,
                          FILE *out)
{
    size_t wrong = 0;
    for (size_t i = 0; i < MODEL_COUNTS_ROWS; i++) {
        const enum lock_command_kind kind = model_counts_rows[i].kind;
        for (int result = 0; result < LOCK_RESULTS_COUNT; result++) {
            const bool expected =
                (model_counts_rows[i].results & ONE(result)) != 0;
            const bool seen = counts->seen[kind][result] > 0;
            if (seen == expected || (small && !seen) ||
                (seen && (ANY & ONE(result)) != 0)) {
                continue;
            }
            fprintf(out, "%s: %s: %s\n",
                    expected ? "never seen" : "seen, but cannot be",
                    lock_command_kind_text(kind),
                    lock_result_text((enum lock_result)result));
            wrong++;
        }
    }
    if (!small &&
        (counts->repeats == 0 || counts->reigns == 0 || counts->epochs == 0 ||
         counts->reloads == 0 || counts->restarts == 0)) {
        fprintf(out, "never seen: a repeated answer, a reign, an epoch, a "
                     "reload or a restart\n");
        wrong++;
    }
    return wrong;
}
