"""Names are kept at the limit of time, whatever the cell has to free then.

kept.py [--rounds N] [--busy N] [--form local|worker|full]... [--short | --long]
SNUG is the program.

Each cell is endless. The first ones grow until their limit, and are all of --short; those of SIZED have a temporary of
a size, up to the 2,000 MB of --long. With --busy all of it shares one processor with as many busy loops. No time is judged: one session of two
hundred may be lost.
"""
import argparse
import collections
import itertools
import json
import os
import subprocess
import sys
import time

GROWING = {
    "loop": "while True: pass",
    "sum": "sum(range(10**12))",
    "sleep": "import time\ntime.sleep(600)",
    "list": "x = [i for i in iter(int, 1)]",
    "set": "x = {i for i in range(10**9)}",
    "dict": "x = {i: i * 0.5 for i in range(10**9)}",
    "strings": "x = [str(i) for i in range(10**9)]",
    "local list": "def f():\n    x = []\n    while True: x.append(1.5)\nf()",
    "generators": "def g(n):\n    y = [n] * 100\n    yield from g(n + 1) if n % 500 else g2(n)\n"
                  "def g2(n):\n    y = []\n    while True:\n        y.append(len(y))\n        yield 1\nsum(g(1))",
    "permutations": "import itertools\nfor p in itertools.permutations(range(30)): pass",
    "names": "i = 0\nwhile True:\n    globals()['n' + str(i)] = [i]\n    i += 1",
}

# Of about a megabyte each.
SIZED = {
    "strings": "[str(i) for i in range({mb} * 15000)]",
    "a set of strings": "{{str(i) for i in range({mb} * 11000)}}",
    "one object": "[None] * ({mb} * 131072)",
    "nested lists": "[[[i]] for i in range({mb} * 7000)]",
    "nested dicts": "[{{'a': {{'b': i}}}} for i in range({mb} * 2500)]",
    "bytes": "[bytes(1000) for i in range({mb} * 1000)]",
}
# In pieces: a long call in C does not look up, and costs a full session at the limit.
PACKAGES = {
    "numpy": "[__import__('numpy').arange(131072) for n in range({mb})]",
    "numpy objects": "[__import__('numpy').arange(25000).astype(object) for n in range({mb})]",
    "pandas": "[__import__('pandas').DataFrame({{'a': [str(i) for i in range(15000)]}}) for n in range({mb})]",
}
HELD = "def f():\n    x = {made}\n    while True: pass\nf()"

FORMS = {"local": ["--profile", "core"], "worker": ["--profile", "core", "--isolation", "worker"], "full": ["--full"]}
DEBIAN = "/usr/lib/python3/dist-packages/"


def cells(packages, size_of):
    yield from GROWING.items()
    if size_of is None:
        return
    for name, made in [*SIZED.items(), *((name, code) for name, code in PACKAGES.items() if name.split()[0] in packages)]:
        mb = next(size_of)
        yield f"{name}, {mb} MB", HELD.format(made=made.format(mb=mb))


class Sessions:
    def __init__(self, program, form, packages):
        words = FORMS[form] + [word for name in packages for word in ("--allow", name)]
        self.process = subprocess.Popen([program, "cells", "--memory", "4GiB", *words], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def ask(self, **row):
        self.process.stdin.write(json.dumps(row) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def is_kept(self, name, code, timeout):
        self.ask(session=name, code="keep = 41", timeout=600)
        answer = self.ask(session=name, code=code, timeout=timeout)
        again = self.ask(session=name, code="keep + 1", timeout=600)
        self.ask(session=name, close=True)
        return answer.get("status"), (again.get("value") or {}).get("text") == "42"


def burn(processor):
    pid = os.fork()
    if pid == 0:
        os.sched_setaffinity(0, {processor})
        while os.getppid() != 1:
            pass
        os._exit(0)
    return pid


def count(program, form, rounds, sizes, busy):
    ends = collections.Counter()
    packages = [name for name in ("numpy", "pandas") if form == "full" and os.path.isdir(DEBIAN + name)]
    sessions = Sessions(program, form, packages)
    size_of = itertools.cycle(sizes) if sizes else None
    for n in range(rounds):
        for name, code in cells(packages, size_of):
            begun = time.monotonic()
            # Long enough for the temporary to be whole: beside busy loops a cell has a share of the processor.
            limit = 0.5 if name in GROWING else 2.5 * (1 + busy)
            status, is_kept = sessions.is_kept(f"s{n}", code, limit)
            ends[is_kept] += 1
            late = time.monotonic() - begun - limit
            if not is_kept or rounds == 1:
                print(f"{form}: {name}: {status}, {'kept' if is_kept else 'LOST'}, {late:.1f} s", flush=True)
    sessions.process.stdin.close()
    sessions.process.wait()
    return ends


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--form", action="append", choices=FORMS)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--long", action="store_true")
    options = parser.parse_args()
    sizes = [50, 100, 200, 400, 700, 1200, 2000] if options.long else [] if options.short else [50, 100]
    processor = min(os.sched_getaffinity(0))
    ends = collections.Counter()
    loops = [burn(processor) for _ in range(options.busy)]
    if loops:
        os.sched_setaffinity(0, {processor})
    try:
        for form in options.form or FORMS:
            ends += count(os.environ["SNUG"], form, options.rounds, sizes, options.busy)
    finally:
        for pid in loops:
            os.kill(pid, 9)
            os.waitpid(pid, 0)
    print(f"{ends[True]} of {ends.total()} sessions were kept")
    return ends[False] > ends.total() // 200


if __name__ == "__main__":
    sys.exit(main())
