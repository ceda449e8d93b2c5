#!/usr/bin/env python3
"""Many reads of big values in one go: who reads its replies gets all of them,
at the store, at the leader and at a follower, and in order; who does not read
costs a node little memory, and nobody else anything."""

import sys
import threading
import time

sys.dont_write_bytecode = True

import cluster
from cluster import Client, say, soon

BYTES = 61000
KEYS = 10
READS = 1000
SILENT = 8

# What clients that do not read may cost: each of them a few MB.
GROWTH_KB_MAX = 64 * 1024

# The answer of one MGET.
MANY = 30


def test(scene):
    store = scene.store()
    with store.client() as client:
        for i in range(KEYS):
            words = ("FENCE.SET", key(i), value(i), "LOCK", "l", "TOKEN", 1)
            assert client.command(*words) == "OK"
    readers(store, fenced)
    silent(store, fenced)
    idle(store)

    nodes = scene.cluster(3, cluster.STEADY)
    leader = nodes.leader()
    with leader.client() as client:
        assert client.command("SET", "small", "1") == "OK"
        for i in range(KEYS):
            assert client.command("SET", key(i), value(i)) == "OK"
    for node in (leader, nodes.followers()[0]):
        readers(node, data)
        several(node)
        silent(node, data)
    writers(leader)


def key(i):
    return f"big{i % KEYS}"


def value(i):
    return f"{i % KEYS}" * BYTES


def fenced(i):
    return ["FENCE.GET", key(i)], [value(i), "l", 1]


def data(i):
    return ["GET", key(i)], value(i)


def readers(node, make):
    """A client that reads as fast as it can gets everything, whether or not
    small replies let it expect more of those."""
    begin = time.monotonic()
    with node.client(timeout=30.0) as client:
        fetch(client, [make(i) for i in range(READS)])
        took = time.monotonic() - begin
        few = [(["PING"], "PONG"), (make(0)[0][:1] + ["none"], None)]
        fetch(client, few * READS + [make(i) for i in range(READS)])
    say(f"{node}: {READS * BYTES // 1000000} MB in {took:.1f} s")


def fetch(client, exchanges):
    """Send all requests at once and compare the replies."""
    requests = b"".join(client.encode(*words) for words, _ in exchanges)
    # What does not fit into the sockets goes while replies are read.
    sender = threading.Thread(target=client.send_raw, args=(requests,))
    sender.start()
    for words, reply in exchanges:
        assert client.read() == reply, f"another reply to {words}"
    sender.join()


def several(node):
    """The same for answers that are as long as any may be."""
    words = ["MGET"] + [key(i) for i in range(MANY)]
    reply = [value(i) for i in range(MANY)]
    with node.client(timeout=30.0) as client:
        fetch(client, [(["GET", "small"], "1")] * 2000 + [(words, reply)] * 40)


def silent(node, make):
    """Clients that do not read: the node stays small and serves others. They
    get what they asked for when they read after all."""
    before = node.rss_kb()
    exchanges = [(make(i)[0][:1] + ["none"], None) for i in range(READS)]
    exchanges += [make(i) for i in range(READS)]
    requests = b"".join(Client.encode(*words) for words, _ in exchanges)
    clients = [node.client(timeout=30.0) for _ in range(SILENT)]
    for client in clients:
        client.send_raw(requests)
    grown = 0
    until = time.monotonic() + 2
    while time.monotonic() < until:
        begin = time.monotonic()
        assert node.ask("PING") == "PONG"
        assert time.monotonic() - begin < 1
        grown = max(grown, node.rss_kb() - before)
        time.sleep(0.02)
    say(f"{node}: {SILENT} clients that do not read: {grown // 1024} MB")
    assert grown < GROWTH_KB_MAX, grown
    for words, reply in exchanges:
        assert clients[0].read() == reply, f"another reply to {words}"
    for client in clients:
        client.close()


def idle(node):
    """Who leaves its replies unread for longer than timeout is disconnected."""
    assert node.ask("CONFIG", "SET", "timeout", "1") == "OK"
    with node.client() as client:
        client.send_raw(client.encode(*fenced(0)[0]) * READS)
        soon("it is there", lambda: others(node))
        soon("it is gone", lambda: not others(node))
    assert node.ask("CONFIG", "SET", "timeout", "0") == "OK"


def others(node):
    """The clients of a node but for the one that asks."""
    lines = node.ask("CLIENT", "LIST").splitlines()
    return "".join(line for line in lines if "cmd=client" not in line)


def writers(node):
    """Writes that answer with what was there cannot be asked again."""
    with node.client(timeout=30.0) as client:
        old = [value(0)] + [value(i) for i in range(300)]
        fetch(client, [(["GETSET", key(0), value(i)], old[i]) for i in range(300)])


if __name__ == "__main__":
    cluster.main(test, limit_s=90)
