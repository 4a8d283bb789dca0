"""Speaks with snug mcp on stdio, in both kinds of revisions of the protocol."""

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from driver import SECONDS, SNUG, Case, environment

MODERN, LEGACY = "2026-07-28", "2025-11-25"
META = "io.modelcontextprotocol/"


def meta(**more):
    return {META + "protocolVersion": MODERN, META + "clientCapabilities": {}, **more}


def text(result):
    return "".join(part.get("text", "") for part in result["content"] if part["type"] == "text")


class Server:
    """A server at the other end of two pipes. Answers are found by their ids."""

    def __init__(self, *args, state, era=MODERN, env=None, form="full"):
        if "--upstream-time" not in args:  # a busy machine starts Node slowly
            args += "--upstream-time", f"{SECONDS}s"
        self.process = subprocess.Popen([SNUG, "mcp", "--state", state, "--structured", form, *args], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                                        env=env or environment())
        self.era, self.answers, self.told, self.last = era, {}, queue.Queue(), 0
        self.change = threading.Condition()
        self.is_over = False
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        if era == LEGACY:
            self.request("initialize", protocolVersion=LEGACY, capabilities={}, clientInfo={"name": "t", "version": "1"})
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            with self.change:
                if "method" in message:
                    self.told.put(message)
                else:
                    self.answers[json.dumps(message.get("id"))] = message
                self.change.notify_all()
        with self.change:
            self.is_over = True
            self.change.notify_all()

    def write(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def send(self, message):
        self.write(json.dumps(message))

    def start(self, method, id=None, _meta=None, **params):
        """Its id."""
        self.last += 1
        id = self.last if id is None else id
        if self.era == MODERN:
            params["_meta"] = meta(**(_meta or {}))
        elif _meta:
            params["_meta"] = _meta
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        return id

    def answer(self, id, seconds=SECONDS):
        key = json.dumps(id)
        with self.change:
            if not self.change.wait_for(lambda: key in self.answers or self.is_over, seconds):
                raise AssertionError(f"no answer to {id}")
            if key not in self.answers:
                raise AssertionError(f"the server has ended: {self.process.stderr.read()}")
            return self.answers.pop(key)

    def request(self, method, _meta=None, **params):
        return self.answer(self.start(method, _meta=_meta, **params))

    def start_tool(self, name, _meta=None, **arguments):
        return self.start("tools/call", _meta=_meta, name=name, arguments=arguments)

    def tool(self, name, **arguments):
        return self.answer(self.start_tool(name, **arguments))["result"]

    def cancel(self, id):
        self.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})

    def end(self):
        """At once, whatever it is doing."""
        self.process.kill()
        self.process.wait()
        self.reader.join(SECONDS)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                pipe.close()
            except BrokenPipeError:
                pass

    def close(self):
        """What was said on stderr."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        self.reader.join(SECONDS)
        said = self.process.stderr.read()
        return said


class ServerCase(Case):
    def server(self, *args, **how):
        server = Server(*args, state=how.pop("state", os.path.join(self.folder, "state")), **how)
        self.addCleanup(server.end)
        return server


def main():
    unittest.main(verbosity=1)
