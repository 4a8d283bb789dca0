#!/usr/bin/env python3
"""Runs CPython's own test modules as sessions, one after another in one process, and closes each.

usage: run.py [--form local|worker|full|plain] [--profile NAME] [--rounds N] [--seed N] [--limit S] [--cpu S]
              [--record FILE] [MODULE...]

What a module's tests find is counted and is not a verdict: a session is restricted, and many a test wants
what it has not. What counts is a crash, of the process or of a session: it is a failure unless plain
Python crashes too, with the same modules in the same order in one process. The program's path comes
from the environment variable SNUG, Python's from SNUG_PYTHON; the modules are Debian's
libpython3-testsuite. Without modules: all of them, in another order each round, but those in LEFT_OUT.
A module's tests are shuffled too, and end after the first that is over when the module has used --cpu
seconds; one that does not end by --limit times out. --form plain shows which of them plain Python
runs here, each in a process of its own.
"""
import argparse
import ast
import collections
import json
import os
import pathlib
import random
import select
import subprocess
import sys
import time

from chosen import ALLOWED, ALLOWED_OF_311, NOT_ALLOWED_SINCE_313, SAMPLE, left_out

CELL = (pathlib.Path(__file__).parent / "cell.py").read_text()
FIGURES = "tests failed errors skipped".split()


def call(name, seed, arguments):
    return f"run({name!r}, {seed!r}, {arguments.cpu}, {0.8 * arguments.limit})\n"


def folder(python):
    code = "import test, os; print(os.path.dirname(test.__file__))"
    found = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True)
    path = pathlib.Path(found.stdout.strip() or "/nonexistent")
    return path if (path / "test_array.py").exists() else None


def modules_in(tests):
    """Those of packages by themselves: test_json.test_decode."""
    found = []
    for path in tests.rglob("test_*.py"):
        parents = [parent for parent in path.parents if tests in parent.parents]
        if all((parent / "__init__.py").exists() for parent in parents):
            found.append(".".join(path.relative_to(tests).with_suffix("").parts))
    return sorted(name for name in found if name.startswith("test_"))


