#!/usr/bin/env python3
"""holdfast-store is killed (SIGKILL) at random moments under load. Every write
and fence that was acknowledged is there afterwards, a write of two keys is
there whole or not at all, and no fence is lower than before.

HOLDFAST_KILLS=50 makes it a campaign."""

import os
import sys
import threading
import time

sys.dont_write_bytecode = True

import cluster
from cluster import Client, Closed, Error, Timeout, say

KILLS = int(os.environ.get("HOLDFAST_KILLS", "6"))
WRITERS = 8


class Writer(threading.Thread):
    """Writes n under token n to two keys, for n = 1, 2, 3 ..., and notes what
    it asked for and what was acknowledged. Every third n deletes a third
    key or makes it anew."""

    def __init__(self, port, number, first):
        super().__init__(daemon=True)
        self.port = port
        self.number = number
        self.lock = f"lock-{number}"
        self.asked = first
        self.acknowledged = first
        self.wrong = None
        self.stale = 0

    def keys(self):
        return [f"{letter}-{self.number}" for letter in "abc"]

    def run(self):
        a, b, c = self.keys()
        try:
            with Client(self.port, timeout=20) as client:
                while self.wrong is None:
                    n = self.acknowledged + 1
                    self.asked = n
                    tail = ["LOCK", self.lock, "TOKEN", n]
                    if n % 3 == 0:
                        reply = client.command("FENCE.DEL", a, b, c, *tail)
                        good = isinstance(reply, int)
                    else:
                        reply = client.command("FENCE.SET", a, n, b, n, c, n, *tail)
                        good = reply == "OK"
                    if not good:
                        self.wrong = reply
                        return
                    self.acknowledged = n
                    if n > 1 and n % 7 == 0:
                        reply = client.command(
                            "FENCE.SET", a, "stale", "LOCK", self.lock, "TOKEN", n - 1
                        )
                        if not isinstance(reply, Error) or reply.code != "FENCED":
                            self.wrong = reply
                        self.stale += 1
        except (OSError, Closed, Timeout):
            pass

    def check(self, client):
        last = client.command("FENCE.LAST", self.lock)
        assert self.acknowledged <= last <= self.asked, (
            f"writer {self.number}: fence {last}, acknowledged "
            f"{self.acknowledged}, asked {self.asked}"
        )
        wanted = None if last % 3 == 0 else [str(last), self.lock, last]
        for key in self.keys():
            found = client.command("FENCE.GET", key)
            assert found == wanted, f"{key}: {found}, but the fence is {last}"
        return last


def test(scene):
    store = scene.store()
    firsts = [0] * WRITERS
    acknowledged = stale = 0
    for _ in range(KILLS):
        writers = [Writer(store.port, i, firsts[i]) for i in range(WRITERS)]
        for writer in writers:
            writer.start()
        # Not before all are at work, and then at any moment.
        cluster.soon(
            "everybody writes",
            lambda: all(w.acknowledged > f for w, f in zip(writers, firsts))
            or any(w.wrong for w in writers),
            within=20,
        )
        time.sleep(scene.random.uniform(0, 0.2))
        store.kill()
        for writer in writers:
            writer.join(30)
            assert not writer.is_alive()
            assert writer.wrong is None, writer.wrong
            acknowledged += writer.acknowledged - firsts[writer.number]
            stale += writer.stale
        store.start()
        with store.client() as client:
            firsts = [writer.check(client) for writer in writers]
    say(
        f"{KILLS} kills, {acknowledged} writes acknowledged and there, "
        f"{stale} stale ones refused"
    )


if __name__ == "__main__":
    cluster.main(test, limit_s=60 + 5 * KILLS)
