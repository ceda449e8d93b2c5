/* scenario_show.h - how messages, logs and replicas look in a transcript.
 *
 * A place in a log is written 3/t2: index 3, of term 2; a run of entries of
 * one term 3-5/t2. Everything is written without a line end.
 */
#ifndef HOLDFAST_SCENARIO_SHOW_H
#define HOLDFAST_SCENARIO_SHOW_H

#include <stdio.h>

#include "lib/replica.h"

/* The word for a message, finer than its kind: "heartbeat" is an append without
 * entries, a reply is a grant or a refusal. */
const char *scenario_show_kind(const struct raft_message *message);

/* The same word, for ever valid, if scenario_show_kind() can give it; or
 * NULL. */
const char *scenario_show_find_kind(const char *word);

/* FROM -> TO, the word for it, and what it says. */
void scenario_show_message(FILE *out, const struct raft_message *message);

void scenario_show_entry(FILE *out, const struct raft_entry *entry);

/* The log as runs of one term; a log cut by a checkpoint begins with
 * "..INDEX/tTERM", its boundary. */
void scenario_show_log(FILE *out, const struct raft *raft);

void scenario_show_members(FILE *out, const struct raft_members *members);

/* Role, term, vote, log and so on, in one line. */
void scenario_show_replica(FILE *out, const struct replica *replica);

#endif
