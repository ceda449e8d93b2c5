/* model_tamper.c - falsifies outcomes, one in each history.
 *
 * To extend: a new checker has a row with a function that changes an outcome
 * so that its rule is broken, and returns true when it did.
 */
#include "model/model_tamper.h"

#include <string.h>

#include "base/memory.h"
#include "model/check_watch.h"
#include "model/model_history.h"
#include "model/model_look.h"

enum {
    MODEL_TAMPER_OPERATIONS = 20000,
    MODEL_TAMPER_NOTICES = 64,
};

/* An outcome with notices that may be changed, and what is known before it. */
struct model_tamper {
    const struct check_watch *watch;
    struct lock_outcome *outcome;
    struct lock_notice *notices;
};

/* The last notice of a kind, or NULL. */
static struct lock_notice *model_tamper_find(struct model_tamper *tamper,
                                             enum lock_notice_kind kind)
{
    for (size_t i = tamper->outcome->notices_count; i > 0; i--) {
        if (tamper->notices[i - 1].kind == kind) {
            return &tamper->notices[i - 1];
        }
    }
    return NULL;
}

static bool model_tamper_nothing(struct model_tamper *tamper)
{
    (void)tamper;
    return false;
}

static bool model_tamper_old_token(struct model_tamper *tamper)
{
    struct lock_notice *notice =
        model_tamper_find(tamper, LOCK_NOTICE_ACQUIRED);
    if (notice == NULL || tamper->watch->tokens.highest == 0) {
        return false;
    }
    notice->token = tamper->watch->tokens.highest;
    return true;
}

static bool model_tamper_wrong_waiter(struct model_tamper *tamper)
{
    struct lock_notice *notice =
        model_tamper_find(tamper, LOCK_NOTICE_ACQUIRED);
    if (notice == NULL || !notice->waited) {
        return false;
    }
    notice->ticket++;
    return true;
}

static bool model_tamper_lost_grant(struct model_tamper *tamper)
{
    const struct lock_notice *notice =
        model_tamper_find(tamper, LOCK_NOTICE_ACQUIRED);
    const size_t count = tamper->outcome->notices_count;
    if (notice == NULL || !notice->waited ||
        notice != &tamper->notices[count - 1] ||
        tamper->outcome->kind == LOCK_COMMAND_ACQUIRE) {
        return false;
    }
    tamper->outcome->notices_count--;
    return true;
}

static bool model_tamper_two_ends(struct model_tamper *tamper)
{
    const struct lock_notice *notice =
        model_tamper_find(tamper, LOCK_NOTICE_RELEASED);
    const size_t count = tamper->outcome->notices_count;
    if (notice == NULL || count == MODEL_TAMPER_NOTICES) {
        return false;
    }
    tamper->notices[count] = *notice;
    tamper->outcome->notices_count++;
    return true;
}

static bool model_tamper_applied_twice(struct model_tamper *tamper)
{
    if (!tamper->outcome->repeated) {
        return false;
    }
    tamper->outcome->repeated = false;
    return true;
}

static bool model_tamper_other_answer(struct model_tamper *tamper)
{
    if (!tamper->outcome->repeated) {
        return false;
    }
    tamper->outcome->answer.count++;
    return true;
}

static bool model_tamper_writer(struct model_tamper *tamper)
{
    struct lock_notice *notice =
        model_tamper_find(tamper, LOCK_NOTICE_ACQUIRED);
    if (notice == NULL || notice->mode != LOCK_SHARED ||
        check_ledger_grants(&tamper->watch->ledger, notice->key, LOCK_SHARED) ==
            0 ||
        tamper->outcome->notices_count > 1) {
        return false;
    }
    notice->mode = LOCK_EXCLUSIVE;
    return true;
}

static bool model_tamper_new_token(struct model_tamper *tamper)
{
    if (tamper->outcome->repeated ||
        tamper->outcome->answer.result != LOCK_GRANTED ||
        tamper->outcome->notices_count > 0) {
        return false;
    }
    tamper->outcome->answer.token++;
    return true;
}

