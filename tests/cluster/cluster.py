"""cluster.py - real nodes for a test: started, watched, killed, cleaned up.

A test is a file of its own:

    import cluster

    def test(scene):
        nodes = scene.cluster(3)
        ...

    cluster.main(test, limit_s=30)

main() gives it a scene with a temporary folder, a time limit and a promise:
whatever happens, every process the scene started is ended by its id and the
folder goes. HOLDFAST_KEEP=1 keeps the folder. A test that fails shows the end
of what its nodes logged. Exit codes are those of make check: 0 passed, 77
skipped with the reason, anything else failed.

HOLDFAST_BRIEF=1 leaves out all tests but those that are brief: enough to see
that a tree can be tested, where its programs were tested before.

The programs are $HOLDFASTD and $HOLDFAST_STORE, or holdfastd and holdfast-store
of $top_builddir.
"""

import ctypes
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

import ports
import resp
from resp import Client, Closed, Error, Timeout

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))

# Options for tests of something else than elections: a machine that has no time
# for a node does not cause one, and if there is one, requests wait for it.
STEADY = ["--election-ms", "1000", "--hold-ms", "10000"]
PATIENT = ["--hold-ms", "10000"]

# Lines that no test may leave in a log.
ALARMS = ("ENSURE", "AddressSanitizer", "runtime error:", "LeakSanitizer")

_libc = ctypes.CDLL(None, use_errno=True)


class Skip(Exception):
    pass


class LimitReached(BaseException):
    """The test ran out of time; no handler of a test may swallow it."""


def program(name="holdfastd"):
    variable = name.upper().replace("-", "_")
    found = os.environ.get(variable)
    if not found:
        top = os.environ.get("top_builddir", TOP)
        found = os.path.join(top, name)
    found = os.path.abspath(found)
    if not os.access(found, os.X_OK):
        raise SystemExit(f"no program {found}: set {variable} or top_builddir")
    return found


def is_sanitized():
    """True if the node was built with --enable-sanitize."""
    with open(program(), "rb") as built:
        return b"__asan_init" in built.read()


def say(*words):
    print(*words, flush=True)


def soon(what, condition, within=10.0, every=0.02):
    """Wait until condition() is true and give its value; fail if it never
    is."""
    deadline = time.monotonic() + within
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {within} s: {what}")
        time.sleep(every)


def patient(client, *words, within=15.0):
    """The reply that counts: a cluster that has no leader for a moment is asked
    again. Only for requests that may be carried out twice."""
    deadline = time.monotonic() + within
    while True:
        reply = client.command(*words)
        passing = isinstance(reply, Error) and reply.code in (
            "CLUSTERDOWN",
            "TRYAGAIN",
            "UNCERTAIN",
        )
        if not passing or time.monotonic() > deadline:
            return reply
        time.sleep(0.05)


def free_ports(count):
    """Ports that are this test's until it ends."""
    try:
        return ports.take(count)
    except LookupError as reason:
        raise Skip(str(reason)) from None


