"""partition.py - a network between nodes that a test can cut.

Every node is known to the others by a port of ours; what comes there is passed
on to the node's own. The first frame on a connection says who made it, so a cut
can be between any two nodes, in either direction. What is cut is held up and
not lost: when it is whole again the old bytes arrive, late, as in a network.

    network = Network()
    nodes = network.cluster(scene, 3)
    network.cut(nodes[0], nodes[1:])
    network.heal()
"""

import selectors
import socket
import struct
import threading

from cluster import Cluster, Node, free_ports

HEAD_BYTES = 60


class Pipe:
    """One connection: from the node that made it to the one it is for."""

    def __init__(self, near, to):
        self.near, self.far, self.to = near, None, to
        self.sender = 0
        self.forth, self.back = bytearray(), bytearray()
        self.over = False


class Network:
    def __init__(self):
        self.selector = selectors.DefaultSelector()
        self.lock = threading.Lock()
        self.ears = {}
        self.pipes = []
        self.cuts = set()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def cluster(self, scene, count, options=()):
        ports, own = free_ports(count), []
        ears = [self._listen() for _ in range(count)]
        members = ",".join(
            f"{i + 1}=127.0.0.1:{port}@{ears[i].getsockname()[1]}"
            for i, port in enumerate(ports)
        )
        for i, port in enumerate(ports):
            words = ["--raft-port", str(port + 10000), *options]
            own.append(Node(scene, i + 1, port, members, words))
            self.ears[ears[i]] = (i + 1, port + 10000)
            self.selector.register(ears[i], selectors.EVENT_READ, self._accept)
        scene.nodes += own
        self.thread.start()
        nodes = Cluster(own)
        for node in nodes:
            node.start(wait=False)
        for node in nodes:
            node.wait_up()
        nodes.leader()
        return nodes

    def cut(self, one, others):
        with self.lock:
            for other in others:
                self.cuts |= {(one.id, other.id), (other.id, one.id)}

    def heal(self):
        with self.lock:
            self.cuts.clear()

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
        pipe = Pipe(near, self.ears[ear])
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
        if pipe.far is None:
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
