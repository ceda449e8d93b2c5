#!/usr/bin/env python3
"""Without a majority nothing is done, and what is said is true: a request that
was refused as not done is never found done later, however the leader was lost
(TRAPS A14); one that waits goes on waiting and is served when they are back."""

import signal
import sys
import time

sys.dont_write_bytecode = True

import cluster
from cluster import Error, Timeout, say, soon

TTL = 600000


def test(scene):
    for how in ("killed", "stopped"):
        nodes = scene.cluster(3)
        for survivor in ("leader", "follower"):
            one_round(nodes, how, survivor)
        for node in nodes:
            node.kill()


def one_round(nodes, how, survivor):
    leader = nodes.leader()
    nodes.settle()
    stays = leader if survivor == "leader" else nodes.followers()[0]
    others = [n for n in nodes if n is not stays]
    mark = f"{how}-{survivor}"
    with stays.client() as client:
        held = client.command("LOCK.ACQUIRE", f"{mark}-held", "holder", TTL)
    waits = stays.client(timeout=30)
    waits.send("LOCK.ACQUIRE", f"{mark}-held", "waits", TTL)
    with stays.client() as client:
        soon(
            "it waits",
            lambda: client.map("LOCK.STATUS", f"{mark}-held")["waiters"] == 1,
        )
    askers = [(f"{mark}-{i}", stays.client(timeout=30)) for i in range(8)]
    for node in others:
        if how == "killed":
            node.process.kill()
        else:
            node.signal(signal.SIGSTOP)
    if how == "killed":
        for node in others:
            node.kill()
    lost = time.monotonic()
    # Some at once, when it may still believe that it leads; some later.
    answers = {}
    for i, (key, client) in enumerate(askers):
        client.send("LOCK.ACQUIRE", key, "me", TTL, "WAIT", 0)
        time.sleep(0.15)
    longest = 0.0
    for key, client in askers:
        answers[key] = client.read(20)
        longest = max(longest, time.monotonic() - lost)
        assert isinstance(answers[key], Error), (key, answers[key])
        assert answers[key].code in ("CLUSTERDOWN", "UNCERTAIN", "TRYAGAIN"), answers
    with stays.client() as client:
        begin = time.monotonic()
        refused = client.command("LOCK.STATUS", f"{mark}-held")
        took = time.monotonic() - begin
        assert isinstance(refused, Error) and refused.code == "CLUSTERDOWN", refused
        assert took < 2, f"held for {took} s"
        assert client.command("PING") == "PONG"
    try:
        assert False, f"one who waits for ever was told {waits.read(0.1)!r}"
    except Timeout:
        pass
    for node in others:
        if how == "killed":
            node.start()
        else:
            node.signal(signal.SIGCONT)
    nodes.leader()
    nodes.settle()
    with stays.client() as client:
        done = []
        for key, reply in answers.items():
            holders = client.map("LOCK.STATUS", key)["holders"]
            if holders:
                done.append(key)
                assert reply.code == "UNCERTAIN", f"{key}: {reply}, and yet {holders}"
        assert client.command("LOCK.RELEASE", f"{mark}-held", "holder", held) == 1
    granted = waits.read(10)
    assert isinstance(granted, int) and granted > held, granted
    codes = [r.code for r in answers.values()]
    say(
        f"{mark}: {codes.count('CLUSTERDOWN')} not done, "
        f"{codes.count('UNCERTAIN')} uncertain of which {len(done)} were done, "
        f"answered within {longest:.1f} s; the waiter was served"
    )
    for _, client in askers:
        client.close()
    waits.close()


if __name__ == "__main__":
    cluster.main(test, limit_s=90)
