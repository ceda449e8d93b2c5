#!/usr/bin/env python3
"""A node that lost its disk, or finds it damaged, comes back under its old id:
it neither votes nor counts before it was taken in again, nothing acknowledged
is lost, and then it is as good as any other (TRAPS B12).
"""

import os
import shutil
import sys
import time

sys.dont_write_bytecode = True

import cluster
from cluster import Closed, Error, Timeout, say, soon
from resp import as_map
from test_stopped import BATCH, Load, lag

TTL = 600000
OVER = "probation is over"


def test(scene):
    nodes = scene.cluster(3, ["--checkpoint-entries", "60", "--trailing-entries", "20"])
    held = Held()
    replaced(nodes, held)
    alone_with_one_behind(nodes, held)
    damaged(nodes, held)


class Held:
    """What was acknowledged."""

    def __init__(self):
        self.tokens = {}
        self.highest = 0

    def take(self, node, count):
        with node.client() as client:
            for _ in range(count):
                key = f"key-{len(self.tokens)}"
                token = granted(client, key)
                assert token > self.highest, (token, self.highest)
                self.highest = self.tokens[key] = token

    def check(self, node):
        with node.client() as client:
            replies = client.pipeline([["LOCK.STATUS", key] for key in self.tokens])
        for (key, token), reply in zip(self.tokens.items(), replies):
            assert not isinstance(reply, Error), reply
            seen = [as_map(h)["token"] for h in as_map(reply)["holders"]]
            assert seen == [token], f"{key} was granted with {token}, now {seen}"


def granted(client, key):
    for _ in range(200):
        token = client.command("LOCK.ACQUIRE", key, "me", TTL, "WAIT", 0)
        if not isinstance(token, Error):
            return token
        time.sleep(0.05)
    raise AssertionError(token)


def wipe(node):
    shutil.rmtree(node.dir)


def overs(node):
    return node.log().count(OVER)


def restart_on_probation(node):
    before = overs(node)
    node.start()
    return lambda: overs(node) > before


def leads(nodes):
    """The ids that running nodes take for the leader."""
    found = set()
    for node in nodes:
        if node.is_running():
            try:
                found.add(node.status()["leader"])
            except (OSError, Closed, Timeout):
                pass
    return found - {0}


def replaced(nodes, held):
    """A follower, then the leader, loses its disk under a running cluster. The
    load goes on until the new disk is as good as the old one was."""
    for who in ("follower", "leader"):
        held.take(nodes.leader(), 100)
        nodes.settle()
        leader = nodes.leader()
        lost = leader if who == "leader" else nodes.followers()[0]
        lost.kill()
        wipe(lost)
        leader = nodes.leader(but=[lost])
        held.take(leader, 30)
        load = Load(leader)
        soon("some load", lambda: load.done > 5 * BATCH)
        is_over = restart_on_probation(lost)
        soon(f"{lost} is taken in", is_over, 20)
        soon(f"{lost} keeps up", lambda: lag(lost, leader) < 10 * BATCH)
        load.finish()
        nodes.same_state()
        held.check(lost)
        say(f"{who} {lost} lost its disk and is back")
        # Now it counts: without the leader it is one of two.
        leader = nodes.leader()
        if leader is lost:
            leader = nodes.followers()[0]
        leader.kill()
        held.take(nodes.leader(but=[leader]), 5)
        leader.start()
        nodes.same_state()


def alone_with_one_behind(nodes, held):
    """Granted by two of three; one of them loses its disk, the other is away.
    Those that are left are a majority that knows nothing of it."""
    leader = nodes.leader()
    lost, behind = nodes.followers()
    nodes.settle()
    behind.kill()
    held.take(leader, 20)
    leader.kill()
    lost.kill()
    wipe(lost)
    behind.start()
    is_over = restart_on_probation(lost)
    deadline = time.monotonic() + 3
    while time.monotonic() < deadline:
        assert not leads([lost, behind]), "a leader without what was granted"
        time.sleep(0.1)
    assert not is_over()
    leader.start()
    soon(f"{lost} is taken in", is_over, 20)
    nodes.same_state()
    held.check(nodes.leader())
    held.take(nodes.leader(), 5)
    say(f"{lost} lost its disk and waited for {leader}")


def damaged(nodes, held):
    """A database that is refused: the operator moves it away."""
    hurt = nodes.followers()[0]
    nodes.settle()
    hurt.stop()
    database = os.path.join(hurt.dir, "db")
    for name in os.listdir(database):
        if name == "CURRENT":
            with open(os.path.join(database, name), "wb") as file:
                file.write(b"nothing of use\n")
    hurt.start(wait=False)
    assert hurt.ends() == 1
    line = hurt.last_line()
    assert "data directory" in line and "DISK LOSS" in line, line
    os.rename(hurt.dir, hurt.dir + ".damaged")
    is_over = restart_on_probation(hurt)
    soon(f"{hurt} is taken in", is_over, 20)
    nodes.same_state()
    held.check(hurt)
    say(f"{hurt} was damaged, moved away and is back")


if __name__ == "__main__":
    cluster.main(test, limit_s=90)
