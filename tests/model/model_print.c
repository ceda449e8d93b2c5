/* model_print.c - commands and outcomes in words.
 *
 * Texts are quoted, cut when long, and what does not print is escaped.
 */
#include "model/model_print.h"

#include <inttypes.h>

#define U64 "%" PRIu64

static void model_print_text(FILE *out, const char *name, struct bytes text)
{
    fprintf(out, " %s=\"", name);
    for (size_t i = 0; i < text.count && i < 24; i++) {
        if (text.data[i] >= 0x20 && text.data[i] < 0x7f) {
            fputc(text.data[i], out);
        } else {
            fprintf(out, "\\x%02x", text.data[i]);
        }
    }
    fputc('"', out);
    if (text.count > 24) {
        fprintf(out, "..%zu", text.count);
    }
}

static void model_print_number(FILE *out, const char *name, uint64_t number)
{
    fprintf(out, " %s=" U64, name, number);
}

static void model_print_lock(FILE *out, const struct lock_command *command)
{
    switch (command->kind) {
    case LOCK_COMMAND_ACQUIRE:
        model_print_text(out, "key", command->acquire.key);
        model_print_text(out, "owner", command->acquire.owner);
        model_print_number(out, "seq", command->acquire.seq);
        fputs(command->acquire.mode == LOCK_SHARED ? " shared" : " exclusive",
              out);
        model_print_number(out, "ttl", command->acquire.ttl_ms);
        model_print_number(out, "delay", command->acquire.delay_ms);
        fputs(command->acquire.may_queue ? " may queue" : " try", out);
        fputs(command->acquire.cache ? " cache" : "", out);
        model_print_number(out, "database", command->acquire.database);
        break;
    case LOCK_COMMAND_RELEASE:
        model_print_text(out, "key", command->release.key);
        model_print_text(out, "owner", command->release.owner);
        model_print_number(out, "token", command->release.token);
        break;
    case LOCK_COMMAND_RENEW:
        model_print_text(out, "key", command->renew.key);
        model_print_text(out, "owner", command->renew.owner);
        model_print_number(out, "token", command->renew.token);
        model_print_number(out, "ttl", command->renew.ttl_ms);
        break;
    case LOCK_COMMAND_CANCEL:
        model_print_text(out, "key", command->cancel.key);
        model_print_text(out, "owner", command->cancel.owner);
        model_print_number(out, "seq", command->cancel.seq);
        break;
    case LOCK_COMMAND_ABANDON:
        model_print_text(out, "key", command->abandon.key);
        model_print_text(out, "owner", command->abandon.owner);
        model_print_number(out, "seq", command->abandon.seq);
        model_print_number(out, "mode", command->abandon.mode);
        model_print_number(out, "ticket", command->abandon.ticket);
        break;
    case LOCK_COMMAND_BREAK:
        model_print_text(out, "key", command->break_.key);
        model_print_number(out, "token", command->break_.token);
        break;
    case LOCK_COMMAND_EXPIRE:
        model_print_text(out, "key", command->expire.key);
        model_print_number(out, "token", command->expire.token);
        model_print_number(out, "renewals", command->expire.renewals);
        break;
    case LOCK_COMMAND_UNDELAY:
        model_print_text(out, "key", command->undelay.key);
        model_print_number(out, "until", command->undelay.until);
        break;
    case LOCK_COMMAND_ORPHANS:
        model_print_number(out, "node", command->orphans.node);
        model_print_number(out, "boot", command->orphans.boot);
        model_print_number(out, "max", command->orphans.count_max);
        break;
    default:
        break;
    }
}

static void model_print_set(FILE *out, const struct lock_set *set)
{
    static const char *const conditions[] = {"", " absent", " present",
                                             " equal", " other"};
    static const char *const lifetimes[] = {"forever", "keep", "relative",
                                            "wall"};
    model_print_number(out, "database", set->database);
    model_print_text(out, "key", set->key);
    model_print_text(out, "value", set->value);
    fputs(conditions[set->condition], out);
    model_print_text(out, "compare", set->compare);
    fprintf(out, "%s %s " U64, set->get ? " get" : "", lifetimes[set->lifetime],
            set->time_ms);
}

static void model_print_keys(FILE *out, const struct bytes *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        model_print_text(out, "key", keys[i]);
    }
}

