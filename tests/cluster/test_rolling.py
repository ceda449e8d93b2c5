#!/usr/bin/env python3
"""As holdfastd(8) says to restart and upgrade a cluster: one node after the
other, followers first, each stopped with SIGTERM and waited for. Clients of the
other nodes notice nothing: no error, no grant that is gone, no waiter that is
forgotten."""

import sys
import threading
import time

sys.dont_write_bytecode = True

import cluster
from cluster import Error, say, soon
from load import TTL, Load
from resp import as_map

ROUNDS = 2


def test(scene):
    nodes = scene.cluster(3, cluster.PATIENT)
    load = Load(nodes, seed=scene.seed).start()
    quiet = [Quiet(node) for node in nodes]
    for _ in range(ROUNDS):
        leader = nodes.leader()
        for node in [n for n in nodes if n is not leader] + [leader]:
            restart(nodes, node, quiet[nodes.index(node)])
    for each in quiet:
        each.finish()
    load.finish(30)
    load.judge()
    nodes.settle()
    for each in quiet:
        each.check(nodes.leader())
    with nodes.leader().client() as client:
        kept = load.check_kept(client)
    index = nodes.same_state()
    pauses = ", ".join(f"{each.longest_s * 1000:.0f}" for each in quiet)
    say(f"{kept} grants kept, longest pauses {pauses} ms, equal states at entry {index}")
    assert load.counts["granted"] >= 100, "too little load to prove anything"


def restart(nodes, node, own):
    """One node. Its own clients go first; who waits at another one goes on."""
    held = f"held-{time.monotonic_ns()}"
    other = next(n for n in nodes if n is not node)
    token = other.ask("LOCK.ACQUIRE", held, "holder", TTL)
    assert isinstance(token, int), token
    led = nodes.leader() is node
    begin = time.monotonic()
    own.pause()
    with other.client(timeout=30) as waiter:
        waiter.send("LOCK.ACQUIRE", held, "waiter", TTL)
        node.stop()
        time.sleep(0.3)  # the new version is installed
        node.start()
        leader = nodes.leader()
        near = leader.status()["commit"]
        soon("it has caught up", lambda: node.status()["applied"] >= near)
        assert other.ask("LOCK.RELEASE", held, "holder", token) == 1
        reply = waiter.read()
        assert isinstance(reply, int) and reply > token, reply
    own.go_on()
    say(
        f"{node}{', which led,' if led else ''} was away for "
        f"{time.monotonic() - begin:.2f} s; {leader} leads"
    )


class Quiet:
    """A client of one node that takes every error for one."""

    def __init__(self, node):
        self.node = node
        self.tokens = {}
        self.wrong = None
        self.longest_s = 0.0
        self.stop = threading.Event()
        self.thread = None
        self.go_on()

    def go_on(self):
        self.stop.clear()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def pause(self):
        self.stop.set()
        self.thread.join(30)
        assert not self.thread.is_alive(), f"a client of {self.node} is never served"
        assert self.wrong is None, self.wrong

    finish = pause

    def check(self, node):
        with node.client() as client:
            replies = client.pipeline([["LOCK.STATUS", key] for key in self.tokens])
        for (key, token), reply in zip(self.tokens.items(), replies):
            seen = [as_map(h)["token"] for h in as_map(reply)["holders"]]
            assert seen == [token], f"{key} was granted with {token}, now {seen}"

    def _run(self):
        try:
            with self.node.client(timeout=30) as client:
                while not self.stop.is_set():
                    self._turn(client)
        except Exception as error:  # a thread must not die unseen
            self.wrong = f"a client of {self.node}: {error!r}"

    def _turn(self, client):
        key = f"quiet-{self.node.id}-{len(self.tokens)}"
        passing = f"passing-{self.node.id}"
        token = self._ask(client, "LOCK.ACQUIRE", passing, "me", TTL)
        self.tokens[key] = self._ask(client, "LOCK.ACQUIRE", key, "me", TTL)
        assert self._ask(client, "LOCK.RENEW", key, "me", self.tokens[key], TTL) == TTL
        assert self._ask(client, "LOCK.RELEASE", passing, "me", token) == 1
        time.sleep(0.005)

    def _ask(self, client, *words):
        begin = time.monotonic()
        reply = client.command(*words)
        self.longest_s = max(self.longest_s, time.monotonic() - begin)
        assert not isinstance(reply, Error), (words, reply)
        return reply


if __name__ == "__main__":
    cluster.main(test, limit_s=120)
