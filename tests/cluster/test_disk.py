#!/usr/bin/env python3
"""A disk that fails: fdatasync once says no, or there is no room. The node
says so in one line and ends with code 74; it acknowledges nothing that is not
on disk; the others go on; started again on a good disk it is one of them
(TRAPS C3, C4)."""

import os
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True

import cluster
from cluster import Closed, Error, Skip, say, soon
from load import compare_all
from resp import as_map

TTL = 600000
EX_IOERR = 74
FAILING = "posix/io/sync/fdatasync"


def test(scene):
    if shutil.which("fiu-run") is None or shutil.which("fiu-ctrl") is None:
        raise Skip("fiu-run is not installed (package fiu-utils)")
    if cluster.is_sanitized():
        raise Skip("libfiu and the address sanitizer both want to be first")
    sync_fails_alone(scene)
    for who in ("leader", "follower"):
        sync_fails_among_three(scene, who)
    no_room(scene, "RLIMIT_FSIZE", LimitedFiles(scene))
    room = SmallDisk(scene)
    if room.is_permitted():
        try:
            no_room(scene, "a full file system", room)
        finally:
            room.close()
    else:
        say("a full file system: not permitted to mount, only RLIMIT_FSIZE")


# ---- fdatasync ----


def fiu_start(scene, node):
    node.start(before=["fiu-run", "-x", "-f", control(scene)])


def control(scene):
    return os.path.join(scene.folder, "fiu")


def fiu_fail(scene, node):
    """The next call of fdatasync says EIO, and only that one: a second try
    would seem to succeed, as on a real machine."""
    subprocess.run(
        [
            "fiu-ctrl", "-f", control(scene),
            "-c", f"enable name={FAILING},failinfo=5,onetime",
            str(node.process.pid),
        ],
        check=True, timeout=10, stdout=subprocess.DEVNULL,
    )  # fmt: skip


def send_all(client, keys):
    """At once: the node may be gone after the first of them."""
    words = [client.encode("LOCK.ACQUIRE", key, "me", TTL) for key in keys]
    client.send_raw(b"".join(words))


def ended_well(node, why):
    code = node.ends(10)
    line = node.last_line()
    say(f"  {why}: {node} ended with {code}: {line}")
    assert code == EX_IOERR, code
    assert " failed: " in line and "stop" in line, line


def sync_fails_alone(scene):
    logfile = os.path.join(scene.folder, "alone.log")
    (node,) = nodes = scene.make(1, ["--logfile", logfile])
    fiu_start(scene, node)
    nodes.leader()
    client = node.client()
    before = client.command("LOCK.ACQUIRE", "before", "me", TTL)
    assert isinstance(before, int), before
    fiu_fail(scene, node)
    send_all(client, [f"after-{i}" for i in range(20)])
    try:
        assert False, f"acknowledged without a disk: {client.read(5)!r}"
    except Closed:
        pass
    ended_well(node, "fdatasync fails at a node alone")
    with open(logfile, encoding="utf-8") as lines:
        last = lines.read().splitlines()[-1]
    assert " warning " in last and " failed: " in last, last
    node.start()
    nodes.leader()
    with node.client() as client:
        held = client.map("LOCK.STATUS", "before")["holders"]
        assert [as_map(h)["token"] for h in held] == [before], held
        after = client.command("LOCK.ACQUIRE", "later", "me", TTL)
        assert isinstance(after, int) and after > before, after
    node.kill()


def sync_fails_among_three(scene, who):
    nodes = scene.make(3, cluster.STEADY)
    for node in nodes:
        fiu_start(scene, node)
    leader = nodes.leader()
    victim = leader if who == "leader" else nodes.followers()[0]
    others = [n for n in nodes if n is not victim]
    granted = {}
    mine, theirs = victim.client(), others[0].client(timeout=20)
    for i in range(20):
        granted[f"k{i}"] = theirs.command("LOCK.ACQUIRE", f"k{i}", "me", TTL)
    fiu_fail(scene, victim)
    send_all(mine, [f"k{i}" for i in range(20, 40)])
    # Whatever it still answers must be true.
    try:
        for i in range(20, 40):
            granted[f"k{i}"] = mine.read(5)
    except Closed:
        pass
    ended_well(victim, f"fdatasync fails at a {who}")
    for i in range(40, 60):
        granted[f"k{i}"] = theirs.command("LOCK.ACQUIRE", f"k{i}", "me", TTL)
    check_granted(theirs, granted)
    victim.start()
    wanted = nodes.leader().status()["commit"]
    soon("it has caught up", lambda: victim.status()["applied"] >= wanted)
    nodes.settle()
    locks = compare_all(nodes)
    say(f"  {len(granted)} acknowledged, {locks} held, all nodes agree")
    for node in nodes:
        node.kill()


