/* raft_probation.h - a member whose disk was empty is not trusted at once.
 *
 * A member that comes back without its disk has forgotten its votes and what it
 * acknowledged. Nobody can tell it from one that starts for the first time, not
 * even itself; so every directory begins on probation. On probation a member
 * neither votes nor stands, and no leader counts it: not for a commit, not for
 * a read, not for its own standing. Probation ends in one of two ways.
 *
 * Taken in by a leader. A reply with the name of a directory on probation that
 * is new to the leader makes it forget all it knew of that peer, append an
 * entry (the configuration as it is, once more) and open a round; replies to
 * earlier rounds are those of the directory before. When the entry is
 * committed, which takes a majority without that peer, appends say so (admit).
 * Once the member has that entry on disk it is a full member, with its vote in
 * this term given away.
 *
 *   Why that is enough. The majority that has the entry was in the leader's
 *   term after the disk was lost. So nobody was elected in a later term before,
 *   for one of that majority would have had to be in that later term: the
 *   leader has all that was ever committed with the help of the lost disk, and
 *   the member has it with the entry. And no vote in a later term that the lost
 *   disk held can help to elect anybody: whoever it was given to stood without
 *   the entry, and all of that majority refuse.
 *
 * Founded with all others. The first members of a group report to each other,
 * while they are on probation and have no log: their directory and those that
 * were reported to them. If the newest reports of all name the same
 * directories, then at the time of the oldest of them all of these were on
 * probation, because each was later. Whatever had been before is lost
 * with all disks: this is a first start. The list is kept, and handed to those
 * who still report: whoever finds his directory in it may take it for true.
 *
 *   All, and not a majority: two new ones of three cannot know whether the
 *   third was never started or is switched off with everything on its disk.
 *
 *   All the first members may be few of those that a group has by now. Then
 *   their disks can be lost together and the group lives on without them. So
 *   nobody says that it is new before it has listened for a while (found_ms):
 *   the others go on calling whom they know for a member. Whoever is called
 *   takes back what it said and waits to be taken in, and no list of all
 *   directories comes together without it. That is not certain to come in time;
 *   what is founded then is another group, and the shell names it after its
 *   directories, so that nobody takes one for the other.
 */
#ifndef HOLDFAST_RAFT_PROBATION_H
#define HOLDFAST_RAFT_PROBATION_H

#include "raft/raft_state.h"

void raft_probation_start(struct raft *raft, const struct raft_start *start);

/* Our directory while it is on probation, else 0. */
uint64_t raft_probation_name(const struct raft *raft);

/* ---- being founded ---- */

/* When the next report is due, or TIME_NEVER; and send it if it is. */
time_ms_t raft_probation_deadline(const struct raft *raft);
void raft_probation_check_deadline(struct raft *raft);

/* Somebody spoke who is in the group: reports aside, nobody else has anything
 * to say. */
void raft_probation_heard(struct raft *raft);

/* A report, or word that the group is founded. */
void raft_probation_recv_found(struct raft *raft,
                               const struct raft_message *message);

/* ---- being taken in ---- */

/* On a follower, with the log as this append left it: does it end our
 * probation? */
void raft_probation_admit(struct raft *raft,
                          const struct raft_message *message);

/* On the leader: a reply of peer to a message of this round. False if it says
 * nothing about what the peer has. */
bool raft_probation_heed(struct raft *raft, struct raft_progress *peer,
                         uint64_t round, uint64_t probation);

#endif
