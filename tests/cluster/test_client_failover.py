#!/usr/bin/env python3
"""libholdfast when nodes die, hang or are cut off: leases live on where they
can, waiters keep their places, and a lease that cannot be confirmed is declared
lost before the cluster may give the lock away."""

import signal
import sys
import time

sys.dont_write_bytecode = True

import cluster
import partition
from cluster import say, soon
from driver import HELD, IS_LOST, OK, UNREACHABLE, WAITING, Driver, boottime_ms


def leader_dies_while_held_and_waited_for(scene):
    """Several times over: the node of the client and the leader by turns."""
    nodes = scene.cluster(3)
    holder = Driver(scene, nodes)
    waiter = Driver(scene, nodes)
    token = holder.acquire(1, "held", 12000)
    assert token > 0
    waiter.ask("begin", 1, "held", 12000, -1)
    granted = waiter.start("await", 1)
    soon("it waits", lambda: len(nodes[0].ask("LOCK.QUEUE", "held")) == 1)
    for _ in range(3):
        victim = nodes.leader()
        victim.kill()
        nodes.leader()
        # A lock that is taken and given back meanwhile: one answer each.
        began = time.monotonic()
        assert holder.acquire(2, "other", 12000) > 0
        assert holder.status("release", 2) == OK
        say(f"{victim} died; a lock taken after {time.monotonic() - began:.2f} s")
        assert holder.look(1)["ok"], "the lease lives on"
        assert not granted.is_there(), "and nobody else has it"
        victim.start()
        nodes.settle()
    assert holder.look(1)["token"] == token
    queue = nodes[0].ask("LOCK.QUEUE", "held")
    assert len(queue) == 1, queue
    assert holder.status("release", 1) == OK
    answer = granted.get(30)
    assert int(answer[2]) == OK and int(answer[3]) > token
    assert not holder.lost and not waiter.lost
    say("holder:", holder.stats(), "waiter:", waiter.stats())
    holder.quit()
    waiter.quit()


def all_nodes_hang(scene):
    """Paused for longer than half the TTL: lost by our clock, before the
    server's lease can end; and the lock is to be had again afterwards."""
    nodes = scene.cluster(3)
    one = Driver(scene, nodes)
    ttl = 6000
    assert one.acquire(1, "p", ttl) > 0
    begin = boottime_ms()
    for node in nodes:
        node.signal(signal.SIGSTOP)
    soon("it is declared lost", lambda: 1 in one.lost, within=20)
    for node in nodes:
        node.signal(signal.SIGCONT)
    reason, at = one.lost[1]
    assert reason == 0, "unconfirmed"
    # The last renewal was sent after begin - ttl / 3 and not after begin.
    assert at - begin <= ttl / 2 + 1500, f"late: {at - begin} ms"
    assert at < begin - ttl / 3 + ttl, "before the server's end of the lease"
    look = one.look(1)
    assert look["state"] == IS_LOST and not look["ok"]
    nodes.leader()
    assert one.acquire(2, "p", ttl, 30000) > 0
    say(f"lost {at - begin} ms after the pause began, ttl {ttl} ms")
    one.quit()


def one_node_hangs(scene):
    """The node of the client is paused: the client goes to another, and the
    lease lives on."""
    nodes = scene.cluster(3)
    one = Driver(scene, nodes)
    ttl = 15000
    assert one.acquire(1, "h", ttl) > 0
    for node in nodes.followers()[:1] + [nodes.leader()]:
        node.signal(signal.SIGSTOP)
        nodes.leader(but=(node,), within=20)
        begin = time.monotonic()
        assert one.acquire(2, "i", ttl, 30000) > 0
        say(f"{node} hangs; a lock taken after {time.monotonic() - begin:.2f} s")
        assert one.status("release", 2, within=30) == OK
        node.signal(signal.SIGCONT)
        nodes.settle(within=30)
    assert one.look(1)["ok"] and not one.lost
    one.quit()


