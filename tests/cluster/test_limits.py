#!/usr/bin/env python3
"""At its limits a node refuses what is new, and goes on with what is there."""

import sys

sys.dont_write_bytecode = True

import cluster
from cluster import Error, say, soon

TTL = 600000


def test(scene):
    waiters_fill_a_node(scene)


# ---- asks-max ----


def waiters_fill_a_node(scene):
    """Who waits for a lock keeps nobody from giving it back (asks-max)."""
    most = 16
    nodes = scene.cluster(3, cluster.STEADY + ["--asks-max", str(most)])
    nodes.leader()
    for home in (nodes.leader(), nodes.followers()[0]):
        key = f"full-{home.id}"
        with home.client() as control:
            token = control.command("LOCK.ACQUIRE", key, "holder", TTL)
            assert isinstance(token, int), token
            waiters = [home.client() for _ in range(most + 1)]
            for i, waiter in enumerate(waiters):
                waiter.send("LOCK.ACQUIRE", key, f"waiter-{i}", TTL)
                if i < most:
                    soon("it waits", lambda n=i + 1: waiting(control, key) == n)
            refused = waiters[most].read(5)
            assert refused == Error("TRYAGAIN too much is under way"), refused

            assert control.command("LOCK.RENEW", key, "holder", token, TTL) > 0
            assert control.command("LOCK.CANCEL", key, "waiter-1") == 1
            assert waiters[1].read(5) is None
            assert control.map("LOCK.STATUS", key)["waiters"] == most - 1
            assert control.command("SET", f"data-{home.id}", "x") == "OK"
            assert control.command("LOCK.RELEASE", key, "holder", token) == 1
            assert waiters[0].read(5) > token
            assert control.command("LOCK.BREAK", key) == 1
            assert waiters[2].read(5) > token
            for waiter in waiters:
                waiter.close()
    say(f"{most} requests waited, and what was not a request for a lock was served")
    for node in nodes:
        node.stop()


def waiting(client, key):
    return len(client.maps("LOCK.QUEUE", key))


if __name__ == "__main__":
    cluster.main(test, limit_s=90)
