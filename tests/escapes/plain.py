#!/usr/bin/python3
"""Runs the escapes of escape, leak and tamper in plain Python: does each get at what it is after?

usage: plain.py [-v] [--jobs N] FILE|FOLDER...

What the driver plants for a session is planted here for a process of the Python that runs this:
the host is the process, and its neighbour is a thread with a namespace of its own, for that is
what sharing a process is without snug. A file that gets at nothing proves nothing: such files are
printed, and the answer is 1 if there is one.
"""
import argparse
import concurrent.futures
import contextlib
import fcntl
import json
import os
import pathlib
import platform
import re
import secrets
import socket
import stat
import subprocess
import sys
import tempfile

from check import is_for

VERSION = "%d.%d" % sys.version_info[:2]
KINDS = ("escape", "leak", "tamper")
LARGE_BYTES = 7340033
DEEP = 2100  # folders in each other: more than a path can name

NEIGHBOUR = """
import json, re, sqlite3, sys, time, warnings, codecs, decimal
vault = base + "-value"
class Vault:
    def look(self):
        return vault
def opener():
    inner = base + "-frame"
    yield inner
    yield inner
def live(stop):
    inner = base + "-frame"
    try:
        raise ValueError(base + "-error")
    except ValueError:
        stop.wait()
keep = [Vault(), vault, opener()]
next(keep[2])
database = sqlite3.connect(":memory:", check_same_thread=False)
database.execute("attach 'file:/common?vfs=memdb' as common")
database.execute("create table common.vault(text)")
database.execute("insert into common.vault values (?)", (base + "-database",))
database.commit()
with open(folder + "/vault.txt", "w") as file:
    file.write(base + "-file")
"""

NEIGHBOUR_CHECK = """[
    vault[-5:], len(keep), keep[0].look() == vault, sorted(vars(Vault)), json.loads('{"a": [1.5]}'),
    re.sub("a+", "b", "caat"), "%.2f" % 1.5, len([1, 2]), decimal.getcontext().prec, str(2 ** 70),
    hash(1), 7 + 1, [len(vars(t)) for t in (object, type, int, str, list, dict, BaseException)],
    open(folder + "/vault.txt").read()[-5:], sorted(globals()),
    database.execute("select hex(zeroblob(5000))").fetchall(),
]"""

