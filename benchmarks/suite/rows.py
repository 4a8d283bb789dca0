"""What is measured: groups of rows, and the command by which each program is asked for its row.

A new row is a line here, and a command that the programs know (bench.c, peers/serve.py,
peers/node.mjs, agent_loop.c); a new group is a line of GROUPS as well."""
from collections import namedtuple

Group = namedtuple("Group", "key title note plot programs")
# `commands` is by program, "*" for those that are not named; {ms}, {long} and {questions} are how
# long it lasts. `figure` is by program too: a key of the answer. `x` is for plots of lines.
Row = namedtuple("Row", "group name unit commands figure x")

SNUG = ("snug", "caller", "worker", "own")
SHARED = ("snug", "caller", "worker")
POOLED = ("snug", "worker")
PEERS = ("pipe", "zygote", "ipython", "ipykernel", "pyodide", "monty", "subprocess")
ALL = ("snug", "caller", "cells", "kernel", "worker", "raw", "floor", "python3", *PEERS)

GROUPS = [
    Group("turns", "Turns", "From handing over a source to having read its result, in a session "
          "that is open.", "dots", ALL),
    Group("programs", "Programs", "A function of two doubles, prepared once: x * y + 1.0.", "dots",
          ("snug", "caller", "worker", "raw")),
    Group("open", "Opens", "Until there is a further session in a process that runs.", "dots",
          ("snug", "caller", "cells", "kernel", "worker", "own", "floor", *PEERS)),
    Group("memory", "Memory of sessions, each after two small cells",
          "Proportional set size of the caller and all its processes.", "lines",
          ("snug", "caller", "cells", "kernel", "worker", "own", "floor", *PEERS)),
    Group("kernels", "Kernels of Jupyter's",
          "By a client in C, beside which nothing is to be seen, and by jupyter_client; the echo kernel runs "
          "nothing, and its turns are the client's time. Memory is of the kernel alone.", "dots",
          ("kernel", "ipykernel", "echo")),
    Group("used", "Memory of sessions, each after json, re and statistics on 1,000 rows",
          "As above.", "lines",
          ("snug", "caller", "cells", "worker", "own", "floor", *PEERS)),
    Group("neighbours", "A neighbour while another session hangs",
          "Turns of one session, one every 10 ms, with another that hangs again and again and is "
          "stopped after 200 ms each time: by its limit, and where there is none by killing its "
          "process.", "dots",
          ("snug", "caller", "cells", "worker", "own", "zygote", "ipykernel")),
    Group("cores", "Turns a second of several sessions at once", "The loop of a million.", "lines",
          ("snug", "caller", "cells", "worker", "own", "zygote", "ipykernel")),
    Group("host", "Tools, saves and restores", "The session that is saved has had the "
          "conversation's cells.", "dots",
          ("snug", "caller", "cells", "worker", "raw", "zygote", "ipython", "pyodide")),
    Group("parked", "Many sessions, of which a tenth has a thread",
          "{sessions:,} in one process; the least lately used one gives its thread back where "
          "another needs one.", "dots", ("snug",)),
    Group("agent", "The agent's loop",
          "A question to a model that answers at once, without the time of its requests.", None,
          ("agent",)),
]


def row(group, name, command, figure="median", unit="ns", x=None):
    """A command or a figure that is not a dict is that of all programs."""
    commands = command if isinstance(command, dict) else {"*": command}
    return Row(group, name, unit, commands, figure if isinstance(figure, dict) else {"*": figure},
               x)


def only(programs, command):
    return dict.fromkeys(programs, command)


def turn(name, workload, kind="fresh", figure="median", programs=None):
    command = f"turn {workload} {kind} {{ms}}"
    return row("turns", name, only(programs, command) if programs else command, figure)


def opening(name, cold, cell, programs=SNUG):
    """With the first answer: snug by the command, the others by the cell."""
    commands = {**only(programs, cold), "*": f"open {cell} {{ms}}"}
    return row("open", name, commands, {**only(programs, "answer"), "*": "median"})


ROWS = [
    turn("trivial, fresh source", "trivial"),
    turn("processor time of it, on the session's thread", "trivial", "fresh", "cpu", SHARED),
    turn("trivial, the same source again", "trivial", "same"),
    turn("small sum", "sum"),
    turn("loop of a million", "loop", "same"),
    turn("json, re, statistics", "stdlib"),
    turn("10,000 prints", "prints"),
    turn("error, two calls deep", "error"),
    row("turns", "100-turn conversation with open", "conversation conversation {ms}"),
    row("turns", "100-turn conversation, from the pool", only(POOLED, "pooled conversation {ms}")),

    row("programs", "a call; raw exec's is by Python's own C interface", "call {ms}"),
    row("programs", "a cached turn of the same session",
        only(SHARED, "turn trivial same {ms}")),
    row("programs", "a map over a million rows; raw exec's is a loop in plain Python",
        "map {long}"),

    row("open", "from process start to the first answer", "start"),
    opening("cold, with the first answer", "spare cold {ms}", "x~=~0"),
    row("open", "cold", only(SNUG, "spare cold {ms}")),
    row("open", "from the pool", only(POOLED, "spare pool {ms}")),
    row("open", "from the pool, with the first answer", only(POOLED, "spare pool {ms}"),
        "answer"),
    row("open", "half-warm", only(POOLED, "spare half {ms}")),
    row("open", "half-warm, with the first answer", only(POOLED, "spare half {ms}"), "answer"),
    row("open", "the close", {**only(SHARED, "open {ms}"),
                              **only(("floor", "zygote"), "open x~=~0 {ms}")}, "close"),
]

