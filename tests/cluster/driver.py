"""driver.py - a process that uses libholdfast, led by a test.

    driver = Driver(scene, nodes)
    driver.ask("begin", 1, "key", 10000, -1)     answered at once
    later = driver.start("await", 1)             answered when it is done
    later.get(5)

Answers are lists of words, the last one the time of CLOCK_BOOTTIME in
milliseconds. What comes unasked is in driver.lost.
"""

import os
import queue
import subprocess
import threading
import time

import cluster

# enum hf_status
OK, UNREACHABLE, NO_LEADER, TIMEOUT, CANCELLED, LOST = 0, 3, 4, 5, 6, 7
UNCERTAIN, REFUSED, FENCED, BAD_TOKEN, DENIED, NO_TLS = 8, 9, 10, 11, 12, 13

# enum hf_lease_state
WAITING, HELD, IS_LOST, RELEASED, FAILED = range(5)


def boottime_ms():
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * 1000)


def command(name="client-driver"):
    """A program on libholdfast and, in front of it, what HOLDFAST_CLIENT_UNDER
    has it run under."""
    return [*os.environ.get("HOLDFAST_CLIENT_UNDER", "").split(), program(name)]


def program(name):
    top = os.environ.get("top_builddir", cluster.TOP)
    found = os.path.abspath(os.path.join(top, "tests/client", name))
    if not os.access(found, os.X_OK):
        raise cluster.Skip(f"{found} is not built")
    return found


def addresses(nodes):
    return ",".join(f"127.0.0.1:{node.port}" for node in nodes)


class Later:
    def __init__(self):
        self.answers = queue.Queue()

    def get(self, within=20.0):
        try:
            return self.answers.get(timeout=within)
        except queue.Empty:
            raise AssertionError(f"no answer within {within} s") from None

    def is_there(self):
        return not self.answers.empty()


class Driver:
    # Words that are answered with the name they were asked about.
    NAMED = {
        "begin", "await", "cancel", "free", "release", "look", "open", "lock",
        "unlock", "shut", "fence", "unset", "fence-cached", "over", "owner", "usable",
        "quit-waiting", "drop",
    }  # fmt: skip

    def __init__(self, scene, nodes, *options, before=()):
        self.log_path = os.path.join(scene.folder, f"driver-{id(self)}.log")
        self.waiting = {}
        self.mutex = threading.Lock()
        self.lost = {}
        self.lost_event = threading.Event()
        self.opened = Later()
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [*before, *command(), addresses(nodes), *options],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                bufsize=1,
                preexec_fn=cluster._die_with_parent,
            )
        threading.Thread(target=self._read, daemon=True).start()
        self.hello = self.opened.get(20)

    def _key(self, words):
        return tuple(words[:2]) if words[0] in self.NAMED else (words[0],)

    def _read(self):
        for line in self.process.stdout:
            words = line.split()
            if words[0] == "lost":
                self.lost[int(words[1])] = (int(words[2]), int(words[-1]))
                self.lost_event.set()
                continue
            if words[0] in ("opened", "failed"):
                self.opened.answers.put(words)
                continue
            with self.mutex:
                waiting = self.waiting.get(self._key(words), [])
                later = waiting.pop(0) if waiting else None
            if later is not None:
                later.answers.put(words)

    def start(self, *words):
        words = [str(w) for w in words]
        later = Later()
        with self.mutex:
            self.waiting.setdefault(self._key(words), []).append(later)
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()
        return later

    def ask(self, *words, within=20.0):
        return self.start(*words).get(within)

    def acquire(self, name, key, ttl=10000, wait=-1, *mode):
        """Begin and await; the token, or 0."""
        self.ask("begin", name, key, ttl, wait, *mode)
        answer = self.ask("await", name, within=60)
        return int(answer[3]) if int(answer[2]) == OK else 0

    def status(self, *words, within=20.0):
        return int(self.ask(*words, within=within)[2])

    def look(self, name):
        words = self.ask("look", name)
        return {
            "state": int(words[2]),
            "ok": words[3] == "1",
            "left": int(words[4]),
            "token": int(words[5]),
        }

    def stats(self):
        names = "sent again renewals messages connects lost hits".split()
        return dict(zip(names, map(int, self.ask("stats")[1:])))

    def quit(self, within=20.0):
        self.process.stdin.write("quit\n")
        self.process.stdin.flush()
        code = self.process.wait(within)
        assert code == 0, f"the driver ended with {code}: {self.log()[-2000:]}"

    def kill(self):
        self.process.kill()
        self.process.wait()

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            return log.read()
