#!/usr/bin/env python3
"""holdfast-store is a server like holdfastd: the same front end, limits,
options and signals, and what it accepted is there after a restart."""

import os
import signal
import subprocess
import sys

sys.dont_write_bytecode = True

import cluster
from cluster import Client, Closed, Error, Store, say, soon


def test(scene):
    store = scene.store()
    unsigned = "no fence-secret-file: fenced writes are taken without signatures"
    assert unsigned in store.log(), store.log()
    fencing(store)
    front_end(store)
    restart(store)
    directories(scene, store)
    password(scene)
    options(scene)
    failing_disk(scene)


def fencing(store):
    with store.client() as client, store.client() as other:
        assert client.command("FENCE.LAST", "k") == 0
        assert client.command("FENCE.SET", "a", "1", "b", "2", "LOCK", "k", "TOKEN", 84) == "OK"
        stale = other.command("FENCE.SET", "a", "9", "c", "9", "LOCK", "k", "TOKEN", 83)
        assert stale == Error("FENCED token 83 is older than 84"), stale
        assert other.command("FENCE.GET", "a") == ["1", "k", 84]
        assert other.command("FENCE.GET", "c") is None, "half a write"
        assert other.command("FENCE.DEL", "b", "c", "LOCK", "k", "TOKEN", 85) == 1
        assert client.command("FENCE.LAST", "k") == 85
        # Databases are apart, fences are not.
        assert other.command("SELECT", 3) == "OK"
        assert other.command("FENCE.GET", "a") is None
        stale = other.command("FENCE.SET", "a", "3", "LOCK", "k", "TOKEN", 84)
        assert stale.code == "FENCED", stale
        assert other.command("FENCE.SET", "a", "3", "LOCK", "k", "TOKEN", 85) == "OK"
        assert client.command("FENCE.GET", "a") == ["1", "k", 84]
        # Requests of one connection are carried out in their order.
        replies = client.pipeline(
            [["FENCE.SET", "p", i, "LOCK", "pipe", "TOKEN", i + 1] for i in range(500)]
            + [["FENCE.GET", "p"]]
            + [["FENCE.SET", "p", "x", "LOCK", "pipe", "TOKEN", 499], ["PING"]]
        )
        assert replies[:500] == ["OK"] * 500
        assert replies[500] == ["499", "pipe", 500], replies[500]
        assert replies[501].code == "FENCED" and replies[502] == "PONG"
        value = "v" * 50000
        assert client.command("FENCE.SET", "big", value, "LOCK", "k", "TOKEN", 85) == "OK"
        assert client.command("FENCE.GET", "big") == [value, "k", 85]
        reply = client.command("FENCE.SET", "big", value * 2, "LOCK", "k", "TOKEN", 85)
        assert reply == Error("ERR the request is longer than the limit allows"), reply


def front_end(store):
    with store.client(protocol=3) as client:
        assert client.hello["role"] == "master" and client.hello["mode"] == "standalone"
        assert client.command("FENCE.GET", "nothing") is None
        for words in (["LOCK.ACQUIRE", "k", "o", 1], ["RAFT.STATUS"], ["CLUSTER", "INFO"]):
            reply = client.command(*words)
            assert "unknown command" in str(reply), reply
        reply = client.command("CONFIG", "GET", "*")
        names = set(reply)
        assert {"port", "dir", "maxclients"} <= names, names
        assert not {"id", "raft-port", "election-ms", "waiters-max"} & names, names
        info = client.command("INFO")
        assert "# Store" in info and "store_writes:" in info, info
        assert "# Raft" not in info and "# Locks" not in info, info
        assert client.command("CONFIG", "SET", "maxclients", "3") == "OK"
        clients = [store.client() for _ in range(2)]
        with Client(store.port) as refused:
            reply = refused.read(5)
            assert reply == Error("ERR max number of clients reached"), reply
        for other in clients:
            other.close()
        assert client.command("CONFIG", "SET", "maxclients", "100") == "OK"
        assert client.command("DEBUG", "HELP") is not None
        client.send_raw(b"*1\r\n$-5\r\n")
        assert client.read(5).code == "ERR"


