/* raft_recv_append.c - AppendEntries, on a follower (dissertation 3.5).
 *
 * In order: follow the sender; cut off what is committed here already, which
 * the sender has too; check that the logs meet; take what is new, replacing
 * what conflicts; move the commit index; answer.
 *
 * An answer to new entries waits for the disk. An answer to anything else
 * leaves at once and claims no more than is durable, so that a slow disk does
 * not look like a dead member.
 */
#include "base/ensure.h"
#include "raft/raft_effects.h"
#include "raft/raft_probation.h"
#include "raft/raft_recv.h"
#include "raft/raft_trace.h"

/* The part of a message that lies behind our commit index. */
struct raft_recv_news {
    raft_index_t prev_index;
    raft_term_t prev_term;
    const struct raft_entry *entries;
    size_t count;
};

static bool raft_recv_append_is_sane(const struct raft_message *message);
static bool raft_recv_members_are_sane(struct bytes payload)
    __attribute__((noinline));
static bool raft_recv_entry_is_sane(const struct raft_entry *entry,
                                    raft_term_t least, raft_term_t most);
static struct raft_recv_news
raft_recv_append_news(const struct raft *raft,
                      const struct raft_append *append);
static size_t raft_recv_append_take(struct raft *raft,
                                    const struct raft_recv_news *news);
static void raft_recv_append_accept(struct raft *raft,
                                    const struct raft_message *message,
                                    raft_index_t last_index, size_t taken);
static void raft_recv_append_refuse(struct raft *raft,
                                    const struct raft_message *message);

void raft_recv_append(struct raft *raft, const struct raft_message *message)
{
    const struct raft_append *append = &message->append;
    if (!raft_recv_append_is_sane(message)) {
        raft_trace(raft, "  append of %" PRIu64 " makes no sense -> dropped",
                   message->from);
        return;
    }
    if (!raft_recv_from_leader(raft, message)) {
        return;
    }
    const raft_index_t end = append->prev_index + append->entries_count;
    if (end < raft->commit) {
        raft_recv_append_accept(raft, message, raft->commit, 0);
        return;
    }
    const struct raft_recv_news news = raft_recv_append_news(raft, append);
    if (!raft_terms_match(&raft->log.terms, news.prev_index, news.prev_term)) {
        if (news.prev_index == raft->commit) {
            raft_trace(raft, "  append contradicts what is committed -> "
                             "dropped");
        } else {
            raft_recv_append_refuse(raft, message);
        }
        return;
    }
    const size_t taken = raft_recv_append_take(raft, &news);
    /* Only what this message vouches for may be committed: entries behind it
     * may be another leader's. */
    const raft_index_t commit = append->commit < end ? append->commit : end;
    if (commit > raft->commit) {
        raft_trace(raft, "  leader committed %" PRIu64 " -> so do we", commit);
        raft->commit = commit;
    }
    raft_recv_append_accept(raft, message, end, taken);
}

static bool raft_recv_append_is_sane(const struct raft_message *message)
{
    const struct raft_append *append = &message->append;
    raft_term_t least = append->prev_term;
    if (least > message->term) {
        return false;
    }
    for (size_t i = 0; i < append->entries_count; i++) {
        const struct raft_entry *entry = &append->entries[i];
        if (!raft_recv_entry_is_sane(entry, least, message->term)) {
            return false;
        }
        least = entry->term;
    }
    return true;
}

static bool raft_recv_entry_is_sane(const struct raft_entry *entry,
                                    raft_term_t least, raft_term_t most)
{
    if (entry->term == 0 || entry->term < least || entry->term > most) {
        return false;
    }
    return entry->kind != RAFT_ENTRY_MEMBERS ||
           raft_recv_members_are_sane(entry->payload);
}

/* Apart from the above, which then has no room for members to clear for each
 * entry. */
static bool raft_recv_members_are_sane(struct bytes payload)
{
    struct raft_members members;
    return raft_members_decode(&members, payload) == STATUS_OK &&
           raft_members_voters_count(&members) > 0;
}

