"""Forty tasks for code mode through run_python of snug mcp, in front of five servers: tasks/table.py.

usage: SNUG=PROGRAM test_tasks.py [--official BUILD_DIR]

With --official the clients are the protocol's own, by npm: the older one and that of 2026-07-28. Exit status 77, skipped,
where there is no npm, no Node.js 20, or no registry.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "tasks"), str(HERE.parent / "npm")]
import table
from speaking import LEGACY, MODERN, SECONDS, SNUG, Server, main

OPTIONS = ["--threads", "12"]
for name in ("shop", "people", "weather", "tickets", "misc"):
    OPTIONS += ["--upstream", f"{name}=exec '{sys.executable}' '{HERE}/tasks/double.py' {name}"]


class Tasks:
    """Beside unittest.TestCase. cls.answers: of each task, what run_python answered to its programs."""

    def last(self, task):
        for answer in self.answers[task.name]:
            self.assertFalse(answer.get("isError"), answer["content"])
        return self.answers[task.name][-1]

    def check(self, task):
        self.assertEqual(self.last(task)["structuredContent"]["value"]["json"], task.answer())

    def test_what_a_program_has_fetched_is_not_fetched_again(self):
        first, second = (answer["structuredContent"] for answer in self.answers["state_in_variables"])
        self.assertEqual((len(first["tool_calls"]), second["tool_calls"]), (8, []))

    def test_of_half_a_megabyte_little_comes_back(self):
        answer, = self.answers["little_of_much"]
        self.assertLess(len(json.dumps(answer)), 2000)

    def test_a_picture_is_an_image(self):
        answer, = self.answers["show_a_picture"]
        images = [part for part in answer["content"] if part["type"] == "image"]
        self.assertEqual([(image["mimeType"], image["data"]) for image in images], [("image/png", table.world.PICTURE)])


for task in table.TASKS:
    setattr(Tasks, "test_" + task.name, lambda self, task=task: self.check(task))


class ByHand(Tasks):
    """Without npm."""
    era, options = MODERN, ()

    @classmethod
    def setUpClass(cls):
        state = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="snug-test-"))
        server = Server(*OPTIONS, *cls.options, state=state, era=cls.era)
        cls.addClassCleanup(server.end)
        cls.answers = {task.name: list(cls.ask(server, task.programs)) for task in table.TASKS}
        server.close()

    @staticmethod
    def ask(server, programs):
        session = {"session": "new"}
        for program in programs:
            answer = server.tool("run_python", code=program, **session)
            session = {"session": answer["structuredContent"]["session"]}
            yield answer


class Official(Tasks):
    client = None

    @classmethod
    def setUpClass(cls):
        state = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="snug-test-"))
        given = [{"name": task.name, "programs": task.programs} for task in table.TASKS]
        done = subprocess.run([NODE, str(FOLDER / "tasks.mjs"), cls.client, SNUG, "mcp", "--state", state, "--structured", "full", *OPTIONS],
                              input=json.dumps(given), capture_output=True, encoding="utf-8", timeout=2 * SECONDS)
        if done.returncode:
            raise AssertionError(f"the client ended with {done.returncode}: {done.stderr[-2000:]}")
        cls.answers = json.loads(done.stdout)


if "--official" in sys.argv:
    import npm

    FOLDER = pathlib.Path(sys.argv.pop(), "tests/mcp-official")
    sys.argv.remove("--official")
    NODE = npm.install(HERE / "official", FOLDER, "the clients")
    shutil.copy(HERE / "tasks/client.mjs", FOLDER / "tasks.mjs")

    class Older(Official, unittest.TestCase):
        client = "sdk"

    class Newer(Official, unittest.TestCase):
        client = "client"
else:
    class InAWorker(ByHand, unittest.TestCase):
        pass

    class InTheProgram(ByHand, unittest.TestCase):
        era, options = LEGACY, ("--isolation", "local")


if __name__ == "__main__":
    main()