# Where the Python of the peers has pandas: of full sessions, which are worker's.
PANDAS_ROWS = [
    row("open", "full, pandas preloaded", {"worker": "full pandas x~=~0 {ms}"}),
    row("open", "full, pandas preloaded, with its import",
        {"worker": "full pandas import~pandas {ms}",
         **only(("zygote", "ipykernel"), "open import~pandas {ms}")},
        {"worker": "answer", "*": "median"}),
    row("open", "full, a worker made ahead", {"worker": "ready pandas x~=~0 {ms}"}),
    row("open", "full, a worker made ahead, with the first answer",
        {"worker": "ready pandas x~=~0 {ms}"}, "answer"),
]

HANGS = (("idle", "none"), ("beside a loop in Python", "hang_python"),
         ("beside a loop in C", "hang_c"))
ROWS += [row("neighbours", f"{what}, {name}", f"beside {hang} {{long}}", figure)
         for what, hang in HANGS for name, figure in (("p50", "median"), ("p99", "p99"))]

KERNEL_TURN, KERNEL_START, KERNEL_MEMORY = "a turn, by a client in C", "start, to its first answer", "memory"
ROWS += [
    row("kernels", KERNEL_TURN, "client 300"),
    row("kernels", "the same, p99", "client 300", "p99"),
    row("kernels", "a turn, by jupyter_client", "bare {ms}"),
    row("kernels", KERNEL_START, "client 300", "start"),
    row("kernels", KERNEL_MEMORY, "client 300", "pss_kib", "KiB"),
    row("kernels", "the same, of each of ten at once", "client 300", "each_pss_kib", "KiB"),
]

AMONG = (("of 10 sessions", "among 10 10 10 {long}"),
         ("of 10 with a thread, among all", "among {sessions} {awake} 10 {long}"),
         ("of all with a thread, in turn", "among {sessions} {awake} {awake} {long}"),
         ("of one that is woken for it", "wake {sessions} {awake} {long}"))
LATER_ROWS = [
    *(row("parked", f"a turn {whose}, {name}", command, figure)
      for whose, command in AMONG for name, figure in (("p50", "median"), ("p99", "p99"))),
    row("host", "a call of a tool, of 100 in a cell", "tool {ms}"),
    row("host", "save", "save conversation {ms}"),
    row("host", "restore", "save conversation {ms}", "restore"),
    row("agent", "an attempt without the model", "attempt {questions}"),
    row("agent", "of it, the scan", "attempt {questions}", "scan"),
    row("agent", "of it, the cell", "attempt {questions}", "cell"),
    row("agent", "the bare turn of the same cell", "attempt {questions}", "turn"),
]

# Sessions that are held at a time, where the program has the group; a program that is not named
# stops at 100, for its sessions are processes or much memory.
COUNTS = {"memory": (1, 10, 100, 1000, 10000), "used": (1, 10, 100)}
MOST_SESSIONS = {"snug": 10000, "caller": 10000, "cells": 1000, "worker": 1000, "floor": 10000,
                 "monty": 1000, "ipykernel": 10, "kernel": 100, "pyodide": 10, "subprocess": 0}
# Programs whose opens take a good part of a second or more: with --quick they are in the first
# round only, and in these groups.
SLOW = ("ipykernel", "pyodide", "subprocess")
SLOW_GROUPS = ("turns", "open", "kernels")
# Groups whose sessions take a minute to be opened: in as many rounds as memory is.
LONG = ("parked",)
# Sessions at most with --quick.
MOST_QUICK = {"memory": 100, "used": 10}
HOLD = {"memory": "hold - {count}", "used": "hold stdlib {count}"}


def core_rows(processors):
    """1, 2, 4, ... sessions, up to a processor each."""
    counts = [1]
    while counts[-1] < processors:
        counts.append(min(2 * counts[-1], processors))
    return [row("cores", "1 session" if count == 1 else f"{count} sessions",
                f"scale {count} loop {{long}}", "rate", "/s", count) for count in counts]


def rows_of(groups, processors, has_pandas):
    """In the order of the groups; memory's are measured apart."""
    every = ROWS + (PANDAS_ROWS if has_pandas else []) + core_rows(processors) + LATER_ROWS
    return [one for group in groups for one in every if one.group == group.key]


def command_of(row, program):
    return row.commands.get(program, row.commands.get("*"))


def figure_of(row, program):
    return row.figure.get(program, row.figure.get("*"))
