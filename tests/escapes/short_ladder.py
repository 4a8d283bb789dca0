#!/usr/bin/env python3
"""Makes the table of SECURITY.md of what the shorter ladder does not end, of what the files here expect.

short_ladder.py           writes it into SECURITY.md
short_ladder.py --check   compares: status 1 where it is not current

A file is in the table if it has a line `expect short` by which it may hang, die, or keep its thread.
"""
import fnmatch
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "SECURITY.md"
BEGIN, END = "<!-- made by tests/escapes/short_ladder.py -->\n", "<!-- -->\n"
VERSIONS = ("3.11", "3.13")

# What the files have in common. A file belongs to the first group that fits, and has to fit one.
GROUPS = [
    ("regular expressions that backtrack", ["hang/re_*", "hang/swallow_re"]),
    ("integers of millions of digits", ["hang/int_*"]),
    ("searches from the right that almost fit", ["hang/bytearray_rindex", "hang/bytes_rfind", "hang/str_r*"]),
    ("hashes of tuples that share their parts", ["hang/*hash*", "hang/sqlite_many_connections"]),
    ("sorting of combining marks, and of tuples that agree for long", ["hang/normalize_quadratic", "hang/sort_huge"]),
    ("waits: for a lock, a condition, a queue, a pipe",
     ["hang/barrier_wait", "hang/condition_wait", "hang/event_wait", "hang/lock_*", "hang/pipe_*", "hang/*queue_*",
      "hang/select_nothing", "hang/swallow_lock", "hang/swallow_then_sleep", "hang/threads_deadlock"]),
    ("long calls of libcrypto", ["hang/pbkdf2", "hang/scrypt"]),
    ("handlers and hooks that go on after each interrupt", ["hang/swallow_*"]),
    ("recursion in C with the limit taken off, or on a thread that a cell started", ["crash/*recursion", "crash/threads_*"]),
    ("objects of C types that were never initialised", ["crash/half_made_*"]),
    ("an object that is freed while it is compared, called or shown", ["memory/*"]),
]
# How a column says it, by the first of these that is among the words of a line.
SAYS = [("rung 1", "rung 1"), ("rung 2", "rung 2"), ("rung 3", "rung 2"), ("recursion", "RecursionError"),
        ("memory", "MemoryError"), ("ok", "ends well"), ("error", "an error"), ("denied", "denied")]


def header(path):
    lines = path.read_text(encoding="utf-8").partition("\n# %%")[0]
    return dict(re.findall(r"^# (expect(?: [\w. ]+)?|only): (.*)$", lines, re.MULTILINE))


def words(line):
    """A rung's loop, behind it, may have any words."""
    return [re.match(r"rung \d|\S*", part)[0] for part in line.split(" or ")]


def outcome(head, version):
    """What the file does beside libsnug; whether it belongs into the table for that."""
    if head.get("only", version) != version:
        return "is not run", False
    line = head.get(f"expect short {version}", head.get("expect short"))
    found = words(line or head.get(f"expect {version}", head.get("expect", "")))
    if line and "hang" in found:
        return "**hangs**", True
    if line and "died" in found:
        return "**dies**" if len(found) == 1 else "**can die**", True
    if line and "rung 4" in found:
        return "rung 4", True
    return next((text for word, text in SAYS if word in found), "is not run"), False


def table():
    rows = {}
    for path in sorted(HERE.glob("*/*.py")):
        name, head = f"{path.parent.name}/{path.stem}", header(path)
        ends = [outcome(head, version) for version in VERSIONS]
        if not any(belongs for _, belongs in ends):
            continue
        titles = [i for i, (_, patterns) in enumerate(GROUPS) if any(fnmatch.fnmatchcase(name, p) for p in patterns)]
        if not titles:
            sys.exit(f"{path}: fits no group of short_ladder.py: what has it in common with which others?")
        rows.setdefault((titles[0], *(text for text, _ in ends)), []).append(f"`{name}.py`")
    lines = ["| what | on 3.11 | on 3.13 |", "|---|---|---|"]
    # The worst first within a group.
    order = sorted(rows, key=lambda row: (row[0], [not text.startswith("**") for text in row[1:]]))
    lines += [f"| {GROUPS[row[0]][0]}: {', '.join(rows[row])} | {row[1]} | {row[2]} |" for row in order]
    return "\n".join(lines) + "\n"


def in_page(text):
    before, _, rest = text.partition(BEGIN)
    now, _, after = rest.partition(END)
    return before, now, after


def main():
    text = PAGE.read_text(encoding="utf-8")
    before, now, after = in_page(text)
    if sys.argv[1:] == ["--check"]:
        sys.exit(now != table() and "SECURITY.md is not current: run tests/escapes/short_ladder.py")
    PAGE.write_text(before + BEGIN + table() + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