# In the process: plants what is inside it, runs the cell as a notebook does, and tells what
# it answered and which settings it left. What it needs it keeps, for cells replace a lot.
HARNESS = r"""
import ast, asyncio, atexit, builtins, codecs, copyreg, ctypes, decimal, faulthandler, fcntl
import gc, inspect, io
import json
import linecache, locale, logging, os, pickle, random, re, resource, signal, socket, sys, tempfile
import subprocess, threading, time, traceback, types, warnings
spec = json.loads(sys.argv[1])
sys.argv[1:2] = []
# A session has one of its own. The system's, where there is one, takes no file that is not a picture.
sys.modules["IPython"] = None
signals = []
signal.signal(signal.SIGUSR1, lambda *ignored: signals.append(1))
os.umask(0o031)
# Not a part of what the cell finds in its own frames.
in_memory = (spec["host"] + "-memory").encode()
spec["prelude"] += f"SECRET_ADDRESS = {id(in_memory) + bytes.__basicsize__ - 1}\n"
neighbour = types.ModuleType("neighbour")
neighbour.base, neighbour.folder = spec["neighbour"], spec["neighbour_folder"]
exec(spec["neighbour_source"], neighbour.__dict__)
stop = threading.Event()
threading.Thread(target=neighbour.live, args=[stop], daemon=True).start()

def fresh_state(pid):
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rsplit(")", 1)[1].split()[0]

child = subprocess.Popen(["/bin/true"])
while fresh_state(child.pid) != "Z":
    time.sleep(0.01)

def found(call, *args, Exception=Exception):
    try:
        return call(*args)
    except Exception as error:
        return f"{type(error).__name__}"

def fresh(name):
    with open(name) as file:
        return file.read()

def settings(sys=sys, os=os, gc=gc, signal=signal, time=time, locale=locale, open=open,
             resource=resource, len=len, sorted=sorted, repr=repr, vars=vars, id=id, str=str,
             range=range, found=found, type=type, fresh=fresh, getattr=getattr, int=int,
             fcntl=fcntl.fcntl):
    status = dict(line.split(":\t", 1) for line in
                  found(fresh, "/proc/self/status").splitlines() if ":\t" in line)
    own = {}
    for number in found(os.listdir, "/proc/self/fd"):
        if not number.isdigit():
            break
        try:
            own[number] = (os.readlink(f"/proc/self/fd/{number}"), fcntl(int(number), 1),
                           fcntl(int(number), 3))
        except OSError:
            pass
    rows = {f"status {key}": status.get(key) for key in
            ("Name", "Umask", "Uid", "Gid", "Groups", "Threads", "SigBlk", "SigIgn", "SigCgt",
             "Cpus_allowed")}
    rows |= {
        "descriptors": {key: own[key] for key in sorted(own)},
        "children": [found(fresh, f"/proc/self/task/{task}/children")
                     for task in found(os.listdir, "/proc/self/task") if task.isdigit()],
        "trampoline": trampoline(),
        "oom": found(fresh, "/proc/self/oom_score_adj"),
        "cwd": found(os.getcwd), "root": found(os.readlink, "/proc/self/root"),
        "signals": [repr(signal.getsignal(i)) for i in range(1, 65) if i not in (32, 33)],
        "signals that came": len(signals), "wakeup": wakeup_now(),
        "timers": [signal.getitimer(i)[0] > 0 for i in range(3)],
        "limits": [resource.getrlimit(i) for i in range(16)],
        "nice": os.getpriority(0, 0), "scheduler": os.sched_getscheduler(0),
        "group": (os.getpgrp(), os.getsid(0)), "core": found(fresh, "/proc/self/coredump_filter"),
        "locale": locale.setlocale(locale.LC_ALL), "time zone": (time.tzname, time.timezone),
        "environment": dict(os.environ), "getenv": getenv(b"ESCAPED"), "memory": in_memory,
        "gc": (gc.isenabled(), gc.get_threshold(), len(gc.callbacks), gc.get_freeze_count(),
               gc.get_debug()),
        "recursion limit": sys.getrecursionlimit(), "switch interval": sys.getswitchinterval(),
        "digits": sys.get_int_max_str_digits(), "dlopen": sys.getdlopenflags(),
        "trace": (repr(sys.gettrace()), repr(sys.getprofile()), repr(threading._trace_hook),
                  repr(threading._profile_hook)),
        "origin": sys.get_coroutine_origin_tracking_depth(),
        "hooks": [repr(getattr(sys, name, None)) for name in
                  ("excepthook", "unraisablehook", "displayhook", "breakpointhook", "stdout",
                   "stdin", "stderr", "__stdout__", "__interactivehook__", "tracebacklimit",
                   "dont_write_bytecode", "pycache_prefix", "platform", "executable")],
        "thread hook": repr(threading.excepthook), "stack": threading.stack_size(),
        "tools": [monitoring.get_tool(i) for i in range(6)] if monitoring else None,
        "import": (len(sys.meta_path), len(sys.path_hooks), sys.path[:], repr(builtins.__import__)),
        "modules": {name: id(module) for name, module in standard.items()
                    if sys.modules.get(name) is not module},
        "functions": [id(f) for f in (json.loads, json.dumps, re.compile, os.getcwd, io.open,
                                      os.path.join, random.random, time.time)],
        "builtins": [(name, id(thing)) for name, thing in sorted(vars(builtins).items())
                     if name != "_"],
        "types": [(t.__name__, sorted(vars(t))) for t in fixed], "atexit": atexit._ncallbacks(),
        "codecs": (found(codecs.lookup, "escaped"), found(codecs.lookup_error, "escaped") and
                   repr(found(codecs.lookup_error, "escaped")), repr(codecs.lookup_error("strict")),
                   found(codecs.lookup, "utf-8")), "filters": repr(warnings.filters),
        "show": repr(warnings.showwarning), "line": linecache.getline(json.__file__, 1),
        "pickle": len(copyreg.dispatch_table), "logging": (logging.root.level,
                  len(logging.root.handlers), logging.root.manager.disable),
        "socket": repr(socket.socket) + str(socket.getdefaulttimeout()), "temp": tempfile.tempdir,
        "decimal": str(decimal.DefaultContext), "loop": repr(asyncio.events._event_loop_policy),
        "faults": faulthandler.is_enabled(), "random": random.getstate() == random_state,
        "abstract": isinstance(1, __import__("collections").abc.Sized),
    }
    return {name: str(row) for name, row in rows.items()}

def wakeup_now():
    old = signal.set_wakeup_fd(-1)
    if old >= 0:
        signal.set_wakeup_fd(old, warn_on_full_buffer=False)
    return old

getenv = ctypes.CDLL(None).getenv
getenv.restype = ctypes.c_char_p

async def none():
    pass
trampoline = getattr(sys, "is_stack_trampoline_active", lambda: None)
monitoring = getattr(sys, "monitoring", None)
random_state = random.getstate()
standard = {name: sys.modules[name] for name in ("json", "re", "os", "io", "random", "decimal")}
fixed = (object, type, int, str, list, dict, tuple, float, BaseException, types.FunctionType,
         types.ModuleType, decimal.Decimal, json.JSONDecoder, threading.Thread)
asyncio.run(none())
gc.freeze, gc.get_freeze_count

def run(source, names, ast=ast, compile=compile, eval=eval, isinstance=isinstance, repr=repr,
        inspect=inspect, linecache=linecache, len=len):
    linecache.cache["<cell>"] = (len(source), None, source.splitlines(True), "<cell>")
    tree = ast.parse(source, "<cell>")
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        place = ast.copy_location(ast.Name("cell_value", ast.Store()), tree.body[-1])
        tree.body[-1] = ast.copy_location(ast.Assign([place], tree.body[-1].value), tree.body[-1])
    code = compile(tree, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    value = eval(code, names)
    if code.co_flags & inspect.CO_COROUTINE:
        import asyncio  # where it is needed first, as hosts do
        loop = asyncio.new_event_loop()
        loop.run_until_complete(value)
        loop.close()
    value = names.pop("cell_value", None)
    return "" if value is None else repr(value)

def report(error, traceback=traceback, BaseException=BaseException):
    try:
        return "".join(traceback.format_exception(error))
    except BaseException as another:
        return f"no traceback: {another!r}"

def tell(path, text, open=os.open, write=os.write, flags=os.O_WRONLY, OSError=OSError):
    try:
        report = open(path, flags)
    except OSError:
        report = spec["report_fd"]
    write(report, text.encode("utf-8", "backslashreplace"))

class Answers:
    def __init__(self):
        self.before = settings()
        self.state = repr(eval(spec["check"], dict(vars(neighbour))))
    def compare(self, repr=repr, eval=eval, dict=dict, vars=vars, BaseException=BaseException):
        try:
            now = repr(eval(spec["check"], dict(vars(neighbour))))
        except BaseException as error:
            now = repr(error)
        after = settings()
        return now != self.state, [f"{name}: {row} -> {after[name]}"
                                   for name, row in self.before.items() if row != after[name]]

def pickle_names(names, dumps=pickle.dumps, loads=pickle.loads, Exception=Exception, list=list):
    # What is saved and restored without snug.
    for name, value in list(names.items()):
        try:
            names[name] = loads(dumps(value, 5))
        except Exception:
            pass

def finish(atexit=atexit, gc=gc):
    atexit._run_exitfuncs()
    gc.collect()

def main(BaseException=BaseException, dumps=json.dumps, exit=os._exit, str=str):
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    exec(spec["prelude"], module.__dict__)
    out, err = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = captured = io.StringIO(), io.StringIO()
    texts = [captured[0].getvalue, captured[1].getvalue]
    gc.collect()
    answers = Answers()
    shown = []
    for number, cell in enumerate(spec["cells"]):
        try:
            shown.append(run(cell, module.__dict__))
        except BaseException as failure:
            shown.append(report(failure))
        if spec["when"] == "save" and number == 0:
            pickle_names(module.__dict__)
    changed, differing = answers.compare()
    module.__dict__.clear()
    finish()
    tell(spec["report"], dumps({"shown": shown + [t() for t in texts],
                                "neighbour": changed, "settings": differing}))
    exit(0)
main()
"""


