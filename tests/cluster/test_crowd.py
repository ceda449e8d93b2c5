#!/usr/bin/env python3
"""Many connections that say nothing, at the raft port of every node: members
still find each other, elect and serve, and the logs stay short."""

import socket
import sys
import time

sys.dont_write_bytecode = True

import cluster
from cluster import Closed, Error, Timeout, say, soon

CROWD = 200


def test(scene):
    nodes = scene.cluster(3, cluster.STEADY)
    begin = time.monotonic()
    token = nodes[0].ask("LOCK.ACQUIRE", "crowd", "before", 600000)
    crowd = [dial(n) for n in nodes for _ in range(CROWD)]

    leader = nodes.leader()
    leader.kill()
    survivors = [n for n in nodes if n is not leader]
    soon("the others serve", lambda: serves(survivors[0], token + 1), within=15)

    # The one that comes back has to get in beside the crowd.
    close(crowd)  # a process has no more than 1024 files as a rule
    crowd = [dial(n) for n in survivors for _ in range(CROWD)]
    leader.start()
    crowd += [dial(leader) for _ in range(CROWD)]
    nodes.settle()
    second = nodes.leader()
    second.kill()
    soon("it is needed now", lambda: serves(leader, token + 2), within=15)
    second.start()
    nodes.settle()

    took = time.monotonic() - begin
    for node in nodes:
        lines = [line for line in node.log().splitlines() if "raft port" in line]
        # For each reason one line a second, for each start of the node.
        assert len(lines) <= 2 * (took + 4), (node.id, lines[:8])
    assert any("too many" in n.log() for n in nodes), "there was no crowd"
    say(f"{CROWD} connections at each node, {took:.1f} s")
    close(crowd)


def dial(node):
    return socket.create_connection(("127.0.0.1", node.port + 10000), 10)


def close(crowd):
    for made in crowd:
        made.close()


def serves(node, at_least):
    try:
        found = node.ask("LOCK.ACQUIRE", f"crowd-{at_least}", "me", 600000, timeout=10)
        return isinstance(found, int)
    except (OSError, Closed, Error, Timeout):
        return False


if __name__ == "__main__":
    cluster.main(test, limit_s=60)
