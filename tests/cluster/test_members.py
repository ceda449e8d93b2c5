#!/usr/bin/env python3
"""Under load: three nodes grow to five through a follower and shrink to three
again, by removing the leader and a dead node (TRAPS B9). Tokens grow, nothing
acknowledged is lost, and all end with the same state."""

import sys
import time

sys.dont_write_bytecode = True

import cluster
from cluster import Closed, Error, Timeout, say, soon
from load import Load


def test(scene):
    nodes = scene.cluster(3)
    load = Load(nodes, seed=scene.seed).start()
    time.sleep(0.5)
    grow(scene, nodes)
    time.sleep(0.3)
    remove_leader(nodes)
    remove_dead(nodes)
    time.sleep(0.3)
    load.finish(30)
    load.judge()
    nodes.settle()
    for node in nodes:
        with node.client() as client:
            count = load.check_kept(client)
    index = nodes.same_state()
    assert nodes.leader().status()["voters"] == 3
    say(f"{count} grants kept, equal states at entry {index}")
    assert load.counts["granted"] >= 100, "too little load to prove anything"


def change(nodes, *words):
    """As an operator does: what was not done is asked again, what is uncertain
    is looked after."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for node in nodes:
            try:
                reply = node.ask(*words, timeout=15)
            except (OSError, Closed, Timeout):
                continue
            if reply == "OK":
                return "OK"
            assert isinstance(reply, Error), reply
            if reply.code == "UNCERTAIN" or reply.code == "ERR":
                return reply
            assert reply.code in ("TRYAGAIN", "CLUSTERDOWN"), reply
            time.sleep(0.1)
    raise AssertionError(f"never done: {words}")


def members(node):
    return {p["id"]: p["role"] for p in map(cluster.resp.as_map, node.ask("RAFT.PEERS"))}


def grow(scene, nodes):
    for number in (4, 5):
        begin = time.monotonic()
        node = scene.joiner(number, nodes.followers()[0]).start()
        soon(
            f"{node} votes",
            lambda: members(nodes[0]).get(node.id) == "voter" and node.status()["leader"],
            within=20,
        )
        nodes.append(node)
        say(f"{node} votes after {time.monotonic() - begin:.2f} s")


def gone(nodes, node):
    nodes.remove(node)
    soon(f"{node} is out", lambda: all(node.id not in members(n) for n in nodes))


def remove_leader(nodes):
    leader = nodes.leader()
    asked = [n for n in nodes if n is not leader]
    reply = change(asked[:1], "RAFT.REMOVE", leader.id)
    gone(nodes, leader)
    soon("it knows", lambda: leader.status()["role"] == "removed")
    new = nodes.leader()
    assert new is not leader
    leader.stop()
    say(f"{leader} led and was removed ({reply}), {new} leads")


def remove_dead(nodes):
    node = nodes.followers()[0]
    node.kill()
    nodes.leader(but=(node,))
    rest = [n for n in nodes if n is not node]
    reply = change(rest, "RAFT.REMOVE", node.id)
    gone(nodes, node)
    say(f"{node} was dead and was removed ({reply}): {len(nodes)} are left")


if __name__ == "__main__":
    cluster.main(test, limit_s=120, brief=True)
