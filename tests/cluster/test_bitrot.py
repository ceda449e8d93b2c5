#!/usr/bin/env python3
"""Every byte of a small data directory is damaged, one at a time: the node
then refuses to start and says why, or it refuses to lead, or it serves exactly
what was there; never another state, never an old token again (TRAPS C5, C6).

As many bytes as HOLDFAST_BITROT_S seconds (30) allow, drawn by chance;
HOLDFAST_BITROT=full takes them all, in order.
"""

import os
import shutil
import sys
import time

sys.dont_write_bytecode = True

import cluster
import ports
from cluster import Client, Closed, Error, Timeout, say
from resp import as_map

FULL = os.environ.get("HOLDFAST_BITROT") == "full"
SECONDS = float(os.environ.get("HOLDFAST_BITROT_S", 30))
TTL = 24 * 3600 * 1000
AT_ONCE = 4
LEAST = 50  # however slow the machine is

# Not data: LevelDB's own log for people, and the file it locks.
NO_DATA = ("LOG", "LOG.old", "LOCK")

FAST = ["--election-ms", "30", "--heartbeat-ms", "5", "--hint-ms", "5"]


def test(scene):
    for name, options in (
        ("log only", []),
        ("checkpoint and table", ["--checkpoint-entries", "8", "--trailing-entries", "3"]),
    ):
        truth = make_directory(scene, options)
        damage_all(scene, name, truth, SECONDS / 2)


class Truth:
    """What the directory held when its node was stopped."""

    def __init__(self, folder, held, highest):
        self.folder = folder
        self.held = held
        self.highest = highest


def make_directory(scene, options):
    (node,) = nodes = scene.make(1, FAST + options)
    node.start()
    nodes.leader()
    held, highest = {}, 0
    with node.client() as client:
        for i in range(12):
            if i == 6 and options:
                # Started again, LevelDB turns its log into a table.
                client.close()
                node.stop()
                node.start()
                nodes.leader()
                client = node.client()
            owner = f"owner-{i}"
            token = client.command("LOCK.ACQUIRE", f"key-{i}", owner, TTL)
            assert token > highest, token
            highest = token
            if i % 3 == 0:
                assert client.command("LOCK.RELEASE", f"key-{i}", owner, token) == 1
                held[f"key-{i}"] = []
            else:
                held[f"key-{i}"] = [(owner, token)]
    time.sleep(1.5)  # what is written behind is written
    node.stop()
    return Truth(node.dir, held, highest)


def places(folder):
    """(file, offset) of every byte."""
    found = []
    for where, _, files in os.walk(folder):
        for name in sorted(files):
            if name not in NO_DATA:
                path = os.path.join(where, name)
                relative = os.path.relpath(path, folder)
                found += [(relative, at) for at in range(os.path.getsize(path))]
    return found


def damage_all(scene, name, truth, seconds):
    todo = places(truth.folder)
    total = len(todo)
    files = sorted({path for path, _ in todo})
    if not FULL:
        # The mark is mostly padding: its bytes come later than others.
        todo.sort(key=lambda p: scene.random.random() * (4 if p[0] == "mark" else 1))
    nodes = scene.make(AT_ONCE, FAST)
    for node in nodes:
        node.id = 1  # of a cluster of its own
        node.members = f"1=127.0.0.1:{node.port}"
    verdicts, reasons, worst = {}, {}, []
    begin = time.monotonic()
    done = 0
    while done < total and (
        FULL or done < LEAST or time.monotonic() - begin < seconds
    ):
        batch = todo[done : done + AT_ONCE]
        done += len(batch)
        for node, place in zip(nodes, batch):
            node.place = place
            start_damaged(scene, node, truth, place)
        for node, place in zip(nodes, batch):
            verdict, reason = look(node, truth)
            if "cannot listen" in reason:
                # Somebody else has its port: that byte proves nothing.
                node.kill()
                node.port = ports.take(1)[0]
                node.members = f"1=127.0.0.1:{node.port}"
                verdict = "no port"
            verdicts[verdict] = verdicts.get(verdict, 0) + 1
            kind = (os.path.basename(place[0]), verdict, reason[:90])
            reasons[kind] = reasons.get(kind, 0) + 1
            if verdict.startswith("WRONG"):
                worst.append((place, node.mask, verdict, reason))
            node.kill()
            os.unlink(node.log_path)
    say(f"{name}: {done} of {total} bytes of {len(files)} files: {verdicts}")
    for (file, verdict, reason), count in sorted(reasons.items()):
        if os.environ.get("HOLDFAST_VERBOSE"):
            say(f"    {count:5} {file}: {verdict}: {reason}")
    for place, mask, verdict, reason in worst[:20]:
        say(f"    {place[0]} at {place[1]} xor {mask:#04x}: {verdict}: {reason}")
    assert not worst, f"{len(worst)} damages were not survived"


