#!/usr/bin/env python3
"""Leases under faults: 20 processes on libholdfast take, hold, renew and give
back leases while leaders are killed, nodes and clients are stopped for a while,
nodes are cut from each other and clients from nodes. Every process writes down
what it was told; lease_histories.py, which knows neither library nor server,
finds out whether it can be true.

The network is one of namespaces and nftables where that is allowed, and bytes
passed on by the test where it is not; HOLDFAST_NFTABLES=0 has it the second way
everywhere. HOLDFAST_FAULTS_S=N runs it for N seconds. However short that is,
every kind of fault happens."""

import os
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import cluster
import driver
import lease_histories
import nftables
import partition
from cluster import say

SECONDS = float(os.environ.get("HOLDFAST_FAULTS_S", 16))
NFTABLES = os.environ.get("HOLDFAST_NFTABLES", "1") != "0"
CLIENTS = 20
KEYS = 4
TTL_MS = 4000


def boottime_ns():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


class Worker:
    def __init__(self, scene, number, addresses, before):
        self.path = os.path.join(scene.folder, f"client-{number:02}.history")
        self.pauses = []
        self.log = open(self.path + ".log", "wb")
        self.process = subprocess.Popen(
            [
                *before, *driver.command("lease-history"), addresses, self.path,
                str(scene.seed % 100000 + number), str(KEYS), str(TTL_MS),
            ],  # fmt: skip
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            preexec_fn=cluster._die_with_parent,
        )

    def begun(self):
        assert self.process.stdout.readline() == b"begun\n", self.errors()

    def stop(self):
        self.pauses.append((boottime_ns(), 1 << 62))
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)
        # It may take a moment until it has caught up.
        self.pauses[-1] = (self.pauses[-1][0], boottime_ns() + 1_000_000_000)

    def holds(self):
        """As far as its file tells."""
        with open(self.path, "rb") as file:
            file.seek(max(0, os.path.getsize(self.path) - 300))
            lines = file.read().splitlines()[-2:]
        return any(w in line for line in lines for w in (b" granted ", b" ok "))

    def finish(self):
        self.process.stdin.write(b"finish\n")
        self.process.stdin.flush()

    def ends(self, within):
        try:
            code = self.process.wait(within)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.path} does not end: {self.tail()}") from None
        assert code == 0, f"{self.path} ended with {code}: {self.errors()}"

    def tail(self):
        """What is under way, and what it was told last."""
        open_waits = [
            f"{lease} asked at {lease.asked} with {lease.wait}"
            for lease in lease_histories.read(self.path, [])
            if lease.begin is None and lease.failed is None
        ]
        with open(self.path, encoding="ascii") as lines:
            told = lines.read()[-600:]
        return "\n".join([self.errors(), *open_waits, told])

    def errors(self):
        with open(self.log.name, encoding="utf-8", errors="replace") as lines:
            return lines.read()[-2000:]

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.log.close()


