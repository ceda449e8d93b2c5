#!/usr/bin/env python3
"""The tool holdfast on a real cluster: what it prints, what it exits with, and
that no process of its command outlives the lease, whoever is killed or stopped.

The tool is $HOLDFAST_TOOL, or holdfast beside holdfastd. Names of shows as
arguments run those alone."""

import json
import os
import pty
import select
import signal
import socket
import subprocess
import sys
import time
import traceback

sys.dont_write_bytecode = True

import cluster
from cluster import Closed, Error, Timeout, say, soon
from resp import as_map

LOST, UNREACHABLE, NOT_OBTAINED, FAILED = 122, 123, 124, 125

# A command that leaves its own process id and that of a child in a file, and
# stays. Both write the time of day into files as long as they live.
BUSY = """
base=$1
beat() { while :; do date +%s.%N > "$1.new" && mv "$1.new" "$1"; sleep 0.05; done; }
trap 'echo TERM > "$base.term"' TERM
(trap '' TERM; beat "$base.child") &
echo $! $$ > "$base.pids.new" && mv "$base.pids.new" "$base.pids"
beat "$base.beat"
"""


# Processes that leave the group of the command $1, each in its own way, and
# their ids: one with a group of its own, one with a session of its own, and one
# that stays while its parent leaves. The command ends when $1.go is there.
ESCAPE = """
import os, sys, time
pid = os.fork()
if pid:
    os.setpgid(0, 0)
print(os.getpid(), file=open(sys.argv[1] + ".ids", "a"))
time.sleep(300)
"""
ESCAPES = """
note='echo $$ >>"$1.ids"; exec sleep 300'
timeout 300 sh -c "$note" sh "$1" &
echo $! >>"$1.ids"
setsid sh -c "trap '' TERM; $note" sh "$1" &
"$2" -c "$3" "$1" &
while [ ! -e "$1.go" ]; do sleep 0.05; done
exit 5
"""


