"""nftables.py - a network of namespaces whose packets the kernel drops.

Every node has a network namespace and an address of its own, and so have all
clients together; the test itself is the router between them, in a namespace
that nobody else uses, and drops packets there by rules of nftables. So a cut is
one of a real network: nothing says that it happened, what is under way is sent
again later, connections hang or are never made. What the test itself asks of
nodes does not pass the rules.

    if nftables.missing() is None:
        nftables.enter()           # starts the program again; before any threads
        network = nftables.Network()
        nodes = network.cluster(scene, 3)
        network.cut(nodes[0], nodes[1:])                 # both ways
        network.cut(nodes[0], nodes[1:], one_way=True)   # what nodes[0] sends
        network.cut_clients(nodes[0], 0.5)               # half of their ports
        network.heal()

It needs root or namespaces of users, and the commands nft, ip, unshare and
nsenter; missing() tells what is not there. partition.py offers the same by
passing bytes on, and works everywhere.
"""

import os
import re
import shutil
import subprocess
import sys

import cluster
from cluster import Cluster, Node

INSIDE = "HOLDFAST_INSIDE_NAMESPACE"
CLIENTS = 100  # where nodes have their number
PORT = 7001

# Bit 1 of a port is as good as chance; bit 0 is not, the kernel prefers even
# ones for those who connect.
HALF = "& 2 == 2"

TABLE = """
table ip holdfast {
    chain cuts {
        type filter hook forward priority 0;
    }
}
"""

TRIAL = """
ip link set lo up && ip link add trial type veth peer name other &&
echo 1 > /proc/sys/net/ipv4/ip_forward && nft add table ip trial
"""


def missing():
    """Why it cannot be used, or None."""
    if os.environ.get(INSIDE):
        return None
    for name in ("nft", "ip", "unshare", "nsenter"):
        if _find(name) is None:
            return f"there is no command {name}"
    trial = subprocess.run(
        [*_unshare(), "sh", "-ec", TRIAL],
        env=_environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    if trial.returncode != 0:
        return (trial.stderr.strip().splitlines() or ["no namespaces"])[-1]
    return None


def enter():
    """Go on in a network of our own, from the beginning of the program."""
    if not os.environ.get(INSIDE):
        os.execvpe(
            "unshare",
            [*_unshare(), sys.executable, *sys.argv],
            {**_environment(), INSIDE: "1"},
        )


def _unshare():
    return ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-rn"]


def _environment():
    """People who are not root often have no sbin in their path."""
    return {**os.environ, "PATH": f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"}


def _find(name):
    return shutil.which(name, path=_environment()["PATH"])


def _run(*words, text=None):
    subprocess.run([_find(words[0]), *words[1:]], input=text, text=True, check=True)


def _address(number):
    return f"10.77.{number}.2"


class _FarNode(Node):
    """A node in its namespace."""

    def __init__(self, scene, number, members, options, way):
        super().__init__(scene, number, PORT, members, options)
        self.dir = os.path.join(scene.folder, f"node{number}")
        self.log_path = self.dir + ".log"
        self.host = _address(number)
        self.options += ["--bind", self.host, "--protected-mode", "no"]
        self.way = way

    def start(self, before=(), environment=None, wait=True):
        return super().start([*self.way, *before], environment, wait)


class Network:
    kind = "nftables"

    def __init__(self):
        self.keepers = []  # processes that namespaces live by
        self.rules = []
        self.before_clients = None  # words in front of a client's command
        _run("ip", "link", "set", "lo", "up")
        with open("/proc/sys/net/ipv4/ip_forward", "w", encoding="ascii") as file:
            file.write("1")
        _run("nft", "-f", "-", text=TABLE)

    def cluster(self, scene, count, options=()):
        numbers = range(1, count + 1)
        members = ",".join(f"{i}={_address(i)}:{PORT}" for i in numbers)
        nodes = Cluster(
            _FarNode(scene, i, members, options, self._namespace(i)) for i in numbers
        )
        self.before_clients = self._namespace(CLIENTS)
        scene.nodes += nodes
        for node in nodes:
            node.start(wait=False)
        for node in nodes:
            node.wait_up()
        nodes.leader()
        return nodes

    def client_addresses(self, nodes):
        return ",".join(f"{node.host}:{node.port}" for node in nodes)

    def cut(self, one, others, one_way=False):
        for other in others:
            self._drop(one.host, other.host)
            if not one_way:
                self._drop(other.host, one.host)
        self._load()

    def cut_clients(self, node, share):
        """Connections that there are and those that will be made: all, or half
        of their ports."""
        assert share in (0.5, 1.0)
        half = share < 1
        clients = _address(CLIENTS)
        self._drop(clients, node.host, f"tcp sport {HALF}" if half else "")
        self._drop(node.host, clients, f"tcp dport {HALF}" if half else "")
        self._load()

    def heal(self):
        """How many packets were dropped."""
        listed = subprocess.run(
            [_find("nft"), "list", "chain", "ip", "holdfast", "cuts"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        self.rules = []
        self._load()
        return sum(int(n) for n in re.findall(r"counter packets (\d+)", listed.stdout))

    def close(self):
        for keeper in self.keepers:
            keeper.kill()
            keeper.wait()

    def _drop(self, sender, receiver, what=""):
        self.rules.append(f"ip saddr {sender} ip daddr {receiver} {what} counter drop")

    def _load(self):
        """All at once: a packet meets the old rules or the new ones."""
        lines = ["flush chain ip holdfast cuts"]
        lines += [f"add rule ip holdfast cuts {rule}" for rule in self.rules]
        _run("nft", "-f", "-", text="\n".join(lines) + "\n")

    def _namespace(self, number):
        """A namespace with a line to here; the words that start a command in
        it."""
        keeper = subprocess.Popen(
            ["unshare", "-n", "sh", "-c", "echo ready; exec sleep infinity"],
            stdout=subprocess.PIPE,
            preexec_fn=cluster._die_with_parent,
        )
        self.keepers.append(keeper)
        assert keeper.stdout.readline() == b"ready\n"
        near, here = f"line{number}", f"10.77.{number}.1"
        way = ["nsenter", "-t", str(keeper.pid), "-n"]
        _run(
            "ip", "link", "add", near, "type", "veth",
            "peer", "name", "line", "netns", str(keeper.pid),
        )  # fmt: skip
        _run("ip", "addr", "add", f"{here}/24", "dev", near)
        _run("ip", "link", "set", near, "up")
        for words in (
            ["link", "set", "lo", "up"],
            ["addr", "add", f"{_address(number)}/24", "dev", "line"],
            ["link", "set", "line", "up"],
            ["route", "add", "default", "via", here],
        ):
            _run(*way, _find("ip"), *words)
        return way
