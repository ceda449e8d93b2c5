/* check_changes.c - what operators are told of their changes is true.
 *
 * An answer may come before its entry is seen as applied: the node answers
 * while it applies. What is done is therefore looked at from both sides.
 */
#include "sim/check_changes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"

static void check_changes_look(struct check_changes *check, size_t number);
static void check_changes_verify(struct check_changes *check, size_t number);
static void check_changes_see_joined(struct check_changes *check);
static void check_changes_address(size_t number, char *address);
static const struct raft_member *
check_changes_find(const struct raft_members *members, size_t number);

void check_changes_init(struct check_changes *check, struct sim_report *report,
                        struct sim_faults *faults)
{
    memset(check, 0, sizeof *check);
    check->report = report;
    check->faults = faults;
}

void check_changes_close(struct check_changes *check)
{
    memory_free(check->list);
    memory_free(check->configs);
}

uint64_t check_changes_ask(struct check_changes *check,
                           enum command_change_kind kind, raft_id_t id,
                           char address[CHECK_CHANGES_ADDRESS_BYTES])
{
    if (check->count == check->capacity) {
        check->capacity = check->capacity * 2 + 64;
        check->list =
            memory_resize(check->list, check->capacity, sizeof *check->list);
    }
    check->list[check->count] = (struct check_change){.kind = kind, .id = id};
    check_changes_address(check->count, address);
    check->count++;
    return CHECK_CHANGES_FIRST + check->count - 1;
}

void check_changes_replied(struct check_changes *check, uint64_t ask,
                           const struct node_reply *reply)
{
    const size_t number = (size_t)(ask - CHECK_CHANGES_FIRST);
    ENSURE(number < check->count);
    struct check_change *change = &check->list[number];

    if (change->reply_class != 0) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "change %zu is answered twice", number);
        return;
    }
    change->reply_class = reply->reply_class;
    change->index = reply->index;
    sim_faults_add(check->faults, SIM_FAULT_CHANGE_DONE,
                   reply->reply_class == NODE_DONE);
    sim_faults_add(check->faults, SIM_FAULT_CHANGE_NOT_DONE,
                   reply->reply_class == NODE_NOT_DONE);
    sim_faults_add(check->faults, SIM_FAULT_CHANGE_UNKNOWN,
                   reply->reply_class == NODE_UNKNOWN);
    check_changes_look(check, number);
    check_changes_verify(check, number);
}

void check_changes_applied(struct check_changes *check, raft_index_t index,
                           const struct raft_entry *entry)
{
    check->applied_index = index;
    if (entry->kind == RAFT_ENTRY_MEMBERS) {
        if (check->configs_count == check->configs_capacity) {
            check->configs_capacity = check->configs_capacity * 2 + 64;
            check->configs =
                memory_resize(check->configs, check->configs_capacity,
                              sizeof *check->configs);
        }
        struct check_config *config = &check->configs[check->configs_count];
        const enum status status =
            raft_members_decode(&config->members, entry->payload);
        ENSURE(status == STATUS_OK);
        config->index = index;
        check->configs_count++;
        check_changes_see_joined(check);
    }
    for (size_t i = 0; i < check->count; i++) {
        struct check_change *change = &check->list[i];
        if (entry->kind == RAFT_ENTRY_MEMBERS) {
            const bool in =
                check_changes_find(
                    &check->configs[check->configs_count - 1].members, i) !=
                NULL;
            if (in && !change->in && change->ever_in) {
                sim_report_fail(check->report, SIM_UNSAFE,
                                "change %zu was carried out twice", i);
            }
            change->in = in;
            change->ever_in = change->ever_in || in;
            check_changes_look(check, i);
        }
        if (change->reply_class == NODE_DONE && change->index == index) {
            check_changes_verify(check, i);
        }
    }
}

/* A learner that was to vote does. */
static void check_changes_see_joined(struct check_changes *check)
{
    if (check->configs_count < 2) {
        return;
    }
    const struct raft_members *before =
        &check->configs[check->configs_count - 2].members;
    const struct raft_members *now =
        &check->configs[check->configs_count - 1].members;
    for (size_t i = 0; i < before->count; i++) {
        sim_faults_add(check->faults, SIM_FAULT_CHANGE_JOINED,
                       before->list[i].role == RAFT_JOINING &&
                           raft_members_is_voter(now, before->list[i].id));
    }
}

bool check_changes_may_add(const struct check_changes *check, raft_id_t id)
{
    for (size_t i = 0; i < check->count; i++) {
        const struct check_change *change = &check->list[i];
        if (change->id == id &&
            (change->kind == COMMAND_CHANGE_ADD ||
             change->kind == COMMAND_CHANGE_ADD_LEARNER) &&
            (change->reply_class == 0 || change->reply_class == NODE_UNKNOWN) &&
            !change->ever_in) {
            return true;
        }
    }
    return false;
}

bool check_changes_are_open(const struct check_changes *check)
{
    for (size_t i = 0; i < check->count; i++) {
        const struct check_change *change = &check->list[i];
        if (change->kind != COMMAND_CHANGE_TRANSFER &&
            (change->reply_class == 0 || change->reply_class == NODE_UNKNOWN)) {
            return true;
        }
    }
    return false;
}

/* What is not done is never found done. */
static void check_changes_look(struct check_changes *check, size_t number)
{
    const struct check_change *change = &check->list[number];
    if (change->reply_class == NODE_NOT_DONE && change->ever_in) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "change %zu was told to be not done, and n%" PRIu64
                        " is a member by it",
                        number, change->id);
    }
}

/* What is done shows in its entry, once that is there. */
static void check_changes_verify(struct check_changes *check, size_t number)
{
    const struct check_change *change = &check->list[number];
    const struct raft_members *members = NULL;
    if (change->reply_class != NODE_DONE ||
        change->kind == COMMAND_CHANGE_TRANSFER ||
        change->index > check->applied_index) {
        return;
    }
    for (size_t i = 0; i < check->configs_count; i++) {
        if (check->configs[i].index == change->index) {
            members = &check->configs[i].members;
        }
    }
    bool shows = members != NULL;
    if (shows && change->kind == COMMAND_CHANGE_REMOVE) {
        shows = raft_members_find(members, change->id) == NULL;
    } else if (shows && change->kind == COMMAND_CHANGE_PROMOTE) {
        shows = raft_members_is_voter(members, change->id);
    } else if (shows) {
        const struct raft_member *member = check_changes_find(members, number);
        shows = member != NULL && member->id == change->id;
    }
    if (!shows) {
        sim_report_fail(check->report, SIM_UNSAFE,
                        "change %zu is done, but not by entry %" PRIu64, number,
                        change->index);
    }
}

static void check_changes_address(size_t number, char *address)
{
    (void)snprintf(address, CHECK_CHANGES_ADDRESS_BYTES, "sim-%zu:1", number);
}

/* The member that a change added, or NULL. */
static const struct raft_member *
check_changes_find(const struct raft_members *members, size_t number)
{
    char address[CHECK_CHANGES_ADDRESS_BYTES];
    check_changes_address(number, address);
    for (size_t i = 0; i < members->count; i++) {
        if (strcmp(members->list[i].address, address) == 0) {
            return &members->list[i];
        }
    }
    return NULL;
}
