#!/usr/bin/env python3
"""Writes tables of what run.py --record wrote: a line per form, and what did not run, by reason.

usage: table.py FILE...
"""
import collections
import json
import re
import sys

FORMS = ("local", "worker", "full")

# The first that is found in what the module said.
REASONS = (
    ("It is for another system", r"Windows|win32|windows|BSD|Solaris|OS X|macos|Android|iOS|[Aa]ndroid|_?winreg"
     r"|winsound|_winapi|_wmi|msvcrt|msilib|_osx|startfile|unnecessary on this platform|F_GETPATH"),
    ("It wants what the package has not: CPython's sources, other packages, a debug build",
     r"directory could not be found|irrelevant for an installed|source builds|_gdbm|_dbm|idlelib|distutils\.tests"
     r"|myfixes|ossaudiodev|'nis'|gdb on the path|Py_DEBUG|GIL enabled|too fragile|ensurepip|_testexternal"
     r"|Local domain name|32-bit|not enough memory|resource|requires? .* build|\bJIT\b"),
    ("It tests modules in C that exist for tests only",
     r"_testcapi|_testinternalcapi|_testlimitedcapi|_testsinglephase|_testmultiphase|_testbuffer|_xxtest|xxlimited"
     r"|_xxsubinterp|_interp|_ctypes_test|_testclinic|ndarray"),
    ("It starts processes, or sends signals", r"ubprocess|fork|SemLock|_multiprocessing|wait[34]|shell|signal|pty|"
     r"setitimer|interpreters? (is|was) not"),
    ("It uses sockets or the network", r"socket|Could not retrieve|_ssl|select|epoll|poll|is gone|urlopen|network"),
    ("It wants a terminal or a display", r"_curses|readline|Tk|tkinter|/dev/tty|Tcl|init\.tcl"),
    ("It runs importlib's source as a second importer, over modules that a session has frozen", r"/encodings'\]"),
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
    states = ("ok", "cut", "nothing ran", "error", "denied", "timeout", "memory", "interrupted", "crashed", "died",
              "hung")
    states = [state for state in states if any(row["status"] == state for row in rows) or state == "crashed"]
    print("| Python | form | seeds | modules run | tests | " + " | ".join(states) + " |")
    print("|---|---|---|--:|--:|" + "--:|" * len(states))
    for (python, form), group in sorted(groups.items(), key=lambda item: (item[0][0], FORMS.index(item[0][1]))):
        counts = collections.Counter(row["status"] for row in group)
        seeds = sorted({f"{row['seed']}" for row in group}, key=int)
        print(f"| {python} | {form} | {', '.join(seeds)} | {len(group)} | {sum(row.get('tests', 0) for row in group)} | "
              + " | ".join(str(counts[state]) for state in states) + " |")


def not_run(rows, plain):
    """Of each module that ran in no round of a form: why, and where."""
    ran = {(row["python"], row["form"], row["module"]) for row in rows if row["status"] in ("ok", "cut")}
    where, why = collections.defaultdict(set), {}
    for row in rows:
        key = row["python"], row["form"], row["module"]
        if key not in ran:
            where[row["module"]].add(key[:2])
            why.setdefault(row["module"], set()).add((row["why"] or "did not end in time") if row["status"] != "timeout"
                                                     else "did not end in time")
    return where, why


def tell_places(places):
    told = []
    for python in sorted({python for python, _ in places}):
        forms = [form for form in FORMS if (python, form) in places]
        told.append(python + ("" if len(forms) == len(FORMS) else " " + ", ".join(forms)))
    return "; ".join(told)


def main():
    rows = list(read(sys.argv[1:]))
    plain = {(row["python"], row["module"]): row for row in rows if row["form"] == "plain"}
    rows = [row for row in rows if row["form"] != "plain"]
    figures(rows)
    where, why = not_run(rows, plain)
    classes = collections.defaultdict(list)
    for module, places in where.items():
        told = sorted(why[module])[0]
        pythons = {python for python, _ in places}
        neither = [plain[python, module] for python in pythons
                   if (python, module) in plain and plain[python, module]["status"] not in ("ok", "cut")]
        if len(neither) == len(pythons):
            told = neither[0]["why"] or told
            classes["Plain Python does not run it here either"].append((module, places, told))
        else:
            classes[reason_of(told)].append((module, places, told))
    for name in ["Plain Python does not run it here either"] + [name for name, _ in REASONS]:
        if classes[name]:
            print(f"\n**{name}** ({len(classes[name])}):\n")
        for module, places, told in sorted(classes[name]):
            told = re.sub(r"^(ImportError: )+|^SkipTest: ", "", told).replace("|", "/").rstrip(".")
            print(f"- `{module}` ({tell_places(places)}): {told}")


main()
