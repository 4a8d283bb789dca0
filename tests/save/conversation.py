"""A conversation of 60 cells, saved and taken up by a new process in its midst, goes on to the same
results as one that was not; also where it was saved on another Python.

usage: SNUG=PROGRAM conversation.py [--keep FILE]

of/python3.X.snug is the file of the last break of that Python, which --keep writes.
"""
import os
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cells"))
import client

OPTIONS = ("--profile", "data")
BREAKS = (7, 20, 31, 45)  # cells before a save
LEFT_OUT = {"generator", "file", "out"}  # names that cannot be saved

CELLS = """\
import csv, io, json, random, statistics as st
---
random.seed(20)
---
rows = [{"id": i, "region": random.choice("NSEW"), "amount": round(random.uniform(1, 100), 2)} for i in range(40)]
len(rows)
---
rows[:2]
---
total = sum(r["amount"] for r in rows)
round(total, 2)
---
by_region = {}
for r in rows:
    by_region.setdefault(r["region"], []).append(r)
sorted((k, len(v)) for k, v in by_region.items())
---
by_region[rows[0]["region"]][0] is rows[0]
---
def mean(key, of=None):
    "The mean of a column."
    return st.mean(r[key] for r in (of or rows))
---
round(mean("amount"), 3)
---
_ + 1
---
from dataclasses import dataclass, field
@dataclass
class Account:
    name: str
    balance: float = 0.0
    log: list = field(default_factory=list)
    def pay(self, amount):
        self.balance -= amount
        self.log.append(("pay", amount))
        return self
---
accounts = {n: Account(n, 100.0) for n in ("ann", "bob")}
accounts["ann"].pay(30)
---
Account.limit = 500
---
class Savings(Account):
    rate = 0.05
    def pay(self, amount):
        if amount > self.balance:
            raise ValueError(f"{self.name} has only {self.balance}")
        return super().pay(amount)
---
accounts["sue"] = Savings("sue", 20)
---
accounts["sue"].pay(50)
---
import enum
class State(enum.Enum):
    NEW = 1
    DONE = enum.auto()
---
states = {State.NEW: ["ann"], State.DONE: []}
---
def counter(start=0):
    n = start
    def step(by=1):
        nonlocal n
        n += by
        return n
    return step
tick = counter(10)
tick()
---
with open("rows.csv", "w", newline="") as file:
    out = csv.DictWriter(file, ["id", "region", "amount"])
    out.writeheader()
    out.writerows(rows)
---
open("rows.csv").read().count("\\n")
---
tick(), tick(5)
---
random.random()
---
square = lambda x: x ** 2
cube = lambda x: x ** 3
[f(3) for f in (square, cube)]
---
import os
os.makedirs("out/deep", exist_ok=True)
json.dump({"total": total}, open("out/deep/total.json", "w"))
---
json.load(open("out/deep/total.json")) == {"total": total}
---
from collections import namedtuple, defaultdict, Counter, deque
Point = namedtuple("Point", "x y")
path = deque([Point(i, i * i) for i in range(5)], maxlen=5)
path
---
path.append(Point(9, 9)); path[0]
---
from decimal import Decimal, getcontext
getcontext().prec = 6
---
Decimal(1) / Decimal(7)
---
unknown_name
---
1 / 0
---
class Node:
    def __init__(self, value, *below):
        self.value, self.below = value, list(below)
        for node in below:
            node.above = self
    def __iter__(self):
        yield self.value
        for node in self.below:
            yield from node
tree = Node(1, Node(2, Node(3)), Node(4))
---
list(tree)
---
tree.below[0].below[0].above.above is tree
---
generator = (x for x in range(3))
---
def fib(n, seen={}):
    if n not in seen:
        seen[n] = n if n < 2 else fib(n - 1) + fib(n - 2)
    return seen[n]
fib(30)
---
len(fib.__defaults__[0])
---
print("on stdout"); import sys; print("on stderr", file=sys.stderr); "value"
---
from __future__ import annotations
---
def typed(a: NotThere) -> AlsoNot:
    return a
typed.__annotations__
---
typed(3)
---
async def slow(x):
    import asyncio
    await asyncio.sleep(0)
    return x * 2
---
await slow(21)
---
len(In), len(Out) > 10, In[1][:6]
---
Out[3]
---
_3 == Out[3]
---
def tagged(cls):
    cls.tag = cls.__name__.lower()
    return cls
@tagged
class Thing:
    def __repr__(self):
        return f"<{self.tag}>"
things = [Thing(), Thing()]
things
---
things.append(things[0]); things[2] is things[0]
---
accounts["ann"].pay(1).log
---
Account.limit, accounts["bob"].limit, isinstance(accounts["sue"], Savings)
---
states[State(1)], State.DONE.name
---
import functools
@functools.lru_cache(maxsize=None)
def double(n):
    return n * 2
[double(2), double(2)]
---
def checked(f):
    @functools.wraps(f)
    def inner(*args):
        inner.calls += 1
        return f(*args)
    inner.calls = 0
    return inner
@checked
def add(a, b):
    return a + b
add(1, 2)
---
add(3, 4), add.calls, add.__name__
---
sorted(os.listdir(".")), os.listdir("out")
---
random.randint(1, 10 ** 9)
---
import traceback
def broken():
    return {}["key"]
---
broken()
---
tick(100), round(total, 2), mean.__doc__, len(rows), Decimal(2) / Decimal(3)
""".split("---\n")


