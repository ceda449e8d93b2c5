#!/usr/bin/env python3
"""Every lock command through every node, as a client and a person see it.

Each function of SHOWS is one fact of PRODUCT.md. They run one after the other
on one cluster with keys of their own.
"""

import re
import socket
import sys
import time
import traceback

sys.dont_write_bytecode = True

import cluster
from cluster import Client, Closed, Error, Timeout, say, soon
from resp import as_map

TTL = 20000


def every_command_works_at_every_node(nodes):
    last = 0
    for protocol in (2, 3):
        for node in nodes:
            key = f"every-{node.id}-{protocol}"
            with node.client(protocol) as one, node.client(protocol) as two:
                token = one.command("LOCK.ACQUIRE", key, "ann", TTL)
                assert isinstance(token, int) and last < token < 2**53, token
                last = token
                assert one.command("LOCK.ACQUIRE", key, "ann", TTL) == token
                assert two.command("LOCK.ACQUIRE", key, "bob", TTL, "WAIT", 0) is None
                left = one.command("LOCK.RENEW", key, "ann", token, TTL + 1)
                assert left == TTL + 1, left
                assert one.command("LOCK.RENEW", key, "bob", token, TTL) is None
                assert one.command("LOCK.RENEW", key, "ann", token + 1, TTL) is None
                status_is_right(two, key, token)
                queue_and_cancel(nodes, two, key)
                owned = two.maps("LOCK.OWNED", "ann")
                assert [m["token"] for m in owned if m["key"] == key] == [token], owned
                assert key in scan(two, f"every-{node.id}-*")
                assert key not in scan(two, "nothing-*")
                # Not that grant, twice; then that grant, twice.
                assert one.command("LOCK.RELEASE", key, "bob", token) == 0
                assert one.command("LOCK.RELEASE", key, "ann", token + 1) == 0
                assert one.command("LOCK.RELEASE", key, "ann", token) == 1
                assert one.command("LOCK.RELEASE", key, "ann", token) == 0
                free = two.map("LOCK.STATUS", key)
                assert free["mode"] == "free" and free["holders"] == [], free
                token = one.command("LOCK.ACQUIRE", key, "ann", TTL)
                assert two.command("LOCK.BREAK", key, token + 1) == 0
                assert two.command("LOCK.BREAK", key, token) == 1
                token = one.command("LOCK.ACQUIRE", key, "ann", TTL)
                assert two.command("LOCK.BREAK", key) == 1
                assert two.command("LOCK.BREAK", key) == 0
                assert one.command("LOCK.RENEW", key, "ann", token, TTL) is None
                last = token


def status_is_right(client, key, token):
    status = client.map("LOCK.STATUS", key)
    assert set(status) == {"key", "mode", "holders", "waiters", "last-token"}, status
    assert status["key"] == key and status["mode"] == "exclusive", status
    assert status["waiters"] == 0 and status["last-token"] == token, status
    (holder,) = map(as_map, status["holders"])
    assert holder["owner"] == "ann" and holder["token"] == token, holder
    assert holder["mode"] == "exclusive", holder
    assert TTL - 5000 < holder["ttl-left"] <= TTL + 1, holder
    assert 0 <= holder["held-for"] < 5000, holder


def queue_and_cancel(nodes, client, key):
    with nodes[0].client() as waits, nodes[-1].client() as seq:
        waits.send("LOCK.ACQUIRE", key, "bob", TTL)
        soon("one waits", lambda: client.map("LOCK.STATUS", key)["waiters"] == 1)
        seq.send("LOCK.ACQUIRE", key, "cat", TTL, "SHARED", "SEQ", 7)
        soon("two wait", lambda: client.map("LOCK.STATUS", key)["waiters"] == 2)
        queue = client.maps("LOCK.QUEUE", key)
        assert [m["owner"] for m in queue] == ["bob", "cat"], queue
        assert [m["mode"] for m in queue] == ["exclusive", "shared"], queue
        assert queue[1]["seq"] == 7 and 0 <= queue[1]["waited"] < 5000, queue
        assert len(client.maps("LOCK.QUEUE", key, "COUNT", 1)) == 1
        assert client.command("LOCK.CANCEL", key, "cat") == 0
        assert client.command("LOCK.CANCEL", key, "cat", "SEQ", 7) == 1
        assert client.command("LOCK.CANCEL", key, "bob") == 1
        assert client.command("LOCK.CANCEL", key, "bob") == 0
        assert waits.read() is None and seq.read() is None
        assert waits.command("PING") == "PONG"


def scan(client, pattern):
    cursor, found, calls = "0", [], 0
    while True:
        cursor, keys = client.command("LOCK.SCAN", cursor, "MATCH", pattern, "COUNT", 3)
        found += keys
        calls += 1
        assert calls < 1000
        if cursor == "0":
            return found


def scan_finds_all_held_locks(nodes):
    with nodes[1].client() as client:
        keys = {f"scan-{i}" for i in range(100)}
        client.pipeline([["LOCK.ACQUIRE", k, "scanner", TTL] for k in keys])
        assert keys <= set(scan(nodes[0].client(), "scan-*"))
        assert keys == set(scan(nodes[2].client(), "scan-*"))
        owned = client.maps("LOCK.OWNED", "scanner")
        assert {m["key"] for m in owned} == keys
        releases = [["LOCK.RELEASE", m["key"], "scanner", m["token"]] for m in owned]
        assert client.pipeline(releases) == [1] * 100
        assert scan(nodes[0].client(), "scan-*") == []


