#!/usr/bin/env python3
"""Runs CPython's own test modules as sessions, one after another in one process, and closes each.

usage: run.py [--form local|worker|full] [--profile NAME] [--rounds N] [--seed N] [--limit S] [MODULE...]

What a module's tests find is counted and is no verdict: a session is restricted, and many a test wants
what it has not. What counts is a crash, of the process or of a session: it is a failure unless plain
Python crashes too, with the same modules in the same order in one process. The program's path comes
from the environment variable SNUG, Python's from SNUG_PYTHON; the modules are Debian's
libpython3-testsuite. Without modules: all of them, but those in LEFT_OUT.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import select
import subprocess
import sys

# What the modules and test.support import besides.
ALLOWED = """test getpass sysconfig gc subprocess tempfile shutil signal socket threading multiprocessing
concurrent faulthandler locale ctypes select platform site runpy pydoc importlib marshal codecs opcode dis
tokenize token symtable code pickletools pstats profile cProfile optparse argparse getopt shelve dbm bz2
lzma zipfile tarfile gzip inspect logging pickle weakref copyreg fnmatch glob os pathlib stat fileinput
linecache traceback tracemalloc atexit builtins types zipimport http py_compile compileall urllib email
mimetypes bdb pdb cmd codeop trace xml xmlrpc html sqlite3 zoneinfo asyncio ast mmap resource uuid unittest
doctest collections json ctypes pyclbr modulefinder pkgutil plistlib configparser crypt audioop wave sndhdr
imghdr quopri uu binhex mailbox mailcap netrc nturl2path ntpath posixpath genericpath sched selectors
socketserver ssl ftplib poplib imaplib smtplib stringprep this tabnanny timeit webbrowser wsgiref xdrlib
zipapp gettext fcntl termios pty tty grp pwd encodings ensurepip venv lib2to3""".split()

# Not run, and why.
LEFT_OUT = {
    "test_asyncio test_multiprocessing_fork test_multiprocessing_forkserver test_multiprocessing_spawn "
    "test_multiprocessing_main_handling test_concurrent_futures test_subprocess test_os test_posix "
    "test_fork1 test_pty test_popen test_embed test_capi test_c_locale_coercion test_cmd_line "
    "test_cmd_line_script test_regrtest test_venv test_ensurepip test_distutils test_lib2to3":
        "starts processes",
    "test_socket test_ssl test_ftplib test_httplib test_httpservers test_imaplib test_nntplib test_poplib "
    "test_smtplib test_smtpnet test_telnetlib test_urllib2_localnet test_urllib2net test_urllibnet "
    "test_xmlrpc test_xmlrpc_net test_socketserver test_asyncore test_asynchat test_smtpd test_timeout "
    "test_robotparser test_docxmlrpc test_wsgiref": "uses the network",
    "test_tk test_tix test_ttk_guionly test_ttk_textonly test_idle test_turtle test_curses test_readline "
    "test_ossaudiodev test_winreg test_winsound test_winconsoleio test_msilib test_startfile":
        "wants a display, a terminal or another system",
    "test_gdb test_peg_generator test_tools test_zipfile64 test_bigmem test_bigaddrspace test_largefile "
    "test_unicodedata_long": "wants other programs, or takes too much",
}

# In CI: small ones, most of them of a module in C.
SAMPLE = """test_array test_ucn test_strptime test_zlib test_csv test_deque test_heapq test_bisect test_struct
test_context test_hmac test_float test_operator test_set test_enum test_pyexpat test_xml_etree_c
test_binascii""".split()

# unittest imports, for a cell of a full session may not import all that packages do.
CELL = '''
import contextlib, io, sys, unittest
load = unittest.defaultTestLoader.loadTestsFromName
os = sys.modules["os"]
for name in ("getuid", "geteuid", "getgid", "getegid"):
    if not hasattr(os, name):
        setattr(os, name, lambda: 1000) # a session's posix has none
load("test.support.import_helper")
helper = sys.modules["test.support.import_helper"]
helper.frozen_modules = lambda *given: contextlib.nullcontext() # nor its _imp that switch
suite = load("{module}")
for test in suite:
    if type(test).__name__ == "_FailedTest":
        raise test._exception
result = unittest.TestResult()
keep, sys.stdout = sys.stdout, io.StringIO()
try:
    suite.run(result)
finally:
    sys.stdout = keep
(result.testsRun, len(result.failures), len(result.errors), len(result.skipped))
'''


def left_out():
    return {name: why for names, why in LEFT_OUT.items() for name in names.split()}


def folder(python):
    code = "import test, os; print(os.path.dirname(test.__file__))"
    found = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True)
    path = pathlib.Path(found.stdout.strip() or "/nonexistent")
    return path if (path / "test_array.py").exists() else None


class Process:
    """One `snug cells`. None for an answer: it has ended."""

    def __init__(self, options):
        self.child = subprocess.Popen([os.environ["SNUG"], "cells", *options], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.left = b""

    def ask(self, line, wait_s):
        try:
            self.child.stdin.write(json.dumps(line).encode() + b"\n")
            self.child.stdin.flush()
        except OSError:
            return None
        while b"\n" not in self.left:
            if not select.select([self.child.stdout], [], [], wait_s)[0]:
                self.child.kill() # hangs: told as such
                self.child.wait()
                return {"status": "hung"}
            more = os.read(self.child.stdout.fileno(), 1 << 16)
            if not more:
                self.child.wait()
                return None
            self.left += more
        answer, _, self.left = self.left.partition(b"\n")
        return json.loads(answer)

    def end(self):
        self.child.stdin.close()
        try:
            return self.child.wait(60)
        except subprocess.TimeoutExpired:
            self.child.kill()
            return self.child.wait()


def plain_crashes(python, modules, limit_s):
    """Whether plain Python dies of a signal with these modules in this order."""
    code = "".join(f"try:\n    exec({CELL.format(module='test.' + name)!r}, {{}})\n"
                   "except BaseException: pass\n" for name in modules)
    try:
        return subprocess.run([python, "-c", code], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, cwd="/tmp",
                              timeout=limit_s * (len(modules) + 1)).returncode < 0
    except subprocess.TimeoutExpired:
        return False


def run_round(options, modules, arguments, counts, reasons):
    """Crashes, as lists of the modules up to that one."""
    crashes, process, before = [], None, []
    for name in modules:
        process = process or Process(options)
        before.append(name)
        cell = {"session": name, "code": CELL.format(module="test." + name), "timeout": arguments.limit}
        answer = process.ask(cell, 3 * arguments.limit + 30)
        status = answer["status"] if answer else "died"
        if status == "ok":
            for kind, number in zip(("tests", "failed", "errors", "skipped"),
                                    eval(answer["value"]["text"])):
                counts[kind] += number
        elif status in ("error", "denied"):
            reasons[name] = f"{answer['error'].get('name')}: {str(answer['error'].get('value'))[:100]}"
        if status in ("died", "hung", "crashed"):
            crashes.append((name, status, list(before)))
        counts["modules " + status] += 1
        if status in ("died", "hung"):
            process, before = None, []
        elif process.ask({"session": name, "close": True}, 60) is None:
            crashes.append((name, "died at its close", list(before)))
            process, before = None, []
    if process and process.end() != 0:
        crashes.append((before[-1], "died at the end", before))
    return crashes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--form", default="local", choices=("local", "worker", "full"))
    parser.add_argument("--profile", default="data")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=20)
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("-v", action="store_true")
    parser.add_argument("modules", nargs="*")
    arguments = parser.parse_args()
    python = os.environ.get("SNUG_PYTHON", sys.executable)
    tests = folder(python)
    if not tests:
        print("no test modules of this Python: libpython3-testsuite is not installed")
        return 77
    there = sorted(path.stem for path in tests.glob("test_*.py"))
    out = left_out()
    chosen = arguments.modules or ([name for name in SAMPLE if name in there] if arguments.sample
                                   else [name for name in there if name not in out])
    options = ["--memory", "1G", "--threads", "8", "--disk", "1G", "--isolation", arguments.form]
    if arguments.form != "full":
        options += ["--profile", arguments.profile]
        for name in ALLOWED:
            options += ["--allow", name]
    order, counts, reasons, failed = random.Random(arguments.seed), collections.Counter(), {}, 0
    for number in range(arguments.rounds):
        modules = list(chosen)
        order.shuffle(modules)
        for name, status, before in run_round(options, modules, arguments, counts, reasons):
            too = plain_crashes(python, before, arguments.limit)
            failed += not too
            print(f"round {number + 1}: {name}: {status}, after {len(before) - 1} modules"
                  f"{'; plain Python crashes too' if too else ': ' + ' '.join(before)}", flush=True)
    print(f"{arguments.form}, seed {arguments.seed}: {arguments.rounds} rounds of {len(chosen)} modules; "
          + ", ".join(f"{number} {kind}" for kind, number in sorted(counts.items())))
    if arguments.v or not (arguments.sample or arguments.modules):
        for name, why in sorted({**{n: w for n, w in out.items() if n in there}, **reasons}.items()):
            print(f"  not run: {name}: {why}")
    return 1 if failed else 0


sys.exit(main())
