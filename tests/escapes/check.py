#!/usr/bin/python3
"""Runs the escapes in plain Python, without snug: does each do the harm that its file claims?

usage: check.py [--python COMMAND] [--version 3.11] [--seconds N] [--jobs N] [-v] FILE|FOLDER...

Each file runs in a process of its own, with as much memory as RLIMIT_AS leaves, and is killed
after --seconds. A file that expects a rung has to be running still; any other, but for those of
noise, has to die, to exhaust memory or stack, or to run still; one of memory must not end well.
Prints the files that do not, a table, and answers 1 if
there is one. --python may be several words:

    check.py --python "chroot /path/to/debian13 /usr/bin/python3" --version 3.13 hang
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time

MEMORY = 1 << 30
LARGE_MIB = 220  # what a session may not have

# Runs cells as a notebook does: the value of a last expression is shown, await works at the
# top, an error is printed. What it needs it keeps, for cells replace a lot.
# The host's tools, of files with "tools: yes".
TOOLS = r"""
def echo(**arguments):
    import json
    return json.loads(json.dumps(arguments))
def never(**arguments):
    import time
    while True:
        time.sleep(1000)
def fail():
    raise ToolError("as it was asked to")
def huge():
    return [1] * (100 << 20)
def large():
    return [1] * (8 << 20)
async def later(n=0):
    import asyncio
    await asyncio.sleep(0)
    return 1
async def forever(**arguments):
    import asyncio
    await asyncio.Event().wait()
class ToolError(RuntimeError):
    pass
def input(prompt=""):
    never()
"""

HARNESS = r"""
import ast, asyncio, atexit, gc, inspect, json, os, sys, traceback, types
tell, cells, when = int(sys.argv[1]), *json.loads(sys.argv[2])
loop = None
def show(code, names, eval=eval, inspect=inspect, asyncio=asyncio):
    global loop
    value = eval(code, names)
    if code.co_flags & inspect.CO_COROUTINE:
        loop = loop or asyncio.new_event_loop()
        value = loop.run_until_complete(value)
    return value
def run(source, names, ast=ast, compile=compile, show=show, repr=repr, isinstance=isinstance):
    tree = ast.parse(source, "<cell>")
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        place = ast.copy_location(ast.Name("cell_value", ast.Store()), tree.body[-1])
        tree.body[-1] = ast.copy_location(ast.Assign([place], tree.body[-1].value), tree.body[-1])
    show(compile(tree, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
    value = names.pop("cell_value", None)
    if value is not None:
        repr(value)
        try:
            json.dumps(value)
        except (TypeError, ValueError):
            pass
module = types.ModuleType("__main__")
sys.modules["__main__"] = module
names = module.__dict__
exec(sys.argv[3], names)
last = cells.pop() if when == "complete" else None
end = "ok"
def report(error, type=type, str=str, traceback=traceback, BaseException=BaseException):
    try:
        traceback.format_exception(error)
    except BaseException:
        pass
    return type.__dict__["__name__"].__get__(type(error))
try:
    for source in cells[:None if when in ("close", "atexit", "reset", "complete") else 1]:
        run(source, names)
    if when == "save":
        import pickle
        for value in list(names.values()):
            try:
                data = pickle.dumps(value, 5)
            except (TypeError, AttributeError, pickle.PicklingError):
                continue
            pickle.loads(data)
    if last:
        dir(eval(last.strip().rstrip("."), names))
except BaseException as error:
    end = report(error)
if when in ("close", "atexit", "reset"):
    atexit._run_exitfuncs()
if when not in ("complete",):
    names.clear()
    gc.collect()
os.write(tell, end.encode())
os._exit(0)
"""


def header(text, key, version):
    """The value of the line "# key: ..." or, before it, "# key 3.11: ..."."""
    for wanted in (f"{key} {version}", key):
        found = re.search(rf"^# {re.escape(wanted)}: *(.*)$", text, re.M)
        if found:
            return found[1]
    return ""


def is_for(only, version):
    """Whether a line "# only: 3.14" or "3.14+", or none, has a file run on that version."""
    if only.endswith("+"):
        return [*map(int, version.split("."))] >= [*map(int, only[:-1].split("."))]
    return only in ("", version)


def cells_of(text):
    body = re.sub(r"\A(#(?! %%).*\n)+", "", text)
    return re.split(r"^# %%.*\n", body, flags=re.M)


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (100 << 20, 100 << 20))


def run(command, text, version, seconds):
    """What became of it, in words, and the memory that it took."""
    ends = os.pipe()
    spec = json.dumps([cells_of(text), header(text, "when", version) or "run"])
    start = time.monotonic()
    folder = tempfile.TemporaryDirectory()
    child = subprocess.Popen([*command, "-I", "-c", HARNESS, str(ends[1]), spec,
                              TOOLS if header(text, "tools", version) else ""],
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, pass_fds=[ends[1]], preexec_fn=limit,
                             cwd=folder.name, start_new_session=True)
    os.close(ends[1])
    has_hung = not select.select([ends[0]], [], [], seconds)[0]
    if has_hung:
        os.killpg(child.pid, signal.SIGKILL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = 0
    said = b""
    while more := os.read(ends[0], 1000):
        said += more
    os.close(ends[0])
    folder.cleanup()
    if has_hung:
        outcome = "hangs"
    elif os.WIFSIGNALED(status):
        outcome = "dies of " + signal.Signals(os.WTERMSIG(status)).name
    elif not said:
        outcome = f"exits with {os.WEXITSTATUS(status)}"
    else:
        outcome = said.decode()
    return outcome, usage.ru_maxrss / 1024, time.monotonic() - start


def is_harmful(kind, expect, outcome, mib):
    if outcome == "hangs":
        return True
    if kind == "noise":
        return True
    if kind == "memory":
        return outcome != "ok"
    if re.fullmatch(r"rung .*", expect) and " or " not in expect:
        return False
    return (outcome.startswith(("dies", "exits")) or mib > LARGE_MIB or
            outcome in ("MemoryError", "RecursionError"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--version", default="3.11")
    parser.add_argument("--seconds", type=float, default=3.5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-v", action="store_true")
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    files = sorted(file for path in options.paths
                   for file in (path.glob("**/*.py") if path.is_dir() else [path])
                   if file.name not in ("check.py", "plain.py", "short_ladder.py"))
    command = options.python.split()

    def one(file):
        text = file.read_text()
        if not is_for(header(text, "only", options.version), options.version):
            return None
        if header(text, "breach", options.version):
            return None  # plain.py's
        return file, header(text, "expect", options.version), *run(command, text, options.version,
                                                                    options.seconds)

    table, failures = collections.defaultdict(collections.Counter), 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for row in filter(None, pool.map(one, files)):
            file, expect, outcome, mib, took = row
            kind = file.parent.name
            is_mended = outcome == header(file.read_text(), "mended", options.version)
            harmful = is_mended or is_harmful(kind, expect, outcome, mib)
            failures += not harmful
            table[kind][outcome.split(" ")[0]] += 1
            if options.v or not harmful:
                print(f"{'' if harmful else 'HARMLESS '}{file.parent.name}/{file.name}: {outcome}, "
                      f"{mib:.0f} MiB, {took:.1f} s; expects {expect}", flush=True)
    for kind, outcomes in table.items():
        print(kind, sum(outcomes.values()), ", ".join(f"{n} {o}" for o, n in outcomes.most_common()))
    print(f"{failures} without harm")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
