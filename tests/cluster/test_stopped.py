#!/usr/bin/env python3
"""A follower is stopped (SIGSTOP) under load for so long that its entries are
compacted away: the leader's memory does not grow for its sake, and when it goes
on it is brought back by a snapshot, while the load goes on (TRAPS D4).

HOLDFAST_STOPPED_S is how long, 5 seconds unless told.
"""

import os
import signal
import sys
import threading
import time

sys.dont_write_bytecode = True

import cluster
from cluster import Closed, Error, Timeout, say, soon

SECONDS = float(os.environ.get("HOLDFAST_STOPPED_S", 5))
TTL = 600000
BATCH = 100
TRAILING = 200

# What a leader may keep for a peer that does not read: the queue of its link,
# 16 MB; the log, 160 MB; what the kernel holds, and some air for the allocator.
GROWTH_KB = 256 * 1024

# Of the log nothing is kept for who was silent for ten election timeouts, 3 s.
ENTRIES_MAX = 20000  # some checkpoints may be on their way to a slow disk

# Locks that stay, so that their state takes some time to be sent: with the trail
# alone, the log would not begin early enough when it is there.
LOCKS = 50000

# One should do. Another was on its way when the follower went on, perhaps, and a
# machine that has no time for a node may cost one more.
SNAPSHOTS = 3


def test(scene):
    nodes = scene.cluster(
        3, ["--checkpoint-entries", "500", "--trailing-entries", str(TRAILING)]
    )
    leader = nodes.leader()
    stopped = nodes.followers()[0]
    fill(leader)
    nodes.settle(30)
    load = Load(leader)
    soon("some load", lambda: load.done > 10 * BATCH)
    before = leader.rss_kb()
    stopped.signal(signal.SIGSTOP)
    begin, at, most = time.monotonic(), load.done, before
    while time.monotonic() - begin < SECONDS or load.done < at + 2000:
        assert not load.wrong, load.wrong
        most = max(most, leader.rss_kb())
        time.sleep(0.05)
    soon("the log is short again", lambda: log_entries(leader) < ENTRIES_MAX)
    done, took = load.done - at, time.monotonic() - begin
    stopped.signal(signal.SIGCONT)
    begin = time.monotonic()
    soon(f"{stopped} gets a snapshot", lambda: snapshots(stopped) > 0, 30)
    soon(f"{stopped} is back", lambda: lag(stopped, leader) < TRAILING + 2 * BATCH, 30)
    back, at = time.monotonic() - begin, load.done
    soon("some more load", lambda: load.done > at + 20 * BATCH)
    count = snapshots(stopped)
    most = max(most, leader.rss_kb())
    load.finish()
    nodes.same_state(30)
    say(
        f"stopped for {took:.1f} s and {done} commands; leader {before} kB, at most "
        f"{most} kB; back after {back:.1f} s under load, with {count} snapshots"
    )
    assert snapshots(stopped) == count <= SNAPSHOTS, f"{count}, {snapshots(stopped)}"
    assert leader is nodes.leader(), "a stopped follower is no reason for an election"
    if not cluster_is_sanitized(leader):
        assert most - before < GROWTH_KB, f"{before} kB became {most} kB"


def fill(node):
    with node.client(timeout=20) as client:
        for at in range(0, LOCKS, 1000):
            names = [f"held-{at + i}" for i in range(1000)]
            tokens = client.pipeline(
                [["LOCK.ACQUIRE", name, "x" * 200, TTL, "WAIT", 0] for name in names]
            )
            assert all(isinstance(token, int) for token in tokens), tokens


def snapshots(node):
    return node.log().count("fell behind")


def log_entries(node):
    status = node.status()
    return status["last-index"] - status["first-index"]


def lag(node, leader):
    return leader.status()["applied"] - node.status()["applied"]


def cluster_is_sanitized(node):
    with open(f"/proc/{node.process.pid}/maps", encoding="utf-8") as maps:
        return "libasan" in maps.read()


class Load:
    """Locks taken and given back, many at a time, at one node."""

    def __init__(self, node):
        self.node = node
        self.done = 0
        self.wrong = []
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def finish(self):
        self.stop.set()
        self.thread.join(20)
        assert not self.thread.is_alive() and not self.wrong, self.wrong

    def _run(self):
        try:
            with self.node.client(timeout=20) as client:
                while not self.stop.is_set():
                    self._batch(client)
        except (OSError, Closed, Timeout) as error:
            self.wrong.append(repr(error))

    def _batch(self, client):
        names = [f"load-{self.done + i}" for i in range(BATCH)]
        tokens = client.pipeline(
            [["LOCK.ACQUIRE", name, "x" * 200, TTL, "WAIT", 0] for name in names]
        )
        bad = [t for t in tokens if not isinstance(t, int) or isinstance(t, Error)]
        gone = client.pipeline(
            [["LOCK.RELEASE", n, "x" * 200, t] for n, t in zip(names, tokens)]
        )
        if bad or any(g != 1 for g in gone):
            self.wrong.append((bad, gone))
        self.done += BATCH


if __name__ == "__main__":
    cluster.main(test, limit_s=60 + int(SECONDS))