class Faults:
    """One fault of the nodes at a time, and clients that are stopped beside."""

    KINDS = (
        "leaders killed", "nodes paused", "all nodes paused", "leaders cut off",
        "leaders cut from one", "leaders not heard", "leaders deaf",
        "all cut from all", "half of clients cut", "all clients cut",
        "clients paused", "nodes hung to the end",
    )  # fmt: skip

    def __init__(self, scene, network, nodes, workers):
        self.random = scene.random
        self.network, self.nodes, self.workers = network, nodes, workers
        self.counts = dict.fromkeys(self.KINDS, 0)
        self.stopped = []  # (until, worker)

    def count(self, what):
        self.counts[what] += 1

    def run(self, seconds):
        end = time.monotonic() + seconds
        kinds = []
        others = set(self.KINDS) - {"nodes hung to the end"}
        while time.monotonic() < end or 0 in [self.counts[k] for k in others]:
            if not kinds:  # each in turn, in an order drawn anew
                kinds = [
                    self.kill, self.kill, self.pause, self.pause_all, self.cut_off,
                    self.cut_from_one, self.not_heard, self.deaf, self.scatter,
                    self.cut_half, self.cut_clients,
                ]  # fmt: skip
                self.random.shuffle(kinds)
            if self.random.random() < 0.7:
                self.stop_clients()
            kinds.pop()()
            self.wait(self.random.uniform(0.1, 0.8))
        for _, worker in self.stopped:
            worker.go_on()
        self.stopped = []

    def hang_for_ever(self):
        """Whoever waits there has to find out, and be served by the others."""
        node = self.random.choice(self.nodes)
        node.signal(signal.SIGSTOP)
        self.count("nodes hung to the end")
        return node

    def wait(self, seconds):
        end = time.monotonic() + seconds
        while True:
            now = time.monotonic()
            for until, worker in [s for s in self.stopped if s[0] <= now]:
                worker.go_on()
                self.stopped.remove((until, worker))
            if now >= end:
                return
            time.sleep(min(0.02, end - now))

    def stop_clients(self):
        resting = [w for w in self.workers if w not in [s[1] for s in self.stopped]]
        chosen = self.random.sample(resting, min(len(resting), 2))
        chosen += [w for w in resting if w.holds() and w not in chosen][:2]
        for worker in chosen:
            worker.stop()
            self.count("clients paused")
            seconds = self.random.choice((0.3, 1.0, TTL_MS / 1000 * 1.3))
            self.stopped.append((time.monotonic() + seconds, worker))

    def leader(self):
        """Whoever says so, if anybody; else any."""
        for node in self.nodes:
            try:
                if node.status()["role"] == "leader":
                    return node
            except (OSError, cluster.Closed, cluster.Timeout):
                pass
        return self.random.choice(self.nodes)

    def kill(self):
        node = self.leader()
        node.kill()
        self.count("leaders killed")
        self.wait(self.random.uniform(0.1, 1.5))
        node.start(wait=False)

    def pause(self):
        node = self.random.choice([self.leader(), self.random.choice(self.nodes)])
        node.signal(signal.SIGSTOP)
        self.count("nodes paused")
        self.wait(self.random.choice((0.2, 0.8, 2.0)))
        node.signal(signal.SIGCONT)

    def pause_all(self):
        """For longer than leases are believed in, or not quite."""
        for node in self.nodes:
            node.signal(signal.SIGSTOP)
        self.count("all nodes paused")
        self.wait(TTL_MS / 1000 * self.random.choice((0.3, 0.7)))
        for node in self.nodes:
            node.signal(signal.SIGCONT)

    # The leader is the one that matters; everybody else is like nobody.

    def cut_off(self):
        node = self.leader()
        self.network.cut(node, self.others(node))
        self.parted("leaders cut off", self.random.uniform(0.5, 2.5))

    def cut_from_one(self):
        node = self.leader()
        self.network.cut(node, self.others(node)[:1])
        self.parted("leaders cut from one", self.random.uniform(0.3, 1.5))

    def not_heard(self):
        node = self.leader()
        self.network.cut(node, self.others(node), one_way=True)
        self.parted("leaders not heard", self.random.uniform(0.5, 2.5))

    def deaf(self):
        node = self.leader()
        for other in self.others(node):
            self.network.cut(other, [node], one_way=True)
        self.parted("leaders deaf", self.random.uniform(0.5, 2.5))

    def scatter(self):
        """Nothing can be confirmed."""
        for node in self.nodes:
            self.network.cut(node, self.others(node))
        seconds = TTL_MS / 1000 * self.random.choice((0.3, 0.7))
        self.parted("all cut from all", seconds)

    def cut_half(self):
        for node in self.random.choice(([self.leader()], self.nodes)):
            self.network.cut_clients(node, 0.5)
        self.parted("half of clients cut", self.random.uniform(0.3, 2.5))

    def cut_clients(self):
        for node in self.random.choice(([self.leader()], self.nodes)):
            self.network.cut_clients(node, 1.0)
        self.parted("all clients cut", self.random.uniform(0.3, 2.5))

    def others(self, node):
        return [n for n in self.nodes if n is not node]

    def parted(self, what, seconds):
        """It counts if anything was on its way there."""
        self.wait(seconds)
        if self.network.heal() > 0:
            self.count(what)


def under_faults(scene):
    network = nftables.Network() if NFTABLES else partition.Network()
    say("the network:", network.kind)
    nodes = network.cluster(scene, 3)
    workers = [
        Worker(scene, i + 1, network.client_addresses(nodes), network.before_clients)
        for i in range(CLIENTS)
    ]
    try:
        for worker in workers:
            worker.begun()
        faults = Faults(scene, network, nodes, workers)
        faults.run(SECONDS)
        for node in nodes:
            node.wait_up(30)
        hung = faults.hang_for_ever()
        # Now nothing more happens, and everybody who waits is served.
        nodes.leader(30, but=[hung])
        healed = time.monotonic()
        for worker in workers:
            worker.finish()
        try:
            for worker in workers:
                worker.ends(40)
        except AssertionError:
            for number in range(KEYS):
                for word in ("LOCK.STATUS", "LOCK.QUEUE"):
                    leader = nodes.leader(but=[hung])
                    say(word, leader.ask(word, f"key-{number}"))
            for node in [n for n in nodes if n is not hung]:
                say(node, "has the clients", node.ask("CLIENT", "LIST"))
            raise
        say(f"all served {time.monotonic() - healed:.1f} s after the last fault")
        hung.signal(signal.SIGCONT)
        paths = [w.path for w in workers]
        pauses = {w.path: w.pauses for w in workers}
        problems, counts = lease_histories.check(paths, pauses)
        say("faults:", ", ".join(f"{n} {what}" for what, n in faults.counts.items()))
        say("leases:", ", ".join(f"{what} {n}" for what, n in counts.items()))
        assert not problems, "\n".join(problems[:20])
        assert 0 not in faults.counts.values(), faults.counts
        assert counts["grants"] >= CLIENTS and counts["keys"] == KEYS
        nodes.settle(within=30)
        nodes.same_state(within=30)
    finally:
        for worker in workers:
            worker.close()
        network.close()


