#!/usr/bin/env python3
"""Thirty waiters at all three nodes get a lock in the order of the queue, each
by one entry of the log and one reply (PRODUCT.md, FIFO; TRAPS D6)."""

import sys
import time

sys.dont_write_bytecode = True

import cluster
from cluster import say, soon

COUNT = 30
TTL = 60000


def test(scene):
    nodes = scene.cluster(3, cluster.STEADY)
    leader = nodes.leader()
    control = leader.client()
    token = control.command("LOCK.ACQUIRE", "fifo", "first", TTL)
    waiters = []
    for i in range(COUNT):
        client = nodes[i % 3].client()
        client.send("LOCK.ACQUIRE", "fifo", f"w{i}", TTL)
        soon("it waits", lambda: control.map("LOCK.STATUS", "fifo")["waiters"] == i + 1)
        waiters.append(client)
    queue = control.maps("LOCK.QUEUE", "fifo")
    assert [m["owner"] for m in queue] == [f"w{i}" for i in range(COUNT)], queue

    # Hand it on in pairs of a release and the next grant. Ticks of the clock
    # are entries too, about one a second, and soon after a leader's start one
    # for each node about waiters that an earlier run of it left.
    begin, before = time.monotonic(), control.map("RAFT.STATUS")["last-index"]
    order, owner, tokens = [], "first", [token]
    for i, client in enumerate(waiters):
        assert control.command("LOCK.RELEASE", "fifo", owner, tokens[-1]) == 1
        tokens.append(client.read())
        owner = f"w{i}"
        order.append(owner)
        if i == COUNT // 2:
            assert control.map("LOCK.STATUS", "fifo")["waiters"] == COUNT - i - 1
    grown = control.map("RAFT.STATUS")["last-index"] - before
    took = time.monotonic() - begin
    assert all(a < b for a, b in zip(tokens, tokens[1:])), tokens
    say(f"{COUNT} hand-overs in {took:.3f} s, {grown} entries, tokens {tokens[0]}..")
    assert COUNT <= grown <= COUNT + 1 + len(nodes) + int(took), grown
    # Nobody was told anything else.
    for client in waiters:
        assert client.command("PING") == "PONG"
    assert control.command("LOCK.RELEASE", "fifo", owner, tokens[-1]) == 1
    assert control.map("LOCK.STATUS", "fifo")["mode"] == "free"

    # The order survives the leader.
    token = control.command("LOCK.ACQUIRE", "fifo", "first", TTL)
    survivors = [n for n in nodes if n is not leader]
    ears = survivors[0].client()
    clients = {}
    for i in range(8):
        clients[f"s{i}"] = survivors[i % 2].client()
        clients[f"s{i}"].send("LOCK.ACQUIRE", "fifo", f"s{i}", TTL)
        soon("it waits", lambda: ears.map("LOCK.STATUS", "fifo")["waiters"] == i + 1)
    leader.kill()
    soon(
        "the new leader has the queue",
        lambda: [m["owner"] for m in ears.maps("LOCK.QUEUE", "fifo")] == list(clients),
    )
    owner = "first"
    for name, client in clients.items():
        assert ears.command("LOCK.RELEASE", "fifo", owner, token) == 1, name
        granted = client.read()
        assert granted > token, (name, granted, token)
        token, owner = granted, name
    say("the order outlived the leader")


if __name__ == "__main__":
    cluster.main(test, limit_s=40, brief=True)
