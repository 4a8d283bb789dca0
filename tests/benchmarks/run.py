"""benchmarks/run with the programs of this build, one short round: every program that needs nothing
from elsewhere has its figures, and those that are wanted and missing are lines.

usage: run.py BUILD
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ["snug", "caller", "cells", "worker", "floor", "zygote", "pyodide"]
HERE = PROGRAMS[:-1]
# The rows that must have a figure of these programs.
WANTED = {
    ("turns", "trivial, fresh source"): HERE,
    ("turns", "error, two calls deep"): HERE,
    ("host", "a call of a tool, of 100 in a cell"): ["snug", "worker", "zygote"],
    ("host", "restore"): ["snug", "caller", "cells", "worker"],
    ("neighbours", "beside a loop in Python, p99"): ["snug", "caller", "cells", "worker", "zygote"],
    ("cores", "1 session"): ["snug", "caller", "cells", "worker", "zygote"],
    ("memory", "1 session"): HERE,
    ("parked", "a turn of one that is woken for it, p50"): ["snug"],
}
# What is not there, and why.
NOTES = {"caller": "sessions on the caller's thread have no tools"}


def check(condition, what):
    if not condition:
        sys.exit("benchmarks/run: " + what)


def main(build):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "figures.json")
        ended = subprocess.run(
            [ROOT / "benchmarks" / "run", "--quick", "--rounds", "1", "--ms", "1",
             "--sessions", "20", "--only", "turns,memory,host,neighbours,cores,parked",
             "--programs", ",".join(PROGRAMS), "--json", file, "--build", build,
             "--modules", folder], capture_output=True, text=True)
        check(ended.returncode == 0, f"status {ended.returncode}\n{ended.stderr}")
        with open(file) as text:
            found = json.load(text)
    lines = found["left_out"]
    check(len(lines) == 1 and lines[0].startswith("Pyodide: no "), f"left out is {lines}")
    check(f"- left out: {lines[0]}" in ended.stdout.splitlines(), "what is left out is not shown")
    rows = {(group["key"], row["name"]): row for group in found["groups"] for row in group["rows"]}
    for key, programs in WANTED.items():
        for name in programs:
            figures = rows[key]["figures"].get(name, [None])
            check(figures[0] and figures[0] > 0, f"{name} has no figure: {key}")
    for (group, name), row in rows.items():
        for program, why in row["notes"].items():
            check(why == NOTES.get(program) or "ladder of this build" in why,
                  f"{program}, {group}, {name}: {why}")
        check(f"\n| {name} |" in ended.stdout, f"no row {name}")


if __name__ == "__main__":
    main(sys.argv[1])
