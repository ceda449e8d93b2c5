#!/usr/bin/env python3
"""The end of a log is lost that had been acknowledged, and looks like a write
that was cut short. The node knows, from its mark, and does not vote before a
leader has brought the entries back (TRAPS C6).

What is granted is on two of three nodes. One of them loses the end of its log,
the other is away: those that are left are a majority that does not know it.
"""

import os
import sys
import time

sys.dont_write_bytecode = True

import cluster
from cluster import Closed, Timeout, say
from test_wipe import Held, leads


def test(scene):
    nodes = scene.cluster(3)
    held = Held()
    held.take(nodes.leader(), 20)
    nodes.settle()
    leader = nodes.leader()
    hurt, behind = nodes.followers()
    behind.kill()
    held.take(leader, 20)
    time.sleep(1.5)  # until the mark is written
    leader.kill()
    hurt.kill()
    cut(hurt)

    behind.start()
    hurt.start()
    assert "not voting until they are back" in hurt.log(), hurt.last_line()
    deadline = time.monotonic() + 3
    while time.monotonic() < deadline:
        assert not leads([hurt, behind]), "a leader without what was granted"
        time.sleep(0.1)

    leader.start()
    nodes.same_state()
    held.check(nodes.leader())
    held.check(hurt)

    # The entries are back: it votes.
    nodes.leader().kill()
    held.take(nodes.leader(), 5)
    say("the end of a log was lost and came back")


def cut(node):
    """The last third of the newest log of LevelDB, which ends in the middle of
    a record then."""
    database = os.path.join(node.dir, "db")
    logs = sorted(name for name in os.listdir(database) if name.endswith(".log"))
    path = os.path.join(database, logs[-1])
    size = os.path.getsize(path)
    assert size > 1000, size
    os.truncate(path, size * 2 // 3)


if __name__ == "__main__":
    cluster.main(test, limit_s=60)
