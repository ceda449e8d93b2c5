#!/usr/bin/env python3
"""At its limits a node refuses what is new, and goes on with what is there."""

import os
import shutil
import sys
import threading
import time

sys.dont_write_bytecode = True

import cluster
from cluster import Client, Closed, Error, say, soon
from test_idle import cpu_seconds

TTL = 600000


def test(scene):
    waiters_fill_a_node(scene)
    waiters_are_too_many(scene)
    a_waiter_floods_a_node(scene)
    silence_is_asked_after(scene)
    if shutil.which("prlimit") is None:
        say("the limit of open files: prlimit is not installed")
    else:
        files_are_few(scene)
        files_are_too_few(scene)
        files_may_be_more(scene)


# ---- asks-max ----


def waiters_fill_a_node(scene):
    """Who waits for a lock keeps nobody from giving it back (asks-max)."""
    most = 16
    nodes = scene.cluster(3, cluster.STEADY + ["--asks-max", str(most)])
    nodes.leader()
    for home in (nodes.leader(), nodes.followers()[0]):
        key = f"full-{home.id}"
        with home.client() as control:
            token = control.command("LOCK.ACQUIRE", key, "holder", TTL)
            assert isinstance(token, int), token
            waiters = [home.client() for _ in range(most + 1)]
            for i, waiter in enumerate(waiters):
                waiter.send("LOCK.ACQUIRE", key, f"waiter-{i}", TTL)
                if i < most:
                    soon("it waits", lambda n=i + 1: waiting(control, key) == n)
            refused = waiters[most].read(5)
            assert refused == Error("TRYAGAIN too much is under way"), refused

            assert control.command("LOCK.RENEW", key, "holder", token, TTL) > 0
            assert control.command("LOCK.CANCEL", key, "waiter-1") == 1
            assert waiters[1].read(5) is None
            assert control.map("LOCK.STATUS", key)["waiters"] == most - 1
            assert control.command("SET", f"data-{home.id}", "x") == "OK"
            assert control.command("LOCK.RELEASE", key, "holder", token) == 1
            assert waiters[0].read(5) > token
            assert control.command("LOCK.BREAK", key) == 1
            assert waiters[2].read(5) > token
            for waiter in waiters:
                waiter.close()
    say(f"{most} requests waited, and what was not a request for a lock was served")
    for node in nodes:
        node.stop()


# ---- waiters-max ----


def waiters_are_too_many(scene):
    """Only one more waiter is too many: not who waits already and asks again,
    and not who is granted what is free."""
    (node,) = scene.cluster(1, ["--waiters-max", "2", "--waiters-per-key-max", "2"])
    with node.client() as control:
        token = control.command("LOCK.ACQUIRE", "busy", "holder", TTL)
        waiters = [node.client() for _ in range(2)]
        for i, waiter in enumerate(waiters):
            waiter.send("LOCK.ACQUIRE", "busy", f"waiter-{i}", TTL)
            soon("it waits", lambda n=i + 1: waiting(control, "busy") == n)
        full = Error("NOQUEUE too many requests are waiting")
        assert control.command("LOCK.ACQUIRE", "busy", "third", TTL) == full
        words = ["LOCK.ACQUIRE", "busy", "waiter-1", TTL, "SHARED"]
        assert control.command(*words) == full, "another mode is another request"
        again = node.client()
        again.send("LOCK.ACQUIRE", "busy", "waiter-1", TTL)
        free = control.command("LOCK.ACQUIRE", "free", "third", TTL)
        assert free > token, free
        words = ["LOCK.ACQUIRE", "busy", "holder", TTL]
        assert control.command(*words) == token, "who holds it asks again"
        assert waiting(control, "busy") == 2
        assert control.command("LOCK.RELEASE", "busy", "holder", token) == 1
        first = waiters[0].read(5)
        assert control.command("LOCK.RELEASE", "busy", "waiter-0", first) == 1
        assert waiters[1].read(5) == again.read(5) > first
        for client in waiters + [again]:
            client.close()
    say("one waiter more than there may be is refused, and nobody else")
    node.stop()


# ---- client-query-buffer-limit ----


