#!/usr/bin/env python3
"""A new node joins by any member, learns everything, votes by itself once it
has, and survives a restart; whoever cannot join says why in one line and ends
with 1. A node that was removed says so and serves nobody (TRAPS B9, B10)."""

import contextlib
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True

import cluster
from cluster import Closed, Error, say, soon
from test_versions import HELLO_REPLY, frame, hello, read_frame

TTL = 600000
JOIN_REPLY, NOT_LEADER = 33, 2  # peer_message.h


def test(scene):
    nodes = scene.cluster(3)
    follower = nodes.followers()[0]
    with follower.client() as client:
        for i in range(300):
            token = client.command("LOCK.ACQUIRE", f"k{i}", "me", TTL)
            assert isinstance(token, int), token
    joined = joins(scene, nodes, follower)
    past_a_hung_leader(scene)
    by_a_name(scene)
    by_a_name_of_two(scene)
    too_early(scene)
    by_snapshot(scene, nodes)
    listens(scene, nodes)
    cannot(scene, nodes, joined)
    of_another_cluster(scene, nodes)
    removed(nodes, joined)
    nodes.same_state()


def ask(node, *words, wanted="OK"):
    """Ask until this is the answer: under load leaders come and go, and there
    is one change at a time."""
    deadline = time.monotonic() + 20
    while True:
        reply = node.ask(*words, timeout=15)
        if reply == (wanted if wanted == "OK" else Error(wanted)):
            return
        code = reply.code if isinstance(reply, Error) else reply
        assert code in ("TRYAGAIN", "CLUSTERDOWN"), (words, reply)
        assert time.monotonic() < deadline, (words, reply)
        time.sleep(0.05)


def is_voter(node):
    status = node.status()
    return status["role"] in ("follower", "leader") and status["leader"]


def joins(scene, nodes, by):
    begin = time.monotonic()
    node = scene.joiner(4, by).start()
    soon("it votes", lambda: is_voter(node))
    say(f"by a follower: a voter after {time.monotonic() - begin:.2f} s")
    nodes.append(node)
    nodes.settle()
    assert len(node.ask("RAFT.PEERS")) == 4
    assert_calm(node)
    assert node.ask("LOCK.RELEASE", "k0", "me", 1) == 1, "it serves"
    # The directory is full now: join is of no consequence, even by nobody.
    node.options[1] = "127.0.0.1:9"
    node.stop()
    node.start()
    soon("it follows again", lambda: is_voter(node))
    return node


def past_a_hung_leader(scene):
    """A member names a leader that takes connections and says nothing. By the
    time that is certain, the member knows another one."""
    nodes = scene.cluster(3)
    hung = nodes.leader()
    by = nodes.followers()[0]
    node = scene.joiner(4, by)
    begin = time.monotonic()
    hung.signal(signal.SIGSTOP)
    try:
        node.start(wait=False)
        node.wait_up(20)
    finally:
        hung.signal(signal.SIGCONT)
    say(f"past a hung leader: after {time.monotonic() - begin:.1f} s")
    soon("it votes", lambda: is_voter(node))
    for each in [*nodes, node]:
        each.kill()


def by_a_name(scene):
    """A first member that goes by a name loses its disk. What it listens at is
    not what it is known by, so it has to say."""
    nodes = scene.make(3)
    lost = nodes[2]
    name = f"localhost:{lost.port}"
    for node in nodes:
        node.members = node.members.replace(f"127.0.0.1:{lost.port}", name)
        node.start(wait=False)
    nodes.leader()
    lost.kill()
    shutil.rmtree(lost.dir)
    lost.members = ""
    lost.options = ["--join", f"127.0.0.1:{nodes[0].port}"]
    lost.start(wait=False)
    assert lost.ends(20) == 1
    hint = f"id 3 is in use by the member at {name}: take another, or remove "
    assert hint in lost.last_line() and "announce that" in lost.last_line(), lost.last_line()
    lost.options += ["--announce", name]
    lost.start()
    soon("it votes again", lambda: "probation is over" in lost.log().split(hint)[1])
    for node in nodes:
        node.kill()
    say("a member that goes by a name comes back by join")


