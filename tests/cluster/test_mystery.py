#!/usr/bin/env python3
"""The mystery (TRAPS B7 to B10): an operator who does not know what he does adds
and removes nodes that nobody has heard of, dead ones and live ones, lets new
ones join and kills some, all under load and all at random. Whatever is answered
is true, and in the end those who are members have the same state.
HOLDFAST_MYSTERY_S seconds of it (8)."""

import os
import sys
import time

sys.dont_write_bytecode = True

import cluster
from cluster import Closed, Error, Timeout, say, soon
from load import Load

SECONDS = float(os.environ.get("HOLDFAST_MYSTERY_S", 8))
NOT_DONE = ("ERR", "TRYAGAIN", "CLUSTERDOWN")


class Operator:
    def __init__(self, scene, nodes):
        self.scene = scene
        self.random = scene.random
        self.nodes = nodes
        self.last_id = 3
        self.told = {}

    def ask(self, *words):
        """An answer of any node, or None; counted by its first word."""
        node = self.random.choice(self.nodes)
        try:
            reply = node.ask(*words, timeout=20)
        except (OSError, Closed, Timeout):
            return None
        assert reply == "OK" or isinstance(reply, Error), (words, reply)
        code = "OK" if reply == "OK" else reply.code
        assert code in ("OK", "UNCERTAIN", *NOT_DONE), (words, reply)
        name = f"{words[0].split('.')[1].lower()} {code}"
        self.told[name] = self.told.get(name, 0) + 1
        return reply

    def members(self):
        for node in self.nodes:
            try:
                peers = map(cluster.resp.as_map, node.ask("RAFT.PEERS", timeout=5))
                return {p["id"]: p["role"] for p in peers}
            except (OSError, Closed, Timeout):
                continue
        return {}

    # ---- what he does ----

    def add_nobody(self):
        self.last_id += 1
        port = self.random.randrange(2000, 3000)
        words = ["RAFT.ADD", self.last_id, f"127.0.0.1:{port}"]
        if self.random.random() < 0.5:
            words.append("LEARNER")
        self.ask(*words)

    def remove_anybody(self):
        number = self.random.randrange(1, self.last_id + 2)
        if number in [n.id for n in self.nodes] and len(self.nodes) <= 3:
            return
        reply = self.ask("RAFT.REMOVE", number)
        if reply == "OK":
            assert number not in self.eventually(number, False), number
            for node in [n for n in self.nodes if n.id == number]:
                self.nodes.remove(node)
                node.kill()

    def promote_anybody(self):
        self.ask("RAFT.PROMOTE", self.random.randrange(1, self.last_id + 2))

    def transfer(self):
        self.ask("RAFT.TRANSFER", self.random.randrange(1, self.last_id + 2))

    def join(self):
        if len(self.nodes) > 4:
            return
        self.last_id += 1
        node = self.scene.joiner(self.last_id, self.random.choice(self.nodes))
        node.start(wait=False)
        try:
            node.wait_up(20)
        except AssertionError:
            # It may have asked one that was just killed.
            assert node.ends(20) == 1 and "cannot join" in node.last_line()
            return
        soon(f"{node} votes", lambda: self.members().get(node.id) == "voter", 20)
        self.nodes.append(node)

    def kill(self):
        """And start again, with everything it had."""
        node = self.random.choice(self.nodes)
        voters = [n for n, role in self.members().items() if role == "voter"]
        alive = [n for n in self.nodes if n is not node and n.id in voters]
        if node.id in voters and len(alive) < len(voters) // 2 + 1:
            return
        node.kill()
        time.sleep(self.random.uniform(0, 0.3))
        node.start()

    def eventually(self, number, there):
        soon(
            f"{number} is {'in' if there else 'out'}",
            lambda: (number in self.members()) == there,
            20,
        )
        return self.members()


def test(scene):
    nodes = scene.cluster(3)
    load = Load(nodes, workers=4, seed=scene.seed).start()
    operator = Operator(scene, nodes)
    acts = [
        operator.add_nobody, operator.remove_anybody, operator.remove_anybody,
        operator.promote_anybody, operator.transfer, operator.join, operator.kill,
    ]  # fmt: skip
    end = time.monotonic() + SECONDS
    count = 0
    while time.monotonic() < end:
        scene.random.choice(acts)()
        count += 1
        assert not load.wrong, load.wrong[:5]
    load.finish(40)
    load.judge()
    # Those who never lived go; then all that are left are equal.
    ids = [n.id for n in nodes]
    deadline = time.monotonic() + 30
    while set(operator.members()) != set(ids):
        assert time.monotonic() < deadline, operator.members()
        for number in set(operator.members()) - set(ids):
            operator.ask("RAFT.REMOVE", number)
    nodes.settle(20)
    for node in nodes:
        with node.client() as client:
            kept = load.check_kept(client)
    index = nodes.same_state()
    told = ", ".join(f"{n} {w}" for w, n in sorted(operator.told.items()))
    say(f"{count} acts: {told}")
    say(f"members {ids}, {kept} grants kept, equal states at entry {index}")


if __name__ == "__main__":
    cluster.main(test, limit_s=150)
