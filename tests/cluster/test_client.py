#!/usr/bin/env python3
"""libholdfast on a healthy cluster: take, try, wait, cancel, share, several at
once, give back, and what it says when something is wrong."""

import os
import socket
import sys
import threading
import time

sys.dont_write_bytecode = True

import cluster
import driver
from cluster import say, soon
from driver import (
    CANCELLED, DENIED, Driver, FAILED, HELD, LOST, NO_TLS, OK, RELEASED, TIMEOUT,
    UNREACHABLE, WAITING,
)  # fmt: skip


def take_and_give(nodes, one, two):
    token = one.acquire(1, "a")
    assert token > 0
    look = one.look(1)
    assert look["state"] == HELD and look["ok"] and 0 < look["left"] <= 5000, look
    status = cluster.resp.as_map(nodes[0].ask("LOCK.STATUS", "a"))
    holder = cluster.resp.as_map(status["holders"][0])
    assert holder["owner"] == one.hello[1] and holder["token"] == token

    assert one.ask("over", 1)[2] == "0"
    assert one.ask("owner", 1)[2] == one.hello[1]

    # A try by another client, and by the same one: both are refused at once.
    assert two.acquire(1, "a", 10000, 0) == 0
    assert two.look(1)["state"] == FAILED
    assert two.ask("over", 1)[2] == "1"
    assert one.acquire(2, "a", 10000, 0) == 0

    # A bounded wait runs out, and leaves the queue.
    begin = time.monotonic()
    assert two.acquire(2, "a", 10000, 300) == 0
    assert 0.25 < time.monotonic() - begin < 10
    soon("the queue is empty", lambda: nodes[0].ask("LOCK.QUEUE", "a") == [])

    # One that waits gets it when it is given back.
    two.ask("begin", 3, "a", 10000, -1)
    later = two.start("await", 3)
    soon("it waits", lambda: len(nodes[0].ask("LOCK.QUEUE", "a")) == 1)
    assert not later.is_there()
    assert one.status("release", 1) == OK
    assert not one.look(1)["ok"] and one.look(1)["state"] == RELEASED
    assert one.ask("over", 1)[2] == "1"
    answer = later.get()
    assert int(answer[2]) == OK and int(answer[3]) > token
    assert one.status("release", 1) == OK, "asked again it is released still"
    assert two.status("release", 3) == OK


def cancel(nodes, one, two):
    assert one.acquire(10, "c") > 0
    two.ask("begin", 10, "c", 10000, -1)
    later = two.start("await", 10)
    soon("it waits", lambda: len(nodes[0].ask("LOCK.QUEUE", "c")) == 1)
    two.ask("cancel", 10)
    assert int(later.get()[2]) == CANCELLED
    soon("the queue is empty", lambda: nodes[0].ask("LOCK.QUEUE", "c") == [])
    # Freed while it waits: the same.
    two.ask("begin", 11, "c", 10000, -1)
    soon("it waits", lambda: len(nodes[0].ask("LOCK.QUEUE", "c")) == 1)
    two.ask("free", 11)
    soon("the queue is empty", lambda: nodes[0].ask("LOCK.QUEUE", "c") == [])
    # Freed while held: given back without being asked.
    one.ask("free", 10)
    soon("it is free", lambda: is_free(nodes, "c"))
    # Cancelling many at random moments leaves nothing behind.
    for i in range(20):
        two.ask("begin", 12, "c", 10000, -1)
        one.ask("begin", 12, "c", 10000, -1)
        two.ask("cancel", 12)
        one.ask("cancel", 12)
        two.ask("free", 12)
        one.ask("free", 12)
    soon("nothing is left", lambda: is_free(nodes, "c"))


def is_free(nodes, key):
    status = cluster.resp.as_map(nodes[0].ask("LOCK.STATUS", key))
    return status["mode"] == "free" and status["waiters"] == 0