def by_a_name_of_two(scene):
    """As Debian has it, localhost is ::1 and 127.0.0.1. Members listen at one."""
    hosts = os.path.join(scene.folder, "hosts")
    with open(hosts, "w", encoding="ascii") as out:
        out.write("::1 localhost\n127.0.0.1 localhost\n")
    inside = ["unshare", "-rm", "sh", "-c", f'mount --bind {hosts} /etc/hosts && exec "$@"', "-"]
    try:
        seen = subprocess.run(
            [*inside, "getent", "ahosts", "localhost"], capture_output=True, check=False
        ).stdout.split()
    except FileNotFoundError:
        seen = []
    if seen[:1] != [b"::1"] or b"127.0.0.1" not in seen:
        say("there is no giving a program hosts of its own here")
        return
    nodes = scene.make(3)
    for node in nodes:
        node.members = node.members.replace("127.0.0.1", "localhost")
        node.start(before=inside, wait=False)
    nodes.leader()
    node = scene.joiner(4, f"localhost:{nodes[0].port}")
    node.start(before=inside)
    soon("it votes", lambda: is_voter(node))
    for each in [*nodes, node]:
        each.kill()
    say("of several addresses of a name all are tried")


def too_early(scene):
    """The cluster is there when all of its first members are: a newcomer waits."""
    nodes = scene.make(2)
    nodes[0].start(wait=False)
    node = scene.joiner(3, nodes[0]).start(wait=False)
    soon("it says what it waits for", lambda: "not founded yet" in node.log())
    nodes[1].start(wait=False)
    node.wait_up(20)
    soon("it votes", lambda: is_voter(node), within=20)
    assert node.log().count("not founded yet") == 1, node.log()
    for each in [*nodes, node]:
        each.kill()
    say("who joins too early waits, and says so")


def of_another_cluster(scene, nodes):
    """A member names a leader at a place where another cluster is by now. And a
    node starts with the directory of a cluster that it was to leave."""
    (alone,) = scene.cluster(1)
    with fake_member(alone) as by:
        node = scene.joiner(9, by).start(wait=False)
        assert node.ends(30) == 1
    wanted = f"the node at 127.0.0.1:{alone.port} is of another cluster"
    assert wanted in node.last_line(), node.last_line()
    assert len(alone.ask("RAFT.PEERS")) == 1, "and let it in"
    old = alone.status()["cluster-id"]
    alone.kill()
    alone.options = ["--join", f"127.0.0.1:{nodes[0].port}"]
    alone.members = ""
    alone.start()
    wanted = f"join is of no consequence: the directory {alone.dir} is that of a member of "
    assert f"{wanted}cluster {old}" in alone.log(), alone.log()
    alone.kill()
    say("who is of another cluster is told from whom it wanted")


@contextlib.contextmanager
def fake_member(leader):
    """Where a member of a third cluster would be that takes this node, of
    another one, for its leader."""

    def answer():
        made, _ = ear.accept()
        with made:
            read_frame(made)
            made.sendall(frame(HELLO_REPLY, hello(1, 1, 1), 1, 9, b"x" * 16))
            read_frame(made)
            address = f"127.0.0.1:{leader.port}".encode()
            body = struct.pack("<BQH", NOT_LEADER, 1, len(address)) + address + bytes(2)
            made.sendall(frame(JOIN_REPLY, body, 1, 9, b"x" * 16))
            read_frame(made)

    with socket.socket() as ear:
        ear.bind(("127.0.0.1", 0))
        ear.listen(8)
        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield f"127.0.0.1:7@{ear.getsockname()[1]}"
        thread.join(10)


def assert_calm(newcomer):
    """What it catches up with is of a time before it came."""
    assert "no longer a member" not in newcomer.log(), newcomer.log()


def by_snapshot(scene, nodes):
    """The entries that a newcomer needs are gone: it gets the state."""
    leader = nodes.leader()
    assert str(leader.ask("RAFT.SNAPSHOT")).startswith("OK ")
    few = ["--checkpoint-entries", "100", "--trailing-entries", "10"]
    alone = scene.joiner(1, nodes[0], few)
    alone.options = few
    alone.start()
    with alone.client() as client:
        for i in range(1000):
            client.command("LOCK.ACQUIRE", f"s{i}", "me", TTL)
        index = int(client.command("RAFT.SNAPSHOT").split()[1])
    status = alone.status()
    assert status["checkpoint"] >= index >= 1000, status
    soon("its log is short", lambda: alone.status()["first-index"] > 1)
    second = scene.joiner(2, alone).start()
    pair = cluster.Cluster([alone, second])
    soon("it votes", lambda: is_voter(second))
    pair.settle()
    pair.same_state()
    assert second.status()["first-index"] > 1, "it came by the log"
    assert_calm(second)
    say(f"by a snapshot: entry {second.status()['first-index'] - 1} and on")


