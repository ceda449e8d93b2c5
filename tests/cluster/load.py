"""load.py - clients under faults, and a judge of what they saw.

Each worker is a client as PRODUCT.md wants it: every request has an owner of
its own, whatever was not answered for certain is asked again with the same
owner, at another node if its own is dead. What was answered goes into a
history that judge() looks through afterwards:

  * the times in which a key was certainly held do not overlap,
  * tokens are unique and grow in real time,
  * what was acknowledged is there (keepers),
  * what was refused as not done is not there,
  * a grant is there when its owner gives it back,
  * a request without a limit is never told that its wait ran out.
"""

import threading
import time

from cluster import Client, Closed, Error, Timeout, say
from resp import as_map

# Longer than any test: nothing ends unless somebody ends it.
TTL = 600000

NOT_DONE = ("CLUSTERDOWN", "TRYAGAIN", "LOADING")


class Load:
    def __init__(self, nodes, workers=6, keys=2, seed=0):
        self.nodes = nodes
        self.keys = [f"shared-{i}" for i in range(keys)]
        self.seed = seed
        self.stop = threading.Event()
        self.lock = threading.Lock()
        self.held = []  # (key, owner, token, sent, granted, gave back)
        self.kept = {}  # key: (owner, token)
        self.not_done = []  # (key, owner)
        self.wrong = []
        self.counts = dict.fromkeys(
            ("granted", "kept", "uncertain", "not done", "lost", "ttl reads"), 0
        )
        self.threads = [
            threading.Thread(target=self._run, args=(self._contend, i), daemon=True)
            for i in range(workers)
        ]
        self.threads += [
            threading.Thread(target=self._run, args=(self._keep, 100), daemon=True),
            threading.Thread(target=self._run, args=(self._watch, 200), daemon=True),
        ]

    def start(self):
        for thread in self.threads:
            thread.start()
        return self

    def finish(self, within=20.0):
        """Every request that is open is brought to its end."""
        self.stop.set()
        deadline = time.monotonic() + within
        for thread in self.threads:
            thread.join(max(0.1, deadline - time.monotonic()))
        stuck = [t.name for t in self.threads if t.is_alive()]
        assert not stuck, f"clients that are never served: {stuck}; {self.wrong}"

    def complain(self, *words):
        with self.lock:
            self.wrong.append(" ".join(map(str, words)))

    def count(self, what):
        with self.lock:
            self.counts[what] += 1

    # ---- the clients ----

    def _run(self, work, number):
        asker = Asker(self, number)
        try:
            work(asker, number)
        except Exception as error:  # a thread must not die unseen
            self.complain(f"worker {number}: {error!r}")
        finally:
            asker.close()

    def _contend(self, asker, number):
        turn = 0
        while not self.stop.is_set():
            turn += 1
            key = self.keys[(number + turn) % len(self.keys)]
            owner = f"w{number}-{turn}"
            sent = time.monotonic()
            token, _ = asker.ask("LOCK.ACQUIRE", key, owner, TTL)
            granted = time.monotonic()
            if not isinstance(token, int):
                self.complain(f"{owner} waits for ever and hears {token!r} for {key}")
                continue
            self.count("granted")
            time.sleep(0.002)
            gave = time.monotonic()
            gone, again = asker.ask("LOCK.RELEASE", key, owner, token)
            if gone != 1 and not (again and gone == 0):
                self.complain(f"{owner} gives back {key} {token} and hears {gone!r}")
            with self.lock:
                self.held.append((key, owner, token, sent, granted, gave))

    def _keep(self, asker, number):
        turn = 0
        while not self.stop.is_set():
            turn += 1
            key, owner = f"kept-{number}-{turn}", f"k{turn}"
            if turn % 3 == 0:
                # This one is asked once: "not done" must be true.
                reply = asker.ask_once("LOCK.ACQUIRE", key, owner, TTL, "WAIT", 0)
                if isinstance(reply, Error) and reply.code in NOT_DONE:
                    with self.lock:
                        self.not_done.append((key, owner))
                if not isinstance(reply, int):
                    continue
            else:
                reply, _ = asker.ask("LOCK.ACQUIRE", key, owner, TTL, "WAIT", 0)
            if not isinstance(reply, int):
                self.complain(f"{key} is nobody's, and {owner} hears {reply!r}")
                continue
            with self.lock:
                self.kept[key] = (owner, reply)
            self.count("kept")
            time.sleep(0.02)

    def _watch(self, asker, number):
        """The time that is left of a lease is never nonsense (TRAPS E4)."""
        asker.ask("LOCK.ACQUIRE", "watched", "watch", TTL)
        while not self.stop.is_set():
            reply = asker.ask_once("LOCK.STATUS", "watched")
            if reply is None or isinstance(reply, Error):
                continue
            holders = [as_map(h) for h in as_map(reply)["holders"]]
            if len(holders) != 1 or not 0 <= holders[0]["ttl-left"] <= TTL:
                self.complain(f"watched: {reply}")
            self.count("ttl reads")
            time.sleep(0.01)

    # ---- the judge ----

    def judge(self):
        assert not self.wrong, self.wrong[:10]
        tokens = [h[2] for h in self.held] + [t for _, t in self.kept.values()]
        assert len(tokens) == len(set(tokens)), "a token was given twice"
        for key in self.keys:
            mine = sorted((h for h in self.held if h[0] == key), key=lambda h: h[4])
            for earlier, later in zip(mine, mine[1:]):
                assert earlier[5] <= later[4], f"two hold it: {earlier} {later}"
                assert earlier[2] < later[2], f"tokens run back: {earlier} {later}"
        # Also between keys: granted before asked means a smaller token. The
        # highest token granted so far is carried along.
        events = [(h[4], "granted", h[2]) for h in self.held]
        events += [(h[3], "asked", h[2]) for h in self.held]
        highest = 0
        for _, what, token in sorted(events):
            if what == "granted":
                highest = max(highest, token)
            else:
                assert token > highest, f"{token} asked for after {highest} was there"
        say("    " + ", ".join(f"{n} {w}" for w, n in self.counts.items()))

    def check_kept(self, client):
        """Every grant that was acknowledged is there, as this node says."""
        with self.lock:
            kept = dict(self.kept)
            not_done = list(self.not_done)
        keys = list(kept)
        replies = client.pipeline([["LOCK.STATUS", key] for key in keys])
        for key, reply in zip(keys, replies):
            holders = [as_map(h) for h in as_map(reply)["holders"]]
            seen = [(h["owner"], h["token"]) for h in holders]
            assert seen == [kept[key]], f"{key}: {kept[key]} was granted, not {seen}"
        for key, owner in not_done:
            status = client.map("LOCK.STATUS", key)
            assert status["mode"] == "free", f"{key} {owner} was told not done"
        return len(keys)

    def highest(self):
        with self.lock:
            tokens = [h[2] for h in self.held] + [t for _, t in self.kept.values()]
        return max(tokens, default=0)


