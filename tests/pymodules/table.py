#!/usr/bin/env python3
"""Writes tables of what run.py --record wrote: a line per form, and what did not run, by reason.

usage: table.py FILE...
"""
import collections
import json
import re
import sys
import textwrap

FORMS = ("local", "worker", "full")
STATES = "ok cut refused memory interrupted crashed died hung timeout denied error".split() + ["nothing ran"]
NEITHER = "Plain Python does not run it here either"
NOT_ENDED = "did not end in time"

# The first that is found in what the module said.
REASONS = (
    ("It is for another system", r"Windows|win32|windows|BSD|Solaris|OS X|macos|Android|iOS|[Aa]ndroid|_?winreg"
     r"|winsound|_winapi|_wmi|msvcrt|msilib|_osx|startfile|unnecessary on this platform|F_GETPATH"),
    ("It wants what the package has not: CPython's sources, other packages, a debug build",
     r"directory could not be found|irrelevant for an installed|source builds|_gdbm|_dbm|idlelib|distutils\.tests"
     r"|myfixes|ossaudiodev|'nis'|gdb on the path|Py_DEBUG|GIL enabled|too fragile|ensurepip|_testexternal"
     r"|Local domain name|32-bit|not enough memory|resource|requires? .* build|\bJIT\b"),
    ("It is of ctypes, which restricted sessions have not", r"_ctypes"),
    ("It tests modules in C that exist for tests only",
     r"no session has this module|from '_test|_testinternalcapi|_testsinglephase|_testmultiphase|_testbuffer"
     r"|_xxtest|xxlimited|_xxsubinterp|_interp"),
    ("It starts processes, or sends signals", r"ubprocess|fork|SemLock|_multiprocessing|wait[34]|shell|signal|pty|"
     r"setitimer|interpreters? (is|was) not"),
    ("It uses sockets or the network", r"socket|Could not retrieve|_ssl|select|epoll|Linux 2\.6|is gone"),
    ("It wants a terminal or a display", r"_curses|readline|Tk|tkinter|/dev/tty|Tcl|init\.tcl"),
    ("It was stopped, in each round", NOT_ENDED),
    ("It wants something that a session refuses or has not", r"."),
)


def reason_of(why):
    return next(name for name, pattern in REASONS if re.search(pattern, why))


def read(paths):
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for line in file:
                yield json.loads(line)


def figures(rows):
    """A line for each Python and form."""
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["python"], row["form"]].append(row)
    states = [state for state in STATES if state == "crashed" or any(row["status"] == state for row in rows)]
    print("| Python | form | seeds | modules run | tests | " + " | ".join(states) + " |")
    print("|---|---|---|--:|--:|" + "--:|" * len(states))
    for (python, form), group in sorted(groups.items(), key=lambda item: (item[0][0], FORMS.index(item[0][1]))):
        counts = collections.Counter(row["status"] for row in group)
        seeds = sorted({f"{row['seed']}" for row in group}, key=int)
        tests = sum(row.get("tests", 0) for row in group)
        print(f"| {python} | {form} | {', '.join(seeds)} | {len(group)} | {tests} | "
              + " | ".join(str(counts[state]) for state in states) + " |")


def not_run(rows):
    """Of each module that ran in no round of a form: where, and what it said."""
    ran = {(row["python"], row["form"], row["module"]) for row in rows if row["status"] in ("ok", "cut")}
    where, why = collections.defaultdict(set), collections.defaultdict(set)
    for row in rows:
        key = row["python"], row["form"], row["module"]
        if key not in ran and row["status"] != "refused":
            where[row["module"]].add(key[:2])
            why[row["module"]].add(NOT_ENDED if row["status"] == "timeout" else row["why"])
    return where, why


def tell_places(places):
    told = []
    for python in sorted({python for python, _ in places}):
        forms = [form for form in FORMS if (python, form) in places]
        told.append(python + ("" if len(forms) == len(FORMS) else " " + ", ".join(forms)))
    return "; ".join(told)


def tell(classes):
    for name in [NEITHER] + [name for name, _ in REASONS]:
        if not classes[name]:
            continue
        print(f"\n**{name}** ({len(classes[name])}):\n")
        alike = collections.defaultdict(list)
        for module, places, told in classes[name]:
            told = re.sub(r"^(\w+Error: )?(ModuleNotFoundError: )?|^SkipTest: |^test\.support\.", "", told)
            alike[told.rstrip("."), tell_places(places)].append(module)
        for (told, places), modules in sorted(alike.items(), key=lambda item: sorted(item[1])):
            names = ", ".join(f"`{module}`" for module in sorted(modules))
            print(textwrap.fill(f"- {names} ({places}): {told}", 118, subsequent_indent="  ",
                                break_long_words=False, break_on_hyphens=False))


def main():
    rows = list(read(sys.argv[1:]))
    plain = {(row["python"], row["module"]): row for row in rows if row["form"] == "plain"}
    rows = [row for row in rows if row["form"] != "plain"]
    figures(rows)
    where, why = not_run(rows)
    classes = collections.defaultdict(list)
    for module, places in where.items():
        told = max(why[module])
        here = [plain.get((python, module), {"status": "ok"}) for python in {python for python, _ in places}]
        if all(row["status"] not in ("ok", "cut", "timeout") for row in here):
            classes[NEITHER].append((module, places, here[0]["why"] or NOT_ENDED))
        else:
            classes[reason_of(told)].append((module, places, told))
    tell(classes)


main()