def restart(store):
    store.signal(signal.SIGHUP)
    assert store.ask("PING") == "PONG"
    store.stop()
    store.start()
    with store.client() as client:
        assert client.command("FENCE.GET", "a") == ["1", "k", 84]
        assert client.command("FENCE.LAST", "k") == 85
        assert client.command("FENCE.SET", "a", "0", "LOCK", "k", "TOKEN", 84).code == "FENCED"


def directories(scene, store):
    second = Store(scene, cluster.free_ports(1)[0], [])
    scene.nodes.append(second)
    second.dir = store.dir
    second.start(wait=False)
    assert second.ends() == 1
    assert "in use by another process" in second.last_line(), second.last_line()
    node = scene.make(1)[0]
    node.dir = os.path.join(scene.folder, "node")
    node.start(wait=False)
    soon("the node runs", lambda: os.path.exists(node.dir + "/db/CURRENT"))
    node.wait_up()
    node.stop()
    second.dir = node.dir
    second.start(wait=False)
    assert second.ends() == 1
    assert "it is not of holdfast-store" in second.last_line(), second.last_line()


def password(scene):
    store = scene.store()
    assert store.ask("CONFIG", "SET", "requirepass", "secret") == "OK"
    with store.client() as client:
        assert client.command("FENCE.LAST", "k").code == "NOAUTH"
        assert client.command("AUTH", "secret") == "OK"
        assert client.command("FENCE.LAST", "k") == 0


def options(scene):
    program = cluster.program("holdfast-store")

    def run(*words):
        done = subprocess.run(
            [program, *words], capture_output=True, text=True, timeout=20, check=False
        )
        return done.returncode, (done.stdout + done.stderr).strip()

    assert run("--version")[1].startswith("holdfast-store ")
    code, text = run("--election-ms", "5")
    assert (code, text) == (
        1,
        "holdfast-store: command line: election-ms: no such directive",
    ), text
    code, text = run("--fence-secret-file", "")
    assert code == 1 and "argument must not be empty" in text, text
    code, text = run("--help")
    assert code == 0 and "--port port (8000)" in text and "holdfast-store(8)" in text
    path = os.path.join(scene.folder, "store.conf")
    with open(path, "w", encoding="ascii") as file:
        file.write("port 8123\nid 3\n")
    code, text = run("--check-config", path)
    assert code == 1 and text.endswith("store.conf:2: id: no such directive"), text
    say("options are its own")


def failing_disk(scene):
    """A write that fails ends the store; nothing of it was acknowledged."""
    store = scene.store(start=False)
    log = store.dir + ".own-log"
    store.options += ["--logfile", log]
    store.start(before=["prlimit", "--fsize=600000"])
    acknowledged = 0
    try:
        with store.client() as client:
            while acknowledged < 1000:
                n = acknowledged + 1
                reply = client.command(
                    "FENCE.SET", "k", f"{n} " + "x" * 20000, "LOCK", "l", "TOKEN", n
                )
                assert reply == "OK", reply
                acknowledged = n
    except (OSError, Closed):
        pass
    assert store.ends() == 74, store.last_line()
    assert "nothing of it counts as durable" in store.last_line(), store.last_line()
    with open(log, encoding="utf-8") as file:
        assert "nothing of it counts as durable" in file.read()
    store.start()
    last = store.ask("FENCE.LAST", "l")
    assert acknowledged <= last <= acknowledged + 1, (last, acknowledged)
    value, lock, token = store.ask("FENCE.GET", "k")
    assert (value.split()[0], lock, token) == (str(last), "l", last)
    say(f"the disk was full after {acknowledged} writes")


if __name__ == "__main__":
    cluster.main(test, limit_s=60, brief=True)
