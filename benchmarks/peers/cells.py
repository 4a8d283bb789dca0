"""snug cells, driven by Python through its stdin and stdout: what JSON Lines and a second process
cost beside the C functions. Some microseconds of each turn are this driver's own.

    serve.py cells SNUG [OPTION...]"""
import json
import os
import subprocess
import tempfile
import time

from serve import HANG_S, WORKLOADS, check, pace

clock = time.perf_counter_ns


class Cells:
    def __init__(self, program, *options):
        self.process = subprocess.Popen([program, "cells", *options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.count = 0
        self.folder = tempfile.TemporaryDirectory()
        self.file = os.path.join(self.folder.name, "session.snug")
        shown = subprocess.run([program, "--version"], capture_output=True, text=True)
        self.version = shown.stdout.strip().partition(",")[0]

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.folder.cleanup()

    def send(self, **line):
        self.process.stdin.write(json.dumps(line).encode() + b"\n")
        self.process.stdin.flush()

    def read(self):
        answer = json.loads(self.process.stdout.readline())
        if answer["schema"] == "snug.error/1":
            raise RuntimeError(answer["error"]["value"])
        return answer

    def ask(self, **line):
        self.send(**line)
        return self.read()

    def open(self):
        self.count += 1
        return f"s{self.count}"

    def run(self, session, source):
        return self.answer_of(self.ask(session=session, code=source))

    @staticmethod
    def answer_of(result):
        value, error = result["value"], result["error"]
        printed = result["truncated"].get("stdout", {}).get("total_bytes")
        # What was printed is cut in its middle; its length is given.
        printed = result["stdout"] if printed is None else "." * printed
        return value and value["text"], printed, error and error["traceback"]

    def close(self, session):
        self.ask(session=session, close=True)

    def save(self, session):
        self.ask(session=session, op="save", path=self.file)

    def restore(self, session):
        self.ask(session=session, op="restore", path=self.file)

    # Answers of several sessions come as they finish, so these two are one thread's work.

    def beside(self, name, budget_ms):
        workload, hang = WORKLOADS["trivial"], WORKLOADS.get(name)
        session, other, unanswered = self.open(), self.open(), 0
        self.run(session, "x = 0")
        self.run(other, "x = 0")

        def send_other(**line):
            nonlocal unanswered
            self.send(session=other, **line)
            unanswered += 1

        def read_other(answer):
            nonlocal unanswered
            unanswered -= 1
            if answer.get("state") == "lost":
                send_other(op="reset")

        def sample():
            if hang and not unanswered:
                send_other(code=hang["cell"], timeout=HANG_S)
            start = clock()
            self.send(session=session, code=workload["cell"])
            while (answer := self.read())["session"] != session:
                read_other(answer)
                if not unanswered:
                    send_other(code=hang["cell"], timeout=HANG_S)
            took = clock() - start
            check(workload, self.answer_of(answer))
            return took

        measured = pace(budget_ms, sample)
        while unanswered:
            read_other(self.read())
        self.close(session)
        self.close(other)
        return measured

    def scale(self, count, name, budget_ms):
        workload = WORKLOADS[name]
        sessions = [self.open() for _ in range(int(count))]
        for session in sessions:
            check(workload, self.run(session, workload["cell"]))
        turns, start = 0, clock()
        for session in sessions:
            self.send(session=session, code=workload["cell"])
        under_way = len(sessions)
        while under_way:
            answer = self.read()
            check(workload, self.answer_of(answer))
            turns += 1
            if clock() - start < float(budget_ms) * 1e6:
                self.send(session=answer["session"], code=workload["cell"])
            else:
                under_way -= 1
        rate = turns / (clock() - start) * 1e9
        for session in sessions:
            self.close(session)
        return {"rate": rate}