static void model_print_data(FILE *out, const struct lock_command *command)
{
    switch (command->kind) {
    case LOCK_COMMAND_SET:
        model_print_set(out, &command->set);
        break;
    case LOCK_COMMAND_DELETE:
        model_print_number(out, "database", command->delete_.database);
        model_print_keys(out, command->delete_.keys,
                         command->delete_.keys_count);
        model_print_number(out, "condition", command->delete_.condition);
        model_print_text(out, "compare", command->delete_.compare);
        fputs(command->delete_.get ? " get" : "", out);
        break;
    case LOCK_COMMAND_ADD:
        model_print_number(out, "database", command->add.database);
        model_print_text(out, "key", command->add.key);
        fprintf(out, " amount=%" PRId64, command->add.amount);
        break;
    case LOCK_COMMAND_APPEND:
        model_print_number(out, "database", command->append.database);
        model_print_text(out, "key", command->append.key);
        model_print_text(out, "value", command->append.value);
        break;
    case LOCK_COMMAND_DEADLINE:
        model_print_number(out, "database", command->deadline.database);
        model_print_text(out, "key", command->deadline.key);
        model_print_number(out, "lifetime", command->deadline.lifetime);
        model_print_number(out, "time", command->deadline.time_ms);
        model_print_number(out, "condition", command->deadline.condition);
        break;
    case LOCK_COMMAND_SWEEP:
        model_print_number(out, "database", command->sweep.database);
        model_print_text(out, "key", command->sweep.key);
        model_print_number(out, "deadline", command->sweep.deadline);
        break;
    case LOCK_COMMAND_FENCE_SET:
        model_print_number(out, "database", command->fence_set.database);
        model_print_text(out, "lock", command->fence_set.lock_key);
        model_print_number(out, "token", command->fence_set.token);
        for (size_t i = 0; i < command->fence_set.pairs_count; i++) {
            model_print_text(out, "key", command->fence_set.pairs[i].key);
            model_print_text(out, "value", command->fence_set.pairs[i].value);
        }
        break;
    case LOCK_COMMAND_FENCE_DELETE:
        model_print_number(out, "database", command->fence_delete.database);
        model_print_text(out, "lock", command->fence_delete.lock_key);
        model_print_number(out, "token", command->fence_delete.token);
        model_print_keys(out, command->fence_delete.keys,
                         command->fence_delete.keys_count);
        break;
    default:
        break;
    }
}

void model_print_command(FILE *out, uint64_t index,
                         const struct lock_command *command)
{
    const struct lock_command_head *head = &command->head;
    fprintf(out, U64 " clock=" U64 " wall=" U64, index, head->clock,
            head->wall);
    if (head->origin.node != 0) {
        fprintf(out, " origin=" U64 "." U64 " number=" U64 "/" U64,
                head->origin.node, head->origin.boot, head->number,
                head->first_unanswered);
    }
    fprintf(out, " %s", lock_command_kind_text(command->kind));
    if (command->kind < LOCK_COMMAND_SET) {
        model_print_lock(out, command);
    } else {
        model_print_data(out, command);
    }
    fputc('\n', out);
}

void model_print_answer(FILE *out, const struct lock_answer *answer,
                        bool repeated)
{
    fprintf(out, "%s", lock_result_text(answer->result));
    model_print_number(out, "token", answer->token);
    model_print_number(out, "ticket", answer->ticket);
    model_print_number(out, "time", answer->time_ms);
    fprintf(out, " count=%" PRId64, answer->count);
    if (answer->has_value) {
        model_print_text(out, "value", answer->value);
    }
    fprintf(out, "%s\n", repeated ? " (repeated)" : "");
}

void model_print_notice(FILE *out, const struct lock_notice *notice)
{
    static const char *const kinds[] = {"?",       "acquired", "released",
                                        "expired", "broken",   "cancelled",
                                        "revoke",  "free"};
    fprintf(out, "%s",
            kinds[notice->kind <= LOCK_NOTICE_FREE ? notice->kind : 0]);
    model_print_text(out, "key", notice->key);
    model_print_text(out, "owner", notice->owner);
    model_print_number(out, "seq", notice->seq);
    model_print_number(out, "mode", notice->mode);
    model_print_number(out, "token", notice->token);
    model_print_number(out, "ticket", notice->ticket);
    fprintf(out, " origin=" U64 "." U64, notice->origin.node,
            notice->origin.boot);
    model_print_number(out, "number", notice->number);
    fprintf(out, "%s\n", notice->waited ? " waited" : "");
}