def people_see_what_they_expect(nodes):
    for node in nodes:
        key = f"person-{node.id}"
        token = node.redis_cli("LOCK.ACQUIRE", key, "ann", TTL)
        assert token.isdigit(), token
        assert node.redis_cli("LOCK.ACQUIRE", key, "bob", TTL, "WAIT", 1) == ""
        assert key in node.redis_cli("LOCK.STATUS", key)
        assert node.redis_cli("-3", "LOCK.RENEW", key, "ann", token, 9000) == "9000"
        assert node.redis_cli("LOCK.RELEASE", key, "ann", token) == "1"
        assert node.redis_cli("LOCK.RELEASE", key, "ann", token) == "0"
        assert "role:master" in node.redis_cli("INFO")
        assert "cluster-id" in node.redis_cli("RAFT.STATUS")
        assert "127.0.0.1" in node.redis_cli("RAFT.PEERS")
        assert "LOCK" in node.redis_cli("COMMAND", "LIST").upper()
        wrong = node.redis_cli("LOCK.ACQUIRE", key)
        assert wrong.startswith("ERR wrong number of arguments"), wrong
    piped = nodes[0].redis_cli(input_text="PING\nLOCK.STATUS nothing\nPING\n")
    assert piped.startswith("PONG") and piped.endswith("PONG"), piped


def bad_input_is_answered_and_harmless(nodes):
    big = "k" * 1025
    cases = [
        (["LOCK.ACQUIRE"], "ERR wrong number of arguments for 'lock.acquire' command"),
        (["lock.release", "a"], "ERR wrong number of arguments for 'lock.release'"),
        (["LOCK.STATUS", "a", "b"], "ERR wrong number of arguments for 'lock.status'"),
        (["NONSENSE", "a", "b"], "ERR unknown command 'NONSENSE', with args beginning"),
        (["NO\r\nSENSE"], "ERR unknown command"),
        (["LOCK.ACQUIRE", "a", "o", "x"], "ERR ttl-ms is not an integer"),
        (["LOCK.ACQUIRE", "a", "o", "0"], "ERR ttl-ms is not an integer or out"),
        (["LOCK.ACQUIRE", "a", "o", "-1"], "ERR ttl-ms is not"),
        (["LOCK.ACQUIRE", "a", "o", "99999999999999999999"], "ERR ttl-ms is not"),
        (["LOCK.ACQUIRE", "a", "o", " 1"], "ERR ttl-ms is not"),
        (["LOCK.ACQUIRE", "a", "o", ""], "ERR ttl-ms is not"),
        (["LOCK.ACQUIRE", big, "o", "1"], "ERR key is longer than 1024 bytes"),
        (["LOCK.ACQUIRE", "", "o", "1"], "ERR key is empty"),
        (["LOCK.ACQUIRE", "a", "", "1"], "ERR owner is empty"),
        (["LOCK.ACQUIRE", "a", "o" * 257, "1"], "ERR owner is longer than 256 bytes"),
        (["LOCK.ACQUIRE", "a", "o", "1", "FOO"], "ERR syntax error"),
        (["LOCK.ACQUIRE", "a", "o", "1", "WAIT"], "ERR syntax error"),
        (["LOCK.ACQUIRE", "a", "o", "1", "WAIT", "x"], "ERR WAIT is not"),
        (["LOCK.ACQUIRE", "a", "o", "1", "WAIT", "-1"], "ERR WAIT is not"),
        (["LOCK.ACQUIRE", "a", "o", "1", "SEQ", "0"], "ERR SEQ is not"),
        (["LOCK.ACQUIRE", "a", "o", "1", "NOTIFY"], "ERR syntax error: NOTIFY needs WAIT 0"),
        (["LOCK.ACQUIRE", "a", "o", "1", "SHARED", "SHARED"], "ERR syntax error"),
        (["LOCK.RELEASE", "a", "o", "x"], "ERR token is not"),
        (["LOCK.RELEASE", "a", "o", str(2**53)], "ERR token is not"),
        (["LOCK.QUEUE", "a", "COUNT", "0"], "ERR COUNT is not"),
        (["LOCK.SCAN", "x"], "ERR invalid cursor"),
        (["CLIENT", "NOSUCH"], "ERR unknown subcommand"),
        (["AUTH", "x"], "ERR AUTH <password> called without any password"),
    ]
    for node in nodes:
        for protocol in (2, 3):
            with node.client(protocol) as client:
                replies = client.pipeline([case[0] for case in cases] + [["PING"]])
                assert replies.pop() == "PONG"
                for (words, wanted), reply in zip(cases, replies):
                    assert isinstance(reply, Error), (words, reply)
                    assert str(reply).startswith(wanted), (words[:1], str(reply), wanted)
                assert client.map("LOCK.STATUS", "a")["mode"] == "free"
                longest = "k" * 1024
                token = client.command("LOCK.ACQUIRE", longest, "o" * 256, 100)
                assert isinstance(token, int), token
                assert client.command("LOCK.RELEASE", longest, "o" * 256, token) == 1


