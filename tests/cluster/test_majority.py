#!/usr/bin/env python3
"""Without a majority nothing is done, and what is said is true: a request that
was refused as not done is never found done later, however the leader was lost
(TRAPS A14); one that waits goes on waiting and is served when they are back."""

import signal
import sys
import threading
import time

sys.dont_write_bytecode = True

import cluster
from cluster import Closed, Error, Timeout, say, soon
from resp import as_map

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
    told = {}
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
    # Patient clients ask for some again, with the same owner, at this node and
    # at another: what they are told then must stay true, whatever becomes of
    # what was asked first.
    again = list(answers)[1::2]
    patient = [threading.Thread(target=ask_again, args=(stays, others[0], key, told))
               for key in again]
    for thread in patient:
        thread.start()
    for node in others:
        if how == "killed":
            node.start()
        else:
            node.signal(signal.SIGCONT)
    for thread in patient:
        thread.join(30)
    assert sorted(told) == sorted(again), told
    new = nodes.leader()
    nodes.settle()
    time.sleep(1.0)  # for whatever might still end them
    with stays.client() as client:
        done = []
        for key, reply in answers.items():
            holders = [as_map(h) for h in client.map("LOCK.STATUS", key)["holders"]]
            if key in told:
                tokens = [h["token"] for h in holders]
                assert tokens == [told[key]], f"{key}: {told[key]} granted, {tokens}"
            elif holders:
                done.append(key)
                assert reply.code == "UNCERTAIN", f"{key}: {reply}, and yet {holders}"
        assert client.command("LOCK.RELEASE", f"{mark}-held", "holder", held) == 1
    granted = waits.read(10)
    assert isinstance(granted, int) and granted > held, granted
    codes = [r.code for r in answers.values()]
    say(
        f"{mark}: {codes.count('CLUSTERDOWN')} not done, "
        f"{codes.count('UNCERTAIN')} uncertain of which {len(done)} were done, "
        f"answered within {longest:.1f} s; {'it' if new is stays else 'another'} "
        "leads, and the waiter was served"
    )
    for _, client in askers:
        client.close()
    waits.close()


def ask_again(one, other, key, told):
    deadline = time.monotonic() + 20
    turn = 0
    while time.monotonic() < deadline:
        turn += 1
        node = one if turn % 2 else other
        try:
            reply = node.ask("LOCK.ACQUIRE", key, "me", TTL, "WAIT", 0, timeout=15)
        except (OSError, Closed, Timeout):
            continue
        if isinstance(reply, int):
            told[key] = reply
            return


if __name__ == "__main__":
    cluster.main(test, limit_s=90)