def listens(scene, nodes):
    """Added by an operator before it is started, to listen only."""
    node = scene.joiner(5, nodes[1])
    address = f"127.0.0.1:{node.port}"
    asked = nodes.followers()[0]
    ask(asked, "RAFT.ADD", 5, f"{address}@{node.port + 10000}", "LEARNER")
    ask(asked, "RAFT.PROMOTE", 5, wanted="TRYAGAIN node 5 has not caught up yet")
    node.start()
    nodes.append(node)
    nodes.settle()
    time.sleep(0.5)
    status = node.status()
    assert status["role"] == "learner" and status["voters"] == 4, status
    ask(asked, "RAFT.TRANSFER", 5, wanted="ERR node 5 is a learner: it cannot lead")
    ask(asked, "RAFT.PROMOTE", 5)
    ask(asked, "RAFT.PROMOTE", 5, wanted="ERR node 5 votes already")
    ask(node, "RAFT.REMOVE", 5)  # it can ask to go
    nodes.remove(node)
    node.kill()


def cannot(scene, nodes, joined):
    address = f"127.0.0.1:{joined.port}"
    cases = [
        (scene.joiner(4, nodes[0]), f"id 4 is in use by the member at {address}"),
        (scene.joiner(9, "127.0.0.1:9"), "no member can be reached at 127.0.0.1:9"),
        (scene.joiner(9, f"127.0.0.1:{nodes[0].port + 100}"), "does not answer"),
        (itself := scene.joiner(9, ""), "that is this node itself"),
    ]
    itself.options[1] = f"127.0.0.1:{itself.port}"
    for node, _ in cases:
        node.start(wait=False)
    for node, reason in cases:
        assert node.ends(30) == 1
        assert "cannot join by" in node.last_line(), node.last_line()
        assert reason in node.last_line(), node.last_line()
    for words, reason in (
        (("RAFT.ADD", 4, "h:1"), f"ERR id 4 is in use by the member at {address}"),
        (("RAFT.ADD", 9, address), f"ERR address {address} is in use by node 4"),
        (("RAFT.ADD", 9, address + "@9"), f"ERR address {address} is in use by node 4"),
        (("RAFT.PROMOTE", 9), "ERR there is no member 9"),
        (("RAFT.REMOVE", 9), "ERR there is no member 9"),
        (("RAFT.TRANSFER", 9), "ERR there is no member 9"),
    ):
        for node in nodes:
            ask(node, *words, wanted=reason)
    say("whoever cannot join or be changed hears why")


def removed(nodes, node):
    with node.client(timeout=30) as waits:
        nodes[0].ask("LOCK.ACQUIRE", "busy", "me", TTL)
        waits.send("LOCK.ACQUIRE", "busy", "waits", TTL)
        others = [n for n in nodes if n is not node]
        ask(others[-1], "RAFT.REMOVE", node.id)
        reply = waits.read()
        assert isinstance(reply, Error) and reply.code == "UNCERTAIN", reply
    nodes.remove(node)
    soon("it knows", lambda: node.status()["role"] == "removed")
    with node.client() as client:
        reply = client.command("LOCK.STATUS", "k1")
        assert reply == Error("CLUSTERDOWN this node was removed from the cluster")
        try:
            assert False, client.command("PING")
        except (Closed, OSError):
            pass
    # Also when it comes back, and also if it was down when it happened.
    node.stop()
    node.start()
    soon("it was told", lambda: node.status()["role"] == "removed")
    assert node.ask("PING") == "PONG"
    other = scene_joins_and_dies(nodes)
    soon("it was told", lambda: other.status()["role"] == "removed")
    assert node.log().count("was removed from the cluster") == 2, node.log()
    # Two of them are up. One that disturbs would do so several times a second.
    term = nodes.leader().status()["term"]
    time.sleep(1.0)
    assert nodes.leader().status()["term"] <= term + 1, "they disturb the others"
    say("removed nodes know it, serve nobody and disturb nobody")


def scene_joins_and_dies(nodes):
    """A voter that is removed while it is down."""
    scene = nodes[0].scene
    node = scene.joiner(6, nodes.leader()).start()
    soon("it votes", lambda: is_voter(node))
    soon("all know", lambda: all(n.status()["voters"] == 4 for n in nodes))
    node.kill()
    ask(nodes[1], "RAFT.REMOVE", 6)
    return node.start()


if __name__ == "__main__":
    cluster.main(test, limit_s=90)
