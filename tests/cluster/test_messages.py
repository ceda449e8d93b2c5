#!/usr/bin/env python3
"""Messages of locks say the same in RESP2 and RESP3, CLIENT LIST counts who
listens to what, and what is published at one node is heard at all."""

import sys

sys.dont_write_bytecode = True

import cluster
from cluster import Error, say, soon
from resp import as_map

TTL = 600000
SPEECH = 200  # messages of each publisher


def owner_messages_are_the_same_in_both_protocols(nodes):
    for node in nodes:
        told = {2: [], 3: []}
        for protocol in (2, 3):
            story(node, protocol, told[protocol])
        assert told[2] == told[3], told
        wanted = ["lock-revoke", "lock-lost", "lock-lost", "lock-retry"]
        wanted += ["lock-granted", "lock-refused"]
        assert [t.split()[0] for t in told[2]] == wanted, told[2]
        lost = [t for t in told[2] if t.startswith("lock-lost")]
        assert [t.split()[-1] for t in lost] == ["broken", "expired"], lost


def story(node, protocol, told):
    """All that an owner can hear, with tokens left out: they differ."""
    key, owner = f"story-{node.id}", "me"
    with node.client(protocol) as mine, node.client() as ear, node.client() as other:
        channel = f"__lock__:owner:{owner}"
        if protocol == 2:
            ear.command("SUBSCRIBE", channel)

        def hear(token=None):
            if protocol == 3:
                words = mine.push(10)
            else:
                kind, to, text = ear.message(10)
                assert (kind, to) == ("message", channel), (kind, to)
                words = text.split(" ")
            assert words[1] == key, words
            if token is not None:
                assert words[2] == str(token), (words, token)
                words[2] = "TOKEN"
            told.append(" ".join(words))

        token = mine.command("LOCK.ACQUIRE", key, owner, TTL, "CACHE")
        other.send("LOCK.ACQUIRE", key, "other", TTL)
        hear(token)  # revoke
        mine.command("LOCK.RELEASE", key, owner, token)
        token = other.read()
        other.command("LOCK.RELEASE", key, "other", token)

        token = mine.command("LOCK.ACQUIRE", key, owner, TTL, "CACHE")
        assert other.command("LOCK.BREAK", key) == 1
        hear(token)  # lost, broken
        token = mine.command("LOCK.ACQUIRE", key, owner, 100, "CACHE")
        hear(token)  # lost, expired

        token = other.command("LOCK.ACQUIRE", key, "other", TTL)
        assert mine.command("LOCK.ACQUIRE", key, owner, TTL, "WAIT", 0, "NOTIFY") is None
        other.command("LOCK.RELEASE", key, "other", token)
        hear()  # retry

        token = other.command("LOCK.ACQUIRE", key, "other", TTL)
        assert mine.command("LOCK.ACQUIRE", key, owner, TTL, "ASYNC") == "QUEUED"
        other.command("LOCK.RELEASE", key, "other", token)
        hear(token + 1)  # granted
        assert mine.command("LOCK.RELEASE", key, owner, token + 1) == 1

        token = other.command("LOCK.ACQUIRE", key, "other", TTL)
        words = ["LOCK.ACQUIRE", key, owner, TTL, "WAIT", 100, "ASYNC"]
        assert mine.command(*words) == "QUEUED"
        hear()  # refused
        other.command("LOCK.RELEASE", key, "other", token)


def client_list_counts_subscriptions(nodes):
    node = nodes[0]
    with node.client(3) as ear, node.client() as boss:
        number = ear.command("CLIENT", "ID")

        def counts():
            line = boss.command("CLIENT", "LIST", "ID", number)
            found = dict(word.split("=", 1) for word in line.split())
            return [found[name] for name in ("sub", "psub", "ssub", "multi", "flags")]

        assert counts() == ["0", "0", "0", "-1", "N"], counts()
        for words, count in (
            (["SUBSCRIBE", "a", "b", "c"], 3),
            (["PSUBSCRIBE", "a*", "b*"], 2),
            (["SSUBSCRIBE", "a"], 1),
        ):
            ear.send(*words)
            for _ in range(count):
                assert ear.push(10)[0] == words[0].lower()
        assert counts() == ["3", "2", "1", "-1", "P"], counts()
        ear.send("PUNSUBSCRIBE")
        for _ in range(2):
            assert ear.push(10)[0] == "punsubscribe"
        assert counts() == ["3", "0", "1", "-1", "P"], counts()


