"""A batch of a hundred tasks against aimock, ended by SIGKILL and gone on with, is as if it had not been.

usage: SNUG=PROGRAM batch.py BUILD_DIR

The kills come when so many results are there, at any point of the tasks under way. Exit status
77, skipped, where aimock cannot be had.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from aimock import SECONDS, Aimock, install

FOLDER = pathlib.Path(sys.argv.pop(1), "tests/agent")
SNUG = os.path.abspath(os.environ["SNUG"])
COUNT, JOBS = 100, 4
KILLS = 10, 11, 55, 90


def fixtures():
    """Each task is one request: its program, for it is its question that is matched."""
    return [{"match": {"model": "batch", "userMessage": f"Double number {i}."},
             "response": {"content": f"```python\n{i} * 2\n```"}} for i in range(COUNT)]


class Batch(unittest.TestCase):
    def setUp(self):
        self.aimock = Aimock(FOLDER, "batch", fixtures())
        self.addCleanup(self.aimock.close)
        folder = tempfile.TemporaryDirectory(prefix="snug-batch-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "tasks.results.jsonl"
        with open(self.folder / "tasks.jsonl", "w") as tasks:
            for i in range(COUNT):
                tasks.write(json.dumps({"id": f"t{i}", "question": f"Double number {i}."}) + "\n")

    def start(self):
        env = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "TMPDIR") if name in os.environ}
        env.update(OPENAI_API_KEY="sk-of-no-one", OPENAI_BASE_URL=self.aimock.url, HOME=str(self.folder))
        return subprocess.Popen(
            [SNUG, "batch", "--model", "openai:batch", "--answer", "result", "--no-evaluation", "-v",
             "-j", str(JOBS), "tasks.jsonl"],
            cwd=self.folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def results(self):
        """What the lines that are whole say."""
        if not self.out.exists():
            return []
        return [json.loads(line) for line in self.out.read_bytes().splitlines(True) if line.endswith(b"\n")]

    def asked(self):
        """How often each task was."""
        told = (json.dumps(request["messages"]) for request in self.aimock.requests()
                if request.get("model") == "batch")
        return collections.Counter("t" + re.search(r"Double number (\d+)\.", text)[1] for text in told)

    def killed_at(self, wanted):
        """The tasks that have a result then, in their order."""
        process = self.start()
        for _ in process.stderr:  # a line for each task that ends
            if len(self.results()) >= wanted:
                break
        process.kill()
        process.wait(SECONDS)
        process.stdout.close()
        process.stderr.close()
        self.assertEqual(process.returncode, -9)
        return self.results()

    def test_no_task_is_lost_or_done_twice(self):
        kept, before = [], collections.Counter()
        for wanted in KILLS:
            results = self.killed_at(wanted)
            self.assertEqual(results[:len(kept)], kept)
            asked = self.asked()
            for one in kept:
                self.assertEqual(asked[one["id"]], before[one["id"]], one["id"])
            kept, before = results, asked
            self.assertGreaterEqual(len(kept), wanted)
            self.assertLess(len(kept), COUNT)
        process = self.start()
        out, err = process.communicate(timeout=SECONDS)
        self.assertEqual(process.returncode, 0, err)
        results = self.results()
        self.assertEqual(results[:len(kept)], kept)
        self.assertEqual(sorted((one["id"], one["answer"]) for one in results),
                         sorted((f"t{i}", str(2 * i)) for i in range(COUNT)))
        self.assertIn(f"{COUNT} of {COUNT} tasks: {COUNT} answered ({len(kept)} had ended before)", out)
        # Only what was under way at a kill was asked again.
        self.assertLessEqual(sum(self.asked().values()), COUNT + JOBS * len(KILLS))


install(FOLDER)  # here, for unittest takes the exit of a test for an error
unittest.main()
