#!/usr/bin/env python3
"""Signed tokens: what the cluster granted is accepted by store and cluster,
everything else is -BADTOKEN; keys are changed without a pause."""

import os
import signal
import subprocess
import sys
import threading

sys.dont_write_bytecode = True

import cluster
from cluster import Error, patient, say, soon
from resp import as_map

BAD = Error("BADTOKEN this token was not granted so")
SECRETS = {
    "k1": "11" * 32,
    "k2": "22" * 32,
    "other": "33" * 32,
}


def write_keys(path, *ids):
    """As an administrator should: a new file, put in the place of the old."""
    with open(path + ".new", "w", encoding="ascii") as file:
        os.chmod(path + ".new", 0o600)
        file.write("# keys\n" + "".join(f"{i} {SECRETS[i]}\n" for i in ids))
    os.rename(path + ".new", path)


def test(scene):
    keys = os.path.join(scene.folder, "keys")
    write_keys(keys, "k1")
    nodes = scene.cluster(3, ["--fence-secret-file", keys])
    store = scene.store(["--fence-secret-file", keys])
    with nodes[0].client() as locks:
        for target in [store] + nodes:
            accepted_and_refused(locks, target)
    one_cluster_only(scene, nodes, store, keys)
    rotation(scene, nodes, store, keys)
    too_early(nodes, store, keys)
    bad_files(scene, nodes, store, keys)


def acquire(locks, key, owner, *words):
    grant = as_map(
        patient(locks, "LOCK.ACQUIRE", key, owner, 60000, "WITHINFO", *words)
    )
    return grant["token"], grant["signature"]


def fenced(client, key, token, *proof, lock="lock"):
    return patient(
        client, "FENCE.SET", key, "v", "LOCK", lock, "TOKEN", token, *proof
    )


def accepted_and_refused(locks, target):
    lock = f"lock-{target.port}"
    token, signature = acquire(locks, lock, "ann")
    assert signature.startswith("1.k1."), signature
    shared_token, shared = acquire(locks, lock + "-shared", "ann", "SHARED")
    assert acquire(locks, lock, "ann")[1] == signature, "asked again, another one"
    proof = ["OWNER", "ann", "SIG", signature]

    def changed(at, letter):
        return signature[:at] + letter + signature[at + 1 :]

    with target.client() as client:
        assert fenced(client, "a", token, *proof, lock=lock) == "OK"
        assert (
            fenced(client, "b", shared_token, "OWNER", "ann", "SIG", shared, lock=lock + "-shared")
            == "OK"
        )
        for reply in (
            fenced(client, "a", token, lock=lock),
            fenced(client, "a", token + 1, *proof, lock=lock),
            fenced(client, "a", 9007199254740991, *proof, lock=lock),
            fenced(client, "a", token, *proof, lock=lock + "x"),
            fenced(client, "a", token, "OWNER", "ben", "SIG", signature, lock=lock),
            fenced(client, "a", token, "OWNER", "ann", "SIG", "", lock=lock),
            fenced(client, "a", token, "OWNER", "ann", "SIG", changed(3, "9"), lock=lock),
            fenced(client, "a", token, "OWNER", "ann", "SIG", signature[:-1], lock=lock),
            fenced(
                client, "a", token, "OWNER", "ann", "SIG", changed(len(signature) - 1, "x"), lock=lock
            ),
            fenced(client, "a", token, "OWNER", "ann", "SIG", shared, lock=lock),
            patient(client, "FENCE.DEL", "a", "LOCK", lock, "TOKEN", token),
            patient(client, "FENCE.DEL", "a", "LOCK", lock, "TOKEN", token + 1, *proof),
        ):
            assert reply == BAD, reply
        assert patient(client, "FENCE.GET", "a") == ["v", lock, token]
        assert patient(client, "FENCE.LAST", lock) == token, "a forged token raised it"
        # A token that was granted and is stale is fenced, not bad.
        patient(locks, "LOCK.RELEASE", lock, "ann", token)
        newer, signed = acquire(locks, lock, "ben")
        assert fenced(client, "a", newer, "OWNER", "ben", "SIG", signed, lock=lock) == "OK"
        reply = fenced(client, "a", token, *proof, lock=lock)
        assert reply == Error(f"FENCED token {token} is older than {newer}"), reply


def one_cluster_only(scene, nodes, store, keys):
    """Of two clusters with the same secret a store can be told to believe
    one."""
    own = nodes[0].status()["cluster-id"]
    good = scene.store(["--fence-secret-file", keys, "--fence-cluster-id", own])
    strict = scene.store(["--fence-secret-file", keys, "--fence-cluster-id", "0" * 32])
    with nodes[0].client() as locks:
        token, signature = acquire(locks, "mine", "ann")
    proof = ["OWNER", "ann", "SIG", signature]
    with good.client() as client, strict.client() as other:
        assert fenced(client, "a", token, *proof, lock="mine") == "OK"
        assert fenced(other, "a", token, *proof, lock="mine") == BAD
    alone = scene.cluster(1, ["--fence-secret-file", keys])[0]
    with alone.client() as client, store.client() as any_cluster:
        assert fenced(client, "a", token, *proof, lock="mine") == BAD
        token, signature = acquire(client, "theirs", "ann")
        proof = ["OWNER", "ann", "SIG", signature]
        assert fenced(client, "a", token, *proof, lock="theirs") == "OK"
        assert fenced(any_cluster, "a", token, *proof, lock="theirs") == "OK"
    for server in (good, strict, alone):
        server.stop()


def reload(servers, line):
    for server in servers:
        before = server.log().count(line)
        server.signal(signal.SIGHUP)
        soon(f"{server} says {line}", lambda s=server, b=before: s.log().count(line) > b)