def check_granted(client, granted):
    tokens = [t for t in granted.values() if isinstance(t, int)]
    assert len(set(tokens)) == len(granted), granted
    for key, token in granted.items():
        held = [as_map(h)["token"] for h in client.map("LOCK.STATUS", key)["holders"]]
        assert held == [token], (key, token, held)


# ---- no room ----


class LimitedFiles:
    """No file of the node may grow beyond this."""

    def __init__(self, scene):
        self.words = ["prlimit", "--fsize=400000"]

    def start(self, node, small):
        node.start(before=self.words if small else [])


class SmallDisk:
    """A file system of 3 MB in a mount name space of its own, which a sleeping
    process keeps."""

    def __init__(self, scene):
        self.point = os.path.join(scene.folder, "small")
        self.keeper = None
        os.mkdir(self.point)

    def is_permitted(self):
        script = f"mount -t tmpfs -o size=3m none '{self.point}' && exec sleep 300"
        self.keeper = subprocess.Popen(
            ["unshare", "-m", "sh", "-c", script],
            stderr=subprocess.DEVNULL,
            preexec_fn=cluster._die_with_parent,
        )
        for _ in range(100):
            time.sleep(0.02)
            if self.keeper.poll() is not None:
                return False
            seen = self.inside("sh", "-c", f"mountpoint -q '{self.point}'")
            if seen.returncode == 0:
                return True
        return False

    def inside(self, *words):
        return subprocess.run(self.enter() + list(words), check=False, timeout=20)

    def enter(self):
        return ["nsenter", "-t", str(self.keeper.pid), "-m", "--"]

    def start(self, node, small):
        node.dir = os.path.join(self.point, "data")
        if small:
            node.start(before=self.enter())
            # A neighbour takes what is left but for some 200 KB.
            self.inside(
                "sh", "-c",
                f"cd '{self.point}' && free=$(df --output=avail -k . | tail -1) && "
                "head -c $(((free - 200) * 1024)) /dev/zero > ballast",
            )  # fmt: skip
        else:
            self.inside("rm", os.path.join(self.point, "ballast"))
            node.start(before=self.enter())

    def close(self):
        if self.keeper is not None:
            self.keeper.kill()
            self.keeper.wait()


def no_room(scene, name, room):
    nodes = scene.make(3, cluster.STEADY)
    victim, other = nodes[0], nodes[1]
    nodes[1].start(wait=False)
    nodes[2].start(wait=False)
    room.start(victim, small=True)
    nodes.leader()
    client = other.client(timeout=20)
    granted = {}
    for i in range(2000):
        if not victim.is_running():
            break
        key = f"{i}-" + "k" * 1000
        reply = client.command("LOCK.ACQUIRE", key, "me", TTL)
        if isinstance(reply, Error):
            assert reply.code in ("CLUSTERDOWN", "TRYAGAIN", "UNCERTAIN"), reply
            continue
        granted[key] = reply
    assert not victim.is_running(), f"it found room for {len(granted)} KB"
    ended_well(victim, name)
    # The others go on; so do releases.
    reply = client.command("LOCK.ACQUIRE", "more", "me", TTL)
    assert isinstance(reply, int), reply
    assert client.command("LOCK.RELEASE", "more", "me", reply) == 1
    check_granted(client, granted)
    room.start(victim, small=False)
    wanted = nodes.leader().status()["commit"]
    soon("it has caught up", lambda: victim.status()["applied"] >= wanted, 20)
    nodes.settle()
    locks = compare_all(nodes)
    say(f"  {len(granted)} acknowledged, {locks} held, all nodes agree")
    for node in nodes:
        node.kill()


if __name__ == "__main__":
    cluster.main(test, limit_s=90)
