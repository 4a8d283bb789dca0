"""Runs corpora of real code as sessions, many open and interleaved in one `snug cells` process.

usage: SNUG=PROGRAM [SNUG_CORPORA=FOLDER] run.py [--open N]

SNUG_CORPORA holds humaneval.jsonl and cruxeval.jsonl: a session a line, {"id", "cells": [...],
"expect": "ok", "checks": [null or {"value": TEXT}, ...]}. No cell may fail, and the value of a
cell with a check must be its text. Without SNUG_CORPORA the small sample beside this file is run.
"""
import argparse
import itertools
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cells"))
import client  # noqa: E402

HERE = pathlib.Path(__file__).parent
NAMES = ("humaneval", "cruxeval")


class Session:
    def __init__(self, corpus, entry):
        self.corpus, self.id = corpus, entry["id"]
        self.cells, self.checks = entry["cells"], entry["checks"]
        if entry["expect"] != "ok" or len(self.cells) != len(self.checks):
            raise ValueError(f"{corpus}, {self.id}: not a session that this driver knows")
        self.at = 0
        self.problem = None

    def name(self):
        return f"{self.corpus}:{self.id}"

    def request(self):
        return {"session": self.name(), "id": f"{self.name()}#{self.at}", "code": self.cells[self.at]}

    def take(self, answer):
        """Judges the answer to the cell that runs; afterwards the next one is at hand."""
        check = self.checks[self.at]
        text = (answer.get("value") or {}).get("text")
        error = answer.get("error") or {}
        if answer.get("id") != f"{self.name()}#{self.at}":
            self.problem = f"an answer with the id {answer.get('id')!r}"
        elif answer.get("status") != "ok" or answer.get("state") != "kept":
            said = error.get("traceback") or error.get("value")
            self.problem = f"status {answer.get('status')}, state {answer.get('state')}\n{said}"
        elif answer.get("execution_count") != self.at + 1:
            self.problem = f"execution_count {answer.get('execution_count')}"
        elif check and text != check["value"]:
            self.problem = f"the value is {text!r}, but should be {check['value']!r}"
        if self.problem:
            self.problem = f"cell {self.at + 1}: {self.problem}"
        self.at += 1

    def has_more(self):
        return not self.problem and self.at < len(self.cells)


def load(folder, names):
    corpora = []
    for name in names:
        with open(folder / f"{name}.jsonl", encoding="utf-8") as file:
            corpora.append([Session(name, json.loads(line)) for line in file])
    # The corpora side by side, so that their sessions are open at the same time.
    return [s for row in itertools.zip_longest(*corpora) for s in row if s]


def run(sessions, most_open):
    """Runs them all; those that got no answer keep the problem that says so."""
    snug = client.Snug()
    waiting = iter(sessions)
    running = {}
    most = 0

    def begin():
        session = next(waiting, None)
        if session:
            running[session.name()] = session
            snug.send(session.request())

    try:
        for _ in range(most_open):
            begin()
        while running:
            most = max(most, len(running))
            answer = snug.receive()
            session = running.get(answer.get("session"))
            if session is None:
                raise client.Lost(f"an answer for no session that runs: {answer}")
            if answer.get("schema") == "snug.closed/1":
                del running[session.name()]
                begin()
            else:
                session.take(answer)
                snug.send(session.request() if session.has_more() else {"session": session.name(), "close": True})
        code = snug.finish()
        if code:
            raise client.Lost(f"the program ended with exit status {code} at the end of its input")
    except client.Lost as lost:
        snug.kill()
        print(f"the run was broken off: {lost}")
        for session in [*running.values(), *waiting]:
            session.problem = session.problem or "the run was broken off"
        return most, False
    return most, True


def main():
    parser = argparse.ArgumentParser(description="Runs corpora as sessions; SNUG is the program.")
    parser.add_argument("--open", type=int, default=50, help="sessions that are open at a time (50)")
    arguments = parser.parse_args()
    folder = os.environ.get("SNUG_CORPORA")
    if folder:
        names = NAMES
    else:
        folder, names = HERE, ("sample",)
        print("SNUG_CORPORA is not set: running the small sample of our own instead of HumanEval and CRUXEval")
    try:
        sessions = load(pathlib.Path(folder), names)
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"run.py: {error}")
    most, ended_well = run(sessions, arguments.open)
    failed = [session for session in sessions if session.problem]
    for session in failed[:20]:
        print(f"FAILED {session.name()}\n  {session.problem}")
    if len(failed) > 20:
        print(f"... and {len(failed) - 20} more")
    for name in names:
        of_corpus = [session for session in sessions if session.corpus == name]
        print(f"{name} {sum(not s.problem for s in of_corpus)}/{len(of_corpus)}")
    print(f"{most} sessions were open at a time")
    # A process that did not end well is a failure of its own.
    print(f"{len(sessions) - len(failed)} passed, {len(failed) + (not ended_well)} failed")
    sys.exit(1 if failed or not ended_well or not sessions else 0)


if __name__ == "__main__":
    main()
