"""One of the programs beside snug, asked as bench.c is: a command a line on stdin, one line of JSON
on stdout, times in nanoseconds.

    serve.py NAME [ARGUMENT...]

NAME is in the table below. A peer is a class with open(), run(session, source), which gives (value,
printed, traceback), each None where the peer cannot tell, and close(session). What it may have
besides is asked for by `commands`. Imports nothing of snug."""
import importlib
import json
import os
import sys
import threading
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
from workloads import WORKLOADS  # noqa: E402

PEERS = {
    "raw": ("floors", "Raw"),
    "floor": ("floors", "Floor"),
    "ipython": ("shell", "Shell"),
    "pipe": ("children", "Pipe"),
    "zygote": ("children", "Zygote"),
    "subprocess": ("children", "Fresh"),
    "ipykernel": ("kernel", "Kernel"),
    "kernel": ("kernel", "Snug"),
    "echo": ("kernel", "Echo"),
    "cells": ("cells", "Cells"),
}

WARM_UP_RUNS = 50
WARM_UP_NS = 20_000_000
MIN_RUNS = 3
LONG_NS = 1_000_000_000  # of runs as long as this one sample does
HANG_S = 0.2
PACE_NS = 10_000_000
CALLS = 100
ROWS = 1_000_000
CALLING_CELL = "for n in range(100):\n    echo(n=n)"

clock = time.perf_counter_ns


