"""The floors: the cells of workloads.py in plain Python, inside one CPython process.

    python_floor -I -S floor.py raw|floor

raw     exec(compile(source)): no value, no capture; a traceback where a cell raises
floor   what a session gives back, written in Python: repr of the last expression, what was
        printed, the traceback

Speaks on stdin and stdout what bench.c speaks, so run.py asks both the same way. A "session"
here is a dict: nothing is isolated, limited or interruptible."""
import ast
import io
import json
import os
import sys
import time
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from workloads import WORKLOADS

WARM_UP_RUNS = 50
WARM_UP_NS = 20_000_000
MIN_RUNS = 3


def run_raw(source, namespace):
    """-> value, printed, traceback; here only the traceback."""
    try:
        exec(compile(source, "<turn>", "exec"), namespace)
    except BaseException:
        return None, "", traceback.format_exc()
    return None, "", None


def run_floor(source, namespace):
    printed = io.StringIO()
    stdout, stderr = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = printed
    value = None
    try:
        tree = ast.parse(source, "<turn>")
        last = tree.body[-1] if tree.body else None
        if isinstance(last, ast.Expr):
            del tree.body[-1]
            if tree.body:
                exec(compile(tree, "<turn>", "exec"), namespace)
            result = eval(compile(ast.Expression(last.value), "<turn>", "eval"), namespace)
            if result is not None:
                value = repr(result)
        else:
            exec(compile(tree, "<turn>", "exec"), namespace)
    except BaseException:
        return None, printed.getvalue(), traceback.format_exc()
    finally:
        sys.stdout, sys.stderr = stdout, stderr
    return value, printed.getvalue(), None


def check(workload, answer):
    value, printed, error = answer
    if run is run_floor:
        assert value == workload.get("value", value), value
        assert len(printed) == workload.get("printed", 0), len(printed)
    assert ("error" in workload) == (error is not None), error


def open_session(workload):
    namespace = {"__name__": "__main__"}
    for cell in workload.get("setup", ()):
        assert run(cell, namespace)[2] is None
    return namespace


def repeat(budget_ms, sample):
    """sample() -> ns, called until the time is over."""
    runs, warm_up_ns = 0, 0
    while runs < WARM_UP_RUNS and warm_up_ns < WARM_UP_NS:
        warm_up_ns += sample()
        runs += 1
    times = []
    end = time.perf_counter_ns() + int(budget_ms * 1e6)
    while len(times) < MIN_RUNS or time.perf_counter_ns() < end:
        times.append(sample())
    times.sort()
    return {"runs": len(times), "median": times[len(times) // 2], "min": times[0],
            "p99": times[len(times) * 99 // 100]}


def turn(name, kind, budget_ms):
    workload = WORKLOADS[name]
    namespace = open_session(workload)
    source, number = workload["cell"], 0
    quiet = io.StringIO()

    def sample():
        nonlocal number
        number += 1
        text = f"{source}  # {number}" if kind == "fresh" else source
        if run is run_raw:
            sys.stdout = quiet
            quiet.seek(0)
            quiet.truncate()
        start = time.perf_counter_ns()
        answer = run(text, namespace)
        took = time.perf_counter_ns() - start
        sys.stdout = sys.__stdout__
        check(workload, answer)
        return took

    return repeat(float(budget_ms), sample)


def conversation(name, budget_ms):
    workload = WORKLOADS[name]

    def sample():
        errors = 0
        if run is run_raw:
            sys.stdout = io.StringIO()
        start = time.perf_counter_ns()
        namespace = open_session(workload)
        for cell in workload["cells"]:
            errors += run(cell, namespace)[2] is not None
        namespace.clear()
        took = time.perf_counter_ns() - start
        sys.stdout = sys.__stdout__
        assert errors == workload["errors"], errors
        return took

    return repeat(float(budget_ms), sample)


def open_close(budget_ms):
    def sample():
        start = time.perf_counter_ns()
        namespace = open_session({})
        assert run("x = 0", namespace)[2] is None
        namespace.clear()
        return time.perf_counter_ns() - start

    return repeat(float(budget_ms), sample)


def pss_kib():
    with open("/proc/self/smaps_rollup") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def memory(name, count):
    sessions, marks = [], []
    for n in range(int(count)):
        namespace = open_session(WORKLOADS["trivial"])
        run(WORKLOADS["trivial"]["cell"], namespace)
        if name != "-":
            run(WORKLOADS[name]["cell"], namespace)
        sessions.append(namespace)
        if n == 0:
            marks.append(pss_kib())
    return {"first": marks[0], "each": (pss_kib() - marks[0]) / (int(count) - 1)}


COMMANDS = {"turn": turn, "conversation": conversation, "open": open_close, "memory": memory}

run = {"raw": run_raw, "floor": run_floor}[sys.argv[1]]
print(json.dumps({"python": "%d.%d.%d" % sys.version_info[:3]}), flush=True)
for line in sys.stdin:
    words = line.split()
    print(json.dumps(COMMANDS[words[0]](*words[1:])), flush=True)