def header(text, key):
    """The value of the line "# key: ..." or, before it, "# key 3.11: ..."."""
    for wanted in (f"{key} {VERSION}", key):
        found = re.search(rf"^# {re.escape(wanted)}: *(.*)$", text, re.M)
        if found:
            return found[1]
    return ""


def cells_of(text):
    return re.split(r"^# %%.*\n", text, flags=re.M)


def listing(planted):
    """What lies outside, but for the current folder, with all that a file may have changed."""
    rows = {"semaphore": planted.semaphore.exists(),
            "descriptor": (os.fstat(planted.fd).st_size, os.lseek(planted.fd, 0, os.SEEK_CUR))}
    for path in [planted.outside, *planted.outside.rglob("*")]:
        if planted.cwd not in (path, *path.parents):
            facts = path.lstat()
            rows[str(path)] = (stat.filemode(facts.st_mode), facts.st_uid, facts.st_gid,
                               facts.st_nlink, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)
    return rows


class Planted:
    """The folder outside, descriptors and ports for one process."""

    def __init__(self, scratch):
        self.token = secrets.token_hex(8)
        self.host, self.neighbour = f"host-{self.token}", f"neighbour-{self.token}"
        self.outside = scratch / "outside"
        self.semaphore = pathlib.Path("/dev/shm", "sem." + str(self.outside)[1:].replace("/", "-"))
        self.cwd = self.outside / f"{self.host}-folder"
        self.neighbour_folder = scratch / "neighbour"
        below = self.outside / "below"
        for folder in (self.outside, self.cwd, self.outside / "marker", below, below / "further",
                       self.neighbour_folder, scratch / "work", self.cwd / "data"):
            folder.mkdir()
        for name, target in (("secret", "secret.txt"), ("large", "large.bin"), ("outside", "."),
                             ("below", "below/further")):
            (self.cwd / "data" / name).symlink_to(self.outside / target)
        with open(self.outside / "large.bin", "wb") as large:
            large.truncate(LARGE_BYTES)
        (self.outside / "secret.txt").write_text(f"{self.host}-file\n")
        (self.outside / "outside.py").write_text(f"value = '{self.host}-module'\n")
        self.fd = os.memfd_create("escapes", 0)
        os.write(self.fd, f"{self.host}-descriptor\n".encode())
        os.lseek(self.fd, 0, os.SEEK_SET)
        report = os.open(scratch / "report", os.O_WRONLY | os.O_CREAT)
        self.report_fd = fcntl.fcntl(report, fcntl.F_DUPFD, 200)  # a number that no file closes
        os.close(report)
        self.folder_fd = os.open(self.outside, os.O_RDONLY | os.O_DIRECTORY)
        self.stream = socket.create_server(("127.0.0.1", 0))
        self.datagram = socket.socket(type=socket.SOCK_DGRAM)
        self.datagram.bind(self.stream.getsockname())
        for one in (self.stream, self.datagram):
            one.setblocking(False)

    def close(self):
        for number in (self.fd, self.folder_fd, self.report_fd):
            os.close(number)
        self.stream.close()
        self.datagram.close()
        self.semaphore.unlink(missing_ok=True)

    def environment(self):
        return os.environ | {"ESCAPES_SECRET": f"{self.host}-environment",
                             "HOME": f"/{self.host}-home", "LOGNAME": f"{self.host}-user"}

    def spec(self, scratch, cells, when):
        return {"prelude": f"OUTSIDE = '{self.outside}'\n"
                           "SECRET_FILE = OUTSIDE + '/secret.txt'\n"
                           "MARKER_FILE = OUTSIDE + '/marker/made'\n"
                           "SECRET_NAME = 'ESCAPES_SECRET'\n"
                           f"SECRET_FD, FOLDER_FD = {self.fd}, {self.folder_fd}\n"
                           f"SECRET_PORT = {self.stream.getsockname()[1]}\n"
                           f"NEIGHBOUR_DIR = '{self.neighbour_folder}'\n",
                "host": self.host, "neighbour": self.neighbour, "cells": cells, "when": when,
                "neighbour_folder": str(self.neighbour_folder), "neighbour_source": NEIGHBOUR,
                "check": NEIGHBOUR_CHECK, "report": str(scratch / "report"),
                "report_fd": self.report_fd}

    def has_connection(self):
        for call in (self.stream.accept, lambda: self.datagram.recv(1)):
            with contextlib.suppress(BlockingIOError):
                call()
                return True
        return False