class Process:
    """One `snug cells`. None for an answer: it has ended."""

    def __init__(self, options):
        self.child = subprocess.Popen([os.environ["SNUG"], "cells", *options], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.left = b""

    def ask(self, line, wait_s):
        try:
            self.child.stdin.write(json.dumps(line).encode() + b"\n")
            self.child.stdin.flush()
        except OSError:
            return None
        while b"\n" not in self.left:
            if not select.select([self.child.stdout], [], [], wait_s)[0]:
                self.child.kill() # hangs: told as such
                self.child.wait()
                return {"status": "hung"}
            more = os.read(self.child.stdout.fileno(), 1 << 16)
            if not more:
                self.child.wait()
                return None
            self.left += more
        answer, _, self.left = self.left.partition(b"\n")
        return json.loads(answer)

    def end(self):
        self.child.stdin.close()
        try:
            return self.child.wait(600)
        except subprocess.TimeoutExpired:
            self.child.kill()
            return self.child.wait()


def run_plain(python, calls, limit_s):
    """How plain Python ends with these modules in this order, and why the last one did not run."""
    code = (f"import sys, unittest\ncell = {CELL!r}\nwhy = ''\n"
            + "".join(f"try:\n    why = ''\n    exec(cell + 'why = ' + {line!r} + 'why = why[5]', globals())\n"
                      "except BaseException as error: why = f'{type(error).__name__}: {error}'\n" for line in calls)
            + "print('\\n' + why.strip().rpartition('\\n')[2])\n")
    try:
        ended = subprocess.run([python, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, cwd="/tmp",
                               text=True, errors="replace", timeout=limit_s * (len(calls) + 1))
    except subprocess.TimeoutExpired:
        return 0, ""
    return ended.returncode, ended.stdout.strip().rpartition("\n")[2]


def told(error):
    """An error in a line. What unittest says of an import ends with the error itself."""
    return f"{error.get('name')}: {(str(error.get('value')).strip().splitlines() or [''])[-1][:160]}"


class Plain:
    """Each module in a Python of its own, with nothing lent: whether it runs on this system at all."""

    def __init__(self, python):
        self.python = python

    def ask(self, line, wait_s):
        if "code" not in line:
            return {}
        cell, _, last = line["code"].rstrip().rpartition("\n")
        code = f"{cell}\nONLY_FOR_TESTS = ()\nvalue = {last}\nprint()\nprint(value)\n"
        try:
            ended = subprocess.run([self.python, "-c", code], stdin=subprocess.DEVNULL, capture_output=True,
                                   cwd="/tmp", text=True, errors="replace", timeout=line["timeout"])
        except subprocess.TimeoutExpired:
            return {"status": "timeout"}
        if ended.returncode < 0:
            return {"status": "crashed"}
        if ended.returncode:
            last = (ended.stderr.strip().splitlines() or ["Exit"])[-1]
            name, _, value = last.removeprefix("unittest.case.").partition(": ")
            return {"status": "error", "error": {"name": name, "value": value}}
        return {"status": "ok", "value": {"text": ended.stdout.strip().rpartition("\n")[2]}}

    def end(self):
        return 0


class Round:
    def __init__(self, start, number, arguments, counts):
        self.start, self.number, self.arguments, self.counts = start, number, arguments, counts
        self.process, self.before, self.crashes, self.rows = None, [], [], []

    def crashed(self, name, how):
        self.crashes.append((name, how, list(self.before)))

    def run(self, name):
        self.process = self.process or self.start()
        line = call(name, f"{self.arguments.seed}/{self.number}", self.arguments)
        self.before.append(line)
        begun = time.monotonic()
        answer = self.process.ask({"session": name, "code": CELL + line, "timeout": self.arguments.limit},
                                  3 * self.arguments.limit + 60)
        row = {"module": name, "status": answer.get("status", "refused") if answer else "died", "why": ""}
        if row["status"] == "ok":
            *figures, cut, row["why"] = ast.literal_eval(answer["value"]["text"])
            row.update(zip(FIGURES, figures))
            row["status"] = "nothing ran" if row["why"] else "cut" if cut else "ok"
        elif row["status"] in ("error", "denied", "memory", "refused"): # the last: there is no session
            row["why"] = told(answer["error"])
        self.close(name, row["status"])
        row["seconds"] = round(time.monotonic() - begun, 2)
        self.rows.append(row)
        if self.arguments.record:
            with open(self.arguments.record, "a", encoding="utf-8") as file:
                file.write(json.dumps({"python": self.arguments.python, "form": self.arguments.form,
                                       "seed": self.arguments.seed, "round": self.number, **row}) + "\n")

    def close(self, name, status):
        if status in ("died", "hung", "crashed"):
            self.crashed(name, status)
        if status in ("died", "hung"):
            self.process, self.before = None, []
        elif self.process.ask({"session": name, "close": True}, 120) is None:
            self.crashed(name, "died at its close")
            self.process, self.before = None, []

    def end(self):
        if self.process and self.process.end() != 0:
            self.crashed(self.rows[-1]["module"], "died at the end")
        for row in self.rows:
            self.counts["modules " + row["status"]] += 1
            for kind in FIGURES:
                self.counts[kind] += row.get(kind, 0)


def judge(crashes, arguments, python):
    """Says each crash, and returns how many plain Python does not have."""
    failed = 0
    for name, how, before in crashes:
        code, _ = run_plain(python, before, arguments.limit)
        failed += code >= 0
        print(f"{name}: {how}, after {len(before) - 1} modules"
              + ("; plain Python crashes too" if code < 0 else ":\n    " + "    ".join(before)), flush=True)
    return failed


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--form", default="local", choices=("local", "worker", "full", "plain"))
    parser.add_argument("--profile", default="data")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=20)
    parser.add_argument("--cpu", type=float, default=5)
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--record", help="a file that a line for each module is added to")
    parser.add_argument("-v", action="store_true")
    parser.add_argument("modules", nargs="*")
    return parser.parse_args()


def options_of(arguments):
    options = ["--memory", "1G", "--threads", "8", "--disk", "1G", "--isolation", arguments.form]
    if arguments.form != "full":
        options += ["--profile", arguments.profile]
        for name in ALLOWED + (ALLOWED_OF_311 if arguments.python == "3.11" else []):
            if arguments.python == "3.11" or name not in NOT_ALLOWED_SINCE_313:
                options += ["--allow", name]
    return options


def main():
    arguments = parse()
    python = os.environ.get("SNUG_PYTHON", sys.executable)
    tests = folder(python)
    if not tests:
        print("no test modules of this Python: libpython3-testsuite is not installed")
        return 77
    arguments.python = tests.parent.name.removeprefix("python")
    there, out = modules_in(tests), left_out()
    chosen = arguments.modules or [name for name in SAMPLE if name in there]
    if not arguments.modules and not arguments.sample:
        chosen = [name for name in there if name.partition(".")[0] not in out]

    def start():
        return Plain(python) if arguments.form == "plain" else Process(options_of(arguments))

    order, counts, failed = random.Random(arguments.seed), collections.Counter(), 0
    for number in range(1, arguments.rounds + 1):
        modules = list(chosen)
        order.shuffle(modules)
        one = Round(start, number, arguments, counts)
        for name in modules:
            one.run(name)
        one.end()
        failed += judge(one.crashes, arguments, python)
        for row in one.rows:
            if row["why"] and arguments.v:
                print(f"  {row['module']}: {row['status']}: {row['why']}")
    print(f"{arguments.form}, seed {arguments.seed}: {arguments.rounds} rounds of {len(chosen)} modules; "
          + ", ".join(f"{number} {kind}" for kind, number in sorted(counts.items())))
    if not counts["tests"]:
        print("no test was run")
    return 1 if failed or not counts["tests"] else 0


if __name__ == "__main__":
    sys.exit(main())