class Asker:
    """A connection to some node that lives."""

    def __init__(self, load, number):
        self.load = load
        self.at = number
        self.client = None
        self.deadline_s = 30.0

    def close(self):
        if self.client is not None:
            self.client.close()
            self.client = None

    def connect(self):
        if self.client is None:
            node = self.load.nodes[self.at % len(self.load.nodes)]
            try:
                self.client = Client(node.port, timeout=self.deadline_s)
            except OSError:
                self.at += 1
                time.sleep(0.02)
        return self.client is not None

    def ask(self, *words):
        """The certain answer, and whether it had to be asked for again."""
        again = False
        deadline = time.monotonic() + self.deadline_s
        while True:
            reply = self.ask_once(*words)
            certain = reply is not LOST and (
                not isinstance(reply, Error)
                or reply.code not in NOT_DONE + ("UNCERTAIN",)
            )
            if certain or time.monotonic() > deadline:
                return reply, again
            again = True
            time.sleep(0.02)

    def ask_once(self, *words):
        if not self.connect():
            return LOST
        try:
            reply = self.client.command(*words)
        except (Closed, Timeout, OSError) as error:
            if isinstance(error, Timeout):
                self.load.complain(f"no answer to {words}")
            self.load.count("lost")
            self.close()
            self.at += 1
            return LOST
        if isinstance(reply, Error):
            if reply.code in NOT_DONE:
                self.load.count("not done")
            elif reply.code == "UNCERTAIN":
                self.load.count("uncertain")
            else:
                self.load.complain(f"{words}: {reply}")
        return reply


# Nobody knows what became of it.
LOST = Error("LOST the connection broke")


def dump(client):
    """All that is held, as one leader sees it."""
    cursor, keys = "0", set()
    while True:
        cursor, some = client.command("LOCK.SCAN", cursor, "COUNT", 1000)
        keys |= set(some)
        if cursor == "0":
            break
    keys = sorted(keys)
    state = {}
    for key, reply in zip(keys, client.pipeline([["LOCK.STATUS", k] for k in keys])):
        status = as_map(reply)
        holders = sorted(
            (h["token"], h["owner"], h["mode"]) for h in map(as_map, status["holders"])
        )
        state[key] = (status["mode"], holders, status["waiters"], status["last-token"])
    return state


def compare_all(nodes, within=10.0):
    """Each node leads once and tells what it holds: all must tell the same,
    at the same token. Nobody may be using the cluster."""
    told = {}
    for node in nodes:
        deadline = time.monotonic() + within
        while nodes.leader() is not node:
            nodes.settle()
            nodes.leader().ask("RAFT.TRANSFER", node.id)
            time.sleep(0.05)
            assert time.monotonic() < deadline, f"{node} cannot be made leader"
        with node.client() as client:
            told[node.id] = dump(client)
    first, *others = told.values()
    for other in others:
        assert other == first, differences(first, other)
    return len(first)


def differences(one, other):
    keys = [k for k in one.keys() | other.keys() if one.get(k) != other.get(k)]
    return [(k, one.get(k), other.get(k)) for k in keys[:5]]