def told(answer):
    """What must be the same. A hint may name names that there are, and not all are saved."""
    same = {name: answer[name] for name in ("execution_count", "status", "state", "value", "results", "stdout",
                                            "stderr", "error", "policy")}
    if same["error"]:
        same["error"] = {name: value for name, value in same["error"].items() if name != "hint"}
    return same


def run(snug, first, cells):
    for number, cell in enumerate(cells, first):
        yield number, told(snug.ask({"session": "talk", "code": cell}))


def restored(snug, path, what):
    """How many failed: 0 or 1."""
    answer = snug.ask({"session": "talk", "op": "restore", "path": str(path)})
    if answer["schema"] == "snug.saved/1" and not {row["name"] for row in answer["skipped"]} - LEFT_OUT:
        return 0
    print(f"FAILED the restore {what}: {answer}")
    return 1


def differing(got, wanted, what):
    wrong = [number for number in got if got[number] != wanted[number]]
    for number in wrong:
        print(f"FAILED cell {number} {what}\n  {got[number]}\n  should be\n  {wanted[number]}")
    return len(wrong)


def in_pieces(wanted, keep):
    """A process for each piece."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        path, at, got = os.path.join(folder, "talk.snug"), 0, {}
        for end in (*BREAKS, len(CELLS)):
            snug = client.Snug(OPTIONS)
            if at:
                failed += restored(snug, path, f"after cell {at}")
            got |= run(snug, at + 1, CELLS[at:end])
            answer = snug.ask({"session": "talk", "op": "save", "path": path})
            if answer["schema"] != "snug.saved/1":
                failed += 1
                print(f"FAILED the save after cell {end}: {answer}")
            if keep and end == BREAKS[-1]:
                shutil.copyfile(path, keep)
            snug.finish()
            at = end
    assert len(got) == len(wanted)
    return failed + differing(got, wanted, "of the pieces")


def from_other_pythons(wanted):
    failed = 0
    files = sorted((pathlib.Path(__file__).parent / "of").glob("*.snug"))
    assert len(files) >= 4, files
    for file in files:
        snug = client.Snug(OPTIONS)
        failed += restored(snug, file, f"of {file.name}")
        failed += differing(dict(run(snug, BREAKS[-1] + 1, CELLS[BREAKS[-1]:])), wanted, f"of {file.name}")
        snug.finish()
    return failed


def main():
    assert len(CELLS) == 60, len(CELLS)
    keep = sys.argv[2] if sys.argv[1:2] == ["--keep"] else None
    whole = client.Snug(OPTIONS)
    wanted = dict(run(whole, 1, CELLS))
    whole.finish()
    failed = in_pieces(wanted, keep)
    if not keep:
        failed += from_other_pythons(wanted)
    print(f"{len(wanted)} cells, {failed} failed")
    sys.exit(1 if failed else 0)


main()
