#!/usr/bin/env python3
"""All nodes are killed at once under load and started again: every grant that
was acknowledged is held by its owner with its token, the requests of clients
that are gone leave the queues after the grace period, tokens go on growing
(TRAPS A6, A11, E13, E15)."""

import os
import sys
import time

sys.dont_write_bytecode = True

import cluster
from cluster import say, soon
from load import TTL, Load, compare_all

ROUNDS = int(os.environ.get("HOLDFAST_RESTART_ROUNDS", 3))
GRACE_S = 3.0


def test(scene):
    # Few entries a checkpoint, so that some rounds begin with one.
    often = ["--checkpoint-entries", "500", "--trailing-entries", "300"]
    nodes = scene.cluster(3, cluster.STEADY + often)
    load = Load(nodes, seed=scene.seed).start()
    for i in range(ROUNDS):
        one_round(scene, nodes, i, load)
    load.finish()
    load.judge()
    nodes.settle()
    locks = compare_all(nodes)
    say(f"{ROUNDS} times all were killed: {len(load.kept)} grants kept, {locks} locks")


def one_round(scene, nodes, i, load):
    key = f"queue-{i}"
    with nodes[i % 3].client() as client:
        token = client.command("LOCK.ACQUIRE", key, "holder", TTL)
        assert isinstance(token, int), token
        waiters = []
        for n in range(4):
            waiters.append(nodes[n % 3].client())
            waiters[-1].send("LOCK.ACQUIRE", key, f"gone-{n}", TTL)
            soon("it waits", lambda: client.map("LOCK.STATUS", key)["waiters"] == n + 1)
    time.sleep(scene.random.uniform(0.2, 0.8))
    for node in nodes:
        node.process.kill()
    for node in nodes:
        node.kill()
    acknowledged = load.highest()
    for client in waiters:
        client.close()
    for node in nodes:
        node.start(wait=False)
    for node in nodes:
        node.wait_up()
    begin = time.monotonic()
    nodes.leader()
    with nodes[(i + 1) % 3].client() as client:
        # Read at once: everything that was acknowledged is seen (A11).
        count = load.check_kept(client)
        status = client.map("LOCK.STATUS", key)
        assert status["holders"] and status["waiters"] <= 4, status
        assert status["last-token"] >= token, status
        fresh = client.command("LOCK.ACQUIRE", f"fresh-{i}", "me", TTL)
        assert isinstance(fresh, int) and fresh > acknowledged, (fresh, acknowledged)
        soon(
            "those who are gone have left the queue",
            lambda: client.map("LOCK.STATUS", key)["waiters"] == 0,
            within=GRACE_S + 5,
        )
        took = time.monotonic() - begin
        assert client.command("LOCK.RELEASE", key, "holder", token) == 1
        assert client.map("LOCK.STATUS", key)["mode"] == "free"
    assert not load.wrong, load.wrong[:5]
    starts = [n.status()["first-index"] for n in nodes]
    say(f"round {i}: {count} grants there, queue empty after {took:.1f} s, {starts}")


if __name__ == "__main__":
    cluster.main(test, limit_s=40 + 15 * ROUNDS)