def what_is_published_is_heard_at_all_nodes(nodes):
    ears = [
        Ear(node, protocol, word, channel)
        for node in nodes
        for protocol in (2, 3)
        for word, channel in (
            ("SUBSCRIBE", "news"),
            ("PSUBSCRIBE", "ne*"),
            ("SSUBSCRIBE", "news"),
        )
    ]
    mouths = [node.client() for node in nodes]
    wait_until_heard(nodes)
    # Every publisher counts to SPEECH, all at the same time.
    for i in range(SPEECH):
        for number, mouth in enumerate(mouths):
            mouth.send("PUBLISH", "news", f"{number} {i}")
            mouth.send("SPUBLISH", "news", f"{number} {i}")
    for mouth in mouths:
        # Only those of the same node are counted: two protocols, and patterns.
        heard = [mouth.read() for _ in range(2 * SPEECH)]
        assert heard == [4, 2] * SPEECH, heard
    for ear in ears:
        told = [ear.hear() for _ in range(SPEECH * len(mouths))]
        for number in range(len(mouths)):
            order = [int(t.split()[1]) for t in told if t.startswith(f"{number} ")]
            assert order == list(range(SPEECH)), (ear.word, order)
    for ear in ears:
        ear.client.close()
    # As much as a frame takes arrives, more is refused.
    with nodes[1].client() as listener, nodes[0].client() as mouth:
        listener.command("SUBSCRIBE", "large")
        large = "x" * (1024 * 1024 - len("large"))
        assert mouth.command("PUBLISH", "large", large) == 0
        assert listener.message(10)[2] == large
        refused = mouth.command("PUBLISH", "large", large + "x")
        assert isinstance(refused, Error) and "too long" in str(refused), refused
    # A node that was away hears again, and is heard.
    nodes[2].kill()
    assert mouths[0].command("PUBLISH", "news", "x") == 0
    nodes[2].start()
    wait_until_heard(nodes)


class Ear:
    def __init__(self, node, protocol, word, channel):
        self.word = word
        self.protocol = protocol
        self.client = node.client(protocol)
        self.client.send(word, channel)
        said = self.hear_all()
        assert said[:2] == [word.lower(), channel], said

    def hear_all(self):
        return self.client.push(10) if self.protocol == 3 else self.client.message(10)

    def hear(self):
        return self.hear_all()[-1]


def wait_until_heard(nodes):
    """Every link from node to node stands."""
    for node in nodes:
        ears = [Ear(n, 2, "SUBSCRIBE", f"probe-{node.id}") for n in nodes]
        for ear in ears:

            def heard():
                node.ask("PUBLISH", f"probe-{node.id}", "?")
                return ear.client.message(0.1)

            soon("a probe is heard", heard, within=20)
        for ear in ears:
            ear.client.close()


def reset_hears_nothing_more(nodes):
    """Whoever has reset its connection is told nothing of what it asked for
    before, so it must not get it either."""
    for node in nodes:
        key = f"reset-{node.id}"
        with node.client(3) as mine, node.client() as other:
            token = other.command("LOCK.ACQUIRE", key, "other", TTL)
            kept = mine.command("LOCK.ACQUIRE", key + "-kept", "me", TTL, "CACHE")
            assert mine.command("LOCK.ACQUIRE", key, "me", TTL, "ASYNC") == "QUEUED"
            words = ["LOCK.ACQUIRE", key, "me", TTL, "SEQ", 2, "WAIT", 0, "NOTIFY"]
            assert mine.command(*words) is None
            assert mine.command("RESET") == "RESET"
            assert mine.command("HELLO", 3)["proto"] == 3
            soon("it left", lambda: other.maps("LOCK.QUEUE", key) == [])
            assert other.command("LOCK.BREAK", key) == 1
            other.command("LOCK.ACQUIRE", key + "-kept", "other", TTL, "ASYNC")
            assert other.map("LOCK.STATUS", key)["mode"] == "free"
            held = other.map("LOCK.STATUS", key + "-kept")["holders"]
            assert [as_map(h)["token"] for h in held] == [kept], "locks stay held"
            assert mine.push(0.3) is None
            assert token < kept


def nobody_knows_how_a_wait_ended(scene):
    """Without a leader it is not known whether a wait ended in a grant: that is
    no refusal."""
    nodes = scene.cluster(3, cluster.STEADY + ["--patience-ms", "500"])
    home = nodes.leader()
    with home.client() as other, home.client(3) as mine, home.client() as ear:
        ear.command("SUBSCRIBE", "__lock__:owner:me2")
        other.command("LOCK.ACQUIRE", "k", "other", TTL)
        for client, owner in ((mine, "me3"), (other, "me2")):
            words = ["LOCK.ACQUIRE", "k", owner, TTL, "WAIT", 1000, "ASYNC"]
            assert client.command(*words) == "QUEUED"
        for node in nodes:
            if node is not home:
                node.kill()
        assert mine.push(10) == ["lock-uncertain", "k"]
        assert ear.message(10)[2] == "lock-uncertain k"
    for node in nodes:
        node.kill()


TESTS = [
    owner_messages_are_the_same_in_both_protocols,
    reset_hears_nothing_more,
    client_list_counts_subscriptions,
    what_is_published_is_heard_at_all_nodes,
]


def test(scene):
    nodes = scene.cluster(3, cluster.STEADY)
    for case in TESTS:
        case(nodes)
        say(case.__name__.replace("_", " "))
    nobody_knows_how_a_wait_ended(scene)
    say("nobody knows how a wait ended")


if __name__ == "__main__":
    cluster.main(test, limit_s=60)
