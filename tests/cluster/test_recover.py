#!/usr/bin/env python3
"""A majority is lost for good: holdfastd --recover makes a cluster of one out of
the directory that is left. What it had granted is still granted, tokens are
higher than any before, and nodes of the old cluster are not listened to. A copy
of a directory, made while its node was stopped, is restored the same way. Of
several directories holdfast-dump tells the right one, which is not always the
longest.
"""

import os
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True

import cluster
from cluster import say, soon
from test_wipe import TTL, Held, leads


def test(scene):
    nodes = scene.cluster(3, ["--checkpoint-entries", "50", "--trailing-entries", "20"])
    held = Held()
    held.take(nodes.leader(), 80)
    copy, copied = back_up(nodes, held)
    held.take(nodes.leader(), 40)
    nodes.settle()
    survivor = disaster(nodes, held)
    restore(nodes, held, survivor, copy, copied)
    best = longest(scene)
    moved(best)
    was_removed(scene)


def recover(node, *words):
    return subprocess.run(
        [node.scene.program, "--recover", "--id", str(node.id), "--dir", node.dir, *words],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def back_up(nodes, held):
    """As holdfastd(8) says: have a follower write its state down, stop it, copy,
    start it again."""
    node = nodes.followers()[0]
    nodes.settle()
    word, covered = node.ask("RAFT.SNAPSHOT", timeout=15).split()
    assert word == "OK" and int(covered) >= len(held.tokens), covered
    node.stop()
    copy = node.dir + ".copy"
    shutil.copytree(node.dir, copy)
    copied = Held()
    copied.tokens, copied.highest = dict(held.tokens), held.highest
    node.start()
    nodes.same_state()
    return (node, copy, int(covered)), copied


def disaster(nodes, held):
    survivor = nodes.leader()
    others = [n for n in nodes if n is not survivor]

    # Not while it runs, not for another node, not where nothing is.
    refused = recover(survivor)
    assert refused.returncode == 1 and "nothing was changed" in refused.stderr, refused
    for node in others:
        node.kill()
        shutil.rmtree(node.dir)
    survivor.kill()
    refused = recover(survivor, "--id", str(survivor.id + 1))
    assert refused.returncode == 1, refused
    refused = recover(others[0])
    assert refused.returncode == 1 and not os.path.exists(others[0].dir), refused

    done = recover(survivor)
    assert done.returncode == 0, done
    say(done.stdout.rstrip())
    assert "cluster of its own" in done.stdout, done
    assert "fence-cluster-id" in done.stdout, "nobody is told of the stores"

    survivor.start()
    soon("the survivor leads", lambda: leads([survivor]) == {survivor.id})
    held.check(survivor)
    held.take(survivor, 20)  # and every token is above all before

    # The others, started again as they were, neither disturb it nor serve.
    for node in others:
        node.start()
    deadline = time.monotonic() + 2
    while time.monotonic() < deadline:
        assert not leads(others)
        assert leads([survivor]) == {survivor.id}
        time.sleep(0.1)
    held.take(survivor, 5)
    for node in others:
        node.kill()
    return survivor


def restore(nodes, held, survivor, copy, copied):
    """The copy is older than what the clients have seen. Its tokens are not."""
    survivor.kill()
    node, folder, covered = copy
    shutil.rmtree(node.dir)
    shutil.copytree(folder, node.dir)
    # An older copy knows nothing of the recovery before it, so that once is not
    # enough: the report says above what tokens will be.
    floor = 0
    while floor <= held.highest:
        done = recover(node)
        assert done.returncode == 0, done
        floor = int(done.stdout.split("tokens from now on above")[1].split()[0])
        log = int(done.stdout.split("entry ")[1].split()[0])
        assert log >= covered, (log, covered)
    node.start()
    soon("the copy leads", lambda: leads([node]) == {node.id})
    copied.check(node)
    copied.highest = held.highest
    copied.take(node, 10)
    say("a copy was restored")


def longest(scene):
    """A leader that is alone writes on, and its successor grants less than that:
    then its log is the longest and the wrong one."""
    nodes = scene.cluster(3, cluster.STEADY)
    held = Held()
    held.take(nodes.leader(), 5)
    nodes.settle()
    alone = nodes.leader()
    others = [n for n in nodes if n is not alone]
    for node in others:
        node.kill()
    before = alone.status()["last-index"]
    clients = [alone.client() for _ in range(50)]
    for i, client in enumerate(clients):
        client.send("LOCK.ACQUIRE", f"lost-{i}", "nobody", TTL)
    # The rest waits for those to be committed.
    written = before + len(clients) // 2
    soon("it writes on", lambda: alone.status()["last-index"] >= written)
    alone.stop()  # and finishes what it was writing
    for node in others:
        node.start()
    held.take(nodes.leader(but=[alone]), 5)
    for node in others:
        node.kill()

    found = {node.id: last_entry(node) for node in nodes}
    say("last entries, term first:", found)
    longest_one = max(nodes, key=lambda n: found[n.id][1])
    assert longest_one is alone, found
    best = max(nodes, key=lambda n: found[n.id])
    assert best is not alone, found
    done = recover(best)
    assert done.returncode == 0, done
    best.start()
    soon("it leads", lambda: leads([best]) == {best.id})
    held.check(best)
    say("the longest log was not the right one")
    return best


def moved(node):
    """The directory goes to a place with other ports."""
    node.kill()
    before = node.port
    (node.port,) = cluster.free_ports(1)
    old, new = f"127.0.0.1:{before}", f"127.0.0.1:{node.port}"
    node.members = ""
    done = recover(node, "--port", str(node.port))
    assert f"it is still known at {old}" in done.stdout, done
    node.start()
    wanted = f"the members know this node at {old}, but it listens at"
    assert wanted in node.log(), node.log()
    node.kill()

    done = recover(node, "--port", str(node.port), "--announce", new)
    assert "WARNING" not in done.stdout, done
    node.start()
    soon("it leads", lambda: leads([node]) == {node.id})
    assert node.status()["leader-addr"] == new, node.status()
    assert node.log().count(wanted) == 1, node.log()
    node.kill()
    elsewhere = f"{old}@{before + 10000}"
    node.options += ["--announce", elsewhere]
    node.start()
    assert f"know this node at {new}, not at {elsewhere} as announce" in node.log()
    node.kill()
    say("a cluster of one was moved")


def was_removed(scene):
    pair = scene.cluster(2)
    out = pair.followers()[0]
    deadline = time.monotonic() + 20
    while pair.leader().ask("RAFT.REMOVE", out.id, timeout=15) != "OK":
        assert time.monotonic() < deadline
        time.sleep(0.05)
    soon("it knows", lambda: out.status()["role"] == "removed")
    out.kill()
    done = recover(out, "--port", str(out.port), "--bind", "127.0.0.9")
    assert done.returncode == 0 and "was no member any more" in done.stdout, done
    assert f"node {out.id} at 127.0.0.9:{out.port} is now" in done.stdout, done
    for node in pair:
        node.kill()
    say("a node that was removed is a cluster of its own, with a warning")


def last_entry(node):
    """Term and index, as holdfastd(8) says how to compare directories."""
    done = subprocess.run(
        [cluster.program("holdfast-dump"), "--brief", node.dir],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 0, done
    (line,) = [x for x in done.stdout.splitlines() if x.startswith("last ")]
    words = line.replace(",", "").split()
    assert [words[i] for i in (1, 3, 5)] == ["term", "index", "voter"], line
    assert len(words) == 6, line
    return int(words[2]), int(words[4])


if __name__ == "__main__":
    cluster.main(test, limit_s=60)
