"""One run of one way in one form: the program is started, asked, watched, and ended."""
import json
import os
import subprocess
import tempfile
import threading
import time

import meter
import wayfile

MIB = 1 << 20
KEEP = 40 * MIB        # of an answer; what is longer is only counted
SAMPLE_S = 0.01
DISK_SAMPLE_S = 0.1

# The limits that the program is given, and by which option.
GIVEN = {
    "memory": ("--memory", 64 * MIB),
    "disk_bytes": ("--disk", 16 * MIB),
    "disk_files": ("--disk-files", 100),
    "output": ("--output", 16 * 1024),
    "value": ("--value", 4 * 1024),
    "displays": ("--displays", 256 * 1024),
    "lists": ("--lists", 16 * 1024),
    "source": ("--source", 1 * MIB),
    "wall": ("--timeout", 5),
    "cpu": ("--cpu", 5),
    "threads": ("--threads", 0),
    "tool_calls": ("--tool-calls", 10),
}
SUMMED = ("memory", "disk_bytes", "disk_files", "threads")  # over the sessions of a way

MODULES = ("ctypes", "mmap", "resource", "numpy", "fcntl", "socket", "signal", "select", "threading",
           "multiprocessing", "subprocess", "sysconfig")
FORMS = {
    "local": ["--profile", "data"],
    "worker": ["--isolation", "worker", "--profile", "data"],
    "full": ["--full", "--profile", "data", *(word for name in MODULES for word in ("--allow", name))],
    "bash": ["--isolation", "bash"],
}


def given(way):
    """The limits of this run: those of the table, and what the way asks for itself."""
    limits = {name: value for name, (_, value) in GIVEN.items()}
    if "wall" in way.limits:
        limits["wall"] = 1
    if "cpu" in way.limits:
        limits["cpu"] = 0.5
    for option, value in zip(way.options[::2], way.options[1::2]):
        for name, (known, _) in GIVEN.items():
            if option == known:
                limits[name] = quantity(value)
    # The limits are a session's: what several have together is the operator's to choose.
    for name in SUMMED:
        limits[name] *= way.sessions
    return limits


def quantity(text):
    """The number of an option: bytes, seconds, or a count."""
    for unit, factor in (("KB", 1024), ("MB", MIB), ("s", 1)):
        if text.endswith(unit):
            return float(text[:-len(unit)]) * factor
    return int(text)


class Watch:
    """Samples from a thread of its own; highest values since the last mark."""

    def __init__(self, machine, disk):
        self.machine, self.disk = machine, disk
        self.base = self.peak = None
        self.goes_on = True
        self.lock = threading.Lock()
        self.disk_at = 0
        self.disk_now = (0, 0)
        self.thread = threading.Thread(target=self._run, daemon=True)

    def _look(self):
        now = time.monotonic()
        if now - self.disk_at >= DISK_SAMPLE_S:
            self.disk_at = now
            self.disk_now = self.disk.used(self.machine.processes())
        memory = self.machine.memory()
        return {"memory": memory - self.disk.in_memory(), "tasks": self.machine.tasks(),
                "disk_bytes": self.disk_now[0], "disk_files": self.disk_now[1]}

    def begin(self):
        self.base = self._look()
        self.peak = dict.fromkeys(self.base, 0)
        self.last = dict(self.peak)
        self.thread.start()

    def _run(self):
        while self.goes_on:
            look = self._look()
            with self.lock:
                for name, value in look.items():
                    self.last[name] = value - self.base[name]
                    self.peak[name] = max(self.peak[name], self.last[name])
            time.sleep(SAMPLE_S)

    def end(self):
        self.goes_on = False
        self.thread.join()