def _die_with_parent():
    _libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Node:
    """One holdfastd. It may be started again after it ended."""

    executable = None  # if it goes by another name than that of its file

    def __init__(self, scene, number, port, members, options):
        self.scene = scene
        self.id = number
        self.host = "127.0.0.1"
        self.port = port
        self.dir = os.path.join(scene.folder, f"node{number}-{port}")
        self.log_path = self.dir + ".log"
        self.members = members
        self.options = list(options)
        self.process = None
        self.expected_end = False

    def __str__(self):
        return f"node {self.id}"

    def arguments(self):
        words = [
            self.scene.program,
            "--id", str(self.id),
            "--port", str(self.port),
            "--dir", self.dir,
        ]  # fmt: skip
        if self.members:
            words += ["--initial-cluster", self.members]
        return words + self.options

    def start(self, before=(), environment=None, wait=True):
        """Run it. before: words in front of the command, such as prlimit; they
        must exec."""
        assert self.process is None or self.process.poll() is not None
        assert threading.current_thread() is threading.main_thread(), (
            "the kernel ends a child when the thread that made it ends"
        )
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                list(before) + self.arguments(),
                executable=self.executable,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.scene.folder,
                env=dict(os.environ, **(environment or {})),
                preexec_fn=_die_with_parent,
            )
        self.expected_end = False
        if wait:
            self.wait_up()
        return self

    def wait_up(self, within=10.0):
        def is_up():
            if self.process.poll() is not None:
                raise AssertionError(
                    f"{self} ended with {self.process.returncode}: {self.last_line()}"
                )
            try:
                with Client(self.port, timeout=1.0, host=self.host) as client:
                    return client.command("PING") == "PONG"
            except (OSError, Closed, Timeout):
                return False

        soon(f"{self} answers", is_up, within)

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        """As a crash: SIGKILL, and wait."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.expected_end = True

    def ends(self, within=10.0):
        """The exit code of a node that ends by itself."""
        self.expected_end = True
        try:
            return self.process.wait(within)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self} does not end") from None

    def stop(self, within=10.0):
        self.expected_end = True
        self.process.terminate()
        try:
            code = self.process.wait(within)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self} does not stop") from None
        assert code == 0, f"{self} stopped with {code}: {self.last_line()}"

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def log(self):
        try:
            with open(self.log_path, encoding="utf-8", errors="replace") as log:
                return log.read()
        except FileNotFoundError:
            return ""

    def last_line(self):
        lines = self.log().strip().splitlines()
        return lines[-1] if lines else ""

    def client(self, protocol=2, timeout=10.0):
        return Client(self.port, protocol, timeout, self.host)

    def ask(self, *words, timeout=5.0):
        """One command on a connection of its own."""
        with Client(self.port, timeout=timeout, host=self.host) as client:
            return client.command(*words)

    def status(self):
        return resp.as_map(self.ask("RAFT.STATUS", timeout=2.0))

    def rss_kb(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1])
        return 0

    def redis_cli(self, *words, input_text=None, timeout=20):
        """What a person sees."""
        if shutil.which("redis-cli") is None:
            raise Skip("redis-cli is not installed")
        done = subprocess.run(
            ["redis-cli", "-p", str(self.port), *map(str, words)],
            input=input_text,
            stdin=subprocess.DEVNULL if input_text is None else None,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        return done.stdout.rstrip("\n")


class Store(Node):
    """One holdfast-store, in all else like a node."""

    def __init__(self, scene, port, options):
        super().__init__(scene, 0, port, "", options)
        self.program = program("holdfast-store")
        self.dir = os.path.join(scene.folder, f"store-{port}")
        self.log_path = self.dir + ".log"

    def __str__(self):
        return "the store"

    def arguments(self):
        return [
            self.program,
            "--port", str(self.port),
            "--dir", self.dir,
        ] + self.options  # fmt: skip


class Redis(Node):
    """One redis-server, to compare with, in all else like a node."""

    def __init__(self, scene, options):
        super().__init__(scene, 0, free_ports(1)[0], "", options)
        self.executable = redis_server()
        os.mkdir(self.dir)

    def __str__(self):
        return "redis-server"

    def arguments(self):
        return [
            "redis-server",
            "--port", str(self.port),
            "--bind", "127.0.0.1",
            "--dir", self.dir,
            "--save", "",
        ] + self.options  # fmt: skip


def redis_server():
    """The file of a real redis-server. Debian has it twice: as a service, which
    nobody wants started by a test, and in redis-tools as redis-check-rdb, which
    is the same program and goes by the name it is called."""
    found = shutil.which("redis-server") or shutil.which("redis-check-rdb")
    if found is None:
        raise Skip("redis-server is not installed")
    return found


class Cluster(list):
    """Nodes that form a cluster."""

    def leader(self, within=10.0, but=()):
        """The node that a majority of the running ones follows."""

        def find():
            votes = {}
            running = [n for n in self if n.is_running() and n not in but]
            for node in running:
                try:
                    status = node.status()
                except (OSError, Closed, Timeout):
                    continue
                leads = status["leader"]
                votes[leads] = votes.get(leads, 0) + 1
                if status["role"] == "leader":
                    votes[leads] += 0.5
            for number, count in votes.items():
                if number and count > len(self) // 2 + 0.5:
                    found = [n for n in running if n.id == number]
                    if found:
                        return found[0]
            return None

        return soon("a leader", find, within)

    def followers(self):
        leader = self.leader()
        return [n for n in self if n is not leader and n.is_running()]

    def settle(self, within=15.0):
        """Wait until all running nodes have applied the same."""

        def settled():
            try:
                all_of = [n.status() for n in self if n.is_running()]
            except (OSError, Closed, Timeout):
                return None
            first = all_of[0]
            same = all(
                s["applied"] == first["applied"] == s["last-index"]
                and s["leader"] == first["leader"] != 0
                for s in all_of
            )
            return first["applied"] if same else None

        return soon("all nodes have applied the same", settled, within)


    def same_state(self, within=15.0):
        """Wait until all running nodes have applied the same, and compare the
        hashes of what they made of it."""

        def compare():
            try:
                all_of = [n.status() for n in self if n.is_running()]
            except (OSError, Closed, Timeout):
                return None
            if len({s["applied"] for s in all_of}) > 1:
                return None
            hashes = {s["id"]: s["state-hash"] for s in all_of}
            assert len(set(hashes.values())) == 1, f"states differ: {hashes}"
            return all_of[0]["applied"]

        return soon("all nodes have applied the same", compare, within)


class Scene:
    def __init__(self):
        self.program = program()
        self.folder = tempfile.mkdtemp(prefix="holdfast-test-")
        self.nodes = []
        self.seed = int(os.environ.get("HOLDFAST_SEED", random.randrange(1 << 30)))
        self.random = random.Random(self.seed)

    def make(self, count, options=()):
        """Nodes that are not started yet."""
        taken = free_ports(count)
        members = ",".join(f"{i + 1}=127.0.0.1:{p}" for i, p in enumerate(taken))
        nodes = Cluster(
            Node(self, i + 1, p, members, options) for i, p in enumerate(taken)
        )
        self.nodes += nodes
        return nodes

    def joiner(self, number, by, options=()):
        """A node that is not started yet and will join by another one, or by
        an address."""
        if isinstance(by, Node):
            by = f"127.0.0.1:{by.port}"
        node = Node(self, number, free_ports(1)[0], "", ["--join", by, *options])
        self.nodes.append(node)
        return node

    def cluster(self, count, options=()):
        """Nodes that run and have a leader. Somebody may take a port between
        our look and theirs: then others are tried."""
        for attempt in range(5):
            nodes = self.make(count, options)
            for node in nodes:
                node.start(wait=False)
            try:
                for node in nodes:
                    node.wait_up()
                nodes.leader()
                return nodes
            except AssertionError:
                if attempt == 4 or not any("cannot listen" in n.log() for n in nodes):
                    raise
                for node in nodes:
                    node.kill()
                    self.nodes.remove(node)
        raise AssertionError("unreachable")

    def store(self, options=(), start=True):
        """A store that runs; started again at another port if somebody took
        this one."""
        for attempt in range(5):
            store = Store(self, free_ports(1)[0], options)
            self.nodes.append(store)
            if not start:
                return store
            try:
                return store.start()
            except AssertionError:
                if attempt == 4 or "cannot listen" not in store.log():
                    raise
                store.kill()
                self.nodes.remove(store)
        raise AssertionError("unreachable")

    def redis(self, options=()):
        """A redis-server that runs; by itself it keeps nothing on disk."""
        redis = Redis(self, options)
        self.nodes.append(redis)
        return redis.start()

    def close(self):
        for node in self.nodes:
            if node.is_running():
                node.process.kill()
        for node in self.nodes:
            if node.process is not None:
                node.process.wait()
        if os.environ.get("HOLDFAST_KEEP"):
            say("kept:", self.folder)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    def check_nodes(self):
        """Nobody ended who was not told to, and nobody logged an alarm."""
        for node in self.nodes:
            log = node.log()
            for alarm in ALARMS:
                assert alarm not in log, f"{node} logged {alarm}"
            if node.process is not None and not node.expected_end:
                code = node.process.poll()
                assert code is None, f"{node} ended by itself with {code}"

    def show_logs(self):
        for node in self.nodes:
            lines = node.log().splitlines()
            say(f"---- {node} at {node.port}, the last of {len(lines)} lines")
            say("\n".join(lines[-25:]))


def main(test, limit_s, brief=False):
    """Run a test and exit."""

    def too_long(*_):
        raise LimitReached(f"the limit of {limit_s} s is reached")

    def ended(number, _):
        raise SystemExit(128 + number)

    signal.signal(signal.SIGALRM, too_long)
    # Who is started in the background ignores this, and so would the programs.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, ended)
    signal.signal(signal.SIGHUP, ended)
    signal.alarm(int(os.environ.get("HOLDFAST_LIMIT_S", limit_s)))
    begin = time.monotonic()
    scene = Scene()
    name = os.path.basename(sys.argv[0])
    say(f"{name}: {scene.program}, HOLDFAST_SEED={scene.seed}")
    code = 1
    try:
        if os.environ.get("HOLDFAST_BRIEF") and not brief:
            raise Skip("not a brief one")
        test(scene)
        scene.check_nodes()
        say(f"{name}: passed in {time.monotonic() - begin:.1f} s")
        code = 0
    except Skip as reason:
        say(f"{name}: skipped: {reason}")
        code = 77
    except (Exception, LimitReached):
        traceback.print_exc()
        scene.show_logs()
        say(f"{name}: FAILED after {time.monotonic() - begin:.1f} s")
    finally:
        signal.alarm(0)
        scene.close()
    sys.stdout.flush()
    # Threads of a failed test must not keep it from ending.
    os._exit(code)
