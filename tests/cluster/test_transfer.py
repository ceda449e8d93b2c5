#!/usr/bin/env python3
"""Leadership goes from node to node under load, asked of any node: a client
sees a pause and nothing else. HOLDFAST_TRANSFERS terms of it (100)."""

import os
import sys
import time

sys.dont_write_bytecode = True

import cluster
from cluster import Error, say
from load import Load

TRANSFERS = int(os.environ.get("HOLDFAST_TRANSFERS", 100))


def test(scene):
    nodes = scene.cluster(3)
    load = Load(nodes, seed=scene.seed).start()
    begin_term = nodes.leader().status()["term"]
    refused = {}
    done, terms, longest = 0, 0, 0.0
    deadline = time.monotonic() + 60
    while terms < TRANSFERS:
        assert time.monotonic() < deadline, f"only {done}: {refused}"
        words = ["RAFT.TRANSFER"]
        if scene.random.random() < 0.8:
            words.append(scene.random.choice(nodes).id)
        begin = time.monotonic()
        reply = scene.random.choice(nodes).ask(*words, timeout=15)
        took = time.monotonic() - begin
        if reply == "OK":
            done += 1
            longest = max(longest, took)
            terms = max(n.status()["term"] for n in nodes) - begin_term
        else:
            assert isinstance(reply, Error), reply
            assert reply.code in ("TRYAGAIN", "CLUSTERDOWN", "UNCERTAIN"), reply
            refused[reply.code] = refused.get(reply.code, 0) + 1
            time.sleep(0.02)
    load.finish(30)
    load.judge()
    nodes.settle()
    for node in nodes:
        with node.client() as client:
            count = load.check_kept(client)
    index = nodes.same_state()
    say(
        f"{done} transfers in {terms} terms, the longest {longest:.2f} s, not "
        f"done {refused}; {count} grants kept, equal states at entry {index}"
    )
    assert load.counts["granted"] >= TRANSFERS, "too little load to prove anything"


if __name__ == "__main__":
    cluster.main(test, limit_s=120)