class Program:
    """snug cells, line by line. Long answers are counted and not kept."""

    def __init__(self, command, env):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.log, env=env, start_new_session=True)
        self.answers = []
        self.arrived = threading.Condition()
        self.is_over = False
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        kept, length = [], 0
        while chunk := os.read(self.process.stdout.fileno(), 1 << 18):
            *whole, rest = chunk.split(b"\n")
            for line in whole:
                self._arrive(b"".join(kept) + line if length <= KEEP else b"", length + len(line))
                kept, length = [], 0
            length += len(rest)
            if length <= KEEP:
                kept.append(rest)
            else:
                kept = []
        with self.arrived:
            self.is_over = True
            self.arrived.notify_all()

    def _arrive(self, line, length):
        with self.arrived:
            self.answers.append((time.monotonic(), length, line))
            self.arrived.notify_all()

    def ask(self, requests, bound_s):
        """Answers that came within the bound, as (seconds, length, object)."""
        data = b"".join(wayfile.line_of(request) for request in requests)
        begun = time.monotonic()
        with self.arrived:
            before = len(self.answers)
        writer = threading.Thread(target=self._write, args=(data,), daemon=True)
        writer.start()
        with self.arrived:
            self.arrived.wait_for(lambda: self.is_over or len(self.answers) - before >= len(requests),
                                  bound_s)
            came = self.answers[before:]
        return [(at - begun, length, decode(line)) for at, length, line in came]

    def _write(self, data):
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except (OSError, ValueError):
            pass

    def finish(self):
        """Whether it ended by itself when its input did."""
        try:
            self.process.stdin.close()
        except OSError:
            pass
        try:
            self.process.wait(600)
            return True
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return False

    def said(self):
        self.log.seek(0)
        return self.log.read().decode("utf-8", "replace")[-500:]


def decode(line):
    try:
        answer = json.loads(line)
        return answer if isinstance(answer, dict) else {}
    except ValueError:
        return {}


def text_bytes(value):
    return len(value.encode("utf-8", "surrogatepass")) if isinstance(value, str) else 0


def json_bytes(value):
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))


def sizes(answer):
    """How much of each bounded kind is in an answer."""
    results = answer.get("results") or []
    # The text of a main result is the value's again, which has a limit of its own.
    plain = [text_bytes((result.get("data") or {}).get("text/plain")) for result in results
             if result.get("is_main_result")]
    shown = [json_bytes([result.get("data"), result.get("metadata")]) for result in results]
    lists = [answer.get(name) or [] for name in ("vars_changed", "variables", "matches")]
    calls = [call for call in answer.get("tool_calls") or [] if call.get("status") != "denied"]
    return {"output": max(text_bytes(answer.get("stdout")), text_bytes(answer.get("stderr"))),
            "value": text_bytes((answer.get("value") or {}).get("text")),
            "displays": max(sum(shown) - sum(plain), 0) if shown else 0,
            "lists": max(map(json_bytes, lists)),
            "tool_calls": len(calls)}


def command_of(snug, way, form, limits):
    options = []
    for name, (option, _) in GIVEN.items():
        value = limits[name] // way.sessions if name in SUMMED else limits[name]
        if value:
            options += [option, f"{value}s" if name in ("wall", "cpu") else str(value)]
    rest = []
    for option, value in zip(way.options[::2], way.options[1::2]):
        if option not in options:
            rest += [option, value]
    return [snug, "cells", *FORMS[form], *options, *rest]


def around(place):
    """What the program is begun by: in a mount namespace without control groups, as another user."""
    words = []
    if place.without_groups:
        hide = 'umount --recursive --lazy /sys/fs/cgroup 2>/dev/null; exec "$@"'
        words += ["unshare", "--mount", "--propagation", "private", "/bin/sh", "-c", hide, "sh"]
    if place.user:
        words += ["setpriv", "--reuid", place.user, "--regid", place.user, "--clear-groups"]
    return words


class Place:
    """Where runs are: the program, its user, what there is of the machine for each."""

    def __init__(self, snug, most_bytes, user=None, without_groups=False, after_s=None):
        self.snug, self.most_bytes, self.after_s = snug, most_bytes, after_s
        self.user, self.without_groups = user, without_groups