# ---- the checker notices ----

GOOD = """
0 ask 1 k 0 0 exclusive 100 -1
10 granted 1 k 7 0 -
11 ok 1 k 7 60 -
30 release 1 k 7 0 -
31 released 1 k 7 0 0
40 end 0 - 0 0 -
"""


def story(text):
    """Times of the stories are milliseconds."""
    lines = []
    for line in text.strip().splitlines():
        words = line.split()
        words[0] = str(int(words[0]) * lease_histories.MS)
        words[5] = str(int(words[5]) * lease_histories.MS)
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


def later(text, by):
    lines = [line.split() for line in text.strip().splitlines()]
    for words in lines:
        words[0] = str(int(words[0]) + by)
        words[5] = str(int(words[5]) + by) if words[5] != "0" else "0"
    return "\n".join(" ".join(words) for words in lines)


def verdict(*stories, pauses=()):
    with tempfile.TemporaryDirectory(prefix="holdfast-test-") as folder:
        paths = []
        for i, text in enumerate(stories):
            paths.append(os.path.join(folder, str(i)))
            with open(paths[-1], "w", encoding="ascii") as file:
                file.write(story(text))
        stopped = [(a * lease_histories.MS, b * lease_histories.MS) for a, b in pauses]
        return lease_histories.check(paths, {paths[-1]: stopped})[0]


def rejects(why, *stories, **more):
    problems = verdict(*stories, **more)
    assert any(why in p for p in problems), (why, problems)


def the_checker_can_say_no():
    second = GOOD.replace(" 7 ", " 8 ")
    after = later(second, 100)
    assert not verdict(GOOD, after)
    rejects("before", GOOD, second)
    rejects("before", GOOD.replace(" 7 ", " 9 "), after)
    rejects("granted before", GOOD, after.replace(" 8 ", " 7 "))
    shared = GOOD.replace("exclusive", "shared")
    assert not verdict(shared, second.replace("exclusive", "shared"))
    rejects("before", shared, second)
    rejects("before", GOOD, second.replace("exclusive", "shared"))
    rejects("did not come to its end", GOOD.rsplit("40", 1)[0])
    rejects("has no end", "0 ask 1 k 0 0 exclusive 100 -1\n9 end 0 - 0 0 -")
    failed = "0 ask 1 k 0 0 exclusive 100 WAIT\n9 failed 1 k 0 0 STATUS\n9 end 0 - 0 0 -"
    for wait, status, fine in (
        ("-1", "5", False), ("50", "5", False), ("5", "5", True), ("0", "5", True),
        ("-1", "6", False), ("-1", "3", False), ("50", "3", True),
    ):  # fmt: skip
        text = failed.replace("WAIT", wait).replace("STATUS", status)
        assert bool(verdict(text)) != fine, text
    lost = GOOD.replace("30 release", "T notok 1 k 7 0 -\nT lost 1 k 7 0 0\nT release")
    lost = lost.replace("31 released 1 k 7 0 0", "T released 1 k 7 0 7")
    lost = lost.replace("40 end", "T end")
    assert not verdict(lost.replace("T", "61"))
    assert not verdict(lost.replace("T", "109"))
    rejects("after its end", lost.replace("T", "111"))
    assert not verdict(lost.replace("T", "111"), pauses=[(50, 110)])
    rejects("after its end", lost.replace("T", "111"), pauses=[(20, 40)])
    assert not verdict(after, lost.replace("T", "109"))
    rejects("after the next grant", later(second, 97), lost.replace("T", "109"))
    rejects("0 calls", lost.replace("T lost 1 k 7 0 0\n", "").replace("T", "61"))
    rejects("2 calls", lost.replace("T notok", "T lost 1 k 7 0 0\nT notok").replace("T", "61"))
    late = GOOD.replace("31 released 1 k 7 0 0", "T released 1 k 7 0 7")
    late = late.replace("40 end", "T end")
    assert not verdict(late.replace("T", "115")), "given back in time"
    rejects("0 calls", late.replace("30 release", "60 release").replace("T", "115"))
    rejects("0 calls", late.replace("T end", "T uncalled 1 k 7 0 -\nT end").replace("T", "115"))
    again = GOOD.replace("30 release", "20 notok 1 k 7 0 -\n21 ok 1 k 7 70 -\n30 release")
    rejects("ok again", again)


def test(scene):
    the_checker_can_say_no()
    under_faults(scene)


if __name__ == "__main__":
    if NFTABLES:
        reason = nftables.missing()
        if reason is None:
            nftables.enter()
        else:
            say(f"no nftables: {reason}")
            NFTABLES = False
    cluster.main(test, limit_s=int(SECONDS) + 150)