def share(nodes, one, two):
    assert one.acquire(20, "s", 10000, -1, "shared") > 0
    assert one.acquire(21, "s", 10000, 0, "shared") > 0
    assert two.acquire(20, "s", 10000, 0, "shared") > 0
    assert two.acquire(21, "s", 10000, 0) == 0
    two.ask("begin", 22, "s", 10000, -1)
    writer = two.start("await", 22)
    soon("the writer waits", lambda: len(nodes[0].ask("LOCK.QUEUE", "s")) == 1)
    assert one.acquire(22, "s", 10000, 0, "shared") == 0, "behind the writer"
    for d, n in ((one, 20), (one, 21), (two, 20)):
        assert d.status("release", n) == OK
    assert int(writer.get()[2]) == OK
    two.ask("free", 22)


def many_of_one_key(nodes, one):
    """Threads of one process compete for a key: each grant is one's alone."""
    count = 12
    for i in range(count):
        one.ask("begin", 100 + i, "m", 10000, -1)
    served = []
    for _ in range(count):
        name = soon(
            "one of them has it",
            lambda: next(
                (n for n in range(100, 100 + count)
                 if n not in served and one.look(n)["state"] == HELD),
                None,
            ),  # fmt: skip
        )
        others = [n for n in range(100, 100 + count) if n != name and n not in served]
        assert all(one.look(n)["state"] == WAITING for n in others)
        served.append(name)
        assert one.status("release", name) == OK
    assert served == sorted(served), served


def all_at_once(nodes, one, two):
    answer = one.ask("all", 5000, "z", "x", "y")
    assert int(answer[1]) == OK and int(answer[2]) == 3, answer
    soon("all are free", lambda: all(is_free(nodes, k) for k in "xyz"))
    assert two.acquire(30, "y") > 0
    answer = one.ask("all", 300, "z", "x", "y")
    assert int(answer[1]) == TIMEOUT and int(answer[2]) == 0, answer
    soon("nothing is kept", lambda: is_free(nodes, "x") and is_free(nodes, "z"))
    two.ask("free", 30)
    answer = one.ask("all", 300, "z", "x", "z")
    assert int(answer[1]) == 1, answer


def all_cancelled(scene, nodes, one):
    """In the middle of it: some are held, one is waited for, others are not
    even asked for."""
    assert one.acquire(31, "y") > 0
    two = Driver(scene, nodes)
    later = two.start("all", -1, "z", "x", "y")
    soon("it waits", lambda: len(nodes[0].ask("LOCK.QUEUE", "y")) == 1)
    two.ask("cancel-all")
    answer = later.get()
    assert int(answer[1]) == CANCELLED and int(answer[2]) == 0, answer
    soon("nothing is kept", lambda: is_free(nodes, "x") and is_free(nodes, "z"))
    soon("nobody waits", lambda: nodes[0].ask("LOCK.QUEUE", "y") == [])
    answer = two.ask("all", -1, "x")
    assert int(answer[1]) == CANCELLED, "it stays cancelled"
    assert two.acquire(1, "x") > 0, "which others do not feel"
    one.ask("free", 31)
    two.quit()


def all_or_none_is_lost_early(nodes, one, two):
    """The first is lost while the second is waited for: no use to wait on."""
    assert two.acquire(32, "y") > 0
    later = one.start("all", -1, "y", "x")
    soon("it waits", lambda: len(nodes[0].ask("LOCK.QUEUE", "y")) == 1)
    assert nodes[0].ask("LOCK.BREAK", "x") == 1
    answer = later.get()
    assert int(answer[1]) == LOST and int(answer[2]) == 0, answer
    soon("nobody waits", lambda: nodes[0].ask("LOCK.QUEUE", "y") == [])
    two.ask("free", 32)


def broken(nodes, one):
    assert one.acquire(40, "b") > 0
    assert nodes[0].ask("LOCK.BREAK", "b") == 1
    soon("it hears of it", lambda: 40 in one.lost)
    assert one.lost[40][0] == 1 and not one.look(40)["ok"]
    assert one.ask("over", 40)[2] == "1"
    assert one.status("release", 40) == LOST