def run(place, way, form, number):
    """What was reached of each limit."""
    limits = given(way)
    with tempfile.TemporaryDirectory(prefix="snug-limits-") as folder:
        os.chmod(folder, 0o755)
        disk = meter.Disk(folder, place.most_bytes)
        try:
            machine = meter.Group(f"snug-limits-{os.getpid()}-{number}", place.most_bytes, 3000)
        except OSError:
            machine = meter.Tree()
        under_way.add(machine)
        try:
            return watched(place, way, form, limits, machine, disk)
        finally:
            sweep(machine)
            under_way.discard(machine)
            disk.remove()


under_way = set()


def sweep(machine):
    """Ends what is left of a run."""
    for _ in range(20):
        left = machine.processes()
        meter.end(left)
        if not left:
            break
        time.sleep(0.05)
    machine.remove()


def abandon():
    for machine in list(under_way):
        sweep(machine)


def watched(place, way, form, limits, machine, disk):
    env = {**os.environ, "TMPDIR": disk.folder}
    command = [*around(place), *command_of(place.snug, way, form, limits)]
    program = Program(machine.command(command), env)
    machine.root = program.process.pid
    first = program.ask([{"session": "a", "code": ":" if form == "bash" else "1"}], 60)
    if not first or first[0][2].get("status") != "ok":
        program.finish()
        raise RuntimeError(f"{way.name} in {form}: no session: {first} status {program.process.returncode} {program.said()}")
    time.sleep(0.05)
    watch = Watch(machine, disk)
    watch.begin()
    found = ask_all(program, machine, way, form, limits, disk.beside)
    cpu_before = machine.cpu_s()
    time.sleep(way.after_s if place.after_s is None else min(place.after_s, way.after_s))
    watch.end()
    reached = {**found.reached, **watch.peak}
    reached["cpu_after"] = machine.cpu_s() - cpu_before
    reached["memory_after"] = watch.last["memory"]
    ended = program.finish()
    return {"way": way.name, "form": form, "aims": way.limits, "sessions": way.sessions, "limits": limits, "reached": reached,
            "statuses": found.statuses, "ended": ended, "said": program.said()}


class Found:
    def __init__(self):
        self.statuses = []
        self.reached = dict.fromkeys(("wall", "cpu", "answer", "source", "output", "value", "displays",
                                      "lists", "tool_calls"), 0)

    def most(self, name, value):
        self.reached[name] = max(self.reached[name], value)


def ask_all(program, machine, way, form, limits, folder):
    found = Found()
    bound_s = limits["wall"] * 3 + 25
    for turn in range(way.rounds):
        for kind, what in way.requests(form, folder):
            if kind == "wait":
                time.sleep(what)
                continue
            cpu = machine.cpu_s()
            answers = program.ask(what, bound_s + len(what))
            # Other sessions' cells share the processors and the bound of time.
            found.most("cpu", (machine.cpu_s() - cpu) / len(what))
            before = 0
            for at, length, answer in answers:
                found.most("wall", at - before)
                before = at if way.sessions == 1 else 0  # those of one session come after each other
                found.most("answer", length)
                for name, value in sizes(answer).items():
                    found.most(name, value)
                error = (answer.get("error") or {}).get("name")
                found.statuses.append(" ".join(filter(None, (
                    answer.get("status") or answer.get("schema") or "?", answer.get("state"), error))))
            ran = [len(request["code"].encode()) for request, (_, _, answer) in zip(what, answers)
                   if request.get("code") and answer.get("status") == "ok" and not request.get("op")]
            found.most("source", max(ran, default=0))
            if program.is_over:
                found.statuses.append("the program ended")
                return found
            if len(answers) < len(what):
                found.most("wall", bound_s)
                found.statuses.append("no answer")
                return found
    return found
