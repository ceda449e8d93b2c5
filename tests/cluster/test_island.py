#!/usr/bin/env python3
"""The island (TRAPS B8): a leader that is cut off from everybody removes
everybody. It must refuse, or never commit; the others go on without it, and
when the network is whole nobody is missing."""

import os
import sys
import threading
import time

sys.dont_write_bytecode = True

import cluster
from cluster import Closed, Error, Timeout, say, soon
from load import Load
from partition import Network

ROUNDS = int(os.environ.get("HOLDFAST_ISLAND_ROUNDS", 2))


def test(scene):
    network = Network()
    nodes = network.cluster(scene, 3)
    load = Load(nodes, workers=4, seed=scene.seed).start()
    told = {}
    for i in range(ROUNDS):
        one_round(network, nodes, told)
        say(f"round {i}: {told}")
    load.finish(40)
    load.judge()
    nodes.settle()
    for node in nodes:
        with node.client() as client:
            count = load.check_kept(client)
    index = nodes.same_state()
    say(f"{count} grants kept, equal states at entry {index}")


def members(node):
    return sorted(p["id"] for p in map(cluster.resp.as_map, node.ask("RAFT.PEERS")))


def one_round(network, nodes, told):
    island = nodes.leader()
    others = [n for n in nodes if n is not island]
    network.cut(island, others)
    removers = [
        threading.Thread(target=remove, args=(island, other, told), daemon=True)
        for other in others + [island]
    ]
    for thread in removers:
        thread.start()
    # The others find a leader, serve, and still know everybody.
    new = soon("another leads", lambda: leads(others), within=20)
    token = patient(new, "LOCK.ACQUIRE", f"main-{new.status()['term']}", "me", 600000)
    assert isinstance(token, int), token
    for node in others:
        assert members(node) == [1, 2, 3], members(node)
    for thread in removers:
        thread.join(30)
        assert not thread.is_alive(), "an operator is never answered"
    network.heal()
    soon("all follow one", lambda: len({n.status()["leader"] for n in nodes}) == 1)
    nodes.leader(20)
    for node in nodes:
        soon("nobody is missing", lambda n=node: members(n) == [1, 2, 3])


def leads(nodes):
    for node in nodes:
        if node.status()["role"] == "leader":
            return node
    return None


def remove(island, victim, told):
    """Ask again and again for as long as the island may believe in itself."""
    deadline = time.monotonic() + 1.5
    while time.monotonic() < deadline:
        try:
            reply = island.ask("RAFT.REMOVE", victim.id, timeout=15)
        except (OSError, Closed, Timeout):
            continue
        assert isinstance(reply, Error), f"the island removed {victim}: {reply!r}"
        told[reply.code] = told.get(reply.code, 0) + 1
        time.sleep(0.05)


def patient(node, *words):
    deadline = time.monotonic() + 10
    while True:
        reply = node.ask(*words, timeout=15)
        if not isinstance(reply, Error) or time.monotonic() > deadline:
            return reply
        time.sleep(0.05)


if __name__ == "__main__":
    cluster.main(test, limit_s=120)
