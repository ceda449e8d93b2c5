"""lease_histories.py - whether what clients were told of their leases can be true.

Reads the files that tests/client/lease_history.c describes, one a process, and
knows nothing else: neither the library nor the server. All processes ran on one
machine, so all times are of one clock.

    problems, counts = lease_histories.check(paths, pauses)

pauses are the times in which a process was stopped, by its path: a list of
(from, to) in nanoseconds. A process that is stopped cannot be called back.

What must hold:

 *  of two leases of a key, one of them exclusive, the one with the lower token
    is over before the other begins. That is exclusion and growing tokens in
    one. A lease lasts from "granted" to the last moment it was said to be good
    for: its last deadline, or when it was given back or called lost before
 *  no token is granted twice, and none is 0
 *  a lease that was not ok never is again
 *  a lease that was lost is called back once, and in time: before the next
    grant of its key, and before the server can have ended it. A deadline is
    half a TTL after the renewal it comes from was sent, so the server may
    forget the lease half a TTL after the last deadline. One that was given back
    while it was good is called back to nobody, even if the server hears of it
    too late and says that it was lost
 *  every wait has an end, and the one that was asked for: one without limit is
    granted or was cancelled; one with a limit does not end without the lock
    before its time; and every process came to its end
"""

import collections

MS = 1_000_000

# enum hf_status and enum hf_lost_reason, as the files have them
OK, UNREACHABLE, NO_LEADER, TIMEOUT, CANCELLED, LOST = 0, 3, 4, 5, 6, 7
UNCONFIRMED = 0

# A bounded wait may fail at once if nobody could be asked; the clocks of waits
# have grains of a millisecond.
GRAIN = 2 * MS


class Lease:
    def __init__(self, path, number, key):
        self.path, self.number, self.key = path, number, key
        self.asked = self.exclusive = self.ttl = self.wait = None
        self.cancelled = self.failed = self.failed_with = None
        self.token = 0
        self.begin = self.deadline = None
        self.not_ok = self.given_back = self.released_with = None
        self.losses = []  # (time, reason)
        self.ok_again = self.uncalled = False

    def __str__(self):
        return f"{self.path}: lease {self.number} of {self.key}, token {self.token}"

    def end(self):
        """The last moment it was said to be good for."""
        ends = [self.deadline]
        ends += [t for t in (self.given_back, self.not_ok) if t is not None]
        ends += [t for t, _ in self.losses]
        return max(self.begin, min(ends))


def read(path, problems):
    leases, ended = {}, False
    with open(path, encoding="ascii") as lines:
        for line in lines:
            time, event, number, key, token, deadline, *words = line.split()
            if event == "end":
                ended = True
                continue
            lease = leases.setdefault(number, Lease(path, number, key))
            _note(lease, event, int(time), int(token), int(deadline), words)
    if not ended:
        problems.append(f"{path}: the process did not come to its end")
    return list(leases.values())


def _note(lease, event, time, token, deadline, words):
    if event == "ask":
        lease.asked, lease.exclusive = time, words[0] == "exclusive"
        lease.ttl, lease.wait = int(words[1]) * MS, int(words[2])
    elif event == "cancel":
        lease.cancelled = time
    elif event == "failed":
        lease.failed, lease.failed_with = time, int(words[0])
    elif event == "granted":
        lease.begin = lease.deadline = time
        lease.token = token
    elif event == "ok":
        if lease.not_ok is not None:
            lease.ok_again = True
        lease.deadline = max(lease.deadline, deadline)
    elif event == "notok":
        lease.not_ok = time
    elif event == "lost":
        lease.losses.append((time, int(words[0])))
    elif event == "uncalled":
        lease.uncalled = True
    elif event == "release":
        lease.given_back = time
    elif event == "released":
        lease.released_with = int(words[0])
    else:
        raise ValueError(f"{lease.path}: {event}")


