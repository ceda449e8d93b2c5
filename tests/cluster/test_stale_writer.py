#!/usr/bin/env python3
"""The paused owner, with real processes. A takes a lock and writes under it; in
the middle of that it is stopped (SIGSTOP) for longer than its lease. B gets the
lock and writes. A wakes, believes that it still holds the lock, and goes on
writing: refused, by holdfast-store and by the cluster alike.

HOLDFAST_PAUSES=200 makes it a campaign."""

import os
import select
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True

import cluster
from cluster import Client, patient, say
from resp import as_map

PAUSES = int(os.environ.get("HOLDFAST_PAUSES", "6"))
TTL = 250


def owner(name, lock_port, data_port, key):
    """A process of its own: take the lock, say so, write until refused."""
    with Client(lock_port, timeout=60) as locks, Client(data_port, timeout=60) as data:
        token, proof = acquire(locks, name, key)
        print(token, flush=True)
        written = 0
        while True:
            reply = write(data, name, key, token, proof)
            if reply != "OK":
                print(f"{written} {reply}", flush=True)
                return
            written += 1


def acquire(client, name, key):
    grant = as_map(patient(client, "LOCK.ACQUIRE", key, name, TTL, "WITHINFO"))
    return grant["token"], ["OWNER", name, "SIG", grant["signature"]]


def write(client, name, key, token, proof):
    return patient(
        client,
        *("FENCE.SET", f"data-{key}", f"{name} {token}"),
        *("LOCK", key, "TOKEN", token),
        *proof,
    )


def test(scene):
    keys = os.path.join(scene.folder, "keys")
    with open(keys, "w", encoding="ascii") as file:
        os.chmod(keys, 0o600)
        file.write(f"k1 {scene.random.randbytes(32).hex()}\n")
    nodes = scene.cluster(3, ["--fence-secret-file", keys])
    store = scene.store(["--fence-secret-file", keys])
    accepted = 0
    refused = {"the store": 0, "the cluster": 0}
    for i in range(PAUSES):
        target = store if i % 2 == 0 else nodes[i % 3]
        place = "the store" if target is store else "the cluster"
        accepted += one_pause(scene, nodes, target, f"k{i}")
        refused[place] += 1
    say(
        f"{PAUSES} pauses, {accepted} stale writes accepted; refused by "
        + " and ".join(f"{place}: {count}" for place, count in refused.items())
    )
    assert accepted == 0


def one_pause(scene, nodes, target, key):
    """How many stale writes were accepted: 0 or 1."""
    sleeper = subprocess.Popen(
        [
            sys.executable,
            os.path.abspath(__file__),
            "owner",
            str(scene.random.choice(nodes).port),
            str(target.port),
            key,
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        token = int(sleeper.stdout.readline())
        time.sleep(scene.random.uniform(0, 0.02))
        sleeper.send_signal(signal.SIGSTOP)
        with scene.random.choice(nodes).client(timeout=30) as locks:
            newer, proof = acquire(locks, "ben", key)
        assert newer > token
        with target.client() as data:
            reply = write(data, "ben", key, newer, proof)
            assert reply == "OK", reply
            sleeper.send_signal(signal.SIGCONT)
            # Whoever is never refused never stops.
            ready, _, _ = select.select([sleeper.stdout], [], [], 15)
            last = sleeper.stdout.readline().strip() if ready else "0 nothing"
            _, _, reason = last.partition(" ")
            found = patient(data, "FENCE.GET", f"data-{key}")
            stands = found == [f"ben {newer}", key, newer]
            fenced = reason == f"FENCED token {token} is older than {newer}"
            if not stands or not fenced:
                say(f"{key}: ann heard {last!r}, and now there is {found!r}")
            return 0 if stands and fenced else 1
    finally:
        sleeper.kill()
        sleeper.wait()


if __name__ == "__main__":
    if len(sys.argv) == 5 and sys.argv[1] == "owner":
        owner("ann", int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    else:
        cluster.main(test, limit_s=60 + 3 * PAUSES)
