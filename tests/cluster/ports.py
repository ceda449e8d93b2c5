"""ports.py - ports for the nodes of a test, which nobody else takes.

Tests run side by side, and a node that is killed and started again must find
its ports as free as it left them. So ports are given out in blocks, and who has
a block keeps a lock on a file until its process ends.

A node at port P also uses P + 100, P + 200 and P + 10000. All are below those
that the machine hands out by itself.
"""

import fcntl
import os
import random
import socket
import tempfile

OFFSETS = (0, 100, 200, 10000)
BLOCK = 10

# A block and what lies 100 and 200 above it meet no other block.
FIRST_PORTS = [
    11000 + 300 * span + BLOCK * block for span in range(33) for block in range(10)
]

_kept = []  # files with our locks


def take(count):
    """Consecutive ports, ours until this process ends. LookupError: there are
    none."""
    assert count <= BLOCK
    folder = os.path.join(tempfile.gettempdir(), f"holdfast-ports-{os.getuid()}")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    for first in random.sample(FIRST_PORTS, len(FIRST_PORTS)):
        file = open(os.path.join(folder, str(first)), "ab")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            continue
        ports = [first + i for i in range(count)]
        if all(is_free(port + offset) for port in ports for offset in OFFSETS):
            _kept.append(file)
            return ports
        file.close()
    raise LookupError("no free ports on 127.0.0.1")


def is_free(port):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
