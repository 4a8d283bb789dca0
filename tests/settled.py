#!/usr/bin/python3
"""Are the tables of functions read-only in a program that runs?

usage: settled.py snug cells
       settled.py snug-worker

Starts the program, whose symbols tell where the tables are, and looks at the pages they lie in: of
snug when a session has run a cell, of a worker, which nobody calls, when it waits for its host.
"""
import re
import subprocess
import sys
import time

AT_START, LATER = {"libc": 2}, {"libc": 2, "originals": 1}  # how many of that name
PAGES = (4096, 65536)


def tables(program, wanted):
    listing = subprocess.run(["nm", "-S", program], check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in listing.splitlines():
        parts = line.split()
        name = parts[-1].partition(".lto_priv")[0]
        if len(parts) == 4 and name in wanted and int(parts[1], 16) in PAGES:
            yield name, int(parts[0], 16)


def pages(pid, program):
    """Where the program was put, and (first, end, permissions) of all that is there."""
    with open(f"/proc/{pid}/maps") as maps:
        lines = [line.split() for line in maps]
    ranges = [(*(int(n, 16) for n in row[0].split("-")), row[1]) for row in lines]
    own = [first for (first, _, _), row in zip(ranges, lines) if row[-1].endswith(program)]
    return min(own, default=None), ranges  # None: it is not that program yet


def is_pie(program):
    header = subprocess.run(["readelf", "-hW", program], check=True, stdout=subprocess.PIPE, text=True).stdout
    return re.search(r"Type:\s+DYN", header) is not None


def writable(pid, program, found):
    base, ranges = pages(pid, program)
    if base is None:
        return [name for name, _ in found]
    offset = base if is_pie(program) else 0
    return [name for name, address in found
            if not any(first <= address + offset < end and how == "r--p" for first, end, how in ranges)]


def main():
    program, *arguments = sys.argv[1:]
    wanted = LATER if arguments else AT_START
    found = list(tables(program, wanted))
    for name, count in wanted.items():
        if [n for n, _ in found].count(name) != count:
            sys.exit(f"settled.py: {program} has not {count} tables {name}")
    child = subprocess.Popen([program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if arguments:
            child.stdin.write('{"session": "a", "code": "1"}\n')
            child.stdin.flush()
            child.stdout.readline()
        end = time.monotonic() + 10
        while (left := writable(child.pid, program, found)) and time.monotonic() < end:
            time.sleep(0.05)
    finally:
        child.kill()
        child.wait()
    if left:
        sys.exit("settled.py: can be written: " + ", ".join(left))


main()