def made_in(folder):
    """Whether a file in the folder has set-id bits, or lies too deep; what does is removed."""
    tests = (["-perm", "/7000"], ["-mindepth", str(DEEP)])
    found = any(subprocess.run(["find", folder, *test, "-print", "-quit"], capture_output=True).stdout
                for test in tests)
    if found:
        subprocess.run(["find", folder, "-mindepth", "1", "-delete"], capture_output=True)
    return found


def facts(planted, pid):
    """What a session has no business to read, as text."""
    secret = planted.outside / "secret.txt"
    inode = str(secret.stat().st_ino) if secret.exists() else "none"
    return {"inode": inode, "folder": str(planted.outside.stat().st_ino), "size": str(LARGE_BYTES),
            "blocks": str(os.statvfs(planted.outside).f_blocks),
            "existence": "(True, False)",
            "groups": pathlib.Path("/etc/group").read_text().splitlines()[0],
            "pid": str(pid), "parent": str(os.getpid()), "hostname": platform.node(),
            "kernel": os.uname().version, "executable": os.path.realpath(sys.executable),
            "accounts": pathlib.Path("/etc/passwd").read_text().splitlines()[0]}


def got_at(planted, pid, before, wanted, report, shown):
    """The words of all that the file got at."""
    got, read = set(), facts(planted, pid)
    if planted.host in shown:
        got.add("secret")
    if planted.neighbour in shown or report.get("neighbour"):
        got.add("neighbour")
    if made_in(planted.cwd) or listing(planted) != before or planted.has_connection():
        got.add("marker")
    if report.get("settings"):
        got.add("setting")
    name = wanted.removeprefix("setting ")
    if name in read and re.search(rf"(?<!\w){re.escape(read[name])}(?!\w)", shown):
        got.add(wanted)
    return got


