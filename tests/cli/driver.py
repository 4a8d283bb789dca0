"""Drives the built program, whose path is in the environment variable SNUG."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # unittests.py

SNUG = os.path.abspath(os.environ["SNUG"])
if not os.access(SNUG, os.X_OK):
    raise SystemExit("SNUG is not a program: " + SNUG)
WORKER = os.path.join(os.path.dirname(SNUG), "snug-worker")
SECONDS = 600  # past this a wait is a failure


def environment(**changes):
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM", "COLUMNS")}
    env.update(changes)
    return env


def snug(*args, stdin="", env=None, cwd=None):
    """The ended process, with text in stdout and stderr."""
    return subprocess.run([SNUG, *args], input=stdin, capture_output=True, timeout=SECONDS,
                          env=env or environment(), cwd=cwd,
                          **({} if isinstance(stdin, bytes) else {"encoding": "utf-8"}))


def wait_until_unread(fd, count):
    """Until so many bytes are there to read: nearly what there is room for, so that who has more to write waits."""
    end = time.monotonic() + SECONDS
    while struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"    "))[0] < count:
        if time.monotonic() > end:
            raise AssertionError("nothing is written")
        time.sleep(0.01)


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="snug-test-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as out:
            out.write(text if isinstance(text, bytes) else text.encode())
        return path

    def refused(self, *args, says, status=2, **kw):
        """One sentence on stderr, nothing on stdout."""
        done = snug(*args, **kw)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("snug: "), done.stderr)
        self.assertIn(says, done.stderr)
        self.assertEqual(done.returncode, status)


class Reader:
    """Bytes of a descriptor, waited for."""

    def __init__(self, fd):
        self.fd = fd
        self.text = b""
        self.seen = 0
        self.ended = False

    def more(self, until):
        left = until - time.monotonic()
        if left <= 0 or not select.select([self.fd], [], [], left)[0]:
            raise AssertionError("nothing more came; so far: %r" % self.text[-500:])
        try:
            got = os.read(self.fd, 65536)
        except OSError:  # a pty whose other end is closed
            got = b""
        self.ended = not got
        self.text += got

    def wait(self, pattern):
        """The match of a pattern in what came since the last match."""
        until = time.monotonic() + SECONDS
        while not (match := re.compile(pattern, re.S).search(self.text, self.seen)):
            if self.ended:
                raise AssertionError("%r did not come: %r" % (pattern, self.text[self.seen:]))
            self.more(until)
        self.seen = match.end()
        return match

    def line(self):
        until = time.monotonic() + SECONDS
        looked = self.seen
        while (end := self.text.find(b"\n", looked)) < 0:
            looked = len(self.text)
            if self.ended:
                raise AssertionError("no line came: %r" % self.text[self.seen:][-300:])
            self.more(until)
        begin, self.seen = self.seen, end + 1
        return self.text[begin:end]

    def rest(self):
        until = time.monotonic() + SECONDS
        while not self.ended:
            self.more(until)
        return self.text[self.seen:]


class Cells:
    """snug cells."""

    def __init__(self, *args, **changes):
        self.process = subprocess.Popen([SNUG, "cells", *args], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=environment(**changes))
        self.out = Reader(self.process.stdout.fileno())

    def raw(self, line):
        self.process.stdin.write(line if isinstance(line, bytes) else line.encode())
        self.process.stdin.flush()

    def send(self, **line):
        self.raw(json.dumps(line) + "\n")

    def answer(self):
        return json.loads(self.out.line())

    def ask(self, **line):
        self.send(**line)
        return self.answer()

    def end(self):
        """Status and what else came."""
        self.process.stdin.close()
        rest = [json.loads(line) for line in self.out.rest().splitlines()]
        status = self.process.wait(SECONDS)
        self.stderr = self.process.stderr.read().decode()
        self.close()
        return status, rest

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Terminal:
    """The program on a pseudo-terminal."""

    def __init__(self, *args, env=None):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                os.execve(SNUG, [SNUG, *args], env)
            finally:
                os._exit(127)
        self.out = Reader(self.fd)
        self.status = None

    def type(self, text):
        os.write(self.fd, text.encode())

    def wait(self, pattern):
        return self.out.wait(pattern.encode())

    def end(self):
        """Exit status after the rest of the output."""
        self.out.rest()
        if self.status is None:
            self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.status

    def end_unread(self):
        """Exit status, while nobody reads what it still writes."""
        process = os.pidfd_open(self.pid)
        try:
            if not select.select([process], [], [], SECONDS)[0]:
                raise AssertionError("it does not end")
        finally:
            os.close(process)
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.status

    def close(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class PromptCase(Case):
    """Types at the prompt."""

    def environment(self, **changes):
        return environment(**{"TERM": "xterm", "LANG": "C.UTF-8", "NO_COLOR": "1", "HOME": self.folder,
                              "XDG_STATE_HOME": self.folder + "/state", **changes})

    def prompt(self, *args, **changes):
        terminal = Terminal(*args, env=self.environment(**changes))
        self.addCleanup(terminal.close)
        terminal.wait(r"In \[1\]: ")
        return terminal

    def ask(self, terminal, text, says):
        terminal.type(text + "\r")
        return terminal.wait(says)
