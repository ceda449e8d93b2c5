#!/usr/bin/env python3
"""Who waited at a node whose process ended leaves the queue long before the
grace period is over, and never gets the lock; who waits at a node that only
stands still keeps its place (TRAPS E1)."""

import signal
import sys
import time

sys.dont_write_bytecode = True

import cluster
from cluster import say, soon

TTL = 600000

# So long that nobody is cancelled for being silent.
OPTIONS = ["--grace-ms", "600000"]


def test(scene):
    nodes = scene.cluster(3, cluster.STEADY + OPTIONS)
    for who in ("follower", "leader"):
        process_ends(nodes, who)
    process_stands_still(nodes)


def process_ends(nodes, who):
    leader = nodes.leader()
    nodes.settle()
    victim = leader if who == "leader" else nodes.followers()[0]
    home = next(n for n in nodes if n is not victim)
    key = f"gone-{who}"
    clients, token = queue(victim, home, key)
    begin = time.monotonic()
    victim.kill()
    control = home.client()
    soon("who is gone left", lambda: waiting(control, key) == ["later"], within=20)
    took = time.monotonic() - begin
    assert control.command("LOCK.RELEASE", key, "holder", token) == 1
    granted = clients[-1].read(10)
    assert isinstance(granted, int) and granted > token, granted
    say(f"a {who} was killed: its waiter left after {took:.2f} s")
    for client in clients + [control]:
        client.close()
    victim.start()
    nodes.settle()


def process_stands_still(nodes):
    nodes.leader()
    nodes.settle()
    victim = nodes.followers()[0]
    home = nodes.leader()
    clients, token = queue(victim, home, "still")
    victim.signal(signal.SIGSTOP)
    control = home.client()
    time.sleep(2.0)
    assert waiting(control, "still") == ["early", "later"], waiting(control, "still")
    victim.signal(signal.SIGCONT)
    assert control.command("LOCK.RELEASE", "still", "holder", token) == 1
    granted = clients[1].read(20)
    assert isinstance(granted, int) and granted > token, granted
    say("a follower stood still: its waiter kept its place")
    for client in clients + [control]:
        client.close()


def queue(victim, home, key):
    """Held at home, waited for at the victim and then at home."""
    clients = [home.client(), victim.client(), home.client()]
    token = clients[0].command("LOCK.ACQUIRE", key, "holder", TTL)
    assert isinstance(token, int), token
    for client, owner in zip(clients[1:], ("early", "later")):
        client.send("LOCK.ACQUIRE", key, owner, TTL)
        soon("it waits", lambda: owner in waiting(clients[0], key))
    return clients, token


def waiting(client, key):
    return [m["owner"] for m in client.maps("LOCK.QUEUE", key)]


if __name__ == "__main__":
    cluster.main(test, limit_s=80)
