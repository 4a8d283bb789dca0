"""snug check --types: what mypy finds in cells that call tools.

usage: test_types.py

SNUG is the program. Where mypy is not installed, only what snug makes of its words is tested.
"""
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SNUG = os.path.abspath(os.environ["SNUG"])
SECONDS = 120
UPSTREAM = ["--upstream", f"notes=exec '{sys.executable}' '{os.path.join(HERE, 'mcp_server.py')}'"]


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def check(self, source, *options, name="a.py", **env):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(source)
        temporary = os.path.join(self.folder, "temporary")
        os.makedirs(temporary, exist_ok=True)
        done = subprocess.run([SNUG, "check", "--types", *options, path], capture_output=True, timeout=SECONDS, encoding="utf-8",
                              env={**os.environ, "TMPDIR": temporary, **env})
        self.assertEqual(os.listdir(temporary), [])
        return done.returncode, done.stdout.replace(path + ":", ""), done.stderr

    def mypy(self, script):
        """A folder for PATH with a mypy that does that."""
        path = os.path.join(self.folder, "mypy")
        with open(path, "w") as file:
            file.write("#!/bin/sh\n" + script + "\n")
        os.chmod(path, stat.S_IRWXU)
        return self.folder


class Words(Case):
    """What snug makes of what mypy says."""

    def test_a_finding_has_the_place_in_its_file(self):
        path = self.mypy("echo 'program.py:3:5: error: No.  [x]'; echo 'program.py:3:5: note: Really.'; exit 1")
        self.assertEqual(self.check("a = 1\nb = 1\n", PATH=path), (1, "2:5: type: No.  [x]\n", ""))

    def test_what_it_says_of_awaiting_is_left_out(self):
        path = self.mypy("echo 'program.py:3:5: error: expected \"Awaitable[Any]\"'; exit 1")
        self.assertEqual(self.check("a = 1\nb = 1\n", PATH=path), (0, "", ""))

    def test_a_finding_of_a_cell_has_its_number_in_json(self):
        path = self.mypy("echo 'program.py:4:1: error: No.'; exit 1")
        notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
            {"cell_type": "code", "metadata": {}, "source": text, "outputs": [], "execution_count": None}
            for text in ("a = 1\nb = 2", "c = 3")]}
        status, out, _ = self.check(json.dumps(notebook), "--json", name="a.ipynb", PATH=path)
        one, two = map(json.loads, out.splitlines())
        self.assertEqual((status, one["ok"], two["cell"], two["ok"]), (1, True, 2, False))
        self.assertEqual([(f["rule"], f["line"], f["message"]) for f in two["findings"]], [("type", 1, "No.")])

    def test_without_mypy_it_says_so(self):
        self.assertEqual(self.check("a = 1", PATH=self.folder),
                         (2, "", "snug: --types needs mypy, which is not here: apt-get install mypy\n"))

    def test_a_mypy_that_fails_is_told(self):
        for script, said in (("echo so it is >&2; exit 3", "so it is"), ("kill -9 $$", "")):
            with self.subTest(script):
                self.assertEqual(self.check("a = 1", PATH=self.mypy(script)), (2, "", f"snug: mypy: {said}\n" if said else "snug: mypy has failed\n"))

    def test_the_program_that_it_reads_has_no_magics(self):
        path = self.mypy("/bin/cat program.py > ../../read; exit 0")
        self.check("a = 1\n%time\nif a:\n    !ls\n# %%\n%%bash\nls (\n", PATH=path)
        with open(os.path.join(self.folder, "read")) as file:
            self.assertEqual(file.read().splitlines()[1:], ["a = 1", "pass", "if a:", "    pass", "pass", "pass", "pass"])

    def test_cells_that_await_are_a_function(self):
        path = self.mypy('if /bin/grep -q "^async def" program.py; then echo "program.py:4:3: error: No."; else '
                         "echo 'program.py:3:1: error: \"await\" outside function'; exit 2; fi; exit 1")
        self.assertEqual(self.check("a = 1\nawait b()\n", PATH=path), (1, "2:2: type: No.\n", ""))


@unittest.skipUnless(shutil.which("mypy"), "mypy is not here")
class Real(Case):
    def test_types_that_only_a_checker_knows_are_found(self):
        source = "def f(n: int):\n    return notes.echo(text=n + 1)\nx = notes.echo(text='a')\nawait notes.echo(text='b')\n"
        status, out, err = self.check(source, *UPSTREAM)
        self.assertEqual((status, err), (1, ""))
        self.assertRegex(out, r'\A2:28: type: Argument "text" to "echo" of "notes" has incompatible type "int"')
        self.assertEqual(len(out.splitlines()), 1)

    def test_what_is_right_has_no_finding(self):
        self.assertEqual(self.check("x = notes.echo(text='a')\nx = 1\ndisplay(x)\n%time x\nrows = []\n", *UPSTREAM), (0, "", ""))

    def test_a_fault_of_syntax_is_told_once(self):
        status, out, _ = self.check("x = = 1\n")
        self.assertEqual((status, out.count("syntax: "), out.count("type:")), (1, 1, 0))


if __name__ == "__main__":
    unittest.main()