def protocol_errors_close(nodes):
    for node in nodes:
        for raw, words in (
            (b"*1\r\n$x\r\n", "ERR Protocol error"),
            (b"*x\r\n", "ERR Protocol error"),
            (b"*1\r\n+PING\r\n", "ERR Protocol error"),
            (b"*99999999999\r\n", "ERR Protocol error"),
            (b"*1\r\n$99999999999\r\n", "ERR Protocol error"),
            (b"*1\r\n$-5\r\n", "ERR Protocol error"),
            (b'"unbalanced\r\n', "ERR Protocol error"),
            (b"x" * 70000, "ERR Protocol error"),
        ):
            with node.client() as client:
                # What was right before it is still answered.
                client.send_raw(b"PING\r\n" + raw)
                assert client.read() == "PONG"
                reply = client.read()
                assert isinstance(reply, Error), (raw[:20], reply)
                assert str(reply).startswith(words), (raw[:20], reply)
                assert client.is_closed(), raw[:20]
        assert node.ask("PING") == "PONG"


def inline_commands_work(nodes):
    for node in nodes:
        with node.client() as client:
            client.send_raw(b"PING\r\n")
            assert client.read() == "PONG"
            client.send_raw(b"PING\n\r\n\r\nECHO 'a b'\r\n")
            assert client.read() == "PONG" and client.read() == "a b"
            client.send_raw(b'LOCK.ACQUIRE "in line" me 500 WAIT 0\r\n')
            token = client.read()
            assert isinstance(token, int), token
            # A byte at a time, as from a telnet of old.
            for byte in b'LOCK.RELEASE "in line" me %d\r\n' % token:
                client.send_raw(bytes([byte]))
            assert client.read() == 1


def pipelines_keep_their_order(nodes):
    for node in nodes:
        with node.client() as client:
            wanted = [str(i) for i in range(5000)]
            assert client.pipeline([["ECHO", w] for w in wanted]) == wanted
            client.send_raw(b"PING\r\n" * 5000)
            assert [client.read() for _ in range(5000)] == ["PONG"] * 5000
        # Writes, reads and neither, mixed.
        with node.client() as client:
            commands, checks = [], []
            for i in range(250):
                key = f"pipe-{node.id}-{i % 5}"
                commands += [
                    ["LOCK.ACQUIRE", key, f"o{i % 5}", TTL, "WAIT", 0],
                    ["LOCK.STATUS", key],
                    ["ECHO", str(i)],
                    ["LOCK.BREAK", key],
                ]
                checks.append((key, str(i)))
            replies = client.pipeline(commands, timeout=20)
            last = 0
            for i, (key, echo) in enumerate(checks):
                token, status, echoed, broken = replies[4 * i : 4 * i + 4]
                assert isinstance(token, int) and token > last, (i, token, last)
                status = as_map(status)
                assert status["key"] == key and status["last-token"] >= token, status
                assert as_map(status["holders"][0])["token"] == token, status
                assert echoed == echo and broken == 1, (i, echoed, broken)
                last = token
        with node.client() as client:
            commands = []
            for i in range(500):
                commands.append(["LOCK.ACQUIRE", f"p{node.id}-{i}", "o", TTL, "WAIT", 0])
            tokens = client.pipeline(commands)
            assert tokens == sorted(set(tokens)), "tokens follow the pipeline"
            commands = [
                ["LOCK.RELEASE", f"p{node.id}-{i}", "o", t] for i, t in enumerate(tokens)
            ]
            assert client.pipeline(commands) == [1] * 500


def a_pipeline_waits_behind_a_blocked_request(nodes):
    with nodes[0].client() as holder, nodes[1].client() as client:
        token = holder.command("LOCK.ACQUIRE", "block", "a", TTL)
        client.send_raw(
            client.encode("LOCK.ACQUIRE", "block", "b", TTL)
            + client.encode("PING")
            + client.encode("LOCK.STATUS", "block")
        )
        try:
            assert False, client.read(0.3)
        except Timeout:
            pass
        assert holder.command("LOCK.RELEASE", "block", "a", token) == 1
        mine = client.read()
        assert mine > token and client.read() == "PONG"
        assert as_map(client.read())["last-token"] >= mine
        assert client.command("LOCK.RELEASE", "block", "b", mine) == 1


def large_output_then_quit_arrives_whole(nodes):
    # The socket cannot take it all at once: what is left leaves later, and
    # only then is the connection closed.
    with nodes[0].client(timeout=5) as client:
        text = "x" * 1000000
        for _ in range(12):
            client.send("ECHO", text)
        client.send("QUIT")
        time.sleep(0.3)
        for _ in range(12):
            assert client.read() == text
        assert client.read() == "OK"
        assert client.is_closed()


