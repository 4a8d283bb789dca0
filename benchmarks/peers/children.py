"""Processes as people make them for this: a child behind a pipe, a child forked by a process that
is warm, a python3 for each turn. Nothing here is limited or held by a filter."""
import array
import io
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import traceback

from floors import Floor
from workloads import WORKLOADS

LENGTH = struct.Struct("<I")


# ---- children ------------------------------------------------------------------


def serve_pipe(requests, answers):
    namespace = {"__name__": "__main__"}
    printed = sys.stdout = io.StringIO()
    while header := requests.read(LENGTH.size):
        source = requests.read(*LENGTH.unpack(header))
        try:
            exec(compile(source, "<turn>", "exec"), namespace)
            answer = printed.getvalue()
        except BaseException:
            answer = traceback.format_exc()
        if printed.tell():
            printed.seek(0)
            printed.truncate()
        answer = answer.encode()
        answers.write(LENGTH.pack(len(answer)) + answer)
        answers.flush()


def serve_json(requests, answers):
    """A line that is an object is a call of the tool, and the next line is its answer."""
    floor = Floor()

    def send(what):
        answers.write(json.dumps(what).encode() + b"\n")
        answers.flush()

    def echo(**arguments):
        send({"call": "echo", "arguments": arguments})
        return json.loads(requests.readline())

    namespace = floor.open()
    namespace["echo"] = echo
    for line in requests:
        send(floor.run(namespace, json.loads(line)))


def serve_child(serve, requests, answers):
    with os.fdopen(requests, "rb") as reader, os.fdopen(answers, "wb", 1 << 20) as writer:
        serve(reader, writer)
    os._exit(0)


def be_zygote(control):
    """Forks a session for each message with two descriptors."""
    import gc
    import json, re, statistics  # noqa: E401, F401
    try:
        import pandas  # noqa: F401
    except ImportError:
        pass
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    gc.freeze()
    control.send(b"+")
    while True:
        word, rights, _, _ = control.recvmsg(1, socket.CMSG_SPACE(8))
        if not word:
            os._exit(0)
        ends = array.array("i")
        ends.frombytes(rights[0][2][:8])
        if os.fork() == 0:
            control.close()
            serve_child(serve_json, *ends)
        for end in ends:
            os.close(end)


# ---- peers ---------------------------------------------------------------------


class Pipe:
    """Reads a source and writes what it printed, or its traceback: bytes with their length in
    front, no value, no JSON. As little as a process can be asked by."""

    def __init__(self):
        self.requests = set()  # of open sessions; a child that kept them would keep its siblings

    def open(self):
        read_request, write_request = os.pipe()
        read_answer, write_answer = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(write_request)
            for end in (read_answer, *self.requests):
                os.close(end)
            serve_child(serve_pipe, read_request, write_answer)
        os.close(read_request)
        os.close(write_answer)
        self.requests.add(write_request)
        return pid, os.fdopen(read_answer, "rb", 1 << 20), write_request

    def run(self, session, source):
        source = source.encode()
        os.write(session[2], LENGTH.pack(len(source)) + source)
        answers = session[1]
        answer = answers.read(*LENGTH.unpack(answers.read(LENGTH.size))).decode()
        is_error = answer.startswith("Traceback")
        return None, "" if is_error else answer, answer if is_error else None

    def close(self, session):
        self.requests.discard(session[2])
        os.close(session[2])
        session[1].close()
        os.waitpid(session[0], 0)


class Zygote:
    """Asked by lines of JSON: value, output and traceback."""

    def __init__(self):
        self.control, theirs = socket.socketpair()
        if os.fork() == 0:
            self.control.close()
            be_zygote(theirs)
        theirs.close()
        self.control.recv(1)

    def open(self):
        read_request, write_request = os.pipe()
        read_answer, write_answer = os.pipe()
        ends = array.array("i", [read_request, write_answer])
        self.control.sendmsg([b"f"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, ends)])
        os.close(read_request)
        os.close(write_answer)
        return os.fdopen(read_answer, "rb", 1 << 20), os.fdopen(write_request, "wb", 0)

    open_with_tool = open

    def run(self, session, source):
        answers, requests = session
        requests.write(json.dumps(source).encode() + b"\n")
        while isinstance(answer := json.loads(answers.readline()), dict):
            requests.write(b"1\n")
        return answer

    def run_to_its_end(self, session, source):
        """Until the child is killed."""
        try:
            self.run(session, source)
        except ValueError:
            pass

    def close(self, session):
        session[1].close()
        session[0].read()
        session[0].close()


class Fresh:
    """python3 -c for each turn. State is restored by running the earlier good cells again, silently."""
    COMMAND = [sys.executable, "-I", "-c"]
    KEPT = {"x = 0", *WORKLOADS["conversation"]["cells"]}
    SILENT = "import io, sys\n_stdout = sys.stdout\nsys.stdout = io.StringIO()\n"

    def open(self):
        return []

    def run(self, cells, source):
        before = f"{self.SILENT}{chr(10).join(cells)}\nsys.stdout = _stdout\n" if cells else ""
        ended = subprocess.run([*self.COMMAND, before + source], capture_output=True, text=True)
        if ended.returncode:
            return None, ended.stdout, ended.stderr
        if source in self.KEPT:
            cells.append(source)
        return None, ended.stdout, None

    def close(self, cells):
        cells.clear()
