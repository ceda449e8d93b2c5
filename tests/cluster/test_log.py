#!/usr/bin/env python3
"""What people read in the log of a node: each change of role with its reason,
checkpoints, and nothing that frightens where all is well."""

import signal
import sys
import time

sys.dont_write_bytecode = True

import cluster
from cluster import say, soon

OPTIONS = ["--election-ms", "1000", "--checkpoint-entries", "10"]


def test(scene):
    for _ in range(3):
        nodes = scene.cluster(3, OPTIONS)
        nodes.settle()
        for node in nodes:
            assert " warning " not in node.log(), node.log()
        if _ < 2:
            for node in nodes:
                node.kill()
    say("a first start frightens nobody")
    elections(nodes)
    checkpoints(nodes)


def elections(nodes):
    first = nodes.leader()
    assert says(first, "this node leads in term 1: a majority voted for it")
    stood = any(
        says(n, "nobody was heard to lead for") and says(n, "standing for term 1")
        for n in nodes
    )
    assert stood, "nobody stood"

    # Its process ends.
    first.kill()
    second = nodes.leader()
    others = [n for n in nodes if n is not first]
    broke = f"no leader is known in term 1: the connection to node {first.id} broke"
    assert all(says(n, broke) for n in others), broke
    assert says(second, "standing for term 2")
    first.start()
    nodes.settle()

    # It hands over.
    assert second.ask("RAFT.TRANSFER", first.id) == "OK"
    soon("it leads", lambda: nodes.leader() is first)
    assert says(first, f"node {second.id} hands over: standing for term 3")
    after = f"following node {first.id} in term 3, which is later: this node leads no more"
    told = (after, "this node leads no more: it heard of term 3")
    assert any(says(second, line) for line in told), second.log()
    nodes.settle()

    # It stands still.
    first.signal(signal.SIGSTOP)
    others = [n for n in nodes if n is not first]
    soon(
        "it is given up",
        lambda: any(says(n, f"node {first.id} was silent for 1000 ms") for n in others),
    )
    third = nodes.leader(but=[first])
    first.signal(signal.SIGCONT)
    soon("it follows", lambda: says(first, "this node leads no more"))
    nodes.settle()

    # It is alone.
    third = nodes.leader()
    for node in nodes:
        if node is not third:
            node.signal(signal.SIGSTOP)
    silence = "this node leads no more: no majority answered for 2000 ms"
    soon("it gives up", lambda: says(third, silence))
    before = len(third.log())
    time.sleep(4)
    # It asks those who do not answer again and again.
    grown = third.log()[before:].splitlines()
    assert len(grown) <= 6, grown
    for node in nodes:
        if node is not third:
            node.signal(signal.SIGCONT)
    nodes.settle()
    say("each change of role has its reason")


def checkpoints(nodes):
    node = nodes.leader()
    with node.client() as client:
        for i in range(300):
            assert client.command("SET", f"key-{i}", "x") == "OK"
    lines = [line for line in node.log().splitlines() if "checkpoint" in line]
    assert len(lines) == 1 and "checkpoint 1 at entry " in lines[0], lines
    assert node.ask("CONFIG", "SET", "loglevel", "verbose") == "OK"
    with node.client() as client:
        for i in range(50):
            assert client.command("SET", f"key-{i}", "y") == "OK"
    soon("the others", lambda: node.log().count("checkpoint") > 2)
    say("one of many checkpoints is told")


def says(node, text):
    return text in node.log()


if __name__ == "__main__":
    cluster.main(test, limit_s=90)
