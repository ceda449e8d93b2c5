#!/usr/bin/env python3
"""Membership and lost disks together: a node alone grows to three; a node that
was removed comes back with an empty directory, under its old id; who was removed
while it was down is told, also if it neither votes nor stands; a cluster of one
out of a disaster grows again. A newcomer that cannot listen never asks to be let
in (TRAPS B9, B10, B12)."""

import shutil
import socket
import sys
import time

sys.dont_write_bytecode = True

import cluster
from cluster import Error, say, soon
from test_join import ask, is_voter
from test_recover import recover
from test_wipe import Held, overs, wipe


def test(scene):
    held = Held()
    alone = grows(scene, held)
    cannot_listen(scene, alone)
    nodes = first_members(scene)
    by_its_old_id(scene, alone, held)
    told(scene, nodes)
    disaster(scene, alone, held)


def voters(nodes, count):
    return lambda: all(n.status()["voters"] == count for n in nodes)


def grows(scene, held):
    """1 -> 2 -> 3: with two, each is needed for everything."""
    nodes = cluster.Cluster([scene.joiner(1, "127.0.0.1:9")])
    nodes[0].options = []
    nodes[0].start()
    held.take(nodes[0], 20)
    for number in (2, 3):
        nodes.append(scene.joiner(number, nodes[-1]).start())
        soon("it votes", voters(nodes, number))
        soon("its probation is over", lambda: overs(nodes[-1]) == 1)
        held.take(nodes[-1], 20)
    nodes.same_state()
    nodes.leader().kill()
    held.take(nodes.leader(), 5)
    for node in nodes:
        if not node.is_running():
            node.start()
    nodes.same_state()
    held.check(nodes.leader())
    say("a node alone grew to three")
    return nodes


def cannot_listen(scene, nodes):
    for offset in (0, 10000):
        node = scene.joiner(9, nodes[0])
        with socket.socket() as taken:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            taken.bind(("127.0.0.1", node.port + offset))
            taken.listen()
            node.start(wait=False)
            assert node.ends(20) == 1
        assert "cannot listen" in node.last_line(), node.last_line()
    assert all(n.status()["learners"] == 0 for n in nodes), "it was let in"
    say("who cannot listen does not ask to be let in")


def first_members(scene):
    """One is late, and the others wait for it."""
    nodes = scene.make(3)
    for node in nodes[:2]:
        node.start()
    nodes[2].start()
    nodes.leader()
    return nodes


def by_its_old_id(scene, nodes, held):
    """Wiped, and back as it was started; and removed, wiped and added again by
    the operator, within the time for which a leader remembers who leaves."""
    lost = nodes.followers()[0]
    lost.options = ["--join", f"127.0.0.1:{nodes.leader().port}"]
    for removed in (False, True):
        lost.kill()
        wipe(lost)
        others = [n for n in nodes if n is not lost]
        if removed:
            ask(others[0], "RAFT.REMOVE", lost.id)
            ask(others[1], "RAFT.ADD", lost.id, f"127.0.0.1:{lost.port}")
        before = overs(lost)
        lost.start()
        soon("it votes again", voters(nodes, 3), 20)
        soon("its probation is over", lambda: overs(lost) == before + 1)
        nodes.same_state()
        held.check(lost)
        held.take(lost, 10)
    say("wiped, and back under its old id")


def told(scene, nodes):
    """A learner, and a member with an empty disk: neither ever stands. The
    learner's host is a name, which the others look up."""
    learner = scene.joiner(4, nodes[0], ["--bind", "localhost"])
    ask(nodes[0], "RAFT.ADD", 4, f"localhost:{learner.port}", "LEARNER")
    learner.start()
    soon("it follows", lambda: learner.status()["leader"])
    nodes.append(learner)
    nodes.same_state()
    learner.kill()
    nodes.remove(learner)
    lost = nodes.followers()[0]
    ask(lost, "RAFT.REMOVE", 4)
    lost.kill()
    wipe(lost)
    ask(nodes.leader(but=[lost]), "RAFT.REMOVE", lost.id)
    time.sleep(1.5)  # for longer than a leader goes on sending to them
    for node in (learner, lost):
        node.start()
        soon(f"{node} was told", lambda: node.status()["role"] == "removed", 15)
    reply = lost.ask("LOCK.STATUS", "k")
    assert reply == Error("CLUSTERDOWN this node was removed from the cluster"), reply
    # It is not what it was told for ever.
    ask(nodes.leader(but=[lost]), "RAFT.ADD", lost.id, f"127.0.0.1:{lost.port}")
    soon("it votes again", lambda: is_voter(lost), 20)
    nodes.same_state()
    say("removed while they were down, and told")


def disaster(scene, nodes, held):
    survivor = nodes.followers()[0]
    nodes.settle()
    for node in nodes:
        node.kill()
        if node is not survivor:
            shutil.rmtree(node.dir)
    assert recover(survivor).returncode == 0
    survivor.start()
    others = [n for n in nodes if n is not survivor]
    for number, node in enumerate(others):
        node.options = ["--join", f"127.0.0.1:{survivor.port}"]
        node.start()
        soon("it votes", voters([survivor, node], number + 2))
    nodes.same_state()
    held.check(nodes.leader())
    held.take(others[0], 10)
    nodes.same_state()
    say("out of one directory, and three again")


if __name__ == "__main__":
    cluster.main(test, limit_s=90)