def start_damaged(scene, node, truth, place):
    shutil.rmtree(node.dir, ignore_errors=True)
    shutil.copytree(truth.folder, node.dir)
    node.mask = scene.random.choice([0xFF, 1 << scene.random.randrange(8)])
    path = os.path.join(node.dir, place[0])
    with open(path, "r+b") as file:
        file.seek(place[1])
        byte = file.read(1)[0]
        file.seek(place[1])
        file.write(bytes([byte ^ node.mask]))
    node.start(wait=False)


def look(node, truth):
    """What became of it: a verdict and the node's own words."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        code = node.process.poll()
        if code is not None:
            node.expected_end = True
            return ended(node, code)
        if "not voting" in node.log():
            return muted(node)
        try:
            with Client(node.port, timeout=5) as client:
                return serves(client, truth)
        except (OSError, Closed):
            time.sleep(0.01)
        except (Timeout, Again):
            time.sleep(0.02)
    return "WRONG: neither serves nor ends", node.last_line()


class Again(Exception):
    pass


def ended(node, code):
    line = node.last_line()
    reason = line.split(" warning ", 1)[-1].replace(node.dir, "")
    if code == 1 and "data directory" in line or code == 1 and "not a log" in line:
        return "refused", reason
    if code == 74 and " failed: " in line:
        return "ended when it read", reason
    return f"WRONG: ended with {code}", line


def muted(node):
    """It knows that it lost something: it must not answer as if it had not."""
    try:
        reply = node.ask("LOCK.ACQUIRE", "fresh", "me", TTL, "WAIT", 0)
    except (OSError, Closed):
        if node.process.poll() is not None:
            return ended(node, node.process.poll())
        time.sleep(0.1)
        reply = node.ask("LOCK.ACQUIRE", "fresh", "me", TTL, "WAIT", 0)
    if isinstance(reply, Error) and reply.code == "CLUSTERDOWN":
        return "does not lead", node.last_line().split(" warning ", 1)[-1]
    return "WRONG: lost something and answers", repr(reply)


def serves(client, truth):
    replies = client.pipeline([["LOCK.STATUS", key] for key in truth.held])
    for (key, held), reply in zip(truth.held.items(), replies):
        if isinstance(reply, Error):
            raise Again
        holders = [as_map(h) for h in as_map(reply)["holders"]]
        seen = [(h["owner"], h["token"]) for h in holders]
        if seen != held:
            return "WRONG: another state", f"{key} is held by {seen}, not {held}"
    token = client.command("LOCK.ACQUIRE", "fresh", "me", TTL, "WAIT", 0)
    if isinstance(token, Error):
        raise Again
    if token is None or token <= truth.highest:
        return "WRONG: an old token", f"{token} after {truth.highest}"
    return "served", ""


if __name__ == "__main__":
    cluster.main(test, limit_s=100000 if FULL else int(SECONDS) + 120)
