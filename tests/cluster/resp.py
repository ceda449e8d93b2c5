"""resp.py - a small client of the Redis protocol, versions 2 and 3.

Nothing is hidden: replies come back as they were sent, errors as values of
class Error, and pushes are put aside in the order in which they came. A test
that wants bytes on the wire to be wrong uses send_raw().

    client = Client(port)
    client.command("LOCK.ACQUIRE", "k", "me", 1000)     one request, its reply
    client.pipeline([["PING"], ["PING"]])               many, all at once
    client.send("LOCK.ACQUIRE", ...); client.read()     now, and later
    client.push(2.0)                                    the next push, or None
"""

import collections
import select
import socket
import time


class Error(Exception):
    """An error reply. Compared and shown by its text."""

    @property
    def code(self):
        return str(self).split(" ", 1)[0]

    def __eq__(self, other):
        return isinstance(other, Error) and str(self) == str(other)

    def __hash__(self):
        return hash(str(self))


class Closed(Exception):
    """The server closed the connection."""


class Timeout(Exception):
    """Nothing came in time."""


class Map(dict):
    """A map of RESP3; in RESP2 the same comes as a flat array."""


class Client:
    def __init__(self, port, protocol=2, timeout=10.0, host="127.0.0.1"):
        self.port = port
        self.timeout = timeout
        self.pushes = collections.deque()
        self.buffer = bytearray()
        self.at = 0
        self.socket = socket.create_connection((host, port), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.protocol = 2
        if protocol == 3:
            self.hello = self.command("HELLO", "3")
            if isinstance(self.hello, Error):
                raise self.hello
            self.protocol = 3

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.close()

    def close(self):
        self.socket.close()

    # ---- requests ----

    @staticmethod
    def encode(*words):
        parts = [b"*%d\r\n" % len(words)]
        for word in words:
            if not isinstance(word, bytes):
                word = str(word).encode()
            parts.append(b"$%d\r\n%s\r\n" % (len(word), word))
        return b"".join(parts)

    def send_raw(self, data):
        try:
            self.socket.settimeout(self.timeout)
            self.socket.sendall(data)
        except socket.timeout:
            raise Timeout("the server does not read") from None
        except OSError as error:
            raise Closed(str(error)) from None

    def send(self, *words):
        self.send_raw(self.encode(*words))

    def command(self, *words, timeout=None):
        self.send(*words)
        return self.read(timeout)

    def pipeline(self, commands, timeout=None):
        self.send_raw(b"".join(self.encode(*words) for words in commands))
        return [self.read(timeout) for _ in commands]

    def map(self, *words, timeout=None):
        """A command whose reply is a map, in either protocol."""
        return as_map(self.command(*words, timeout=timeout))

    def maps(self, *words, timeout=None):
        reply = self.command(*words, timeout=timeout)
        if isinstance(reply, Error):
            raise reply
        return [as_map(item) for item in reply]

    # ---- replies ----

    def read(self, timeout=None):
        """The next reply; pushes that come before it are put aside."""
        deadline = time.monotonic() + (timeout or self.timeout)
        while True:
            kind, value = self._value(deadline)
            if kind != b">":
                return value
            self.pushes.append(value)

    def push(self, timeout):
        """The next push, or None if none comes in time. No reply may be
        outstanding."""
        deadline = time.monotonic() + timeout
        if not self.pushes:
            try:
                kind, value = self._value(deadline)
            except Timeout:
                return None
            if kind != b">":
                raise AssertionError(f"a reply where a push was due: {value!r}")
            self.pushes.append(value)
        return self.pushes.popleft()

    def message(self, timeout):
        """What a RESP2 subscriber hears next, or None."""
        try:
            return self.read(timeout)
        except Timeout:
            return None

    def is_closed(self, timeout=3.0):
        """Whether the server closes, reading whatever it still says."""
        deadline = time.monotonic() + timeout
        try:
            while True:
                self._more(deadline)
        except Closed:
            return True
        except Timeout:
            return False

    def _more(self, deadline):
        left = deadline - time.monotonic()
        ready = select.poll()  # select() knows no more than 1024 files
        ready.register(self.socket, select.POLLIN)
        if left <= 0 or not ready.poll(left * 1000):
            raise Timeout("no reply")
        try:
            data = self.socket.recv(262144)
        except OSError as error:
            raise Closed(str(error)) from None
        if not data:
            raise Closed("end of file")
        del self.buffer[: self.at]
        self.at = 0
        self.buffer += data

    def _value(self, deadline):
        """(kind, value). Nothing is taken before it is whole, so a read that
        ran out of time may be tried again."""
        while True:
            parser = _Parser(self.buffer, self.at)
            try:
                kind, value = parser.value()
            except _Incomplete:
                self._more(deadline)
                continue
            self.at = parser.at
            if kind == b"|":
                continue
            return kind, value


class _Incomplete(Exception):
    pass


class _Parser:
    def __init__(self, buffer, at):
        self.buffer = buffer
        self.at = at

    def line(self):
        end = self.buffer.find(b"\r\n", self.at)
        if end < 0:
            raise _Incomplete
        line = bytes(self.buffer[self.at : end])
        self.at = end + 2
        return line

    def exactly(self, count):
        if len(self.buffer) - self.at < count + 2:
            raise _Incomplete
        data = bytes(self.buffer[self.at : self.at + count])
        if self.buffer[self.at + count : self.at + count + 2] != b"\r\n":
            raise AssertionError(f"a string of {count} bytes has no end")
        self.at += count + 2
        return data

    def value(self):
        line = self.line()
        kind, rest = line[:1], line[1:]
        if kind == b"+":
            return kind, rest.decode("utf-8", "replace")
        if kind == b"-":
            return kind, Error(rest.decode("utf-8", "replace"))
        if kind == b":":
            return kind, int(rest)
        if kind == b"(":
            return kind, int(rest)
        if kind == b",":
            return kind, float(rest)
        if kind == b"#":
            return kind, rest == b"t"
        if kind == b"_":
            return kind, None
        if kind in (b"$", b"=", b"!"):
            count = int(rest)
            if count < 0:
                return kind, None
            data = self.exactly(count)
            if kind == b"=":
                data = data[4:]
            text = data.decode("utf-8", "surrogateescape")
            return kind, Error(text) if kind == b"!" else text
        if kind in (b"*", b"~", b">"):
            count = int(rest)
            if count < 0:
                return kind, None
            return kind, [self.value()[1] for _ in range(count)]
        if kind in (b"%", b"|"):
            pairs = [(self.value()[1], self.value()[1]) for _ in range(int(rest))]
            return kind, Map(pairs)
        raise AssertionError(f"not the Redis protocol: {line[:80]!r}")


def as_map(reply):
    """A map of either protocol; an error is raised."""
    if isinstance(reply, Error):
        raise reply
    if isinstance(reply, dict):
        return reply
    assert isinstance(reply, list) and len(reply) % 2 == 0, reply
    return Map(zip(reply[0::2], reply[1::2]))
