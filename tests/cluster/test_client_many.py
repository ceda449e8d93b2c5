#!/usr/bin/env python3
"""Thousands of leases of one client: one connection for requests and one for
messages, one renewal a lease and third of its TTL, and all of them live."""

import os
import sys
import time

sys.dont_write_bytecode = True

import cluster
from cluster import say, soon
from driver import HELD, Driver

COUNT = int(os.environ.get("HOLDFAST_MANY", 3000))
TTL = 12000


def connections(node, owner_process):
    """Connections of this process to the node, as the node sees them."""
    listed = node.ask("CLIENT", "LIST")
    return [line for line in listed.splitlines() if "cmd=client" not in line]


def calls(node, command):
    """How often a node was asked for a command."""
    for line in node.ask("INFO", "commandstats").splitlines():
        name, _, rest = line.partition(":")
        if name == f"cmdstat_{command}":
            return int(rest.split(",")[0].partition("=")[2])
    return 0


def test(scene):
    nodes = scene.cluster(3)
    one = Driver(scene, nodes)
    begin = time.monotonic()
    for name in range(COUNT):
        one.start("begin", name, f"many-{name}", TTL, 30000)
    soon(
        "all are held",
        lambda: one.look(COUNT - 1)["state"] == HELD
        and all(one.look(n)["state"] == HELD for n in range(0, COUNT, 97)),
        within=60,
        every=0.2,
    )
    say(f"{COUNT} leases taken in {time.monotonic() - begin:.1f} s")
    before = one.stats()
    asked = sum(calls(n, "lock.renew") for n in nodes)
    time.sleep(TTL / 1000)
    after = one.stats()
    renewed = after["renewals"] - before["renewals"]
    asked = sum(calls(n, "lock.renew") for n in nodes) - asked
    say(f"in one TTL {renewed} renewals were sent, {asked} were received")
    assert after["connects"] == before["connects"] <= 2, after
    assert COUNT * 2 <= renewed <= COUNT * 5, renewed
    assert after["lost"] == 0 and not one.lost
    held = sum(1 for n in range(COUNT) if one.look(n)["ok"])
    assert held == COUNT, held
    subscribers = sum(len(connections(n, one)) for n in nodes)
    assert subscribers <= 3, "commands, messages, and an idle one of hf_command"
    # All are given back when the client closes, or run out.
    one.quit(within=60)
    soon(
        "all are free",
        lambda: nodes[0].ask("LOCK.SCAN", "0", "COUNT", "10")[1] == [],
        within=60,
    )


cluster.main(test, limit_s=150)