def the_longest_requests_and_replies_pass_through_followers(nodes):
    """What the leader takes or answers, a follower can hand on."""
    part = "x" * 60000
    with nodes.leader().client() as client:
        # Two values that fill an entry of the log to its last byte.
        fits, too_long = 0, 60000
        while too_long - fits > 1:
            middle = (fits + too_long) // 2
            if client.command("MSET", "long", part, "rest", "y" * middle) == "OK":
                fits = middle
            else:
                too_long = middle
        for i in range(34):
            assert client.command("SET", f"long-{i}", part) == "OK"
    assert fits > 0
    for node in nodes:
        with node.client() as client:
            for count in (fits - 1, fits):
                words = ("MSET", "long", part, "rest", "y" * count)
                assert client.command(*words) == "OK", (node.id, count)
            reply = client.command("MSET", "long", part, "rest", "y" * too_long)
            assert isinstance(reply, Error) and "longer" in str(reply), reply
            values = client.command("MGET", *(f"long-{i}" for i in range(34)))
            assert values == [part] * 34, node.id
            reply = client.command("MGET", *["long-0"] * 36)
            assert reply == Error("ERR the reply would be too large"), reply


def a_pause_of_writes_holds_transactions_that_write(nodes):
    with nodes[0].client() as one, nodes[0].client() as two:
        for word in ("GET", "SET"):
            assert two.command("CLIENT", "UNPAUSE") == "OK"
            assert one.command("MULTI") == "OK"
            words = (word, "paused") if word == "GET" else (word, "paused", "v")
            assert one.command(*words) == "QUEUED"
            assert two.command("CLIENT", "PAUSE", 60000, "WRITE") == "OK"
            if word == "GET":
                assert one.command("EXEC") == [None]
        one.send("EXEC")
        try:
            raise AssertionError(one.read(timeout=0.5))
        except Timeout:
            pass
        assert two.command("GET", "paused") is None
        assert two.command("CLIENT", "UNPAUSE") == "OK"
        assert one.read() == ["OK"]
        assert two.command("GET", "paused") == "v"


def waiting_ends_as_asked(nodes):
    with nodes[0].client() as holder:
        token = holder.command("LOCK.ACQUIRE", "waits", "a", TTL)
        for node in nodes:
            with node.client() as client:
                begin = time.monotonic()
                reply = client.command("LOCK.ACQUIRE", "waits", "b", TTL, "WAIT", 0)
                assert reply is None and time.monotonic() - begin < 1, reply
                begin = time.monotonic()
                reply = client.command("LOCK.ACQUIRE", "waits", "b", TTL, "WAIT", 300)
                took = time.monotonic() - begin
                assert reply is None and 0.29 <= took < 1.5, (reply, took)
                soon(
                    "the queue is empty",
                    lambda c=client: c.map("LOCK.STATUS", "waits")["waiters"] == 0,
                )
        with nodes[2].client() as client:
            client.send("LOCK.ACQUIRE", "waits", "b", 600)
            time.sleep(1.0)
            assert holder.command("LOCK.RELEASE", "waits", "a", token) == 1
            second = client.read()
            assert second > token, second
            # The lease of b runs out, whoever waits gets it then.
            begin = time.monotonic()
            third = holder.command("LOCK.ACQUIRE", "waits", "a", TTL)
            assert 0.3 < time.monotonic() - begin < 3, time.monotonic() - begin
            assert third > second
            assert client.command("LOCK.RENEW", "waits", "b", second, 600) is None
            assert holder.command("LOCK.RELEASE", "waits", "a", third) == 1


def shared_and_exclusive(nodes):
    key = "rw"
    with nodes[0].client() as r1, nodes[1].client() as r2, nodes[2].client() as w:
        t1 = r1.command("LOCK.ACQUIRE", key, "r1", TTL, "SHARED")
        t2 = r2.command("LOCK.ACQUIRE", key, "r2", TTL, "SHARED")
        assert t2 > t1
        assert w.command("LOCK.ACQUIRE", key, "w", TTL, "WAIT", 0) is None
        status = w.map("LOCK.STATUS", key)
        assert status["mode"] == "shared" and len(status["holders"]) == 2, status
        w.send("LOCK.ACQUIRE", key, "w", TTL)
        soon("it waits", lambda: r1.map("LOCK.STATUS", key)["waiters"] == 1)
        # A reader that comes later stays behind the writer; two that wait
        # together get it together.
        assert r1.command("LOCK.ACQUIRE", key, "r3", TTL, "SHARED", "WAIT", 0) is None
        with nodes[0].client() as r3, nodes[1].client() as r4:
            r3.send("LOCK.ACQUIRE", key, "r3", TTL, "SHARED")
            soon("r3 waits", lambda: r1.map("LOCK.STATUS", key)["waiters"] == 2)
            r4.send("LOCK.ACQUIRE", key, "r4", TTL, "SHARED")
            soon("r4 waits", lambda: r1.map("LOCK.STATUS", key)["waiters"] == 3)
            assert r1.command("LOCK.RELEASE", key, "r1", t1) == 1
            assert r1.map("LOCK.STATUS", key)["mode"] == "shared"
            assert r2.command("LOCK.RELEASE", key, "r2", t2) == 1
            tw = w.read()
            assert tw > t2
            assert r1.map("LOCK.STATUS", key)["mode"] == "exclusive"
            assert w.command("LOCK.RELEASE", key, "w", tw) == 1
            t3, t4 = r3.read(), r4.read()
            assert tw < t3 < t4, (tw, t3, t4)
            assert r1.command("LOCK.BREAK", key) == 2