class Tool:
    """Calls of the tool, with the cluster it is for."""

    def __init__(self, scene, nodes):
        beside = os.path.join(os.path.dirname(scene.program), "holdfast")
        self.program = os.path.abspath(os.environ.get("HOLDFAST_TOOL", beside))
        if not os.access(self.program, os.X_OK):
            raise cluster.Skip(f"no {self.program}")
        self.scene = scene
        self.nodes = nodes
        self.started = []
        self.escaped = []  # from groups of commands
        self.environment = {
            k: v for k, v in os.environ.items() if not k.startswith("HOLDFAST")
        }
        self.environment["HOLDFAST_NODES"] = ",".join(
            f"127.0.0.1:{n.port}" for n in nodes
        )

    def file(self, name):
        return os.path.join(self.scene.folder, name)

    def call(self, *words, code=0, **environment):
        """Run it to its end, and its output."""
        done = subprocess.run(
            [self.program, *map(os.fsencode, map(str, words))],
            env=dict(self.environment, **environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=40,
            check=False,
        )
        output, errors = done.stdout.decode(), done.stderr.decode()
        assert done.returncode == code, (words, done.returncode, output, errors)
        return output

    def json(self, *words, code=0):
        return json.loads(self.call(*words, "--json", code=code))

    def change(self, *words, until, within=30.0):
        """As an operator: what was refused for now is asked again, and what is
        uncertain is looked after."""
        deadline = time.monotonic() + within
        while True:
            done = subprocess.run(
                [self.program, *words, "--json"],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=40,
                check=False,
            )
            if done.returncode == 0:
                seen = json.loads(done.stdout)
                assert seen["action"] == words[1] and seen["done"] is True, seen
                soon(f"{words} is done", until, within=20)
                return
            if until():
                return
            assert time.monotonic() < deadline, (words, done)
            assert done.returncode in (1, UNREACHABLE), (words, done)
            time.sleep(0.1)

    def member(self, number):
        """What cluster status says of it; None if it is none."""
        try:
            seen = self.json("-T2", "cluster", "status")
        except AssertionError:
            return {"vote": "", "answered": False, "leader": False}
        found = [m for m in seen["members"] if m["id"] == number]
        return found[0] if found else None

    def start(self, *words):
        process = subprocess.Popen(
            [self.program, *map(str, words)],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.started.append(process)
        return process

    def busy(self, name, *words):
        """BUSY under run or elect: the process of the tool, and the ids of the
        command's two as soon as they are known."""
        path = self.file(name)
        tool = self.start(*words, "--", "sh", "-c", BUSY, "sh", path)
        return tool, soon(f"{name} runs", lambda: self.ids(name), within=20)

    def escapes(self, name, *words):
        """ESCAPES under run: the process of the tool, and the ids."""
        path = self.file(name)
        script = ["sh", "-c", ESCAPES, "sh", path, sys.executable, ESCAPE]
        tool = self.start(*words, "--", *script)

        def found():
            try:
                with open(path + ".ids", encoding="ascii") as file:
                    ids = [int(word) for word in file.read().split()]
            except FileNotFoundError:
                return None
            return ids if len(ids) == 5 else None

        ids = soon(f"{name} runs", found, within=20)
        self.escaped += ids
        assert not any(not is_alive(pid) for pid in ids)
        return tool, ids

    def ids(self, name):
        try:
            with open(self.file(name + ".pids"), encoding="ascii") as file:
                return [int(word) for word in file.read().split()]
        except FileNotFoundError:
            return None

    def last_beat(self, name):
        """When the command or its child last wrote, by the time of day."""
        beats = []
        for kind in ("beat", "child"):
            with open(self.file(f"{name}.{kind}"), encoding="ascii") as file:
                beats.append(float(file.read()))
        return max(beats)

    def status(self, key):
        return as_map(self.nodes.leader().ask("LOCK.STATUS", key))

    def is_held(self, key):
        return bool(self.status(key)["holders"])

    def close(self):
        """End what a failed show left behind: processes of ours, and those of
        commands that still are what they were."""
        for process in self.started:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait()
        for pid in self.escaped:
            if is_alive(pid) and self.has_our_nodes(pid):
                os.kill(pid, signal.SIGKILL)
        for name in os.listdir(self.scene.folder):
            if not name.endswith(".pids"):
                continue
            for pid in self.ids(name[: -len(".pids")]):
                if self.is_ours(pid):
                    os.kill(pid, signal.SIGKILL)

    def has_our_nodes(self, pid):
        nodes = self.environment["HOLDFAST_NODES"].encode()
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                return nodes in file.read()
        except (FileNotFoundError, ProcessLookupError):
            return False

    def is_ours(self, pid):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                return self.scene.folder.encode() in file.read()
        except (FileNotFoundError, ProcessLookupError):
            return False


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def all_dead(pids):
    return not any(is_alive(pid) for pid in pids)


# ---- what it says ----


def wrong_usage_is_told(tool):
    for words in (
        [],
        ["frobnicate"],
        ["run", "key"],
        ["run", "--"],
        ["run", "--", "true"],
        ["run", "--ttl", "soon", "key", "--", "true"],
        ["run", "--ttl", "50d", "key", "--", "true"],
        ["run", "-k", "twice", "twice", "--", "true"],
        ["run", "-k", "a", "-k", "b", "-k", "a", "--", "true"],
        ["run", "--json", "key", "--", "true"],
        ["status", "--ttl", "10", "key"],
        ["status", "a", "b"],
        ["break"],
        ["cluster", "dance"],
        ["cluster", "add", "4"],
        ["top", "--nonsense"],
    ):
        tool.call(*words, code=FAILED)
    assert "run" in tool.call("--help")
    assert "--ttl" in tool.call("run", "--help")
    assert "--ttl" not in tool.call("status", "--help")
    assert tool.call("--version").startswith("holdfast ")


def nobody_there_is_told(tool):
    nowhere = "127.0.0.1:1"
    tool.call("--nodes", nowhere, "-T0.3", "run", "k", "--", "true", code=UNREACHABLE)
    tool.call("--nodes", nowhere, "-T0.3", "status", code=UNREACHABLE)
    tool.call("--nodes", nowhere, "-T0.3", "top", "-1", code=UNREACHABLE)
    for words in (
        ["status"], ["status", "k"], ["top", "-1"], ["break", "k"],
        ["cluster", "status"], ["cluster", "remove", "1"],
    ):  # fmt: skip
        seen = tool.json("--nodes", nowhere, "-T0.3", *words, code=UNREACHABLE)
        assert list(seen) == ["error"] and "127.0.0.1:1" in seen["error"], seen


def a_failure_is_one_object(tool):
    """What was learnt before it is in the same one."""
    seen = tool.json("cluster", "remove", "99", code=1)
    assert list(seen) == ["error"] and seen["error"], seen
    (node,) = tool.scene.cluster(1)
    node.signal(signal.SIGSTOP)
    where = f"127.0.0.1:{node.port}"
    try:
        seen = tool.json("--nodes", where, "-T0.3", "status", code=UNREACHABLE)
        assert "error" in seen, seen
    finally:
        node.kill()
    nodes = tool.scene.cluster(2)
    nodes[1].kill()
    where = f"127.0.0.1:{nodes[0].port}"
    seen = tool.json("--nodes", where, "-T1", "status", code=UNREACHABLE)
    assert seen["error"] and len(seen["members"]) == 2, seen
    nodes[0].kill()


def status_shows_any_bytes(tool):
    key = b'a"b\\c\n\x1b[2J\xc3\xa9\xff\x80'
    owner = b"o\xc0\x01"
    with tool.nodes[1].client() as client:
        token = client.command("LOCK.ACQUIRE", key, owner, 60000)
        waits = tool.nodes[2].client()
        waits.send("LOCK.ACQUIRE", key, "next", 60000)
        soon("it waits", lambda: as_map(client.command("LOCK.STATUS", key))["waiters"])
        seen = tool.json("status")
        (lock,) = [s for s in seen["locks"] if s["key-hex"] == key.hex()]
        assert lock["key"] == key.decode("utf-8", "replace"), lock
        assert lock["holders"][0]["owner-hex"] == owner.hex(), lock
        assert lock["holders"][0]["token"] == token
        assert lock["waiters"] == 1 and lock["queue"][0]["owner"] == "next"
        one = tool.json("status", os.fsdecode(key))
        assert one["key-hex"] == key.hex() and one["mode"] == "exclusive"
        shown = tool.call("status", os.fsdecode(key))
        assert 'a"b\\\\c\\x0a\\x1b[2Jé\\xff\\x80: exclusive, 1 waiting' in shown, shown
        for words in (["status"], ["top", "-1"]):
            shown = tool.call(*words)
            assert "\x1b" not in shown and "\\x1b[2J" in shown, shown
        top = tool.json("top", "-1")
        assert top["waiters"] == 1 and top["locks"][0]["waiters"] == 1
        waits.close()
        assert client.command("LOCK.RELEASE", key, owner, token) == 1
    free = tool.json("status", "free as can be")
    assert free["mode"] == "free" and free["holders"] == []
    tool.call("status", "-q", "free as can be", code=1)


def cluster_status_tells_all_members(tool):
    leader = tool.nodes.leader()
    seen = tool.json("cluster", "status")
    assert [m["id"] for m in seen["members"]] == [1, 2, 3]
    assert seen["leader"] == leader.id
    assert [m["id"] for m in seen["members"] if m["leader"]] == [leader.id]
    assert all(m["answered"] and m["vote"] == "voter" for m in seen["members"])
    shown = tool.call("cluster", "status")
    assert all(f"127.0.0.1:{n.port}" in shown for n in tool.nodes), shown
    # Refused by the server, whatever it thinks of it.
    tool.call("cluster", "remove", "99", code=1)


def members_come_and_go(tool):
    """A fourth node: a learner, a voter, the leader, and gone."""
    by = tool.nodes.followers()[0]
    node = tool.scene.joiner(4, by)
    where = f"127.0.0.1:{node.port}"

    def seen(name):
        member = tool.member(4)
        return member is not None and member[name]

    words = ["cluster", "add", "4", where, "--learner"]
    tool.change(*words, until=lambda: seen("vote") == "learner")
    tool.call("cluster", "add", "4", "127.0.0.1:1", code=1)  # the id is taken
    node.start()
    soon("it answers", lambda: seen("answered"), within=20)
    tool.change("cluster", "promote", "4", until=lambda: seen("vote") == "voter")
    tool.change("cluster", "transfer", "4", until=lambda: seen("leader"))
    tool.change("cluster", "remove", "4", until=lambda: tool.member(4) is None)
    node.kill()
    assert tool.nodes.leader(within=20) is not node
    assert [m["id"] for m in tool.json("cluster", "status")["members"]] == [1, 2, 3]


def break_ends_a_grant(tool):
    leader = tool.nodes.leader()
    token = leader.ask("LOCK.ACQUIRE", "broken", "me", 60000)
    tool.call("status", "-q", "broken")
    assert tool.json("break", "broken", token + 1, code=1)["broken"] == 0
    assert tool.json("break", "broken", token)["broken"] == 1
    assert not tool.is_held("broken")
    tool.call("break", "broken", code=1)


def passwords_come_from_files_and_environment(tool):
    (node,) = tool.scene.cluster(1)
    assert node.ask("CONFIG", "SET", "requirepass", "open sesame") == "OK"
    where = f"127.0.0.1:{node.port}"
    path = tool.file("password")
    with open(path, "w", encoding="ascii") as file:
        file.write("open sesame\n")
    words = ["--nodes", where, "run", "k", "--", "true"]
    tool.call(*words, code=1)
    tool.call(*words, HOLDFAST_PASSWORD="open sesame")
    tool.call(*words, HOLDFAST_PASSWORD="wrong", code=1)
    tool.call("--password-file", path, *words)
    tool.call("--password-file", path + "-not-there", *words, code=FAILED)
    node.kill()


# ---- run ----


def run_tells_the_command_of_its_lock(tool):
    script = "import json, os, sys; print(json.dumps(dict(os.environ)))"
    words = ["run", "--owner", "me", "told", "--", sys.executable, "-c", script]
    seen = json.loads(tool.call(*words, HOLDFAST_KEY_2="of an outer run"))
    assert seen["HOLDFAST_KEY"] == "told" and seen["HOLDFAST_OWNER"] == "me"
    assert int(seen["HOLDFAST_TOKEN"]) > 0 and "HOLDFAST_SIG" in seen
    assert "HOLDFAST_KEY_2" not in seen
    first = int(seen["HOLDFAST_TOKEN"])
    words = ["run", "-k", "b", "-k", "a", "c", "--", sys.executable, "-c", script]
    seen = json.loads(tool.call(*words))
    assert [seen["HOLDFAST_KEY" + n] for n in ("", "_2", "_3")] == ["c", "b", "a"]
    tokens = [int(seen["HOLDFAST_TOKEN" + n]) for n in ("_3", "_2", "")]
    assert first < tokens[0] < tokens[1] < tokens[2], "taken in order of keys"
    for key in ("told", "a", "b", "c"):
        assert not tool.is_held(key), key


def run_hands_on_the_signature(tool):
    """Which holds for a fenced write, with this token and no other."""
    keys = tool.file("keys")
    with open(keys, "w", encoding="ascii") as file:
        os.chmod(keys, 0o600)
        file.write(f"k1 {'11' * 32}\n")
    (node,) = tool.scene.cluster(1, ["--fence-secret-file", keys])
    store = tool.scene.store(["--fence-secret-file", keys])
    script = "import json, os, sys; print(json.dumps(dict(os.environ)))"
    where = ["--nodes", f"127.0.0.1:{node.port}"]
    words = ["run", "-k", "other", "signed", "--", sys.executable, "-c", script]
    seen = json.loads(tool.call(*where, *words))
    assert seen["HOLDFAST_SIG"] and seen["HOLDFAST_SIG_2"]

    def write(token, signature):
        return store.ask(
            "FENCE.SET", "data", "v", "LOCK", seen["HOLDFAST_KEY"], "TOKEN", token,
            "OWNER", seen["HOLDFAST_OWNER"], "SIG", signature,
        )  # fmt: skip

    token = int(seen["HOLDFAST_TOKEN"])
    assert write(token, seen["HOLDFAST_SIG"]) == "OK"
    for bad in (
        write(token + 1, seen["HOLDFAST_SIG"]),
        write(token, seen["HOLDFAST_SIG_2"]),
    ):
        assert isinstance(bad, Error) and bad.code == "BADTOKEN", bad
    store.kill()
    node.kill()


def run_exits_as_its_command(tool):
    path = tool.file("not-to-be-run")
    with open(path, "w", encoding="ascii") as file:
        file.write("#!/bin/sh\n")
    for code, command in (
        (0, ["true"]),
        (3, ["sh", "-c", "exit 3"]),
        (137, ["sh", "-c", "kill -9 $$"]),
        (126, [path]),
        (127, [path + "-at-all"]),
    ):
        tool.call("run", "exits", "--", *command, code=code)
        assert not tool.is_held("exits"), command


def run_waits_as_long_as_told(tool):
    tool_a, pids = tool.busy("waits", "run", "waits")
    assert tool.status("waits")["mode"] == "exclusive"
    tool.call("run", "-w0", "waits", "--", "true", code=NOT_OBTAINED)
    tool.call("run", "-w0.3", "waits", "--", "true", code=NOT_OBTAINED)
    tool.call("run", "-w0.3", "-k", "before", "waits", "--", "true", code=NOT_OBTAINED)
    soon("all or none", lambda: not tool.is_held("before"))
    waits = tool.start("run", "waits", "--", "sh", "-c", "exit 9")
    soon("it waits", lambda: tool.status("waits")["waiters"] == 1)
    tool_a.kill()
    tool_a.wait()
    # Whoever kills the tool kills the command and its children: nobody is left
    # who believes to hold the lock when it passes on.
    soon("command and child are dead", lambda: all_dead(pids), within=5)
    assert waits.poll() is None, "the lease of the dead is not over"
    assert tool.json("break", "waits")["broken"] == 1
    assert waits.wait(20) == 9


def a_wait_ends_by_a_signal(tool):
    holder = tool.nodes.leader().client()
    token = holder.command("LOCK.ACQUIRE", "signalled", "me", 60000)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        waits = tool.start("run", "signalled", "--", "true")
        soon("it waits", lambda: tool.status("signalled")["waiters"] == 1)
        waits.send_signal(number)
        assert waits.wait(20) == 128 + number
        soon("it left", lambda: tool.status("signalled")["waiters"] == 0)
    assert holder.command("LOCK.RELEASE", "signalled", "me", token) == 1


def a_signal_ends_what_waits_for_the_cluster(tool):
    """A node that takes connections and says nothing: as long as --timeout the
    tool would wait for it."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        where = f"127.0.0.1:{silent.getsockname()[1]}"
        for number in (signal.SIGINT, signal.SIGTERM):
            for verb in ("run", "elect"):
                words = ["-T30", "--nodes", where, verb, "k", "--", "true"]
                connects = tool.start(*words)
                silent.accept()
                connects.send_signal(number)
                assert connects.wait(5) == 128 + number, verb
        top = tool.start("-T30", "--nodes", where, "top")
        silent.accept()
        top.send_signal(signal.SIGINT)
        assert top.wait(5) == -signal.SIGINT


def a_signal_ends_the_giving_back(tool):
    """Of a lock that nobody takes back: it ends by itself."""
    path = tool.file("give")
    script = 'echo $$ >"$1"; while [ ! -e "$1.go" ]; do sleep 0.05; done; exit 7'
    words = ["run", "-T30", "--ttl", "30", "give", "-k", "gave", "--"]
    gives = tool.start(*words, "sh", "-c", script, "sh", path)
    soon("it runs", lambda: os.path.exists(path) and os.path.getsize(path))
    for node in tool.nodes:
        node.signal(signal.SIGSTOP)
    try:
        with open(path, encoding="ascii") as file:
            pid = int(file.read())
        open(path + ".go", "wb").close()
        soon("the command ends", lambda: not is_alive(pid))
        time.sleep(0.3)
        assert gives.poll() is None
        gives.send_signal(signal.SIGTERM)
        assert gives.wait(5) == 7, "the command's"
    finally:
        for node in tool.nodes:
            node.signal(signal.SIGCONT)
    tool.nodes.leader(within=20)
    for key in ("give", "gave"):
        tool.nodes.leader().ask("LOCK.BREAK", key)


def signals_are_passed_to_the_group(tool):
    process, pids = tool.busy("passed", "run", "passed")
    process.send_signal(signal.SIGTERM)
    soon("TERM is heard", lambda: os.path.exists(tool.file("passed.term")))
    assert process.poll() is None and tool.is_held("passed")
    process.send_signal(signal.SIGHUP)
    assert process.wait(20) == 128 + signal.SIGHUP
    assert all_dead(pids), "the child was left behind"
    assert not tool.is_held("passed")


def what_a_command_leaves_behind_ends_with_it(tool):
    path = tool.file("left")
    script = "trap '' TERM; sleep 300 & echo $! > \"$1\"; exit 5"
    words = ["run", "--grace", "0.2", "left", "--", "sh", "-c", script, "sh", path]
    tool.call(*words, code=5)
    with open(path, encoding="ascii") as file:
        assert all_dead([int(file.read())])
    assert not tool.is_held("left")


def who_leaves_the_group_ends_as_well(tool):
    ends, ids = tool.escapes("escape-1", "run", "--grace", "0.3", "escape")
    open(tool.file("escape-1.go"), "wb").close()
    assert ends.wait(20) == 5
    assert all_dead(ids), ids
    assert not tool.is_held("escape")

    broken, ids = tool.escapes("escape-2", "run", "--ttl", "3", "escape")
    assert tool.json("break", "escape")["broken"] == 1
    assert broken.wait(20) == LOST
    assert all_dead(ids), ids

    stopped, ids = tool.escapes("escape-3", "run", "--ttl", "2", "escape")
    stopped.send_signal(signal.SIGSTOP)
    soon("the keeper kills", lambda: all_dead(ids), within=20)
    stopped.send_signal(signal.SIGCONT)
    assert stopped.wait(20) == LOST


def children_of_before_are_left_alone(tool):
    """A shell had one, and became the tool."""
    path = tool.file("before")
    script = 'sleep 300 & echo $! >"$1"; exec "$2" run --grace 0.2 before -- true'
    done = subprocess.run(
        ["sh", "-c", script, "sh", path, tool.program],
        env=tool.environment,
        stdin=subprocess.DEVNULL,
        timeout=40,
        check=False,
    )
    with open(path, encoding="ascii") as file:
        pid = int(file.read())
    lives = is_alive(pid)
    if lives:
        os.kill(pid, signal.SIGKILL)
    assert done.returncode == 0 and lives


def shared_runs_share(tool):
    one, _ = tool.busy("share-1", "run", "-s", "shared")
    two, _ = tool.busy("share-2", "run", "-s", "shared")
    assert len(tool.status("shared")["holders"]) == 2
    tool.call("run", "-w0", "shared", "--", "true", code=NOT_OBTAINED)
    for process in (one, two):
        process.send_signal(signal.SIGHUP)
    assert [one.wait(20), two.wait(20)] == [129, 129]


def a_broken_lease_ends_the_command(tool):
    process, pids = tool.busy("gone", "run", "--ttl", "3", "gone")
    assert tool.json("break", "gone")["broken"] == 1
    assert process.wait(20) == LOST
    assert all_dead(pids)


def a_stopped_tool_does_not_keep_the_command_alive(tool):
    ttl = 4.0
    process, pids = tool.busy("stopped", "run", "--ttl", ttl, "stopped")
    process.send_signal(signal.SIGSTOP)
    stopped = time.time()
    soon("the keeper kills", lambda: all_dead(pids), within=30)
    beat = tool.last_beat("stopped") - stopped
    say(f"    killed within {beat:.2f} s of a lease of {ttl} s")
    assert beat < ttl, beat
    process.send_signal(signal.SIGCONT)
    assert process.wait(20) == LOST


def a_lost_majority_ends_the_command_in_time(tool):
    ttl = 6.0
    process, pids = tool.busy("lost", "run", "--ttl", ttl, "lost")
    for node in tool.nodes:
        node.signal(signal.SIGSTOP)
    stopped = time.time()
    try:
        assert process.wait(40) == LOST
    finally:
        for node in tool.nodes:
            node.signal(signal.SIGCONT)
    assert all_dead(pids)
    assert os.path.exists(tool.file("lost.term")), "TERM comes before KILL"
    beat = tool.last_beat("lost") - stopped
    say(f"    killed within {beat:.2f} s of a lease of {ttl} s")
    assert beat < ttl, beat
    tool.nodes.leader(within=20)


def a_terminal_is_the_commands(tool):
    words = ["run", "tty", "--", "sh", "-c", 'read x; echo "<$x>"; exec sleep 100']
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(tool.program, [tool.program, *words], tool.environment)
    seen = b""
    try:
        os.write(terminal, b"hello\n")
        while b"<hello>" not in seen:
            seen += os.read(terminal, 1000)
        os.write(terminal, b"\x03")
        _, status = os.waitpid(pid, 0)
        pid = 0
        assert os.waitstatus_to_exitcode(status) == 128 + signal.SIGINT, status
    finally:
        if pid:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        os.close(terminal)
    assert not tool.is_held("tty")


def a_terminal_is_there_for_who_asks_for_it(tool):
    """Standard input is a pipe; the terminal is given when it is wanted. Whoever
    else is in the pipeline keeps it until then."""
    script = 'cat; read x </dev/tty; echo "<$x>"'
    line = f"echo piped | {tool.program} run tty -- sh -c '{script}'; echo =$?="
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve("/bin/bash", ["bash", "--norc", "--noprofile", "-i"], tool.environment)

    seen = b""

    def shows(text):
        nonlocal seen
        while text not in seen:
            ready, _, _ = select.select([terminal], [], [], 10)
            assert ready, (text, seen)
            seen += os.read(terminal, 1000)

    try:
        os.write(terminal, line.encode() + b"\n")
        shows(b"\rpiped")
        os.write(terminal, b"typed\n")
        shows(b"<typed>")
        shows(b"=0=")
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)
    soon("it is free", lambda: not tool.is_held("tty"))


# ---- elect ----


def elect_keeps_one_running(tool):
    words = ["elect", "--ttl", "3", "--restart-delay", "0.2", "chief"]
    one, pids_one = tool.busy("chief-1", *words)
    two = tool.start(*words, "--", "sh", "-c", BUSY, "sh", tool.file("chief-2"))
    soon("two waits", lambda: tool.status("chief")["waiters"] == 1)
    assert tool.ids("chief-2") is None, "two at once"
    one.kill()
    one.wait()
    pids_two = soon("two runs", lambda: tool.ids("chief-2"), within=30)
    assert all_dead(pids_one)
    # A command that ends is started again.
    os.unlink(tool.file("chief-2.pids"))
    for pid in pids_two:
        os.kill(pid, signal.SIGKILL)
    again = soon("it is started again", lambda: tool.ids("chief-2"), within=30)
    assert again != pids_two and is_alive(again[1])
    two.send_signal(signal.SIGHUP)
    assert two.wait(20) == 128 + signal.SIGHUP
    assert all_dead(again) and not tool.is_held("chief")
    tool.call("elect", "--once", "chief", "--", "sh", "-c", "exit 7", code=7)
    tool.call("elect", "chief", "--", tool.file("no-such-thing"), code=127)


def elect_outlives_a_leader(tool):
    """The one that runs goes on, the one that waits takes over later: neither
    was told anything by the node that died."""
    words = ["elect", "--ttl", "10", "boss"]
    one, pids = tool.busy("boss-1", *words)
    two = tool.start(*words, "--", "sh", "-c", BUSY, "sh", tool.file("boss-2"))
    soon("two waits", lambda: tool.status("boss")["waiters"] == 1)
    token = as_map(tool.status("boss")["holders"][0])["token"]
    victim = tool.nodes.leader()
    victim.kill()
    tool.nodes.leader(within=20)

    def holder():
        try:
            return as_map(tool.status("boss")["holders"][0])["token"]
        except TypeError:
            return None  # an error: not ready yet

    assert soon("the new leader knows it", holder, within=20) == token
    assert not all_dead(pids) and tool.ids("boss-2") is None
    victim.start()
    one.send_signal(signal.SIGHUP)
    assert one.wait(20) == 128 + signal.SIGHUP
    soon("two runs", lambda: tool.ids("boss-2"), within=30)
    assert all_dead(pids)
    two.send_signal(signal.SIGHUP)
    assert two.wait(20) == 128 + signal.SIGHUP
    tool.nodes.settle(within=30)


SHOWS = [
    wrong_usage_is_told,
    nobody_there_is_told,
    a_failure_is_one_object,
    status_shows_any_bytes,
    cluster_status_tells_all_members,
    members_come_and_go,
    break_ends_a_grant,
    passwords_come_from_files_and_environment,
    run_tells_the_command_of_its_lock,
    run_hands_on_the_signature,
    run_exits_as_its_command,
    run_waits_as_long_as_told,
    a_wait_ends_by_a_signal,
    a_signal_ends_what_waits_for_the_cluster,
    a_signal_ends_the_giving_back,
    signals_are_passed_to_the_group,
    what_a_command_leaves_behind_ends_with_it,
    who_leaves_the_group_ends_as_well,
    children_of_before_are_left_alone,
    shared_runs_share,
    a_broken_lease_ends_the_command,
    a_stopped_tool_does_not_keep_the_command_alive,
    a_lost_majority_ends_the_command_in_time,
    a_terminal_is_the_commands,
    a_terminal_is_there_for_who_asks_for_it,
    elect_keeps_one_running,
    elect_outlives_a_leader,
]


def test(scene):
    tool = Tool(scene, scene.cluster(3))
    try:
        run_shows(tool, sys.argv[1:])
    finally:
        tool.close()


def run_shows(tool, wanted):
    failed = []
    for show in SHOWS:
        if wanted and show.__name__ not in wanted:
            continue
        begin = time.monotonic()
        try:
            show(tool)
            verdict = "ok"
        except (
            AssertionError,
            Error,
            Closed,
            Timeout,
            OSError,
            ValueError,
            KeyError,
            subprocess.TimeoutExpired,
        ) as error:
            frames = traceback.extract_tb(error.__traceback__)
            inner = [f for f in frames if f.filename.endswith("test_tool.py")][-1]
            verdict = f"FAILED at line {inner.lineno}: {inner.line}: {error!r}"
            failed.append(show.__name__)
        say(f"  {show.__name__}: {verdict} ({time.monotonic() - begin:.2f} s)")
    assert not failed, failed


if __name__ == "__main__":
    cluster.main(test, limit_s=150)
