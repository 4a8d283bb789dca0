"""Instructions of a turn, counted by callgrind, against those of counts.json.

run.py PROGRAM BUILD [--write]

A count that is more than 5 % over its row fails; one that is more than 5 % below asks for a new
row. --write makes the rows of this build what was counted. Counts are of a compiler and a
libpython, and a build without rows is skipped with its sentence (status 77), as is a machine
without valgrind.
"""
import json
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

TABLE = pathlib.Path(__file__).with_name("counts.json")
MOST = 1.05
SKIPPED = 77


def counted(program):
    """{kind: instructions of a turn}."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", program],
                              capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{program} ended with status {done.returncode}: {done.stderr[-2000:]}")
        kinds = [line.split(" ", 1) for line in done.stdout.splitlines()]
        totals = [int(re.search(r"^(?:summary|totals): (\d+)", (pathlib.Path(folder) / f"out.{i + 1}").read_text(),
                                re.MULTILINE).group(1)) for i in range(len(kinds))]
    return {name: total // int(turns) for (turns, name), total in zip(kinds, totals)}


def main():
    program, build = sys.argv[1:3]
    if not shutil.which("valgrind"):
        print("skipped: there is no valgrind")
        return SKIPPED
    table = json.loads(TABLE.read_text())
    key = f"{build}, {platform.machine()}"
    now = counted(program)
    if "--write" in sys.argv:
        TABLE.write_text(json.dumps({**table, key: now}, indent=1) + "\n")
    before = json.loads(TABLE.read_text()).get(key)
    failed = False
    for name, count in now.items():
        known = before.get(name) if before else None
        ratio = count / known if known else 1
        says = "" if known is None else "  MORE" if ratio > MOST else "  fewer: write it down" if ratio < 1 / MOST else ""
        failed |= ratio > MOST or (before is not None and known is None)
        print(f"{count:10,}  {ratio:5.2f}  {name}{says}")
    if before is None:
        print(f"skipped: {TABLE.name} has no rows for {key}")
        return SKIPPED
    return failed


sys.exit(main())
