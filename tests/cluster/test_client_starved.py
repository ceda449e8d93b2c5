#!/usr/bin/env python3
"""libholdfast without memory: one refusal at each place where it asks for
some, and no harm done."""

import subprocess
import sys

sys.dont_write_bytecode = True

import cluster
import driver
from cluster import say, soon


def test(scene):
    nodes = scene.cluster(1)
    done = subprocess.run(
        [*driver.command("client-starved"), driver.addresses(nodes)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=100,
        check=False,
    )
    say(done.stdout.rstrip())
    assert done.returncode == 0, done.returncode
    soon(
        "nothing is left held",
        lambda: nodes[0].ask("LOCK.SCAN", "0", "COUNT", "10")[1] == [],
        within=30,
    )


cluster.main(test, limit_s=120)