def take_keys(servers, path, *ids):
    """A new file, and servers hear of it one by one."""
    write_keys(path, *ids)
    for server in servers:
        line = f"tokens are signed with key {ids[0]}; keys known: {len(ids)}"
        if isinstance(server, cluster.Store):
            line = f"are checked; keys known: {len(ids)}, the first is {ids[0]}"
        reload([server], line)
        yield server


class Writers:
    """A thread for each server, in which owners go on writing with the
    signatures that they have."""

    def __init__(self, servers):
        self.held = []
        self.stopped = False
        self.wrong = []
        self.counts = {server: 0 for server in servers}
        self.threads = [threading.Thread(target=self.run, args=[s]) for s in servers]
        for thread in self.threads:
            thread.start()

    def run(self, server):
        try:
            with server.client() as client:
                while not self.stopped and not self.wrong:
                    for key, token, proof in list(self.held):
                        reply = fenced(client, key + "-data", token, *proof, lock=key)
                        if reply != "OK":
                            self.wrong.append((server, key, proof, reply))
                        self.counts[server] += 1
        except Exception as error:  # told by the main thread
            self.wrong.append((server, error))

    def go_on(self):
        """Every server sees all that is held now, and none refuses it."""
        before = {s: count + 2 * len(self.held) for s, count in self.counts.items()}
        soon(
            "all write",
            lambda: self.wrong or all(self.counts[s] > before[s] for s in self.counts),
        )
        assert not self.wrong, self.wrong

    def stop(self):
        self.stopped = True
        for thread in self.threads:
            thread.join()
        assert not self.wrong, self.wrong


def rotation(scene, nodes, store, keys):
    """Known everywhere first, then used, then the old one goes. Writers never
    hear BADTOKEN meanwhile, also while only some have heard of it."""
    everybody = [nodes[0], store, nodes[1], nodes[2]]
    writers = Writers(everybody)
    taken = 0

    def take(node, key, wanted):
        with node.client() as locks:
            token, signature = acquire(locks, key, "ann")
        assert signature.startswith(f"1.{wanted}."), (key, signature)
        return key, token, ["OWNER", "ann", "SIG", signature]

    def step(*ids):
        """Grants are made meanwhile by those that know and those that do not
        yet."""
        nonlocal taken
        signs = {node: current for node in nodes}
        for server in take_keys(everybody, keys, *ids):
            signs[server] = ids[0]
            for node in nodes:
                taken += 1
                writers.held.append(take(node, f"step{taken}", signs[node]))
            writers.go_on()

    current = "k1"
    first = take(nodes[1], "first", "k1")
    writers.held.append(first)
    writers.go_on()
    step("k1", "k2")
    step("k2", "k1")
    # The signature of a grant that goes on is fetched anew.
    current = "k2"
    again = [take(nodes[2], key, "k2") for key, _, _ in writers.held]
    writers.held[:] = again
    writers.go_on()
    step("k2")
    writers.stop()
    for server in everybody:
        with server.client() as client:
            assert fenced(client, "data", first[1], *first[2], lock="first") == BAD
            assert again[0][0] == "first"
            assert fenced(client, "data", first[1], *again[0][2], lock="first") == "OK"
    say(f"keys were changed under {sum(writers.counts.values())} writes")


def too_early(nodes, store, keys):
    """A key that signs before all know it: those that do not refuse what it
    signed, and take it once they have heard of it."""
    everybody = [*nodes, store]
    steps = take_keys(everybody, keys, "other", "k2")
    assert next(steps) is nodes[0]
    with nodes[0].client() as locks:
        token, signature = acquire(locks, "early", "ann")
    assert signature.startswith("1.other."), signature
    proof = ["OWNER", "ann", "SIG", signature]
    knows = {nodes[0]}
    while knows:
        for server in everybody:
            with server.client() as client:
                reply = fenced(client, "data", token, *proof, lock="early")
                assert reply == ("OK" if server in knows else BAD), (server, reply)
        server = next(steps, None)
        if server is None:
            break
        knows.add(server)
    assert len(knows) == len(everybody)


def bad_files(scene, nodes, store, keys):
    """A bad file on HUP changes nothing; at the start it is refused."""
    with nodes[0].client() as locks:
        token, signature = acquire(locks, "stays", "ann")
        proof = ["OWNER", "ann", "SIG", signature]
        os.chmod(keys, 0o644)
        reload([store, nodes[0]], "the keys stay as they were")
        assert acquire(locks, "stays", "ann") == (token, signature)
        with store.client() as client:
            assert fenced(client, "s", token, *proof, lock="stays") == "OK"
            assert fenced(client, "s", token, lock="stays") == BAD
        program = cluster.program("holdfast-store")
        for text, mode, words in (
            ("k1 " + SECRETS["k1"], 0o644, "its mode is 0644"),
            ("k1 abc", 0o600, "the secret in line 1 is not"),
            ("", 0o600, "there is no key in it"),
            (None, 0, "No such file or directory"),
        ):
            path = os.path.join(scene.folder, "bad")
            if text is None:
                os.unlink(path)
            else:
                with open(path, "w", encoding="ascii") as file:
                    file.write(text)
                os.chmod(path, mode)
            done = subprocess.run(
                [program, "--port", str(cluster.free_ports(1)[0]), "--dir",
                 path + "-data", "--fence-secret-file", path],
                capture_output=True, text=True, timeout=30, check=False,
            )  # fmt: skip
            assert done.returncode == 1, done
            assert words in done.stderr, done.stderr
            assert SECRETS["k1"][:8] not in done.stderr


if __name__ == "__main__":
    cluster.main(test, limit_s=60, brief=True)
