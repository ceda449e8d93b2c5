#!/usr/bin/env python3
"""Leader and followers are killed with SIGKILL again and again under load:
nothing acknowledged is lost, nobody holds a lock twice, tokens grow, whoever
waits is served, and who comes back knows what all know (TRAPS A1, A11, A14,
E4, E7, E13, E16)."""

import os
import sys
import time

sys.dont_write_bytecode = True

import cluster
from cluster import Error, say
from load import TTL, Load, compare_all

ROUNDS = int(os.environ.get("HOLDFAST_KILL_ROUNDS", 10))


def test(scene):
    nodes = scene.cluster(3, cluster.PATIENT)
    load = Load(nodes, seed=scene.seed).start()
    leaders = 0
    for i in range(ROUNDS):
        time.sleep(scene.random.uniform(0.05, 0.6))
        leader = nodes.leader()
        kill_leader = i == 0 or scene.random.random() < 0.6
        victim = leader if kill_leader else scene.random.choice(nodes.followers())
        leaders += kill_leader
        one_round(scene, nodes, i, victim, load)
    load.finish()
    load.judge()
    nodes.settle()
    for node in nodes:
        with node.client() as client:
            count = load.check_kept(client)
    locks = compare_all(nodes)
    say(f"{ROUNDS} kills, {leaders} of leaders; {count} grants kept, {locks} locks")
    assert load.counts["granted"] >= 20 * ROUNDS, "too little load to prove anything"


def one_round(scene, nodes, i, victim, load):
    survivors = [n for n in nodes if n is not victim]
    # A client at a survivor waits for a lock, and does not notice.
    holder, waits = survivors[0].client(), survivors[1].client(timeout=30)
    key = f"blocked-{i}"
    token = ask_on(holder, "LOCK.ACQUIRE", key, "holder", TTL)
    waits.send("LOCK.ACQUIRE", key, "waits", TTL)
    time.sleep(scene.random.uniform(0, 0.2))
    victim.kill()
    killed = time.monotonic()
    gone = ask_on(holder, "LOCK.RELEASE", key, "holder", token)
    assert gone in (0, 1), gone
    granted = waits.read()
    gap = time.monotonic() - killed
    assert isinstance(granted, int) and granted > token, granted
    holder.close()
    waits.close()
    # Acknowledged before and during: there.
    with survivors[0].client() as client:
        load.check_kept(client)
    time.sleep(scene.random.uniform(0.0, 0.5))
    victim.start()
    wanted = nodes.leader().status()["commit"]
    cluster.soon("it has caught up", lambda: victim.status()["applied"] >= wanted)
    assert not load.wrong, load.wrong[:5]
    say(f"round {i}: {victim} killed, a waiter was served after {gap:.2f} s")


def ask_on(client, *words):
    deadline = time.monotonic() + 10
    while True:
        reply = client.command(*words)
        if not isinstance(reply, Error) or time.monotonic() > deadline:
            return reply
        assert reply.code in ("CLUSTERDOWN", "TRYAGAIN", "UNCERTAIN"), reply
        time.sleep(0.02)


if __name__ == "__main__":
    cluster.main(test, limit_s=60 + 6 * ROUNDS)
