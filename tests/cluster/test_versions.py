#!/usr/bin/env python3
"""Nodes of other versions: one that knows more than we do is spoken to in the
version that both know; one that has none in common is refused with one line,
on either side (rolling upgrades, holdfastd.8)."""

import socket
import struct
import sys
import threading

sys.dont_write_bytecode = True

import cluster
from cluster import say, soon
from test_garbage import crc32c

HELLO, HELLO_REPLY, FETCH, FETCH_REPLY = 41, 42, 34, 35
HEAD_BYTES = 60


def frame(kind, body, sender=9, to=0, cluster_id=bytes(16)):
    head = struct.pack("<4sBBHII", b"HOLD", 1, kind, 0, len(body), 0)
    head += cluster_id + struct.pack("<QQQ", sender, to, 77)
    return head + struct.pack("<I", crc32c(head + body)) + body


def hello(least, most, chosen=0):
    return struct.pack("<BBBQ", least, most, chosen, 0)


def read_frame(made):
    data = b""
    while len(data) < HEAD_BYTES or len(data) < HEAD_BYTES + length(data):
        some = made.recv(65536)
        if not some:
            return None
        data += some
    return data


def length(data):
    return struct.unpack_from("<I", data, 8)[0]


def test(scene):
    nodes = scene.cluster(3)
    node = nodes.leader()
    newer(node)
    too_new(node)
    no_hello(node)
    peers = map(cluster.resp.as_map, node.ask("RAFT.PEERS"))
    assert {p["id"]: p["protocol"] for p in peers} == {
        n.id: 0 if n is node else 1 for n in nodes
    }
    joins_the_future(scene)
    nodes.settle()


def connect(node):
    return socket.create_connection(("127.0.0.1", node.port + 10000), 10)


def newer(node):
    with connect(node) as made:
        made.sendall(frame(HELLO, hello(1, 9)))
        reply = read_frame(made)
        assert reply[5] == HELLO_REPLY, reply[5]
        assert reply[HEAD_BYTES : HEAD_BYTES + 3] == bytes((1, 1, 1)), reply[HEAD_BYTES:]
        made.sendall(frame(FETCH, b""))
        reply = read_frame(made)
        assert reply[5] == FETCH_REPLY, reply[5]
    say("a node that speaks 1 to 9 is spoken to in 1")


def too_new(node):
    with connect(node) as made:
        made.sendall(frame(HELLO, hello(2, 9)))
        reply = read_frame(made)
        assert reply[HEAD_BYTES : HEAD_BYTES + 3] == bytes((1, 1, 0)), reply[HEAD_BYTES:]
        assert read_frame(made) is None, "it goes on"
    line = (
        "node 9 is refused: it speaks protocol versions 2 to 9, this node 1 to 1: "
        "this node is too old"
    )
    soon("it is logged", lambda: line in node.log())
    say("a node that speaks 2 to 9 is refused")


def no_hello(node):
    with connect(node) as made:
        made.sendall(frame(FETCH, b""))
        assert read_frame(made) is None, "it is answered without a hello"


def joins_the_future(scene):
    """A member of a later release, as far as a newcomer can tell."""
    with socket.socket() as ear:
        ear.bind(("127.0.0.1", 0))
        ear.listen(8)

        def answer():
            made, _ = ear.accept()
            with made:
                read_frame(made)
                made.sendall(frame(HELLO_REPLY, hello(2, 3), 1, 9, b"x" * 16))
                read_frame(made)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        port = ear.getsockname()[1]
        node = scene.joiner(9, f"127.0.0.1:7@{port}")
        node.start(wait=False)
        assert node.ends(20) == 1
        wanted = (
            f"cannot join by 127.0.0.1:7@{port}: the member at 127.0.0.1:7@{port}: it "
            "speaks protocol versions 2 to 3, this node 1 to 1: this node is too old"
        )
        assert wanted in node.last_line(), node.last_line()
        thread.join(10)
    say("who is too old to join says so")


if __name__ == "__main__":
    cluster.main(test, limit_s=60)