def thrown_out_of_the_queue(nodes, one, two):
    """By an operator here; the server does so itself to those who wait at a
    node that was cut off. It waits on, and is served."""
    assert one.acquire(50, "o") > 0
    two.ask("begin", 50, "o", 10000, -1)
    later = two.start("await", 50)
    queue = soon("it waits", lambda: nodes[0].ask("LOCK.QUEUE", "o"))
    waits = cluster.resp.as_map(queue[0])
    for _ in range(3):
        soon("it waits", lambda: nodes[1].ask("LOCK.QUEUE", "o"))
        words = ["LOCK.CANCEL", "o", waits["owner"], "SEQ", waits["seq"]]
        assert nodes[1].ask(*words) == 1
    assert not later.is_there()
    one.ask("free", 50)
    assert int(later.get()[2]) == OK
    assert two.status("release", 50) == OK


def plain_commands(nodes, one):
    assert one.ask("command", "ECHO", "word")[1:3] == ["0", "word"]
    assert one.ask("command", "LOCK.BREAK", "nothing")[1:3] == ["0", "0"]
    answer = one.ask("command", "LOCK.ACQUIRE", "x")
    assert int(answer[1]) == driver.REFUSED, answer


class Store:
    """A store that notes what it is asked and answers as it is told; None
    closes the connection instead."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.asked = []
        self.answers = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection):
        with connection, connection.makefile("rb") as lines:
            while line := lines.readline():
                words = []
                for _ in range(int(line[1:])):
                    count = int(lines.readline()[1:])
                    words.append(lines.read(count + 2)[:-2].decode())
                if words == ["PING"]:
                    connection.sendall(b"+PONG\r\n")
                    continue
                self.asked.append(words)
                answer = self.answers.pop(0)
                if answer is None:
                    return
                connection.sendall(answer)


def fenced(scene, nodes):
    """What is written under a lease carries its token, and is not repeated
    unless it was certainly not done."""
    store = Store()
    one = Driver(scene, nodes, f"store=127.0.0.1:{store.port}")
    token = one.acquire(1, "f")
    words = ["FENCE.SET", "k", "v", "LOCK", "f", "TOKEN", str(token)]
    store.answers = [b"+OK\r\n"]
    assert one.status("fence", 1, "k", "v") == OK
    store.answers = [b"-FENCED token 1 is older than 2\r\n"]
    assert one.status("fence", 1, "k", "v") == driver.FENCED
    store.answers = [b"-TRYAGAIN soon\r\n", b"-CLUSTERDOWN x\r\n", b"+OK\r\n"]
    assert one.status("fence", 1, "k", "v") == OK
    store.answers = [None]
    assert one.status("fence", 1, "k", "v") == driver.UNCERTAIN
    assert store.asked == [words] * 6, store.asked
    assert one.status("release", 1) == OK
    assert one.status("fence", 1, "k", "v") == LOST, "nothing is sent"
    assert len(store.asked) == 6
    one.quit()


def signed(scene):
    """A store that believes no token without its signature."""
    keys = os.path.join(scene.folder, "keys")
    with open(keys, "w", encoding="ascii") as file:
        os.chmod(keys, 0o600)
        file.write(f"k1 {'11' * 32}\n")
    (node,) = scene.cluster(1, ["--fence-secret-file", keys])
    store = scene.store(["--fence-secret-file", keys])
    one = Driver(scene, [node], f"store=127.0.0.1:{store.port}")
    assert one.acquire(1, "f") > 0
    assert one.status("fence", 1, "k", "v") == OK
    assert one.ask("unset", 1, "k")[2:4] == [str(OK), "1"]
    assert one.ask("unset", 1, "k")[2:4] == [str(OK), "0"]
    assert one.ask("unset", 1, "nothing")[2:4] == [str(OK), "0"]
    assert one.status("release", 1) == OK
    assert one.ask("unset", 1, "k")[2:4] == [str(LOST), "-1"], "nothing is sent"

    # Of a cached lock, by hand.
    one.ask("open", 1, "g", 10000, "queued")
    assert int(one.ask("lock", 1, -1)[2]) == OK
    assert one.ask("fence-cached", 1, "g", "k", "w")[2:4] == [str(OK), "1"]
    assert store.ask("FENCE.GET", "k")[0] == "w"
    answer = one.ask("fence-cached", 1, "f", "k", "x")
    assert int(answer[2]) == driver.BAD_TOKEN, "it is signed for another lock"
    assert one.status("unlock", 1) == OK
    one.ask("drop", 1)
    soon("it is given back", lambda: is_free([node], "g"))
    answer = one.ask("fence-cached", 1, "g", "k", "x")
    assert answer[3] == "0" and int(answer[2]) != OK, "its signature is gone"
    one.quit()
    store.stop()
    node.stop()


def by_cluster_port(scene, nodes):
    """On the cluster's port a follower points at the leader with -MOVED."""

    class Face:
        def __init__(self, node):
            self.port = node.port + 100

    follower = nodes.followers()[0]
    answer = cluster.Client(follower.port + 100).command("LOCK.STATUS", "v")
    assert isinstance(answer, cluster.Error) and answer.code == "MOVED", answer
    one = Driver(scene, [Face(follower)])
    assert one.acquire(1, "v", 10000, 10000) > 0
    assert one.ask("command", "LOCK.BREAK", "nothing")[1:3] == ["0", "0"]
    assert one.status("release", 1) == OK
    assert "moved to" in one.log(), one.log()
    one.quit()


