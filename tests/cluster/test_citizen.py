#!/usr/bin/env python3
"""What people and tools expect of any server of the Redis protocol."""

import socket
import sys

sys.dont_write_bytecode = True

import cluster
from cluster import say, soon


def test(scene):
    (node,) = nodes = scene.cluster(1)
    nodes.leader()
    a_web_page_is_not_served(node)
    errors_are_counted(node)
    what_leaves_is_counted_once(node)
    keys_are_counted(node)
    slow_commands_are_shown(node)
    the_level_of_the_log_is_changed(node)


def a_web_page_is_not_served(node):
    """A page may have a browser send what it likes to a port of the machine it
    runs on: nothing behind a header of HTTP is carried out."""
    body = b"SET stolen yes\r\n"
    for head in (
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nhOST: a\r\n",
        b"*1\r\n$4\r\npost\r\n",
    ):
        with socket.create_connection(("127.0.0.1", node.port), 5) as browser:
            browser.sendall(head + body)
            try:
                while browser.recv(4096):
                    pass
            except ConnectionResetError:
                pass
        assert node.ask("EXISTS", "stolen") == 0, head
    warnings = node.log().count("SECURITY ATTACK")
    assert warnings == 1, f"{warnings} lines for four attacks in a moment"
    say("nothing of a web page is carried out")


# ---- what is counted ----


def info(node, section):
    lines = node.ask("INFO", section).splitlines()
    return dict(line.split(":", 1) for line in lines if ":" in line)


def calls_of(node, command):
    text = info(node, "commandstats").get("cmdstat_" + command, "")
    return {k: float(v) for k, v in (part.split("=") for part in text.split(",") if part)}


def errors_are_counted(node):
    with node.client() as client:
        assert client.command("CONFIG", "RESETSTAT") == "OK"
        assert client.command("CONFIG", "SET", "max-ttl-ms", 100000) == "OK"
        token = client.command("LOCK.ACQUIRE", "held", "me", 60000)
        for words in (
            ["GET", "held"],
            ["SET", "held", "x"],
            ["NOSUCHCOMMAND"],
            ["GET"],
            ["SELECT", "x"],
            ["LOCK.ACQUIRE", "k", "me", 200000],
            ["FENCE.SET", "f", "1", "LOCK", "held", "TOKEN", token],
            ["FENCE.SET", "f", "1", "LOCK", "held", "TOKEN", 0],
        ):
            client.command(*words)
        client.send_raw(b"*x\r\n")
        assert str(client.read()).startswith("ERR Protocol error")
    errors = {k: v for k, v in info(node, "errorstats").items()}
    assert errors["errorstat_WRONGTYPE"] == "count=2", errors
    assert int(errors["errorstat_ERR"].split("=")[1]) >= 5, errors
    total = sum(int(v.split("=")[1]) for v in errors.values())
    assert int(info(node, "stats")["total_error_replies"]) == total, errors
    assert calls_of(node, "get")["failed_calls"] == 1
    acquire = calls_of(node, "lock.acquire")
    assert (acquire["calls"], acquire["rejected_calls"]) == (1, 1), acquire
    with node.client() as client:
        client.pipeline([["PING"]] * 1000)
    assert calls_of(node, "ping")["usec"] > 0
    assert node.ask("LOCK.RELEASE", "held", "me", token) == 1
    memory = {k: int(v) for k, v in info(node, "memory").items() if v.isdigit()}
    assert memory["used_memory"] <= memory["used_memory_peak"], memory
    assert memory["used_memory_peak"] < memory["used_memory_rss"], memory
    assert info(node, "persistence")["aof_enabled"] == "1"
    say(f"{total} errors are counted by word and by command")


def what_leaves_is_counted_once(node):
    """A client that reads slowly makes many turns of its output."""
    assert node.ask("SET", "long", "x" * 50000) == "OK"
    assert node.ask("CONFIG", "RESETSTAT") == "OK"
    with node.client() as slow:
        for _ in range(300):
            slow.send("GET", "long")
            assert node.ask("PING") == "PONG"
        assert all(len(slow.read()) == 50000 for _ in range(300))
        left = int(info(node, "stats")["total_net_output_bytes"])
    assert 300 * 50000 <= left <= 300 * 50000 * 1.01, left


def keys_are_counted(node):
    assert node.ask("CONFIG", "RESETSTAT") == "OK"
    assert node.ask("SET", "short", "x", "PX", 20) == "OK"
    node.ask("GET", "long")
    node.ask("GET", "missing")
    node.ask("GET", "missing")
    stats = info(node, "stats")
    assert (stats["keyspace_hits"], stats["keyspace_misses"]) == ("1", "2"), stats
    soon("it expired", lambda: info(node, "stats")["expired_keys"] == "1")
    assert node.ask("CONFIG", "RESETSTAT") == "OK"
    assert info(node, "stats")["expired_keys"] == "0"


def slow_commands_are_shown(node):
    with node.client() as client:
        assert client.command("SLOWLOG", "RESET") == "OK"
        assert client.command("CONFIG", "SET", "slowlog-log-slower-than", 0) == "OK"
        client.command("ECHO", "at once")
        client.command("SET", "through the log", "x" * 1000)
        client.command("DEL", *(f"k{i}" for i in range(50)))
        client.command("NOSUCHCOMMAND", "secret")
        assert client.command("CONFIG", "SET", "slowlog-log-slower-than", -1) == "OK"
        entries = {entry[3][0]: entry for entry in client.command("SLOWLOG", "GET", 10)}
        assert client.command("SLOWLOG", "RESET") == "OK"
    assert entries["ECHO"][3] == ["ECHO", "at once"], entries
    assert entries["SET"][3][2] == "x" * 128 + "... (872 more bytes)", entries
    assert len(entries["DEL"][3]) == 32, entries
    assert entries["DEL"][3][31] == "... (20 more arguments)", entries
    assert entries["SET"][2] > 0 and "NOSUCHCOMMAND" not in entries, entries


# ---- the log ----


def the_level_of_the_log_is_changed(node):
    """The core narrates while somebody wants to hear it."""
    assert " debug " not in node.log()
    assert node.ask("CONFIG", "SET", "loglevel", "debug") == "OK"
    node.ask("SET", "told", "x")
    soon("something is told", lambda: " debug " in node.log())
    assert node.ask("CONFIG", "SET", "loglevel", "notice") == "OK"
    told = node.log().count(" debug ")
    node.ask("SET", "told", "y")
    assert node.log().count(" debug ") == told


if __name__ == "__main__":
    cluster.main(test, limit_s=60)
