"""The programs that are set beside each other: which are there, how to install the missing ones, and
one that runs and waits for commands."""
import json
import os
import shutil
import subprocess
import tempfile
import threading
from collections import namedtuple

BENCHMARKS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ANSWER_SECONDS = 300

# `command` makes the command of a Place, or raises Missing.
Program = namedtuple("Program", "key title command")


class Missing(Exception):
    """Says what is not there, and how to install it."""


def has_modules(python, *modules):
    """Whether that interpreter is there, and finds them."""
    script = ("import importlib.util, sys; "
              "sys.exit(not all(map(importlib.util.find_spec, sys.argv[1:])))")
    return (os.path.exists(python) and
            subprocess.call([python, "-c", script, *modules], stderr=subprocess.DEVNULL) == 0)


class Place:
    """Where things are: the programs that were built, the peers' interpreter, node_modules."""

    def __init__(self, build, python, modules, is_shared):
        self.build, self.python, self.modules = os.path.abspath(build), python, modules
        self.workloads = os.path.join(self.build, "benchmarks", "workloads.json")
        static = os.path.join(self.build, "benchmarks", "python_floor")
        self.suffix = "_shared" if is_shared or not os.path.exists(static) else ""

    def built(self, *path, suffix=""):
        found = os.path.join(self.build, *path) + suffix
        if not os.path.exists(found):
            raise Missing(f"no {found}; build it: cmake --preset release && "
                          "cmake --build --preset release")
        return found

    def bench(self, form):
        return [self.built("benchmarks", "snug_bench", suffix=self.suffix), self.workloads, form]

    def floor(self, name):
        program = self.built("benchmarks", "python_floor", suffix=self.suffix)
        return [program, "-I", "-S", self.serve, name]

    serve = os.path.join(BENCHMARKS, "peers", "serve.py")

    def peer(self, name, *needs, package=""):
        if not os.path.exists(self.python):
            raise Missing(f"no {self.python}")
        if needs and not has_modules(self.python, *needs):
            raise Missing(f"{self.python} has no {' or no '.join(needs)}; "
                          f"apt-get install {package}")
        return [self.python, self.serve, name]

    def node(self, name, package):
        node = shutil.which("node")
        if not node:
            raise Missing("no Node.js; apt-get install nodejs npm")
        if not os.path.isdir(os.path.join(self.modules, package)):
            raise Missing(f"no {package} in {self.modules}; "
                          "npm install --ignore-scripts --prefix benchmarks/npm")
        script = os.path.join(BENCHMARKS, "peers", "node.mjs")
        return ["/bin/sh", "-c", 'exec "$@" 3>&1 >/dev/null', "sh",
                node, script, name, self.modules, self.workloads]


PROGRAMS = [
    Program("snug", "snug, C", lambda p: p.bench("local")),
    Program("caller", "snug, caller's thread", lambda p: p.bench("caller")),
    Program("cells", "snug cells", lambda p: p.peer("cells") + [p.built("src", "snug")]),
    Program("kernel", "snug kernel",
            lambda p: p.peer("kernel", "jupyter_client", package="python3-jupyter-client") + [p.built("src", "snug")]),
    Program("echo", "echo kernel",
            lambda p: p.peer("echo", "jupyter_client", package="python3-jupyter-client")
            + [p.built("benchmarks", "snug_echo_kernel")]),
    Program("worker", "snug, worker", lambda p: p.bench("worker")),
    Program("own", "snug, a worker each", lambda p: p.bench("own")),
    Program("raw", "raw exec", lambda p: p.floor("raw")),
    Program("floor", "Python floor", lambda p: p.floor("floor")),
    Program("python3", "raw exec, system's python3", lambda p: p.peer("raw")),
    Program("pipe", "raw pipe", lambda p: p.peer("pipe")),
    Program("zygote", "zygote by hand", lambda p: p.peer("zygote")),
    Program("ipython", "IPython",
            lambda p: p.peer("ipython", "IPython", package="python3-ipython")),
    Program("ipykernel", "ipykernel",
            lambda p: p.peer("ipykernel", "ipykernel", "jupyter_client",
                             package="python3-ipykernel")),
    Program("pyodide", "Pyodide", lambda p: p.node("pyodide", "pyodide")),
    Program("monty", "Monty", lambda p: p.node("monty", "@pydantic/monty")),
    Program("subprocess", "python3 -c a turn", lambda p: p.peer("subprocess")),
    Program("agent", "snug's agent", lambda p: [p.built("benchmarks", "snug_agent_loop")]),
]
TITLES = {program.key: program.title for program in PROGRAMS}


def find(place, wanted):
    """-> commands by program, and a line for each that is missing"""
    commands, missing = {}, []
    for program in PROGRAMS:
        if program.key in wanted:
            try:
                commands[program.key] = program.command(place)
            except Missing as why:
                missing.append(f"{program.title}: {why}")
    return commands, missing


class Failed(Exception):
    """A program ended, or did not answer."""


class Running:
    """A program that waits for a command. `about` is its first line."""

    def __init__(self, command):
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True, cwd="/")
        self.about = self.read()

    def read(self):
        late = threading.Timer(ANSWER_SECONDS, self.process.kill)
        late.start()
        line = self.process.stdout.readline()
        late.cancel()
        if not line.startswith("{"):
            raise Failed(self.last_words())
        return json.loads(line)

    def last_words(self):
        self.process.kill()
        self.process.wait()
        self.errors.seek(0)
        lines = self.errors.read().strip().splitlines()
        self.close()
        return lines[-1] if lines else f"ended with status {self.process.returncode}"

    def knows(self, command):
        return command.split()[0] in self.about["commands"]

    def ask(self, command):
        try:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failed(self.last_words()) from None
        return self.read()

    def close(self):
        try:
            self.process.stdin.close()
            self.process.wait(30)
        except (BrokenPipeError, subprocess.TimeoutExpired):  # what was written, or is done
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.errors.close()