def seq_tells_threads_of_an_owner_apart(nodes):
    key = "seq"
    with nodes[0].client() as one, nodes[1].client() as two:
        first = one.command("LOCK.ACQUIRE", key, "o", TTL, "SEQ", 1)
        assert two.command("LOCK.ACQUIRE", key, "o", TTL, "SEQ", 1) == first
        assert two.command("LOCK.ACQUIRE", key, "o", TTL, "SEQ", 2, "WAIT", 0) is None
        two.send("LOCK.ACQUIRE", key, "o", TTL, "SEQ", 2)
        soon("it waits", lambda: one.map("LOCK.STATUS", key)["waiters"] == 1)
        assert one.command("LOCK.RELEASE", key, "o", first) == 1
        second = two.read()
        assert second > first
        assert two.command("LOCK.RELEASE", key, "o", second) == 1


def asking_again_keeps_the_place(nodes):
    key = "again"
    with nodes[0].client() as a, nodes[1].client() as b, nodes[2].client() as again:
        token = a.command("LOCK.ACQUIRE", key, "a", TTL)
        b.send("LOCK.ACQUIRE", key, "b", TTL)
        soon("b waits", lambda: a.map("LOCK.STATUS", key)["waiters"] == 1)
        again.send("LOCK.ACQUIRE", key, "b", TTL)
        time.sleep(0.2)
        assert a.map("LOCK.STATUS", key)["waiters"] == 1
        assert a.command("LOCK.RELEASE", key, "a", token) == 1
        # Which of the two hears of it, and how, is the server's business; that
        # the one who asked last gets the token is not.
        granted = again.read()
        assert isinstance(granted, int) and granted > token, granted
        try:
            earlier = b.read(2.0)
        except Timeout:
            earlier = "nothing"
        assert earlier in (granted, None, "nothing") or isinstance(earlier, Error)
        say(f"    the first of two connections with one request heard {earlier!r}")
        assert again.command("LOCK.RELEASE", key, "b", granted) == 1


def withinfo_tells_all(nodes):
    for node in nodes:
        for protocol in (2, 3):
            with node.client(protocol) as client:
                now = time.time() * 1000
                got = client.map("LOCK.ACQUIRE", "info", "me", TTL, "WITHINFO")
                assert list(got) == ["token", "ttl", "expires-at", "mode", "signature"]
                assert got["ttl"] == TTL and got["mode"] == "exclusive", got
                assert abs(got["expires-at"] - now - TTL) < 3000, (got, now)
                assert client.command("LOCK.RELEASE", "info", "me", got["token"]) == 1
                got = client.map("LOCK.ACQUIRE", "info", "me", 9, "SHARED", "withinfo")
                assert got["mode"] == "shared", got
                client.command("LOCK.BREAK", "info")


def delay_keeps_the_key_after_an_expiry(nodes):
    with nodes[1].client() as a, nodes[2].client() as b:
        begin = time.monotonic()
        token = a.command("LOCK.ACQUIRE", "delay", "a", 300, "DELAY", 700)
        got = b.command("LOCK.ACQUIRE", "delay", "b", TTL)
        took = time.monotonic() - begin
        assert got > token and 0.95 <= took < 3, took
        b.command("LOCK.RELEASE", "delay", "b", got)
        # Free, and not to be had: that is told.
        a.command("LOCK.ACQUIRE", "delay", "a", 100, "DELAY", 60000)
        soon("it is free", lambda: a.map("LOCK.STATUS", "delay")["mode"] == "free")
        assert b.command("LOCK.ACQUIRE", "delay", "b", TTL, "WAIT", 0) is None
        assert 0 < b.map("LOCK.STATUS", "delay")["delay-left"] <= 60000