def repeat(budget_ms, sample, second=None):
    """sample() -> ns, or two of them, called until the time is over."""
    runs, warm_up_ns = 0, 0
    while runs < WARM_UP_RUNS and warm_up_ns < WARM_UP_NS:
        start = clock()
        sample()
        warm_up_ns += clock() - start
        runs += 1
    times, others = [], []
    start = clock()
    end = start + int(float(budget_ms) * 1e6)
    while clock() < end or not times or (len(times) < MIN_RUNS and clock() < start + LONG_NS):
        took = sample()
        if second:
            took, other = took
            others.append(other)
        times.append(took)
    answer = quantiles(times)
    if second:
        answer[second] = sorted(others)[len(others) // 2]
    return answer


# ---- cells ---------------------------------------------------------------------


def workload_of(name):
    workload = WORKLOADS[name]
    return workload.get("plain", workload) if getattr(peer, "is_plain", False) else workload


def check(workload, answer):
    value, printed, error = answer
    if "error" not in workload and error is not None:
        raise AssertionError(error)
    if "error" in workload:
        assert workload["error"] in error, error
    if value is not None and "value" in workload:
        assert value == workload["value"], value
    if printed is not None:
        assert len(printed) == workload.get("printed", 0), len(printed)


def open_session(workload=None):
    session = peer.open()
    for cell in (workload or {}).get("setup", ()):
        error = peer.run(session, cell)[2]
        assert error is None, error
    return session


def standing(workload):
    """The session that all turns are in: an open may take seconds."""
    if not turning:
        turning.append(peer.open())
    for cell in workload.get("setup", ()):
        error = peer.run(turning[0], cell)[2]
        assert error is None, error
    return turning[0]


def quantiles(times):
    times.sort()
    return {"runs": len(times), "median": times[len(times) // 2], "min": times[0],
            "p99": times[len(times) * 99 // 100]}


def pace(budget_ms, sample):
    """A sample every 10 ms. One that would have begun while another was under way counts too, with
    its wait: else one that takes 200 ms would weigh as much as one that takes 5 us."""
    times, due = [], clock()
    stop = due + int(float(budget_ms) * 1e6)
    end = due
    while end < stop:
        due += PACE_NS
        time.sleep(max(0, due - clock()) / 1e9)
        took = sample()
        end = clock()
        times.append(took)
        while due + PACE_NS < end:
            due += PACE_NS
            times.append(end - due)
    return quantiles(times)


# ---- commands ------------------------------------------------------------------


def turn(name, kind, budget_ms):
    workload, number = workload_of(name), 0
    session = standing(workload)

    def sample():
        nonlocal number
        number += 1
        text = f"{workload['cell']}  # {number}" if kind == "fresh" else workload["cell"]
        start = clock()
        answer = peer.run(session, text)
        took = clock() - start
        check(workload, answer)
        return took

    return repeat(budget_ms, sample)


def conversation(name, budget_ms):
    workload = workload_of(name)

    def sample():
        errors = 0
        start = clock()
        session = open_session(workload)
        for cell in workload["cells"]:
            errors += peer.run(session, cell)[2] is not None
        peer.close(session)
        took = clock() - start
        assert errors == workload["errors"], errors
        return took

    return repeat(budget_ms, sample)


def first():
    session = peer.open()
    assert peer.run(session, "x = 0")[2] is None
    peer.close(session)
    return {}


def open_close(cell, budget_ms):
    """An open is with the first answer: nothing before it says that there is a session."""
    cell = cell.replace("~", " ")

    def sample():
        start = clock()
        session = peer.open()
        error = peer.run(session, cell)[2]
        opened = clock()
        peer.close(session)
        assert error is None, error
        return opened - start, clock() - opened

    return repeat(budget_ms, sample, "close")


def hold(name, count):
    while len(held) < int(count):
        session = peer.open()
        held.append(session)
        for cell in ("x = 0", "x = x + 1\nx"):
            error = peer.run(session, cell)[2]
            assert error is None, error
        if name != "-":
            check(workload_of(name), peer.run(session, workload_of(name)["cell"]))
    return {"held": len(held)}


def process_of(session):
    value, printed, _ = peer.run(session, "import os\nprint(os.getpid())")
    return int(printed or value)


def hang_again_and_again(cell, has_begun, is_over):
    """A session runs the cell; after a moment its process is killed, and another session begins."""
    while not is_over.is_set():
        session = peer.open()
        pid = process_of(session)
        thread = threading.Thread(target=peer.run_to_its_end, args=(session, cell))
        thread.start()
        has_begun.set()
        is_over.wait(HANG_S)
        os.kill(pid, 9)
        thread.join()
        peer.close(session)


def beside(name, budget_ms):
    workload = WORKLOADS["trivial"]
    session = open_session(workload)
    has_begun, is_over = threading.Event(), threading.Event()
    thread = None
    if name != "none":
        thread = threading.Thread(target=hang_again_and_again,
                                  args=(WORKLOADS[name]["cell"], has_begun, is_over))
        thread.start()
        has_begun.wait()

    def sample():
        start = clock()
        answer = peer.run(session, workload["cell"])
        took = clock() - start
        check(workload, answer)
        return took

    answer = pace(budget_ms, sample)
    is_over.set()
    if thread:
        thread.join()
    peer.close(session)
    return answer


def scale(count, name, budget_ms):
    workload, rates = workload_of(name), []
    start = threading.Barrier(int(count))

    def take_turns():
        session = open_session(workload)
        check(workload, peer.run(session, workload["cell"]))
        start.wait()
        begin, turns = clock(), 0
        while not turns or clock() - begin < float(budget_ms) * 1e6:
            check(workload, peer.run(session, workload["cell"]))
            turns += 1
        rates.append(turns / (clock() - begin) * 1e9)
        peer.close(session)

    threads = [threading.Thread(target=take_turns) for _ in range(int(count))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(rates) == int(count), "a session failed"
    return {"rate": sum(rates)}


def tool(budget_ms):
    session = peer.open_with_tool()

    def sample():
        start = clock()
        error = peer.run(session, CALLING_CELL)[2]
        took = clock() - start
        assert error is None, error
        return took // CALLS

    answer = repeat(budget_ms, sample)
    peer.close(session)
    return answer


def save(name, budget_ms):
    workload = workload_of(name)
    source, target = open_session(workload), peer.open()
    for cell in workload.get("cells", ()):
        peer.run(source, cell)

    def sample():
        start = clock()
        peer.save(source)
        saved = clock()
        peer.restore(target)
        return saved - start, clock() - saved

    answer = repeat(budget_ms, sample, "restore")
    peer.close(source)
    peer.close(target)
    return answer


def call(budget_ms):
    return repeat(budget_ms, lambda: peer.call_by_c(CALLS) // CALLS)


def map_rows(budget_ms):
    return repeat(budget_ms, lambda: peer.map_rows(ROWS))


def client(turns):
    return peer.by_client(turns)


def bare(budget_ms):
    """Turns whose answers are not looked at."""
    session = peer.open()

    def sample():
        start = clock()
        peer.run(session, "x = 41\nx + 1")
        return clock() - start

    answer = repeat(budget_ms, sample)
    peer.close(session)
    return answer


COMMANDS = {"client": client, "bare": bare, "call": call, "map": map_rows, "turn": turn, "conversation": conversation, "first": first, "open": open_close,
            "hold": hold, "beside": beside, "scale": scale, "tool": tool, "save": save}
# What a peer needs for a command: a method of that name instead, or these.
NEEDS = {"client": "by_client", "bare": "by_client", "call": "call_by_c", "map": "map_rows", "beside": "run_to_its_end", "scale": "run_to_its_end", "tool": "open_with_tool",
         "save": "save"}


def commands_of(peer):
    """The peer's own beside and scale take the place of those here."""
    found = {}
    for name, command in COMMANDS.items():
        own = getattr(peer, name, None) if name in ("beside", "scale") else None
        if own or hasattr(peer, NEEDS.get(name, "run")):
            found[name] = own or command
    return found


def serve():
    commands = commands_of(peer)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a peer prints is not an answer
    print(json.dumps({"python": "%d.%d.%d" % sys.version_info[:3],
                      "version": getattr(peer, "version", ""), "commands": sorted(commands)}),
          file=answers, flush=True)
    for line in sys.stdin:
        words = line.split()
        try:
            answer = commands[words[0]](*words[1:])
        except Exception as error:
            answer = {"cannot": f"{type(error).__name__}: {error}".strip().splitlines()[-1]}
        print(json.dumps(answer), file=answers, flush=True)
    for session in held + turning:
        peer.close(session)
    getattr(peer, "end", lambda: None)()


if __name__ == "__main__":
    held, turning = [], []
    module, name = PEERS[sys.argv[1]]
    peer = getattr(importlib.import_module(module), name)(*sys.argv[2:])
    serve()