def a_waiter_floods_a_node(scene):
    """Nobody gets a lock whose end was not noticed because nothing was read."""
    (node,) = scene.cluster(1, ["--client-query-buffer-limit", "1mb"])
    with node.client() as control, node.client() as waiter:
        token = control.command("LOCK.ACQUIRE", "flood", "holder", TTL)
        waiter.send("LOCK.ACQUIRE", "flood", "waiter", TTL)
        soon("it waits", lambda: waiting(control, "flood") == 1)
        try:
            waiter.send_raw(waiter.encode("PING") * 200000)
        except OSError:
            pass
        waiter.close()
        soon("it left", lambda: waiting(control, "flood") == 0)
        assert control.command("LOCK.RELEASE", "flood", "holder", token) == 1
        assert control.map("LOCK.STATUS", "flood")["mode"] == "free"
        lines = [line for line in node.log().splitlines() if "closing client" in line]
        assert len(lines) == 1 and "client-query-buffer-limit" in lines[0], lines

        # Who does not wait is served, however much it sends at once.
        with node.client(timeout=30) as busy:
            sender = threading.Thread(
                target=busy.send_raw, args=(busy.encode("PING") * 200000,)
            )
            sender.start()
            assert all(busy.read(20) == "PONG" for _ in range(200000))
            sender.join()
    say("a waiter that sent too much is closed")
    node.stop()


# ---- tcp-keepalive ----


def silence_is_asked_after(scene):
    (node,) = scene.cluster(1, ["--tcp-keepalive", "200"])
    with node.client() as first:
        assert first.command("CONFIG", "SET", "tcp-keepalive", 0) == "OK"
        with node.client() as second:
            assert second.command("PING") == "PONG"
            soon("a timer", lambda: 100 < asked_after(node, first) <= 200)
            assert asked_after(node, second) is None
    node.stop()


def asked_after(node, client):
    """In how many seconds the node's end of a connection will be asked after,
    from the table of the kernel; None: never."""
    wanted = f"0100007F:{node.port:04X} 0100007F:{client.socket.getsockname()[1]:04X}"
    with open("/proc/net/tcp", encoding="ascii") as table:
        row = next(line for line in table if wanted in line).split()
    timer, when = row[5].split(":")
    return int(when, 16) / os.sysconf("SC_CLK_TCK") if timer == "02" else None


# ---- open files ----


def files_are_few(scene):
    """Clients have what the disk and the other nodes leave. Who does not even
    know the password neither ends the node nor keeps it busy."""
    (node,) = scene.make(1, ["--requirepass", "secret", *cluster.PATIENT])
    node.start(before=["prlimit", "--nofile=280:280"], wait=False)
    soon("it listens", lambda: "serves clients" in node.log())
    most = 280 - 224
    assert f"maxclients is {most} and not 10000" in node.log(), node.log()
    with node.client() as client:
        assert client.command("AUTH", "secret") == "OK"
        assert client.command("CONFIG", "GET", "maxclients") == ["maxclients", str(most)]
        crowd = [Client(node.port) for _ in range(100)]
        replies = [dismissal(one) for one in crowd[most:]]
        assert set(replies) == {Error("ERR max number of clients reached")}, replies
        # A log of LevelDB has 16 MB, then it needs another file.
        for i in range(1000):
            assert client.command("SET", f"key-{i % 10}", "x" * 40000) == "OK"
        before = cpu_seconds(node)
        time.sleep(1.0)
        used = cpu_seconds(node) - before
        assert used < 0.3, f"{used} s of one second with nothing to do"
        refused = client.command("CONFIG", "SET", "maxclients", 5000)
        assert refused == Error(
            "ERR CONFIG SET failed (possibly related to argument 'maxclients') - "
            "The operating system is not able to handle the specified number of "
            f"clients, try with {most}"
        ), refused
        assert client.command("CONFIG", "SET", "maxclients", 40) == "OK"
        for one in crowd:
            one.close()
    say(f"280 files: {most} clients, and a disk that has its own")
    node.stop()


def dismissal(client):
    try:
        return client.read(5)
    except Closed:
        return None


def files_are_too_few(scene):
    (node,) = scene.make(1)
    node.start(before=["prlimit", "--nofile=100:100"], wait=False)
    assert node.ends() == 1
    line = node.last_line()
    assert "the limit of open files is 100: raise it (ulimit -n)" in line, line


def files_may_be_more(scene):
    (node,) = scene.make(1)
    node.start(before=["prlimit", "--nofile=100:20000"])
    assert "maxclients" not in node.log(), node.log()
    assert node.ask("CONFIG", "SET", "maxclients", 15000) == "OK"
    assert node.ask("CONFIG", "GET", "maxclients")[1] == "15000"
    with open(f"/proc/{node.process.pid}/limits", encoding="ascii") as limits:
        files = next(line for line in limits if line.startswith("Max open files"))
    assert int(files.split()[3]) >= 16000, files
    node.stop()


def waiting(client, key):
    return len(client.maps("LOCK.QUEUE", key))


if __name__ == "__main__":
    cluster.main(test, limit_s=90)
