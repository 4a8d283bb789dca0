#!/usr/bin/python3
"""Runs escapes in batches, each in a process of its own: a thread that had to be left spins until its process ends,
and takes the processor from the files behind it, which are then late for what is no fault of theirs.

usage: batches.py ESCAPES [OPTION...] FOLDER

What ESCAPES prints of batches in which something failed is printed, and the answer is 1 then. An option and its
value are two arguments, as ESCAPES takes them.
"""
import pathlib
import re
import subprocess
import sys

BATCH = 12  # files


def run(escapes, options, files):
    """How many passed and failed; what was printed."""
    done = subprocess.run([escapes, *options, *files], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    counts = re.search(r"^(\d+) passed, (\d+) failed", done.stdout, re.M)
    if not counts:
        return 0, len(files), f"status {done.returncode}\n{done.stdout}{done.stderr}"
    return int(counts[1]), int(counts[2]), done.stdout


def main():
    escapes, *options, folder = sys.argv[1:]
    files = sorted(str(path) for path in pathlib.Path(folder).rglob("*.py") if path.parent != pathlib.Path(folder))
    passed = failed = 0
    for at in range(0, len(files), BATCH):
        good, bad, said = run(escapes, options, files[at:at + BATCH])
        passed, failed = passed + good, failed + bad
        if bad:
            print(said, flush=True)
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