def check(paths, pauses=None):
    """What is wrong, and how much there was of everything."""
    problems, counts, leases = [], collections.Counter(), []
    for path in paths:
        leases += read(path, problems)
    for lease in leases:
        _check_wait(lease, problems, counts)
        _check_life(lease, problems, counts)
    by_key = collections.defaultdict(list)
    for lease in leases:
        if lease.token:
            by_key[lease.key].append(lease)
    for of_key in by_key.values():
        of_key.sort(key=lambda lease: lease.token)
        _check_order(of_key, problems)
        _check_callbacks(of_key, pauses or {}, problems, counts)
    counts["keys"] = len(by_key)
    return problems, counts


def _check_wait(lease, problems, counts):
    counts["asked"] += 1
    if lease.begin is not None:
        counts["grants"] += 1
        return
    if lease.failed is None:
        problems.append(f"{lease}: the wait has no end")
        return
    status, lasted = lease.failed_with, lease.failed - lease.asked
    counts["cancelled" if status == CANCELLED else "not obtained"] += 1
    if status == CANCELLED:
        fine = lease.cancelled is not None and lease.cancelled <= lease.failed
    elif lease.wait < 0:
        fine = False
    elif status == TIMEOUT:
        fine = lasted >= lease.wait * MS - GRAIN
    else:
        fine = status in (UNREACHABLE, NO_LEADER)
    if not fine:
        problems.append(
            f"{lease}: a wait of {lease.wait} ms ended with {status} "
            f"after {lasted / MS:.0f} ms"
        )


def _check_life(lease, problems, counts):
    if lease.begin is None:
        if lease.losses:
            problems.append(f"{lease}: was lost and never had")
        return
    if lease.token == 0:
        problems.append(f"{lease}: has no token")
    if lease.ok_again:
        problems.append(f"{lease}: was not ok, and ok again")
    is_lost = lease.uncalled or lease.not_ok is not None
    if lease.released_with == LOST and lease.given_back >= lease.deadline:
        is_lost = True
    if len(lease.losses) > 1 or (is_lost and not lease.losses):
        problems.append(f"{lease}: {len(lease.losses)} calls for a loss")
    if lease.released_with is None:
        problems.append(f"{lease}: was not given back")
    counts["losses"] += len(lease.losses)


def _check_order(of_key, problems):
    """of_key is in the order of tokens. Against the last exclusive one, and
    against the latest end of the shared ones since then."""
    last_end, last = 0, None
    shared_end, shared = 0, None
    token = 0
    for lease in of_key:
        if lease.token == token:
            problems.append(f"{lease}: the token was granted before")
        token = lease.token
        against = [(last_end, last)]
        if lease.exclusive:
            against.append((shared_end, shared))
        for end, other in against:
            if other is not None and end > lease.begin:
                problems.append(
                    f"{lease} began {(end - lease.begin) / MS:.3f} ms before "
                    f"{other} was over"
                )
        if lease.exclusive:
            if lease.end() > last_end:
                last_end, last = lease.end(), lease
        elif lease.end() > shared_end:
            shared_end, shared = lease.end(), lease


def _check_callbacks(of_key, pauses, problems, counts):
    """Whatever is given as the reason."""
    for at, lease in enumerate(of_key):
        for time, reason in lease.losses:
            if reason != UNCONFIRMED:
                counts["ended by the server"] += 1
            limit = lease.deadline + lease.ttl // 2
            stopped = pauses.get(lease.path, [])
            if any(a < limit and b > lease.deadline - GRAIN for a, b in stopped):
                counts["called after a pause"] += 1
                continue
            counts["slowest callback ms"] = max(
                counts["slowest callback ms"], (time - lease.deadline) // MS
            )
            if time >= limit:
                problems.append(
                    f"{lease}: called {(time - limit) / MS:.0f} ms after its end"
                )
            later = [o for o in of_key[at + 1 :] if o.exclusive or lease.exclusive]
            if later and min(o.begin for o in later) <= time:
                problems.append(f"{lease}: called after the next grant")
