/* lock_outcome.c - the words for results.
 *
 * To extend: a line in LOCK_RESULT_LIST of lock_outcome.h is all it takes.
 */
#include "lock/lock_outcome.h"

const char *lock_result_text(enum lock_result result)
{
    static const char *const texts[LOCK_RESULTS_COUNT] = {
#define LOCK_RESULT_TEXT(name, text) [name] = text,
        LOCK_RESULT_LIST(LOCK_RESULT_TEXT)
#undef LOCK_RESULT_TEXT
    };

    /* Compared without a sign: the enum may have one, and holds anything. */
    return (unsigned)result < LOCK_RESULTS_COUNT ? texts[result] : "unknown";
}