def cache_revokes(nodes):
    # RESP3: a push to the connection. RESP2: the channel of the owner.
    for i, node in enumerate(nodes):
        other = nodes[(i + 1) % 3]
        key = f"cache-{node.id}"
        # Nodes hear of what happened a little later than each other.
        owner = f"keeper-{node.id}"
        channel = f"__lock__:owner:{owner}"
        with node.client(3) as keeper, other.client() as wants, node.client() as ear:
            assert ear.command("SUBSCRIBE", channel)[0] == "subscribe"
            token = keeper.command("LOCK.ACQUIRE", key, owner, TTL, "CACHE")
            assert keeper.push(0.1) is None
            wants.send("LOCK.ACQUIRE", key, "wants", TTL)
            assert keeper.push(5) == ["lock-revoke", key, str(token)]
            heard = ear.message(5)
            wanted = ["message", channel, f"lock-revoke {key} {token}"]
            assert heard == wanted, heard
            assert keeper.command("LOCK.RELEASE", key, owner, token) == 1
            next_token = wants.read()
            assert next_token > token
            # A grant that ends without its owner is told too.
            assert wants.command("LOCK.RELEASE", key, "wants", next_token) == 1
            token = keeper.command("LOCK.ACQUIRE", key, owner, TTL, "CACHE")
            assert wants.command("LOCK.BREAK", key) == 1
            assert keeper.push(5) == ["lock-lost", key, str(token), "broken"]
            assert ear.message(5)[2] == f"lock-lost {key} {token} broken"
            token = keeper.command("LOCK.ACQUIRE", key, owner, 200, "CACHE")
            assert keeper.push(5) == ["lock-lost", key, str(token), "expired"]
            assert ear.message(5)[2] == f"lock-lost {key} {token} expired"
            # Who waited is told at once that others still do.
            token = wants.command("LOCK.ACQUIRE", key, "wants", TTL)
            keeper.send("LOCK.ACQUIRE", key, owner, TTL, "CACHE")
            queued = lambda n: wants.map("LOCK.STATUS", key)["waiters"] == n
            soon("the keeper waits", lambda: queued(1))
            with other.client() as last:
                last.send("LOCK.ACQUIRE", key, "last", TTL)
                soon("another waits", lambda: queued(2))
                assert wants.command("LOCK.RELEASE", key, "wants", token) == 1
                token = keeper.read()
                assert keeper.push(5) == ["lock-revoke", key, str(token)]
                assert ear.message(5)[2] == f"lock-revoke {key} {token}"
                # So is who keeps what somebody else has only tried to get.
                assert keeper.command("LOCK.RELEASE", key, owner, token) == 1
                assert last.command("LOCK.RELEASE", key, "last", last.read()) == 1
            token = keeper.command("LOCK.ACQUIRE", key, owner, TTL, "CACHE")
            tried = wants.command("LOCK.ACQUIRE", key, "wants", TTL, "WAIT", 0)
            assert tried is None, tried
            heard = keeper.push(5)
            assert heard == ["lock-revoke", key, str(token)], heard
            assert ear.message(5)[2] == f"lock-revoke {key} {token}"
            assert keeper.command("LOCK.RELEASE", key, owner, token) == 1


def async_grants_come_as_messages(nodes):
    for i, node in enumerate(nodes):
        key = f"async-{node.id}-"
        other = nodes[(i + 1) % 3]
        with other.client() as holder, node.client(3) as many:
            tokens = holder.pipeline(
                [["LOCK.ACQUIRE", f"{key}{n}", "h", TTL] for n in range(50)]
            )
            queued = many.pipeline(
                [["LOCK.ACQUIRE", f"{key}{n}", "m", TTL, "ASYNC"] for n in range(50)]
            )
            assert queued == ["QUEUED"] * 50, queued
            assert many.command("PING") == "PONG"
            gone = holder.pipeline(
                [["LOCK.RELEASE", f"{key}{n}", "h", t] for n, t in enumerate(tokens)]
            )
            assert gone == [1] * 50
            heard = [many.push(5) for _ in range(50)]
            assert [h[0] for h in heard] == ["lock-granted"] * 50, heard
            assert sorted(h[1] for h in heard) == sorted(f"{key}{n}" for n in range(50))
            assert all(int(h[2]) > max(tokens) for h in heard)
            for _, name, token in heard:
                assert holder.command("LOCK.RELEASE", name, "m", token) == 1
            # A free lock is granted at once.
            free = many.command("LOCK.ACQUIRE", key, "m", TTL, "ASYNC")
            assert isinstance(free, int), free
            assert many.command("LOCK.RELEASE", key, "m", free) == 1
        with other.client() as holder, node.client() as two, node.client() as ear:
            ear.command("SUBSCRIBE", "__lock__:owner:two")
            token = holder.command("LOCK.ACQUIRE", key, "h", TTL)
            assert two.command("LOCK.ACQUIRE", key, "two", TTL, "ASYNC") == "QUEUED"
            assert holder.command("LOCK.RELEASE", key, "h", token) == 1
            word, name, granted = ear.message(5)[2].split()
            assert (word, name) == ("lock-granted", key) and int(granted) > token
            assert two.command("LOCK.RELEASE", key, "two", granted) == 1


def notify_says_when_to_try_again(nodes):
    for i, node in enumerate(nodes):
        key = f"notify-{node.id}"
        other = nodes[(i + 1) % 3]
        with other.client() as holder, node.client(3) as three, node.client() as ear:
            ear.command("SUBSCRIBE", "__lock__:owner:three")
            token = holder.command("LOCK.ACQUIRE", key, "h", TTL)
            words = ["LOCK.ACQUIRE", key, "three", TTL, "WAIT", 0, "NOTIFY"]
            assert three.command(*words) is None
            assert three.push(0.1) is None
            assert holder.command("LOCK.RELEASE", key, "h", token) == 1
            assert three.push(5) == ["lock-retry", key]
            assert ear.message(5)[2] == f"lock-retry {key}"
            mine = three.command(*words)
            assert mine > token
            assert three.command("LOCK.RELEASE", key, "three", mine) == 1