/* Whoever leads has all that is committed (leader completeness), so the logs
 * meet there at the latest, even if the message begins before our boundary. */
static struct raft_recv_news
raft_recv_append_news(const struct raft *raft, const struct raft_append *append)
{
    struct raft_recv_news news = {
        .prev_index = append->prev_index,
        .prev_term = append->prev_term,
        .entries = append->entries,
        .count = append->entries_count,
    };
    if (news.prev_index < raft->commit) {
        const size_t known = (size_t)(raft->commit - news.prev_index);
        ENSURE(known <= news.count);
        news.prev_index = raft->commit;
        news.prev_term = news.entries[known - 1].term;
        news.entries += known;
        news.count -= known;
    }
    return news;
}

/* Append what we do not have. Something is cut off only if an entry here has
 * another term than the leader's: an old message that repeats less than we
 * have must not shorten the log. Returns how many were appended. */
static size_t raft_recv_append_take(struct raft *raft,
                                    const struct raft_recv_news *news)
{
    size_t i = 0;
    while (i < news->count &&
           raft_terms_match(&raft->log.terms, news->prev_index + 1 + i,
                            news->entries[i].term)) {
        i++;
    }
    if (i == news->count) {
        return 0;
    }
    const raft_index_t first = news->prev_index + 1 + i;
    if (first <= raft_log_last_index(&raft->log)) {
        raft_trace(raft, "  entry %" PRIu64 " conflicts -> cut from there",
                   first);
        raft_log_cut(&raft->log, first);
        raft_effects_cut(raft, first);
    }
    for (size_t k = i; k < news->count; k++) {
        const bool appended = raft_log_append(&raft->log, &news->entries[k]);
        ENSURE(appended);
    }
    raft_effects_appended(raft, first, news->entries + i, news->count - i);
    return news->count - i;
}

static void raft_recv_append_accept(struct raft *raft,
                                    const struct raft_message *message,
                                    raft_index_t last_index, size_t taken)
{
    raft_probation_admit(raft, message);
    struct raft_message *reply;
    if (taken > 0) {
        reply = raft_effects_send_after(raft, RAFT_MESSAGE_APPEND_REPLY,
                                        message->from);
        reply->append_reply.match_index = last_index;
    } else {
        reply =
            raft_effects_send(raft, RAFT_MESSAGE_APPEND_REPLY, message->from);
        reply->append_reply.match_index =
            last_index < raft->durable_index ? last_index : raft->durable_index;
    }
    reply->append_reply.accepted = true;
    reply->append_reply.prev_index = message->append.prev_index;
    reply->append_reply.round = message->append.round;
    reply->append_reply.probation = raft_probation_name(raft);
}

/* Tell the leader where the logs may meet: raft_message.h. */
static void raft_recv_append_refuse(struct raft *raft,
                                    const struct raft_message *message)
{
    const raft_index_t prev = message->append.prev_index;
    const raft_index_t last = raft_log_last_index(&raft->log);
    struct raft_message *reply =
        raft_effects_send(raft, RAFT_MESSAGE_APPEND_REPLY, message->from);
    struct raft_append_reply *answer = &reply->append_reply;
    answer->prev_index = prev;
    answer->round = message->append.round;
    answer->probation = raft_probation_name(raft);
    if (prev > last) {
        answer->recovery_index = last;
        answer->recovery_term = 0;
    } else {
        const raft_index_t before =
            raft_terms_before_run(&raft->log.terms, prev);
        const bool known =
            raft_terms_find(&raft->log.terms, prev, &answer->recovery_term);
        ENSURE(known);
        answer->recovery_index = before > raft->commit ? before : raft->commit;
    }
    raft_trace(raft,
               "  no match at %" PRIu64 " -> recover from %" PRIu64
               " term %" PRIu64,
               prev, answer->recovery_index, answer->recovery_term);
}
