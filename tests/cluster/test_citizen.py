#!/usr/bin/env python3
"""What people and tools expect of any server of the Redis protocol."""

import socket
import sys

sys.dont_write_bytecode = True

import cluster
from cluster import say


def test(scene):
    (node,) = nodes = scene.cluster(1)
    nodes.leader()
    a_web_page_is_not_served(node)


def a_web_page_is_not_served(node):
    """A page may have a browser send what it likes to a port of the machine it
    runs on: nothing behind a header of HTTP is carried out."""
    body = b"SET stolen yes\r\n"
    for head in (
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nhOST: a\r\n",
        b"*1\r\n$4\r\npost\r\n",
    ):
        with socket.create_connection(("127.0.0.1", node.port), 5) as browser:
            browser.sendall(head + body)
            try:
                while browser.recv(4096):
                    pass
            except ConnectionResetError:
                pass
        assert node.ask("EXISTS", "stolen") == 0, head
    warnings = node.log().count("SECURITY ATTACK")
    assert warnings == 1, f"{warnings} lines for four attacks in a moment"
    say("nothing of a web page is carried out")


if __name__ == "__main__":
    cluster.main(test, limit_s=60)
