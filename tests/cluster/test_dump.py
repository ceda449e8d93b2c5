#!/usr/bin/env python3
"""holdfast-dump shows a person what is in the directory of a stopped node, damage
included, and changes nothing that a start would read."""

import glob
import os
import subprocess
import sys

sys.dont_write_bytecode = True

import cluster
from cluster import Error, say

TTL = 600000


def test(scene):
    options = ["--checkpoint-entries", "5", "--trailing-entries", "3", *cluster.PATIENT]
    (node,) = nodes = scene.cluster(1, options)
    nodes.leader()
    with node.client() as client:
        token = client.command("LOCK.ACQUIRE", "a\x01lock", "me", TTL)
        fence = ["LOCK", "a\x01lock", "TOKEN", token]
        assert client.command("FENCE.SET", "fenced", "value", *fence) == "OK"
        for i in range(10):
            assert client.command("SET", f"key-{i}", "value") == "OK"
        assert client.command("DEL", "key-9") == 1
        assert not isinstance(client.command("RAFT.SNAPSHOT"), Error)
        applied = node.status()["applied"]
    taken(node)
    node.stop()

    seen = shown(node)
    assert kinds(seen) == [
        "group", "identity", "boot", "promise", "boundary", "member", "applied",
        "mark", "last", "log", "state",
    ], kinds(seen)  # fmt: skip
    assert f"applied    index {applied} " in seen, seen
    assert f"last       term 1 index {applied}, voter" in seen, seen
    logged = [line for line in seen.splitlines() if line.startswith("log ")]
    assert " set clock " in logged[-2] and 'key "key-9"' in logged[-2], logged
    assert f"log        {applied} term 1 delete clock " in logged[-1], logged
    assert 'state      lock "a\\x01lock" ' in seen, seen
    assert 'state      fence "a\\x01lock" ' in seen, seen
    states = [line for line in seen.splitlines() if line.startswith("state ")]
    assert sum(' data "' in line for line in states) == 10, states

    assert kinds(shown(node, "--brief"))[-1] == "last"
    assert kinds(shown(node, "--log"))[-1] == "log"
    assert "log" not in kinds(shown(node, "--state"))
    assert shown(node) == seen, "looking changes what is seen"

    node.start()
    nodes.leader()
    held = node.client().map("LOCK.STATUS", "a\x01lock")["last-token"]
    assert held == token, (held, token)
    what_is_not_to_be_shown(node)
    node.stop()
    damage(node)
    say("a directory is shown as it is")


def taken(node):
    """LevelDB opens a database for one process."""
    done = dump(node.dir)
    assert done.returncode != 0 and "in use by another process" in done.stderr, done


def what_is_not_to_be_shown(node):
    for words, wanted in (
        (["/nowhere"], "no data directory of a node"),
        ([], "usage: holdfast-dump"),
        (["--nonsense", node.dir], "usage: holdfast-dump"),
    ):
        done = dump(*words)
        assert done.returncode == 1 and wanted in done.stderr, done


def damage(node):
    """A byte of the newest log of LevelDB: it is told, and not the end."""
    newest = max(glob.glob(os.path.join(node.dir, "db", "*.log")), key=os.path.getsize)
    with open(newest, "r+b") as file:
        file.seek(os.path.getsize(newest) // 2)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 0xFF]))
    done = dump(node.dir)
    assert "damaged" in done.stdout + done.stderr, done


def shown(node, *options):
    done = dump(*options, node.dir)
    assert done.returncode == 0 and not done.stderr, done
    return done.stdout


def kinds(text):
    """The first words of the lines, each once."""
    return list(dict.fromkeys(line.split()[0] for line in text.splitlines()))


def dump(*words):
    return subprocess.run(
        [cluster.program("holdfast-dump"), *words],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


if __name__ == "__main__":
    cluster.main(test, limit_s=60)