static const struct {
    const char *rule;
    const char *name;
    bool (*change)(struct model_tamper *tamper);
    bool early_expiry;
} model_tamper_rows[] = {
    {"", "nothing is falsified", model_tamper_nothing, false},
    {"P2", "a token comes twice", model_tamper_old_token, false},
    {"P4", "a grant goes to another waiter", model_tamper_wrong_waiter, false},
    {"P5", "a grant is forgotten", model_tamper_lost_grant, false},
    {"P7", "a grant ends twice", model_tamper_two_ends, false},
    {"P8", "a request is applied twice", model_tamper_applied_twice, false},
    {"P8", "another answer is repeated", model_tamper_other_answer, false},
    {"P9", "a writer comes beside readers", model_tamper_writer, false},
    {"P10", "who asks again gets another token", model_tamper_new_token, false},
    {"P12", "a leader ends leases early", model_tamper_nothing, true},
};

/* Apply one command; the complaint of the checkers, or NULL. */
static const char *model_tamper_step(struct model *model,
                                     struct check_watch *watch,
                                     const struct model_operation *operation,
                                     bool (*change)(struct model_tamper *),
                                     const char **difference)
{
    struct lock_notice notices[MODEL_TAMPER_NOTICES];
    struct model_outcome expected = {0};
    const struct lock_command *command = &operation->command;
    model_apply(model, operation->index, command, &expected);
    struct lock_outcome outcome = {
        .head = command->head,
        .kind = command->kind,
        .answer = expected.answer,
        .repeated = expected.repeated,
        .notices = expected.notices,
        .notices_count = expected.notices_count,
    };
    struct model_tamper tamper = {watch, &outcome, notices};
    *difference = NULL;
    if (expected.notices_count < MODEL_TAMPER_NOTICES) {
        for (size_t i = 0; i < expected.notices_count; i++) {
            notices[i] = expected.notices[i];
        }
        outcome.notices = notices;
        if (change(&tamper)) {
            *difference = model_look_outcome(&expected, &outcome);
        }
    }
    const char *complaint =
        check_watch_see(watch, operation->index, command, &outcome);
    model_outcome_clear(&expected);
    return complaint;
}

/* True if the rule of this row, and no other, complained. */
static bool model_tamper_row(size_t row, uint64_t seed, FILE *out)
{
    const char *rule = model_tamper_rows[row].rule;
    struct model model;
    struct model_history history;
    struct check_watch watch = {0};
    const char *complaint = NULL;
    const char *difference = NULL;
    model_init(&model);
    model_history_init(&history, seed, &model);
    history.early_expiry = model_tamper_rows[row].early_expiry;
    for (size_t i = 0; i < MODEL_TAMPER_OPERATIONS && complaint == NULL; i++) {
        struct model_operation operation;
        model_history_next(&history, &operation);
        if (operation.kind == MODEL_COMMAND) {
            complaint =
                model_tamper_step(&model, &watch, &operation,
                                  model_tamper_rows[row].change, &difference);
        } else if (operation.kind == MODEL_OPEN_REIGN) {
            model_open_reign(&model);
        }
    }
    check_watch_close(&watch);
    model_history_close(&history);
    model_close(&model);

    const bool changed = model_tamper_rows[row].change != model_tamper_nothing;
    bool noticed = rule[0] == '\0'
                       ? complaint == NULL
                       : complaint != NULL &&
                             strncmp(complaint, rule, strlen(rule)) == 0 &&
                             complaint[strlen(rule)] == ':';
    noticed = noticed && changed == (difference != NULL);
    fprintf(out, "%s %s: %s\n", noticed ? "ok  " : "FAIL",
            model_tamper_rows[row].name,
            complaint != NULL ? complaint : "no complaint");
    return noticed;
}

bool model_tamper_test(FILE *out)
{
    bool passed = true;
    const size_t count = sizeof model_tamper_rows / sizeof *model_tamper_rows;
    for (size_t i = 0; i < count; i++) {
        passed = model_tamper_row(i, i + 1, out) && passed;
    }
    return passed;
}
