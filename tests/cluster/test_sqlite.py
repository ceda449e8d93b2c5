#!/usr/bin/env python3
"""The recipe for SQLite in holdfast-fencing(7), run as it stands there: with
tokens of a real cluster and Debian's sqlite3, a paused owner writes nothing;
and many writers at once leave what the highest token wrote."""

import os
import re
import shutil
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True

import cluster
from cluster import Skip, patient, say

MANUAL = os.path.join(cluster.TOP, "man", "holdfast-fencing.7")
TTL = 400
WRITERS = 6
ROUNDS = 8


def block(text, begin, after=""):
    """A literal block of the manual that begins with these words."""
    at = text.index(".Ss " + after) if after else 0
    start = text.index(begin, at)
    return text[start : text.index("\n.Ed", start)]


class Database:
    def __init__(self, path, recipe):
        self.path = path
        self.recipe = recipe

    def run(self, script):
        done = subprocess.run(
            ["sqlite3", "-batch", "-bail", self.path],
            input=".timeout 20000\n" + script,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0 and not done.stderr, done
        return done.stdout.strip()

    def write(self, lock, token, number, value):
        values = {
            "lock": f"'{lock}'",
            "token": str(token),
            "id": str(number),
            "value": f"'{value}'",
        }
        script = re.sub(r":(\w+)", lambda m: values[m.group(1)], self.recipe)
        self.run(script)

    def value(self, number):
        return self.run(f"SELECT value FROM invoices WHERE id = {number};")

    def fence(self, lock):
        return int(self.run(f"SELECT token FROM fences WHERE lock_key = '{lock}';"))


def test(scene):
    if shutil.which("sqlite3") is None:
        raise Skip("sqlite3 is not installed")
    with open(MANUAL, encoding="utf-8") as file:
        manual = file.read()
    database = Database(
        os.path.join(scene.folder, "data.sqlite"),
        block(manual, "BEGIN IMMEDIATE;", "SQLite"),
    )
    assert "COMMIT;" in database.recipe and ":token" in database.recipe
    database.run(block(manual, "CREATE TABLE fences"))
    database.run("CREATE TABLE invoices (id INTEGER PRIMARY KEY, value TEXT);")
    database.run("INSERT INTO invoices VALUES (1, 'new'), (2, 'new');")
    node = scene.cluster(1)[0]
    paused_owner(node, database)
    many_writers(node, database)


def paused_owner(node, database):
    with node.client() as client:
        ann = patient(client, "LOCK.ACQUIRE", "invoices", "ann", TTL)
        database.write("invoices", ann, 1, "of ann")
        assert database.value(1) == "of ann"
        # Ann sleeps; Ben waits until her lease has ended.
        ben = patient(client, "LOCK.ACQUIRE", "invoices", "ben", 60000)
        assert ben > ann
        database.write("invoices", ben, 1, "of ben")
        database.write("invoices", ann, 1, "of ann, late")
        assert database.value(1) == "of ben"
        assert database.fence("invoices") == ben
        database.write("invoices", ben, 1, "of ben again")
        assert database.value(1) == "of ben again", "the same token may write again"
        # Another lock has a fence of its own.
        other = patient(client, "LOCK.ACQUIRE", "other", "ann", 60000)
        database.write("other", other, 2, "of other")
        assert database.value(2) == "of other"
        assert patient(client, "LOCK.RELEASE", "invoices", "ben", ben) == 1
    say("a paused owner wrote nothing")


def many_writers(node, database):
    """Everybody has a token and writes at once, in any order."""
    tokens = []
    with node.client() as client:
        for i in range(WRITERS):
            token = patient(client, "LOCK.ACQUIRE", "invoices", f"w{i}", 60000)
            patient(client, "LOCK.RELEASE", "invoices", f"w{i}", token)
            tokens.append(token)
    failed = []

    def write(token):
        try:
            for _ in range(ROUNDS):
                database.write("invoices", token, 1, f"token {token}")
        except Exception as problem:  # pylint: disable=broad-except
            failed.append(problem)

    threads = [threading.Thread(target=write, args=(t,), daemon=True) for t in tokens]
    for thread in threads:
        thread.start()
    highest = 0
    while any(thread.is_alive() for thread in threads):
        fence = database.fence("invoices")
        assert fence >= highest, "a fence was lowered"
        highest = fence
        time.sleep(0.01)
    assert not failed, failed
    assert database.fence("invoices") == max(tokens)
    assert database.value(1) == f"token {max(tokens)}"
    say(f"{WRITERS} writers, {WRITERS * ROUNDS} writes, the highest token has the last word")


if __name__ == "__main__":
    cluster.main(test, limit_s=60)