class Face:
    """An address to begin at."""

    def __init__(self, port):
        self.port = port


def queued_at(nodes, key):
    """Whether somebody waits for the key, as far as anybody can say."""
    try:
        queue = nodes.leader().ask("LOCK.QUEUE", key)
    except (OSError, cluster.Closed, cluster.Timeout):
        return None
    return queue if isinstance(queue, list) and queue else None


def a_node_hangs_for_ever_under_a_waiter(scene):
    """A process that has nothing but a wait hears nothing for long when all is
    well. It finds out all the same, and is served by another node."""
    nodes = scene.cluster(3)
    node = nodes.followers()[0]
    holder = Driver(scene, [n for n in nodes if n is not node])
    ttl = 6000
    assert holder.acquire(1, "w", ttl) > 0
    waiter = Driver(scene, [node])
    waiter.ask("begin", 1, "w", ttl, -1)
    granted = waiter.start("await", 1)
    soon("it waits", lambda: queued_at(nodes, "w"))
    node.signal(signal.SIGSTOP)
    # Whoever holds it may have been at that node, and moves too.
    time.sleep(0.5)
    assert holder.status("release", 1, within=30) == OK
    begin = time.monotonic()
    answer = granted.get(15)
    assert int(answer[2]) == OK, answer
    say(f"granted {time.monotonic() - begin:.2f} s after it was free")
    assert waiter.status("release", 1) == OK
    node.signal(signal.SIGCONT)
    holder.quit()
    waiter.quit()


def a_node_is_cut_off_under_a_waiter(scene):
    """It answers PING, but is with the others no more: they take its waiters
    out of the queue, which it cannot tell."""
    network = partition.Network()
    nodes = network.cluster(scene, 3, ["--grace-ms", "1000"])
    node = nodes.followers()[0]
    others = [n for n in nodes if n is not node]
    holder = Driver(scene, [Face(network.client_ports[n.id]) for n in others])
    assert holder.acquire(1, "c", 8000) > 0
    waiter = Driver(scene, [Face(network.client_ports[node.id])])
    waiter.ask("begin", 1, "c", 8000, -1)
    granted = waiter.start("await", 1)
    soon("it waits", lambda: queued_at(nodes, "c"))
    network.cut(node, others)
    begin = time.monotonic()
    soon("it is at another", lambda: waiter.log().count("connected to") > 1, within=20)
    say(f"another node after {time.monotonic() - begin:.2f} s")
    nodes.leader(but=(node,), within=20)
    assert holder.status("release", 1, within=30) == OK
    answer = granted.get(15)
    assert int(answer[2]) == OK, answer
    network.heal()
    holder.quit()
    waiter.quit()


def majority_is_gone(scene):
    """Nothing can be confirmed: the lease is lost, and it is said what is
    wrong. A wait without end outlasts it."""
    nodes = scene.cluster(3)
    one = Driver(scene, nodes, "timeout=1500")
    assert one.acquire(1, "m", 4000) > 0
    nodes[0].kill()
    nodes[1].kill()
    soon("it is declared lost", lambda: 1 in one.lost, within=20)
    one.ask("begin", 2, "n", 4000, 0)
    answer = one.ask("await", 2)
    assert int(answer[2]) in (3, 4), answer
    one.ask("begin", 3, "n", 4000, -1)
    later = one.start("await", 3)
    time.sleep(2)
    assert not later.is_there()
    nodes[0].start(wait=False)
    nodes[1].start(wait=False)
    assert int(later.get(30)[2]) == OK
    one.quit()


def test(scene):
    leader_dies_while_held_and_waited_for(scene)
    all_nodes_hang(scene)
    one_node_hangs(scene)
    a_node_hangs_for_ever_under_a_waiter(scene)
    a_node_is_cut_off_under_a_waiter(scene)
    majority_is_gone(scene)


cluster.main(test, limit_s=120)
