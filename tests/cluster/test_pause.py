#!/usr/bin/env python3
"""A leader that is stopped (SIGSTOP) for longer than an election, and comes
back, neither grants nor expires anything by what it knew before (TRAPS E2)."""

import signal
import sys
import time

sys.dont_write_bytecode = True

import cluster
from cluster import Error, say
from resp import as_map

TTL = 1500
ROUNDS = 3


def test(scene):
    nodes = scene.cluster(3)
    term = nodes.leader().status()["term"]
    begin_term = term
    for i in range(ROUNDS):
        one_round(nodes, i)
    term = nodes.leader().status()["term"]
    say(f"{ROUNDS} pauses, {term - begin_term} terms")
    assert ROUNDS <= term - begin_term <= 3 * ROUNDS, "terms grow without need"


def one_round(nodes, i):
    leader = nodes.leader()
    others = [n for n in nodes if n is not leader]
    renewed, short, stale = f"renewed-{i}", f"short-{i}", f"stale-{i}"
    asker = others[0].client()
    old = leader.client()
    token = asker.command("LOCK.ACQUIRE", renewed, "me", TTL)
    short_token = asker.command("LOCK.ACQUIRE", short, "dead", 400)
    stale_token = old.command("LOCK.ACQUIRE", stale, "old", 60000)
    # Requests at the old leader that it finds when it comes back: a renewal of
    # a lease that has ended elsewhere, a try for a lock that was given to
    # somebody else, a release of a grant that is not held any more.
    leader.signal(signal.SIGSTOP)
    stopped = time.monotonic()
    old.send("LOCK.ACQUIRE", f"free-{i}", "old", 60000, "WAIT", 0)
    new = nodes.leader(but=(leader,))
    gap = time.monotonic() - stopped
    assert new is not leader
    # The lease is renewed at the new leader until well after it would have
    # ended for the old one.
    taken = None
    while time.monotonic() - stopped < 2 * TTL / 1000:
        left = ask_on(asker, "LOCK.RENEW", renewed, "me", token, TTL)
        assert left == TTL, left
        if taken is None:
            taken = ask_on(asker, "LOCK.ACQUIRE", f"free-{i}", "new", 60000, "WAIT", 0)
            assert isinstance(taken, int) and taken > stale_token, taken
            assert ask_on(asker, "LOCK.BREAK", stale) == 1
        time.sleep(0.1)
    again = ask_on(asker, "LOCK.ACQUIRE", short, "next", 60000, "WAIT", 0)
    assert isinstance(again, int) and again > short_token, "it had ended long ago"
    leader.signal(signal.SIGCONT)
    resumed = time.monotonic()
    # What it was asked while it stood is answered by what is true now.
    reply = old.read(10)
    assert reply is None or isinstance(reply, Error), ("a stale grant", reply)
    assert old.command("LOCK.RELEASE", stale, "old", stale_token) == 0
    assert old.command("LOCK.RENEW", short, "dead", short_token, TTL) is None
    while time.monotonic() - resumed < 1.0:
        status = asker.map("LOCK.STATUS", renewed)
        assert status["holders"], "the old leader's expiry was believed"
        assert ask_on(asker, "LOCK.RENEW", renewed, "me", token, TTL) == TTL
        for key, holder in ((f"free-{i}", taken), (short, again)):
            status = old.map("LOCK.STATUS", key)
            tokens = [h["token"] for h in map(as_map, status["holders"])]
            assert tokens == [holder], (key, tokens, holder)
        time.sleep(0.1)
    nodes.settle()
    assert leader.status()["role"] == "follower"
    say(f"round {i}: another led after {gap:.2f} s; the old one heard {reply!r}")


def ask_on(client, *words):
    """As a patient client does: a cluster without a leader is asked again."""
    deadline = time.monotonic() + 5
    while True:
        reply = client.command(*words)
        if not isinstance(reply, Error) or time.monotonic() > deadline:
            return reply
        assert reply.code in ("CLUSTERDOWN", "TRYAGAIN", "UNCERTAIN"), reply
        time.sleep(0.05)


if __name__ == "__main__":
    cluster.main(test, limit_s=60)
