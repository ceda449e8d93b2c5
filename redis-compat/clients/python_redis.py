"""python_redis.py - locks through redis-py, plain and cluster.

Run by ../run-clients, which says what the arguments and the lines on standard
input and output mean. Works with redis-py 4.3 (Debian 12) and later.
"""
import logging
import sys
import threading
import time

try:
    import redis
    from redis.cluster import ClusterNode, RedisCluster
except ImportError:
    print("python3-redis is not installed")
    sys.exit(77)


def check(what, is_true, got=None):
    if not is_true:
        sys.exit("python3-redis: %s, but got %r" % (what, got))


def change(how):
    print("ready " + how, flush=True)
    check("the driver says next", sys.stdin.readline() == "next\n")


class Waiter(threading.Thread):
    """LOCK.ACQUIRE that waits, on a connection of its own."""

    def __init__(self, connection, *words):
        super().__init__(daemon=True)
        self.connection, self.words, self.token = connection, words, None
        self.start()

    def run(self):
        try:
            self.token = self.connection.execute_command(*self.words)
        except redis.RedisError as error:
            self.token = error

    def grant(self, older):
        self.join(30)
        check("a waiter is granted a younger token than %d" % older,
              isinstance(self.token, int) and self.token > older, self.token)
        return self.token


class Story:
    """Ann, ben, cid and dan hold one lock in turn, from two connections."""

    def __init__(self, key, one, two):
        self.key, self.one, self.two = key, one, two

    def ask(self, connection, verb, *words):
        return connection.execute_command("LOCK." + verb, self.key, *words)

    def expect(self, reply, connection, verb, *words):
        got = self.ask(connection, verb, *words)
        check("%s %s %s replies %r" % (verb, self.key, words, reply),
              got == reply, got)

    def status(self):
        words = self.ask(self.one, "STATUS")
        status = dict(zip(words[::2], words[1::2]))
        status[b"owners"] = [dict(zip(h[::2], h[1::2]))[b"owner"]
                             for h in status[b"holders"]]
        return status

    def wait(self, connection, owner):
        """Returns when the owner is in the queue."""
        waiter = Waiter(connection, "LOCK.ACQUIRE", self.key, owner, 60000,
                        "WAIT", 40000)
        for _ in range(500):
            if self.status()[b"waiters"] == 1:
                return waiter
            time.sleep(0.01)
        check("%s waits" % owner, False, waiter.token)

    def begin(self):
        ann = self.ask(self.one, "ACQUIRE", "ann", 30000)
        check("ann gets a token", isinstance(ann, int) and ann > 0, ann)
        self.expect(None, self.two, "ACQUIRE", "ben", 30000, "WAIT", 0)
        waiter = self.wait(self.two, "ben")
        status = self.status()
        check("ann holds it alone", status[b"mode"] == b"exclusive"
              and status[b"owners"] == [b"ann"], status)
        self.expect(60000, self.one, "RENEW", "ann", ann, 60000)
        self.expect(1, self.one, "RELEASE", "ann", ann)
        self.ben = waiter.grant(ann)
        self.expect(0, self.one, "RELEASE", "ann", ann)
        self.expect(None, self.one, "RENEW", "ann", ann, 1000)
        check("ben holds it", self.status()[b"owners"] == [b"ben"])
        self.waiter = self.wait(self.two, "cid")

    def moved(self, waits):
        self.expect(60000, self.one, "RENEW", "ben", self.ben, 60000)
        self.expect(1, self.one, "RELEASE", "ben", self.ben)
        self.cid = self.waiter.grant(self.ben)
        self.waiter = self.wait(self.two, "dan") if waits else None

    def killed(self):
        self.expect(60000, self.one, "RENEW", "cid", self.cid, 60000)
        self.expect(1, self.one, "RELEASE", "cid", self.cid)
        if self.waiter is not None:
            dan = self.waiter.grant(self.cid)
            self.expect(1, self.one, "RELEASE", "dan", dan)
        check("it is free", self.status()[b"mode"] == b"free")


def patiently(what, tolerated, attempt):
    """Right after a crash: until there is a new leader, and it is found."""
    begin = time.monotonic()
    while True:
        try:
            attempt()
            print("%s after %.2f s" % (what, time.monotonic() - begin))
            return
        except (redis.RedisError, OSError) as error:
            check("%s at last" % what, tolerated in repr(error)
                  and time.monotonic() < begin + 20, error)
            time.sleep(0.1)


def main(addresses):
    pairs = [(a.rsplit(":", 1)[0], int(a.rsplit(":", 1)[1])) for a in addresses]
    print("redis-py " + redis.__version__)
    logging.disable()  # it logs every MOVED that it follows

    def plain():
        return redis.Redis(host=pairs[0][0], port=pairs[0][1])

    def cluster():
        return RedisCluster(startup_nodes=[ClusterNode(*p) for p in pairs[3:]])

    one = plain()
    check("a follower passes for a primary",
          one.info()["role"] == "master" and one.ping())
    first = Story("python:plain", one, plain())
    second = Story("python:cluster", cluster(), cluster())
    check("the cluster has three nodes", len(second.one.get_nodes()) == 3)
    for story in (first, second):
        story.begin()

    change("move")
    first.moved(waits=True)
    second.moved(waits=False)

    change("kill")
    patiently("the follower renews", "CLUSTERDOWN", lambda: first.ask(
        first.one, "RENEW", "cid", first.cid, 60000))
    first.killed()

    def find():
        # redis-py 4.3 does not find the way by itself once a node is dead.
        if redis.__version__.startswith("4."):
            second.one = cluster()
        second.ask(second.one, "RENEW", "cid", second.cid, 60000)
    patiently("the cluster renews", "", find)
    second.killed()


main(sys.argv[1:7])
