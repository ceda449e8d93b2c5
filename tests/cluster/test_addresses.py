#!/usr/bin/env python3
"""Where nodes listen: at several addresses, at those of IPv6, at none that is
missing; and what they say when they cannot."""

import os
import socket
import stat
import subprocess
import sys

sys.dont_write_bytecode = True

import cluster
from cluster import Client, Skip, say, soon

# Kept for examples (RFC 5737): nobody has it.
NOBODYS = "192.0.2.1"
TTL = 600000


def test(scene):
    what_cannot_be(scene)
    what_check_config_finds(scene)
    a_unix_socket(scene)
    if not has_v6():
        raise Skip("this machine has no ::1")
    both_kinds(scene)
    all_of_both_kinds(scene)
    only_v6(scene)


def has_v6():
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as probe:
            probe.bind(("::1", 0))
        return True
    except OSError:
        return False


def what_cannot_be(scene):
    """In one line with the reason, and before a directory is made."""
    (port,) = cluster.free_ports(1)
    with socket.create_server(("127.0.0.1", port)):
        (node,) = scene.make(1)
        used = "Address already in use"
        missing = "Cannot assign requested address"
        for options, wanted in (
            (["--port", str(port)], f"at 127.0.0.1 port {port}: {used}"),
            (["--raft-port", str(port)], f"for peers at 127.0.0.1 port {port}: {used}"),
            (["--bind", NOBODYS], f"at {NOBODYS} port {node.port}: {missing}"),
            (["--bind", "-" + NOBODYS], "this machine has none of the addresses"),
            (["--bind", "-127.0.0.1", "--port", str(port)], used),
            (["--bind", "not.an.address.invalid"], "bind: not.an.address.invalid is"),
            (["--logfile", "/nowhere/log"], "/nowhere/log: No such file"),
            (["--unixsocket", "/nowhere/socket"], "/nowhere/socket: No such file"),
        ):
            node.options = options
            node.members = ""
            node.start(wait=False)
            assert node.ends() == 1, options
            assert wanted in node.last_line(), (options, node.last_line())
            made = os.path.exists(node.dir)
            assert made == ("--unixsocket" in options), (options, made)
    say("what cannot be is said before anything is made")


def what_check_config_finds(scene):
    """What a start would refuse is refused with file and line."""
    path = os.path.join(scene.folder, "holdfast.conf")
    keys = os.path.join(scene.folder, "keys")
    for lines, wanted in (
        ("port 7001\nbind 127.0.0.1 ::1\n", None),
        ("bind not.an.address.invalid\n", "1: bind: not.an.address.invalid is"),
        (f"port 7001\nfence-secret-file {keys}\n", "2: fence-secret-file: No such"),
    ):
        check_config(path, lines, wanted)
    with open(keys, "w", encoding="ascii") as file:
        file.write("first " + "0" * 63 + "\n")
    os.chmod(keys, 0o644)
    check_config(path, f"fence-secret-file {keys}\n", "its mode is 0644")
    os.chmod(keys, 0o600)
    check_config(path, f"fence-secret-file {keys}\n", "1: fence-secret-file: ")
    with open(keys, "w", encoding="ascii") as file:
        file.write("first " + "0" * 64 + "\n")
    check_config(path, f"fence-secret-file {keys}\n", None)
    say("--check-config finds what a start would")


def check_config(path, lines, wanted):
    with open(path, "w", encoding="ascii") as file:
        file.write(lines)
    for program in ("holdfastd", "holdfast-store"):
        done = subprocess.run(
            [cluster.program(program), "--check-config", path],
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
        if wanted is None:
            assert done.returncode == 0 and done.stdout == f"{path}: fine\n", done
        else:
            assert done.returncode == 1, done
            assert done.stderr.startswith(f"{program}: {path}:"), done
            assert wanted in done.stderr, done


def a_unix_socket(scene):
    (node,) = scene.make(1)
    path = os.path.join(scene.folder, "socket")
    node.options = ["--unixsocket", path, "--unixsocketperm", "750"]
    node.start()
    state = os.stat(path)
    assert stat.S_ISSOCK(state.st_mode) and stat.S_IMODE(state.st_mode) == 0o750
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
        client.sendall(b"PING\r\n")
        assert client.recv(100) == b"+PONG\r\n"
    node.stop()
    assert not os.path.exists(path), "the socket was left behind"
    say("a Unix socket is removed at the end")


def both_kinds(scene):
    """Every port at every address that is there, raft-port too."""
    (node,) = scene.make(1, ["--bind", "127.0.0.1", "-" + NOBODYS, "::1"])
    node.start()
    for host in ("127.0.0.1", "::1"):
        with Client(node.port, host=host) as client:
            assert client.command("PING") == "PONG"
        for port in (node.port + 100, node.port + 10000):
            socket.create_connection((host, port), 5).close()
    node.stop()
    say("at two addresses, and a third that is missing")


def all_of_both_kinds(scene):
    (node,) = scene.make(1, ["--bind", "*", "-::*"])
    node.start()
    for host in ("127.0.0.1", "::1"):
        with Client(node.port, host=host) as client:
            assert client.command("PING") == "PONG"
        socket.create_connection((host, node.port + 10000), 5).close()
    node.stop()
    say("at all addresses of both kinds")


def only_v6(scene):
    nodes = scene.make(3, cluster.STEADY + ["--bind", "::1"])
    for node in nodes:
        node.host = "::1"
        node.members = ",".join(f"{n.id}=[::1]:{n.port}" for n in nodes)
        node.start(wait=False)
    for node in nodes:
        node.wait_up()
    follower = (nodes.leader() and nodes.followers())[0]
    token = follower.ask("LOCK.ACQUIRE", "v6", "me", TTL)
    assert isinstance(token, int), token
    assert nodes.leader().status()["leader-addr"].startswith("[::1]:")
    nodes.leader().kill()
    survivor = soon("a new leader", nodes.leader)
    with survivor.client() as client:
        assert cluster.patient(client, "LOCK.RELEASE", "v6", "me", token) == 1
    say("a cluster of IPv6 alone")
    for node in nodes:
        node.kill()


if __name__ == "__main__":
    cluster.main(test, limit_s=60)
