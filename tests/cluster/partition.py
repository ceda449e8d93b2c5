"""partition.py - a network between nodes that a test can cut.

Every node is known to the others by a port of ours; what comes there is passed
on to the node's own. The first frame on a connection says who made it, so a cut
can be between any two nodes, in either direction. What is cut is held up and
not lost: when it is whole again the old bytes arrive, late, as in a network.

    network = Network()
    nodes = network.cluster(scene, 3)
    network.cut(nodes[0], nodes[1:])                 # both ways
    network.cut(nodes[0], nodes[1:], one_way=True)   # what nodes[0] sends
    network.heal()

The same is true of the ports of clients, as far as they go by the addresses
that nodes give each other and client_addresses() gives: what comes there is
passed on to the node's own port. Nobody says who makes such a connection, so a
cut is for a share of them, drawn at random.

    network.cut_clients(nodes[0], 0.5)

nftables.py has the kernel do it, where it may.
"""

import random
import selectors
import socket
import struct
import threading

from cluster import Cluster, Node, free_ports

HEAD_BYTES = 60


class Pipe:
    """One connection: from the node that made it to the one it is for."""

    def __init__(self, near, to, of_client):
        self.near, self.far, self.to = near, None, to
        self.of_client = of_client
        self.is_cut = False  # of a client
        self.sender = 0
        self.forth, self.back = bytearray(), bytearray()
        self.over = False


class Network:
    kind = "bytes passed on"
    before_clients = ()  # words in front of a client's command

    def __init__(self):
        self.selector = selectors.DefaultSelector()
        self.lock = threading.Lock()
        self.ears = {}
        self.pipes = []
        self.cuts = set()
        self.client_cuts = {}  # node: share
        self.client_ports = {}
        self.thread = threading.Thread(target=self._run, daemon=True)

    def cluster(self, scene, count, options=()):
        ports, own = free_ports(count), []
        ears = [self._listen() for _ in range(count)]
        for i, port in enumerate(ports):
            self._serve(ears[i], i + 1, port + 10000, False)
            ear = self._listen()
            self._serve(ear, i + 1, port, True)
            self.client_ports[i + 1] = ear.getsockname()[1]
        members = ",".join(
            f"{i}=127.0.0.1:{port}@{ears[i - 1].getsockname()[1]}"
            for i, port in self.client_ports.items()
        )
        for i, port in enumerate(ports):
            words = ["--raft-port", str(port + 10000), *options]
            own.append(Node(scene, i + 1, port, members, words))
        scene.nodes += own
        self.thread.start()
        nodes = Cluster(own)
        for node in nodes:
            node.start(wait=False)
        for node in nodes:
            node.wait_up()
        nodes.leader()
        return nodes

    def cut(self, one, others, one_way=False):
        with self.lock:
            for other in others:
                self.cuts.add((one.id, other.id))
                if not one_way:
                    self.cuts.add((other.id, one.id))

    def client_addresses(self, nodes):
        return ",".join(f"127.0.0.1:{self.client_ports[node.id]}" for node in nodes)

    def cut_clients(self, node, share):
        """Of the connections there are and of those that will be made."""
        with self.lock:
            self.client_cuts[node.id] = share
            for pipe in self.pipes:
                if pipe.of_client and pipe.to[0] == node.id:
                    pipe.is_cut = random.random() < share

    def heal(self):
        """How many cuts there were."""
        with self.lock:
            count = len(self.cuts) + sum(pipe.is_cut for pipe in self.pipes)
            self.cuts.clear()
            self.client_cuts.clear()
            for pipe in self.pipes:
                pipe.is_cut = False
        return count

    def close(self):
        pass  # its thread ends with the test

    def _serve(self, ear, number, port, of_client):
        self.ears[ear] = (number, port, of_client)
        self.selector.register(ear, selectors.EVENT_READ, self._accept)

    @staticmethod
    def _listen():
        ear = socket.socket()
        ear.bind(("127.0.0.1", 0))
        ear.listen(64)
        ear.setblocking(False)
        return ear

    def _run(self):
        while True:
            for key, _ in self.selector.select(0.01):
                key.data(key.fileobj)
            with self.lock:
                cuts = set(self.cuts)
            for pipe in self.pipes:
                self._pass_on(pipe, cuts)
            for pipe in [p for p in self.pipes if p.over]:
                with self.lock:
                    self.pipes.remove(pipe)
                for end in (pipe.near, pipe.far):
                    if end is not None:
                        self._forget(end)

    def _forget(self, end):
        try:
            self.selector.unregister(end)
        except (KeyError, ValueError):
            pass
        end.close()

    def _accept(self, ear):
        try:
            near, _ = ear.accept()
        except OSError:
            return
        near.setblocking(False)
        number, port, of_client = self.ears[ear]
        pipe = Pipe(near, (number, port), of_client)
        with self.lock:
            share = self.client_cuts.get(number, 0) if of_client else 0
            pipe.is_cut = random.random() < share
            self.pipes.append(pipe)
        self.selector.register(
            near, selectors.EVENT_READ, lambda end: self._read(pipe, end, pipe.forth)
        )

    def _read(self, pipe, end, into):
        if len(into) > 1 << 20:
            return  # held up; whoever writes feels it
        try:
            some = end.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            some = b""
        if not some:
            pipe.over = True
        into += some

    def _pass_on(self, pipe, cuts):
        if pipe.is_cut:
            return
        if pipe.far is None:
            if not pipe.of_client:
                if len(pipe.forth) < HEAD_BYTES:
                    return
                pipe.sender = struct.unpack_from("<Q", pipe.forth, 32)[0]
            pipe.far = socket.socket()
            try:
                pipe.far.connect(("127.0.0.1", pipe.to[1]))
            except OSError:
                pipe.over = True
                return
            pipe.far.setblocking(False)
            self.selector.register(
                pipe.far,
                selectors.EVENT_READ,
                lambda end: self._read(pipe, end, pipe.back),
            )
        if (pipe.sender, pipe.to[0]) not in cuts:
            self._send(pipe, pipe.far, pipe.forth)
        if (pipe.to[0], pipe.sender) not in cuts:
            self._send(pipe, pipe.near, pipe.back)

    @staticmethod
    def _send(pipe, end, data):
        try:
            while data:
                count = end.send(data)
                del data[:count]
        except BlockingIOError:
            pass
        except OSError:
            pipe.over = True