def wrong(scene, nodes):
    one = Driver(scene, nodes, "tls")
    assert one.hello[:2] == ["failed", str(NO_TLS)], one.hello
    port = cluster.free_ports(1)[0]

    class Nowhere:
        pass

    nowhere = Nowhere()
    nowhere.port = port
    one = Driver(scene, [nowhere], "timeout=500")
    assert one.hello[:2] == ["failed", str(UNREACHABLE)], one.hello
    # A list of which only the last lives will do.
    one = Driver(scene, [nowhere, nowhere, nodes[2]])
    assert one.hello[0] == "opened", one.hello
    assert one.acquire(1, "w") > 0
    one.quit()
    soon("closing gives back", lambda: is_free(nodes, "w"))

    locked = scene.make(1, ["--requirepass", "secret"])
    locked[0].start(wait=False)
    soon("it leads", lambda: "this node leads" in locked[0].log())
    one = Driver(scene, locked)
    assert one.hello[:2] == ["failed", str(DENIED)], one.hello
    one = Driver(scene, locked, "password=wrong")
    assert one.hello[:2] == ["failed", str(DENIED)], one.hello
    one = Driver(scene, locked, "password=secret")
    assert one.hello[0] == "opened", one.hello
    assert one.acquire(1, "w") > 0
    one.quit()


def test(scene):
    nodes = scene.cluster(3)
    one = Driver(scene, nodes)
    two = Driver(scene, nodes[::-1])
    take_and_give(nodes, one, two)
    cancel(nodes, one, two)
    share(nodes, one, two)
    many_of_one_key(nodes, one)
    all_at_once(nodes, one, two)
    all_cancelled(scene, nodes, one)
    all_or_none_is_lost_early(nodes, one, two)
    broken(nodes, one)
    thrown_out_of_the_queue(nodes, one, two)
    plain_commands(nodes, one)
    say("one client's counts:", one.stats())
    one.quit()
    two.quit()
    fenced(scene, nodes)
    signed(scene)
    by_cluster_port(scene, nodes)
    wrong(scene, nodes)


cluster.main(test, limit_s=60, brief=True)
