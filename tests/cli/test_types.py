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
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import unittests  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SNUG = os.path.abspath(os.environ["SNUG"])
SECONDS = 600
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

    def test_magics_within_lines_are_none_either(self):
        path = self.mypy("/bin/cat program.py > ../../read; exit 0")
        self.check("a, b = %time f()\na.b?\n?a\nc = (a\n   % b)\nd = a == 'what?'\n", PATH=path)
        with open(os.path.join(self.folder, "read")) as file:
            self.assertEqual(file.read().splitlines()[1:], ["a, b = _", "pass", "pass", "c = (a", "   % b)", "d = a == 'what?'", "pass"])

    def test_a_mypy_that_hangs_is_ended_at_the_time_limit(self):
        for script in "sleep 100", "sleep 100 & exit 0", "while :; do echo x; done":
            with self.subTest(script):
                status, out, err = self.check("a = 1", "--timeout", "1s", PATH=self.mypy(script) + ":/bin")
                self.assertEqual((status, out, err), (2, "", "snug: mypy has not ended within 1 s (--timeout)\n"))

    def test_a_signal_ends_mypy_and_leaves_no_file(self):
        path = self.mypy("/bin/touch ../../begun; exec /bin/sleep 100")
        with tempfile.TemporaryDirectory() as temporary:
            source = os.path.join(self.folder, "a.py")
            with open(source, "w") as file:
                file.write("a = 1")
            os.mkdir(os.path.join(temporary, "in"))
            done = subprocess.Popen([SNUG, "check", "--types", source], stdout=subprocess.DEVNULL,
                                    env={**os.environ, "TMPDIR": os.path.join(temporary, "in"), "PATH": path})
            while not os.path.exists(os.path.join(temporary, "begun")) and done.poll() is None:
                time.sleep(0.01)
            done.terminate()
            self.assertEqual(done.wait(SECONDS), 143)
            self.assertEqual(os.listdir(os.path.join(temporary, "in")), [])

    def test_megabytes_of_words_are_no_harm(self):
        path = self.mypy("echo 'program.py:2:1: error: First.'; i=0; while [ $i -lt 20000 ]; do echo 'note: "
                         + "x" * 300 + "'; i=$((i+1)); done; echo 'program.py:2:1: error: Last.'; exit 1")
        status, out, _ = self.check("a = 1\n", PATH=path)
        self.assertEqual((status, out.splitlines()[-1]), (1, "1:1: type: Last."))

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

    def tools(self, *tools):
        """Options for a server with these tools."""
        path = os.path.join(self.folder, "tools.json")
        with open(path, "w") as file:
            json.dump([{"name": name, "inputSchema": {"type": "object", "properties": properties}} for name, properties in tools], file)
        return ["--upstream", f"files=exec '{sys.executable}' '{os.path.join(HERE, 'tools_server.py')}' '{path}'"]

    def test_a_tool_may_be_called_as_a_type_is_and_have_a_wrong_default(self):
        names = {"type": "array", "items": {"type": "string"}}
        tools = self.tools(("list", {"names": names}), ("other", {"names": names}), ("str", {"a": {"type": "string", "default": 5}}))
        self.assertEqual(self.check("files.list(names=['a'])\nfiles.other(names=['a'])\nfiles.str(a='b')\n", *tools), (0, "", ""))
        status, out, err = self.check("n = 1\nfiles.other(names=[n])\nfiles.str(n)\n", *tools)
        self.assertEqual((status, len(out.splitlines()), err), (1, 2, ""))

    def test_global_names_are_no_fault_in_programs_that_await(self):
        source = "count = 0\ndef bump():\n    global count, other\n    count += 1\n    other = 2\n"
        self.assertEqual(self.check(source), (0, "", ""))
        self.assertEqual(self.check(source + "await notes.echo(text='a')\n", *UPSTREAM), (0, "", ""))

    def test_a_name_may_change_its_type_once_it_was_read(self):
        self.assertEqual(self.check("x = 1\nprint(x)\nx = 'a'\nx.upper()\n"), (0, "", ""))

    def test_files_beside_the_program_are_not_read(self):
        there = os.path.join(self.folder, "there")
        os.mkdir(there)
        said = os.path.join(self.folder, "said")
        for name, text in (("mypy.ini", "[mypy]\nplugins = evil\n"), ("setup.cfg", "[mypy]\nplugins = evil\n"),
                           ("pyproject.toml", "[tool.mypy]\nplugins = ['evil']\n"), ("json.py", "x: int = 'a'\n"),
                           ("evil.py", f"open({said!r}, 'w')\n"), ("sitecustomize.py", f"open({said!r}, 'w')\n")):
            with open(os.path.join(there, name), "w") as file:
                file.write(text)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(there)
        self.assertEqual(self.check("import json\njson.dumps(1).upper()\n"), (0, "", ""))
        self.assertFalse(os.path.exists(said))
        self.assertEqual(len(os.listdir(there)), 6)

    def test_a_fault_of_syntax_is_told_once(self):
        status, out, _ = self.check("x = = 1\n")
        self.assertEqual((status, out.count("syntax: "), out.count("type:")), (1, 1, 0))


if __name__ == "__main__":
    unittests.main(in_parts=True)
