#!/usr/bin/env python3
"""A cluster that nobody uses elects nobody and logs nothing (TRAPS A16)."""

import os
import sys
import time

sys.dont_write_bytecode = True

import cluster
from cluster import say

IDLE_S = float(os.environ.get("HOLDFAST_IDLE_S", 10))


def test(scene):
    nodes = scene.cluster(3, cluster.STEADY)
    nodes.settle()
    before = [node.status() for node in nodes]
    logs = [node.log() for node in nodes]
    cpu = [cpu_seconds(node) for node in nodes]
    # One lock is held all the time: an idle leader then writes its clock down
    # about once a second, and that is all it writes.
    assert nodes[0].ask("LOCK.ACQUIRE", "idle", "me", 60000, "WAIT", 0) > 0
    held_at = nodes.settle()
    time.sleep(IDLE_S)
    after = [node.status() for node in nodes]
    for was, now in zip(before, after):
        assert was["term"] == now["term"], (was, now)
        assert was["leader"] == now["leader"], (was, now)
    for log, node in zip(logs, nodes):
        assert node.log() == log, node.log()[len(log) :]
    grown = nodes.settle() - held_at
    assert grown <= IDLE_S + 2, f"{grown} entries in {IDLE_S} s of idleness"
    for node, before in zip(nodes, cpu):
        used = cpu_seconds(node) - before
        say(f"{node}: {used:.2f} s of processor time, {node.rss_kb()} KB")
        assert used < IDLE_S / 4, "an idle node is busy"
    errors = [node.ask("INFO", "stats") for node in nodes]
    for info in errors:
        assert "total_error_replies:0" in info, info
    say(f"{IDLE_S} s: no election, no log line, {grown} entries")


def cpu_seconds(node):
    with open(f"/proc/{node.process.pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    cluster.main(test, limit_s=int(IDLE_S) + 30)