def key_events_are_published(nodes):
    with nodes[0].client() as two, nodes[2].client(3) as three, nodes[1].client() as c:
        assert two.command("PSUBSCRIBE", "__lock__:key:ev*") is not None
        three.send("PSUBSCRIBE", "__lock__:key:ev*")
        assert three.push(5) == ["psubscribe", "__lock__:key:ev*", 1]
        t1 = c.command("LOCK.ACQUIRE", "ev", "a", TTL)
        c.command("LOCK.RELEASE", "ev", "a", t1)
        t2 = c.command("LOCK.ACQUIRE", "ev", "b", 150)
        soon("it expires", lambda: c.map("LOCK.STATUS", "ev")["mode"] == "free")
        t3 = c.command("LOCK.ACQUIRE", "ev", "c", TTL)
        c.command("LOCK.BREAK", "ev")
        wanted = [
            f"acquired a {t1}",
            f"released a {t1}",
            f"acquired b {t2}",
            f"expired b {t2}",
            f"acquired c {t3}",
            f"broken c {t3}",
        ]
        head = ["pmessage", "__lock__:key:ev*", "__lock__:key:ev"]
        assert [two.message(5) for _ in wanted] == [head + [w] for w in wanted]
        assert [three.push(5) for _ in wanted] == [head + [w] for w in wanted]
        assert three.command("PING") == "PONG"
        refused = two.command("LOCK.STATUS", "ev")
        assert isinstance(refused, Error) and "Can't execute" in str(refused), refused


def monitor_shows_what_clients_ask(nodes):
    line = re.compile(r'^\d+\.\d{6} \[(\d+) 127\.0\.0\.1:\d+\]((?: "(?:[^"\\]|\\.)*")+)$')
    with nodes[0].client() as one, nodes[0].client(3) as two, nodes[0].client() as c:
        assert one.command("MONITOR") == "OK"
        # Nothing comes before the OK, also for the second one.
        assert two.command("MONITOR") == "OK"
        seen = line.match(one.read())
        assert seen and seen[2] == ' "MONITOR"', seen
        c.command("AUTH", "secret")
        token = c.command("LOCK.ACQUIRE", 'a "b"\n\x01', "me", TTL)
        c.command("LOCK.RELEASE", 'a "b"\n\x01', "me", token)
        c.command("PING")
        wanted = [
            ' "LOCK.ACQUIRE" "a \\"b\\"\\n\\x01" "me" "%d"' % TTL,
            ' "LOCK.RELEASE" "a \\"b\\"\\n\\x01" "me" "%d"' % token,
            ' "PING"',
        ]
        for who in (one, two):
            got = [line.match(who.read())[2] for _ in wanted]
            assert got == wanted, got
        # Who is through with it hears no more, and who is gone is not missed.
        assert two.command("RESET") == "RESET"
        assert line.match(one.read())[2] == ' "RESET"'
    with nodes[0].client() as c, nodes[0].client() as late:
        assert c.command("PING") == "PONG"
        assert late.command("MONITOR") == "OK"
        assert c.command("ECHO", "x") == "x"
        assert line.match(late.read())[2] == ' "ECHO" "x"'


def subscribers_may_be_busy_themselves(nodes):
    # Whoever is told something in a turn in which it asks something itself.
    node = nodes[0]
    with node.client(3) as ear, node.client() as mouth, node.client() as other:
        ear.send("SUBSCRIBE", "busy")
        assert ear.push(5)[0] == "subscribe"
        for _ in range(300):
            mouth.send("PUBLISH", "busy", "hello")
            ear.send("PING")
            other.send("PUBLISH", "busy", "there")
        assert [mouth.read() for _ in range(300)] == [1] * 300
        assert [other.read() for _ in range(300)] == [1] * 300
        assert [ear.read() for _ in range(300)] == ["PONG"] * 300
        heard = [ear.push(5) for _ in range(600)]
        assert sorted(h[2] for h in heard) == ["hello"] * 300 + ["there"] * 300
    assert node.ask("PING") == "PONG"


def client_unblock_ends_a_wait(nodes):
    for node in nodes:
        key = f"unblock-{node.id}"
        with node.client() as holder, node.client() as waits, node.client() as boss:
            token = holder.command("LOCK.ACQUIRE", key, "h", TTL)
            number = waits.command("CLIENT", "ID")
            assert boss.command("CLIENT", "UNBLOCK", number) == 0
            for how, wanted in (("TIMEOUT", None), ("ERROR", "UNBLOCKED")):
                waits.send("LOCK.ACQUIRE", key, "w", TTL)
                soon("it waits", lambda: boss.map("LOCK.STATUS", key)["waiters"] == 1)
                listed = boss.command("CLIENT", "LIST")
                (line,) = [s for s in listed.splitlines() if f"id={number} " in s]
                assert " flags=b " in line and "cmd=lock.acquire" in line, line
                assert "blocked_clients:1" in boss.command("INFO", "clients")
                assert boss.command("CLIENT", "UNBLOCK", number, how) == 1
                reply = waits.read()
                assert reply is wanted or str(reply).startswith(wanted), reply
                soon("left", lambda: boss.map("LOCK.STATUS", key)["waiters"] == 0)
            assert waits.command("PING") == "PONG"
            waits.send("LOCK.ACQUIRE", key, "w", TTL)
            soon("it waits", lambda: boss.map("LOCK.STATUS", key)["waiters"] == 1)
            assert boss.command("CLIENT", "KILL", "ID", number) == 1
            assert waits.is_closed()
            soon("left", lambda: boss.map("LOCK.STATUS", key)["waiters"] == 0)
            assert holder.command("LOCK.RELEASE", key, "h", token) == 1
            assert boss.map("LOCK.STATUS", key)["mode"] == "free"


