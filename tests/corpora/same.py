"""Runs sessions twice with a fixed clock, a seed and a zone: the same bytes, but for the usage.

usage: SNUG=PROGRAM [SNUG_CORPORA=FOLDER] same.py [--count N]

The first N sessions (200) of the corpora of run.py, or the small sample beside this file, and all of
restless.jsonl: sessions that differ from run to run without the options. Sessions that may differ
stand in differing.txt, a name and the reason a line; one that does not differ there is a failure too, unless its
reason begins with "may".
"""
import argparse
import itertools
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
FIXED = ("--clock", "fixed", "--seed", "7", "--zone", "Europe/Madrid", "--profile", "data", "--threads", "4")


def read(path):
    with open(path, encoding="utf-8") as file:
        return [(f"{path.stem}:{entry['id']}", entry["cells"]) for entry in map(json.loads, file)]


def load(count):
    folder = os.environ.get("SNUG_CORPORA")
    names = ("humaneval", "cruxeval") if folder else ("sample",)
    corpora = [read(pathlib.Path(folder or HERE) / f"{name}.jsonl") for name in names]
    mixed = [s for row in itertools.zip_longest(*corpora) for s in row if s]
    return mixed[:count] + read(HERE / "restless.jsonl")


def run(sessions, options):
    """For each session the lines of its cells, without the usage."""
    lines = [{"session": name, "code": code} for name, cells in sessions for code in cells]
    for name, _ in sessions:
        lines.append({"session": name, "close": True})
    # One after the other: a session that is closed makes room, as it does for everybody.
    lines.sort(key=lambda line: [name for name, _ in sessions].index(line["session"]))
    done = subprocess.run([os.environ["SNUG"], "cells", *options], input="".join(json.dumps(line) + "\n" for line in lines),
                          capture_output=True, encoding="utf-8", timeout=600)
    if done.returncode:
        sys.exit(f"snug cells ended with {done.returncode}: {done.stderr}")
    answers = {name: [] for name, _ in sessions}
    for line in done.stdout.splitlines():
        answer = json.loads(line)
        answer.pop("usage", None)
        answers[answer["session"]].append(json.dumps(answer))
    return answers


def read_differing():
    with open(HERE / "differing.txt", encoding="utf-8") as file:
        rows = [line.split(None, 1) for line in file if line.strip() and not line.startswith("#")]
    return {name: reason.strip() for name, reason in rows}


def main():
    parser = argparse.ArgumentParser(description="Runs sessions twice, and compares; SNUG is the program.")
    parser.add_argument("--count", type=int, default=200, help="sessions of the corpora (200)")
    parser.add_argument("--isolation", help="local, worker or full")
    arguments = parser.parse_args()
    sessions = load(arguments.count)
    expected = read_differing()
    options = ("--isolation", arguments.isolation, *FIXED) if arguments.isolation else FIXED
    first, second = run(sessions, options), run(sessions, options)
    failures = []
    for name, _ in sessions:
        differs = first[name] != second[name]
        if differs and name not in expected:
            pair = next((a, b) for a, b in zip(first[name], second[name]) if a != b)
            failures.append(f"{name} differs:\n  {pair[0]}\n  {pair[1]}")
        elif not differs and name in expected and not expected[name].startswith("may"):
            failures.append(f"{name} does not differ, and differing.txt says why it should")
    # That the restless are: without the options they differ.
    restless = read(HERE / "restless.jsonl")
    wild = ("--profile", "data", "--threads", "4")
    one, other = run(restless, wild), run(restless, wild)
    failures += [f"{name} is the same without the options" for name, _ in restless if one[name] == other[name]]
    print("\n".join(failures[:20]))
    same = sum(first[name] == second[name] for name, _ in sessions)
    print(f"{same} of {len(sessions)} sessions gave the same bytes twice; {len(failures)} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
