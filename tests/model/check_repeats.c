/* check_repeats.c - keeps answers and compares them with later ones. */
#include "model/check_repeats.h"

#include <string.h>

#include "base/memory.h"

void check_repeats_close(struct check_repeats *check)
{
    for (size_t i = 0; i < check->answers_count; i++) {
        buffer_close(&check->answers[i].value);
    }
    memory_free(check->answers);
    memset(check, 0, sizeof *check);
}

/* What the origin will not ask for again: lower numbers, earlier boots. */
static void check_repeats_forget(struct check_repeats *check,
                                 const struct lock_command_head *head)
{
    for (size_t i = check->answers_count; i > 0; i--) {
        struct check_repeats_answer *answer = &check->answers[i - 1];
        const bool earlier = answer->origin.boot < head->origin.boot ||
                             (answer->origin.boot == head->origin.boot &&
                              answer->number < head->first_unanswered);
        if (answer->origin.node == head->origin.node && earlier) {
            buffer_close(&answer->value);
            check->answers_count--;
            *answer = check->answers[check->answers_count];
        }
    }
}

static const struct check_repeats_answer *
check_repeats_find(const struct check_repeats *check,
                   const struct lock_command_head *head)
{
    for (size_t i = 0; i < check->answers_count; i++) {
        const struct check_repeats_answer *answer = &check->answers[i];
        if (answer->number == head->number &&
            answer->origin.node == head->origin.node &&
            answer->origin.boot == head->origin.boot) {
            return answer;
        }
    }
    return NULL;
}

static bool check_repeats_equal(const struct lock_answer *a,
                                const struct lock_answer *b)
{
    return a->result == b->result && a->token == b->token &&
           a->ticket == b->ticket && a->time_ms == b->time_ms &&
           a->count == b->count && a->has_value == b->has_value &&
           bytes_equal(a->value, b->value);
}

static void check_repeats_keep(struct check_repeats *check,
                               const struct lock_outcome *outcome)
{
    check->answers = memory_resize(check->answers, check->answers_count + 1,
                                   sizeof *check->answers);
    struct check_repeats_answer *answer = &check->answers[check->answers_count];
    check->answers_count++;
    memset(answer, 0, sizeof *answer);
    answer->origin = outcome->head.origin;
    answer->number = outcome->head.number;
    answer->answer = outcome->answer;
    buffer_append(&answer->value, outcome->answer.value);
    answer->answer.value = buffer_view(&answer->value);
}

const char *check_repeats_see(struct check_repeats *check,
                              const struct lock_outcome *outcome)
{
    const enum lock_result result = outcome->answer.result;
    const bool applied = !outcome->repeated && result != LOCK_OUTDATED &&
                         result != LOCK_WINDOW_FULL;
    if (!applied && outcome->notices_count > 0) {
        return "P8: a request that is not applied has notices";
    }
    if (outcome->head.origin.node == 0) {
        return applied ? NULL : "P8: a request without a number was recalled";
    }
    const struct check_repeats_answer *before =
        check_repeats_find(check, &outcome->head);
    if (result != LOCK_OUTDATED) {
        check_repeats_forget(check, &outcome->head);
        before = check_repeats_find(check, &outcome->head);
    }
    if (applied) {
        if (before != NULL) {
            return "P8: a request was applied twice";
        }
        check_repeats_keep(check, outcome);
    } else if (outcome->repeated) {
        if (before == NULL) {
            return "P8: an answer is repeated that was never given";
        }
        if (!check_repeats_equal(&before->answer, &outcome->answer)) {
            return "P8: another answer to the same request";
        }
    } else if (before != NULL) {
        return "P8: an answer was forgotten that may be asked for";
    }
    return NULL;
}