def who_disconnects_leaves_the_queue(nodes):
    for node in nodes:
        key = f"leave-{node.id}"
        with nodes[0].client() as holder:
            token = holder.command("LOCK.ACQUIRE", key, "h", TTL)
            for style in ("close", "reset"):
                goes, stays = node.client(), node.client()
                goes.send("LOCK.ACQUIRE", key, "goes", TTL)
                soon("1 waits", lambda: holder.map("LOCK.STATUS", key)["waiters"] == 1)
                stays.send("LOCK.ACQUIRE", key, "stays", TTL)
                soon("2 wait", lambda: holder.map("LOCK.STATUS", key)["waiters"] == 2)
                if style == "reset":
                    linger = b"\x01\0\0\0\0\0\0\0"
                    goes.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                goes.close()
                soon("1 waits", lambda: holder.map("LOCK.STATUS", key)["waiters"] == 1)
                queue = holder.maps("LOCK.QUEUE", key)
                assert [m["owner"] for m in queue] == ["stays"], queue
                assert holder.command("LOCK.RELEASE", key, "h", token) == 1
                mine = stays.read()
                assert mine > token
                assert stays.command("LOCK.RELEASE", key, "stays", mine) == 1
                stays.close()
                token = holder.command("LOCK.ACQUIRE", key, "h", TTL)
            holder.command("LOCK.RELEASE", key, "h", token)


def one_command_is_one_entry(nodes):
    # TRAPS A15: nothing is proposed twice on its way through a follower.
    leader = nodes.leader()
    for node in nodes:
        with node.client() as client:
            nodes.settle()
            before = leader.status()["last-index"]
            token = client.command("LOCK.ACQUIRE", "entry", "me", TTL)
            assert leader.status()["last-index"] - before <= 2
            assert client.command("LOCK.RELEASE", "entry", "me", token) == 1
            grown = leader.status()["last-index"] - before
            assert 2 <= grown <= 3, f"{grown} entries for two commands and a tick"


def the_cluster_port_redirects(nodes):
    leader = nodes.leader()
    for node in nodes:
        with Client(node.port + 100) as client:
            reply = client.command("LOCK.STATUS", "moved")
            if node is leader:
                assert as_map(reply)["mode"] == "free"
            else:
                assert isinstance(reply, Error), reply
                word, slot, where = str(reply).split()
                assert word == "MOVED" and slot == str(slot_of(b"moved")), reply
                assert where == f"127.0.0.1:{leader.port + 100}", reply
            assert client.command("PING") == "PONG"


def slot_of(key):
    crc = 0
    for byte in key:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc % 16384


def nodes_stop_when_told(nodes):
    leader = nodes.leader()
    begin = time.monotonic()
    leader.stop()
    took = time.monotonic() - begin
    other = [n for n in nodes if n is not leader][0]
    token = other.ask("LOCK.ACQUIRE", "stopped", "me", TTL)
    served = time.monotonic() - begin
    assert isinstance(token, int), token
    say(f"    a leader that is told to stop did in {took:.2f} s, served by {served:.2f}")
    assert served < 3, served


SHOWS = [
    every_command_works_at_every_node,
    scan_finds_all_held_locks,
    people_see_what_they_expect,
    bad_input_is_answered_and_harmless,
    protocol_errors_close,
    inline_commands_work,
    pipelines_keep_their_order,
    a_pipeline_waits_behind_a_blocked_request,
    large_output_then_quit_arrives_whole,
    the_longest_requests_and_replies_pass_through_followers,
    a_pause_of_writes_holds_transactions_that_write,
    waiting_ends_as_asked,
    shared_and_exclusive,
    seq_tells_threads_of_an_owner_apart,
    asking_again_keeps_the_place,
    withinfo_tells_all,
    delay_keeps_the_key_after_an_expiry,
    cache_revokes,
    async_grants_come_as_messages,
    notify_says_when_to_try_again,
    key_events_are_published,
    monitor_shows_what_clients_ask,
    subscribers_may_be_busy_themselves,
    client_unblock_ends_a_wait,
    who_disconnects_leaves_the_queue,
    one_command_is_one_entry,
    the_cluster_port_redirects,
    nodes_stop_when_told,
]


def test(scene):
    """All of them run, also if some fail: a list of what is wrong is worth
    more than its first line."""
    nodes = scene.cluster(3, cluster.STEADY)
    term = nodes.leader().status()["term"]
    wanted = sys.argv[1:]
    failed = []
    for show in SHOWS:
        if wanted and show.__name__ not in wanted:
            continue
        begin = time.monotonic()
        try:
            show(nodes)
            verdict = "ok"
        except (AssertionError, Error, Closed, Timeout, OSError, ValueError) as error:
            frames = traceback.extract_tb(error.__traceback__)
            inner = [f for f in frames if f.filename.endswith("test_basics.py")][-1]
            verdict = f"FAILED at line {inner.lineno}: {inner.line}: {error!r}"
            failed.append(show.__name__)
        say(f"  {show.__name__}: {verdict} ({time.monotonic() - begin:.2f} s)")
        if show is not nodes_stop_when_told:
            assert nodes.leader().status()["term"] == term, "an election, for nothing"
    assert not failed, failed


if __name__ == "__main__":
    cluster.main(test, limit_s=60)
