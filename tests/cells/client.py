"""One `snug cells` process, spoken to in JSON Lines. No wait here is without a bound.

The program's path comes from the environment variable SNUG.
"""
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time

BOUND_S = 600  # far beyond what any answer needs


class Lost(Exception):
    """The process ended, hung, or answered what is not in the contract."""


def program():
    path = os.environ.get("SNUG")
    if not path:
        sys.exit("SNUG must hold the path of the program")
    if not os.access(path, os.X_OK):
        sys.exit(f"SNUG is {path}, which cannot be executed")
    return path


def decode(line):
    """A line as the contract has it: UTF-8, one JSON object, no lone surrogates, no NaN."""

    def refuse(word):
        raise ValueError(f"{word} is not JSON")

    try:
        answer = json.loads(line.decode("utf-8"), parse_constant=refuse)
        json.dumps(answer, ensure_ascii=False).encode("utf-8")
    except ValueError as error:
        raise Lost(f"an answer is not UTF-8 JSON ({error}): {line[:200]!r}") from None
    if not isinstance(answer, dict):
        raise Lost(f"an answer is not an object: {line[:200]!r}")
    return answer


class Snug:
    def __init__(self, options=()):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen([program(), "cells", *options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.log)
        self.lines = queue.Queue()
        self.requests = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._write, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def _write(self):
        # A thread of its own, so that a program that stops reading cannot hold up the runner.
        try:
            while (line := self.requests.get()) is not None:
                self.process.stdin.write(line)
                self.process.stdin.flush()
            self.process.stdin.close()
        except (OSError, ValueError):
            pass

    def send(self, request):
        self.send_line(json.dumps(request))

    def send_line(self, line):
        self.requests.put(line.encode("utf-8") + b"\n")

    def receive(self, bound_s=BOUND_S):
        try:
            line = self.lines.get(timeout=max(bound_s, 0))
        except queue.Empty:
            raise Lost(f"no answer within {BOUND_S} s") from None
        if line is None:
            self.lines.put(None)
            raise Lost("the program ended: " + self.ending())
        return decode(line)

    def ask(self, request):
        self.send(request)
        return self.receive()

    def ending(self):
        try:
            code = self.process.wait(timeout=BOUND_S)
        except subprocess.TimeoutExpired:
            return "it closed its output and goes on"
        how = f"signal {-code}" if code < 0 else f"exit status {code}"
        said = self.said()
        return how + (f", stderr:\n{said[-2000:]}" if said else "")

    def said(self):
        """What the program itself wrote to stderr."""
        self.log.seek(0)
        return self.log.read().decode("utf-8", "replace")

    def finish(self):
        """Ends its input and answers its exit status."""
        self.requests.put(None)
        deadline = time.monotonic() + BOUND_S
        try:
            while self.lines.get(timeout=max(deadline - time.monotonic(), 0)) is not None:
                pass
            return self.process.wait(timeout=BOUND_S)
        except (queue.Empty, subprocess.TimeoutExpired):
            self.kill()
            raise Lost(f"did not end within {BOUND_S} s of the end of its input") from None

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.requests.put(None)


def python_version(snug):
    """(3, 11): the Python inside the program."""
    answer = snug.ask({"session": "version", "code": "import sys\nlist(sys.version_info[:2])"})
    try:
        major, minor = answer["value"]["text"].strip("[]").split(", ")
        version = (int(major), int(minor))
    except (KeyError, TypeError, ValueError):
        raise Lost(f"does not tell its Python version: {answer}") from None
    snug.ask({"session": "version", "close": True})
    return version