def run(file):
    """Whether the file got at what its header says, and a line about it; None: not for this
    version."""
    text = file.read_text()
    if not is_for(header(text, "only"), VERSION):
        return None
    if header(text, "needs") == "root" and os.geteuid() != 0:
        return None
    wanted = header(text, "breach")
    with tempfile.TemporaryDirectory(prefix="escapes-") as name:
        scratch = pathlib.Path(name)
        planted = Planted(scratch)
        spec = json.dumps(planted.spec(scratch, cells_of(text), header(text, "when")))
        before = listing(planted)
        child = subprocess.Popen(
            [sys.executable, "-I", "-c", HARNESS, spec, f"--secret={planted.host}-argument"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            pass_fds=[planted.fd, planted.folder_fd, planted.report_fd], cwd=planted.cwd,
            env=planted.environment())
        try:
            output = child.communicate(timeout=600)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            child.kill()
            output = child.communicate()[0].decode(errors="replace") + "hangs"
        report = {}
        with contextlib.suppress(OSError, ValueError):
            report = json.loads((scratch / "report").read_text())
        shown = "\n".join([*report.get("shown", []), output])
        got = got_at(planted, child.pid, before, wanted, report, shown)
        planted.close()
    line = (f"{file.parent.name}/{file.name}: is after {wanted}, "
            f"got {', '.join(sorted(got)) or 'nothing'}; status {child.returncode}")
    if wanted not in got:
        line += f"\n    {shown.strip()[-1500:]}"
    for row in report.get("settings", []):
        line += f"\n    {row[:300]}"
    return wanted in got, line


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-v", action="store_true")
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    files = sorted(file for path in options.paths
                   for file in (path.glob("**/*.py") if path.is_dir() else [path])
                   if file.parent.name in KINDS)
    failures, count = 0, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for has_worked, line in filter(None, pool.map(run, files)):
            count += 1
            failures += not has_worked
            if options.v or not has_worked:
                print(f"{'' if has_worked else 'HARMLESS '}{line}", flush=True)
    print(f"{VERSION}: {count} files, {failures} without a breach")
    return failures > 0 or count == 0


if __name__ == "__main__":
    sys.exit(main())
