#!/usr/bin/env python3
"""All first members of a cluster that has grown lose their disks at once and are
started again as on the first day (TRAPS B12).

While one of the others runs and reaches them, no second cluster comes into
being: if the others are a majority they take the first members in again; if not,
nobody serves anything until the operator has brought the cluster back out of one
of the directories that are left. If none of the others is there, what is founded
is another cluster: it has another id, and neither listens to the other. No token
is ever granted twice by the cluster that was first."""

import sys
import time

sys.dont_write_bytecode = True

import cluster
from cluster import Error, say, soon
from test_recover import recover
from test_regrow import voters
from test_wipe import Held, leads, overs, wipe

FOUNDED_NOT = "nothing is founded"


def test(scene):
    held = Held()
    nodes, first = grown(scene, 2, held)
    taken_in(nodes, first, held)
    for node in nodes:
        node.stop()
    held = Held()
    nodes, first = grown(scene, 3, held)
    left = nodes[3:]
    outnumbered(first, left)
    apart(first, left)
    way_out(nodes, first, left, held)


def grown(scene, count, held):
    """So many first members, and five in the end."""
    nodes = scene.cluster(count)
    first = list(nodes)
    assert len(ids(first)) == 1, "founded together, and of different clusters"
    held.take(nodes.leader(), 20)
    for number in range(count + 1, 6):
        nodes.append(scene.joiner(number, nodes[0]).start())
        soon("it votes", voters(nodes, number))
        soon("its probation is over", lambda: overs(nodes[-1]) == 1)
    held.take(nodes[-1], 20)
    nodes.settle()
    return nodes, first


def ids(nodes):
    return {n.status()["cluster-id"] for n in nodes}


def as_on_the_first_day(first):
    for node in first:
        node.kill()
        wipe(node)
    for node in first:
        node.start()


def taken_in(nodes, first, held):
    before = ids(nodes)
    seen = [overs(n) for n in first]
    as_on_the_first_day(first)
    for node, count in zip(first, seen):
        soon(f"{node} is taken in", lambda: overs(node) == count + 1, 20)
    assert ids(nodes) == before, (ids(nodes), before)
    nodes.settle()
    for node in nodes:
        held.check(node)
    held.take(first[0], 10)
    nodes.same_state()
    say("two first ones of five lost their disks, and are back")


def nobody_serves(nodes, seconds):
    """A leader among those who are left needs a moment to find out that it is
    none any more. Until then it is sent requests that it cannot commit."""
    begin = time.monotonic()
    while time.monotonic() < begin + seconds:
        late = time.monotonic() > begin + seconds / 2
        assert not (late and leads(nodes)), "somebody leads"
        for node in nodes:
            reply = node.ask("LOCK.ACQUIRE", "key-0", "thief", 1000, "WAIT", 0)
            assert isinstance(reply, Error), f"{node} granted {reply}"
            assert reply.code in ("CLUSTERDOWN", "UNCERTAIN"), reply


def outnumbered(first, left):
    """The others are no majority: they can take nobody in, but can be heard."""
    before = ids(left)
    as_on_the_first_day(first)
    nobody_serves(first + left, 5)
    for node in first:
        known = ids([node]) == before  # its last leader could still say so
        assert known or FOUNDED_NOT in node.log(), f"{node} has heard nobody"
    say("three first ones of five lost their disks, and founded nothing")


def apart(first, left):
    """Nobody is there to be heard. This is another cluster, for those who are
    left too when they come back."""
    before = ids(left)
    for node in left:
        node.stop()
    as_on_the_first_day(first)
    second = Held()
    second.take(first[0], 5)
    for node in left:
        node.start()
    after = ids(first)
    assert len(after) == 1 and not after & before, (before, after)
    soon(
        "the other cluster is refused",
        lambda: all("from another cluster" in n.log() for n in first),
    )
    nobody_serves(left, 2)
    assert ids(left) == before
    second.check(first[0])
    second.take(first[1], 5)
    say("nobody was there to be heard: a second cluster, and they never mix")


def way_out(nodes, first, left, held):
    """As holdfastd(8) says."""
    for node in nodes:
        node.stop()
    survivor = left[0]
    assert recover(survivor).returncode == 0
    survivor.start()
    for number, node in enumerate(first + left[1:]):
        wipe(node)
        node.options = ["--join", f"127.0.0.1:{survivor.port}"]
        node.members = None
        node.start()
        soon("it votes", voters([survivor, node], number + 2))
    nodes.settle()
    assert len(ids(nodes)) == 1
    for node in nodes:
        held.check(node)
    held.take(first[0], 10)
    nodes.same_state()
    say("out of a directory of those who were left, with all that was granted")


if __name__ == "__main__":
    cluster.main(test, limit_s=120)
