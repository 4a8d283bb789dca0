"""Conversations that snug ask --session has kept: listed, shown, exported, removed."""
import json
import pathlib
import sqlite3
import subprocess
import unittest

from asking import Asking, program
from driver import SECONDS, SNUG, environment

TALK = ("--session", "sums", "--answer", "result", "--no-evaluation", "--quiet")


class Conversations(Asking):
    def conversations(self, *words):
        return subprocess.run([SNUG, "conversations", *words], cwd=self.folder, capture_output=True, encoding="utf-8",
                              env=environment(XDG_STATE_HOME=self.folder), timeout=SECONDS)

    def setUp(self):
        super().setUp()
        for question, code in (("Add\nit up", "total = sum(range(10))\nprint(total)\ntotal"),
                               ("Twice that?", "total * 2"), ("Show ``` fences", "print('```')")):
            done = self.ask([(question, program(code))], *TALK, question)
            self.assertEqual(done.returncode, 0, done.stderr)

    def fails(self, *words, status, says):
        done = self.conversations(*words)
        self.assertEqual((done.returncode, done.stdout), (status, ""))
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(says, done.stderr)

    def test_the_list_has_a_line_for_each(self):
        done = self.conversations("list")
        self.assertRegex(done.stdout, r"^sums +\d{4}-\d\d-\d\d \d\d:\d\d +3 questions  Show ``` fences\n$")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.conversations().stdout, done.stdout)
        one = json.loads(self.conversations("list", "--json").stdout)
        self.assertEqual((one["schema"], one["name"], one["questions"]), ("snug.conversation/1", "sums", 3))

    def test_one_is_shown_as_markdown(self):
        shown = self.conversations("show", "sums").stdout
        self.assertIn("## Add it up\n\n```python\ntotal = sum(range(10))\nprint(total)\ntotal\n```\n\n", shown)
        self.assertIn("````python\nprint('```')\n````", shown)
        self.assertEqual(self.conversations("export", "sums", "talk.md").returncode, 0)
        self.assertEqual(pathlib.Path(self.folder, "talk.md").read_text(), shown)

    def test_an_export_runs_as_a_notebook(self):
        done = self.conversations("export", "sums", "talk.ipynb")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        notebook = json.loads(pathlib.Path(self.folder, "talk.ipynb").read_text())
        kinds = [cell["cell_type"] for cell in notebook["cells"]]
        self.assertEqual(kinds, ["markdown", "code", "markdown"] * 3)
        self.assertEqual(len({cell["id"] for cell in notebook["cells"]}), 9)
        run = subprocess.run([SNUG, "run", "talk.ipynb", "-c", "print(total)"], cwd=self.folder, capture_output=True,
                             encoding="utf-8", env=environment(), timeout=SECONDS)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("Out[2]: 90\n", run.stdout)

    def test_what_is_removed_is_gone(self):
        self.assertEqual(self.conversations("remove", "sums").returncode, 0)
        self.fails("list", status=1, says="no conversation is kept; snug ask --session NAME keeps one")
        self.fails("show", "sums", status=1, says='there is no conversation "sums"')

    def test_what_is_not_right_is_one_sentence(self):
        self.fails("show", "sum", status=1, says="did you mean sums?")
        self.fails("show", status=2, says="one name is wanted")
        self.fails("export", "sums", "talk.txt", status=2, says="ends in .ipynb or .md")
        self.fails("export", "sums", "none/talk.md", status=2, says="none/talk.md")
        self.fails("rename", "a", status=2, says="is not list, show, export or remove")
        self.fails("show", "../sums.db", status=1, says="there is no conversation")
        with open(self.state("sessions/sums.db"), "r+b") as file:
            file.seek(60)
            file.write(b"\xff" * 200)
        self.fails("show", "sums", status=2, says="sums.db")
        self.fails("list", status=2, says="sums.db")

    def test_one_in_use_says_so(self):
        held = sqlite3.connect(self.state("sessions/sums.db"))
        self.addCleanup(held.close)
        held.execute("pragma locking_mode = exclusive")
        held.execute("begin exclusive")
        self.fails("show", "sums", status=2, says="is in use by another process")
        held.rollback()


if __name__ == "__main__":
    unittest.main()
