import json
import shutil
import unittest

from driver import Case, snug

HAS_BASH = shutil.which("bwrap")


class Check(Case):
    def test_clean_files_are_said_nothing_about(self):
        path = self.file("a.py", "x = 1\n")
        done = snug("check", path)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(snug("check", "-v", path).stdout, path + ": no findings\n")

    def test_a_finding_is_a_line_with_its_place(self):
        path = self.file("a.py", "import os\n\nif True:\n    os.system('x')\n")
        done = snug("check", path)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"(?m)^%s:4:5: call: .*os\.system" % path)

    def test_the_line_a_caret_and_a_hint_stand_below_a_finding(self):
        done = snug("check", "-c", "x = 1\n!pip install numpy")
        self.assertEqual(done.stdout, """-c:2:1: syntax: invalid syntax
    !pip install numpy
    ^
  Hint: Nothing is installed from a cell: leave the line out; snug packages install adds packages, \
outside of sessions.
""")

    def test_patterns_are_forbidden(self):
        done = snug("check", "--forbid", "open", "--forbid", "/secret/", "-c", "open('secret')")
        self.assertRegex(done.stdout, r"(?m)^-c:1:1: forbid: open is forbidden here, by the pattern open$")
        self.assertRegex(done.stdout, r"(?m)^-c:1:7: forbid: secret is forbidden here, by the pattern /secret/$")
        self.assertEqual(done.returncode, 1)

    def test_a_pattern_that_is_none_is_said_to_be(self):
        for pattern, words in (("a b", "neither a name, as in open, os.remove or curl, nor a regular expression"),
                               ("/a(/", "is not a regular expression: Unmatched"), ("//", "neither a name"),
                               (".x", "neither a name"), ("os.", "neither a name")):
            with self.subTest(pattern):
                done = snug("check", "--forbid", pattern, "-c", "1")
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
                self.assertIn(f'the pattern "{pattern}" to forbid ', done.stderr)
                self.assertIn(words, done.stderr)

    def test_a_divided_file_is_checked_cell_by_cell_with_the_lines_of_the_file(self):
        path = self.file("a.py", "# %%\nx = 1\n# %%\n\nimport socket\n# %%\nif 1:\nx\n# %%\nimport ssl\n")
        done = snug("check", path)
        places = [line.removeprefix(path).split(" ")[:2] for line in done.stdout.splitlines()
                  if line.startswith(path)]
        self.assertEqual(places, [[":5:8:", "import:"], [":8:1:", "syntax:"], [":10:8:", "import:"]])
        self.assertIn("on line 7", done.stdout)
        scans = [json.loads(line) for line in snug("check", "--json", path).stdout.splitlines()]
        self.assertEqual([(s["cell"], [f["line"] for f in s["findings"]]) for s in scans],
                         [(1, []), (2, [5]), (3, [8]), (4, [10])])

    def test_what_runs_is_checked_as_it_runs(self):
        for text, status in (("# %%\nx = '''\n# %%\n'''\nx\n", 1), ("x = (\n# %%\n1)\n", 1),
                             ("from __future__ import annotations\n# %%\nfrom __future__ import annotations\n", 0),
                             ("x\n# %%\nfrom __future__ import annotations\n", 0), ("", 0)):
            with self.subTest(text):
                path = self.file("a.py", text.replace("x\n#", "1\n#"))
                self.assertEqual(snug("check", path).returncode, status)
                self.assertEqual(snug("run", path).returncode, status)

    # ---- bash

    def found(self, *args, **kw):
        """Each finding behind the name of its file."""
        done = snug("check", *args, **kw)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 1 if done.stdout else 0)
        return done.stdout

    @unittest.skipUnless(HAS_BASH, "bwrap is not installed")
    def test_a_script_of_bash_is_read_by_bash_and_not_run(self):
        fault = self.file("a.sh", "echo ran\nfor x in 1 2; do echo; fi\n")
        self.assertEqual(self.found(fault), fault + ":2: syntax: syntax error near unexpected token `fi'\n")
        half = self.file("b.sh", "echo ran\nif true; then\n")
        self.assertEqual(self.found(half), half + ": syntax: the script ends within a quote, a here-document or a command\n")
        self.assertEqual(self.found(self.file("c.bash", "echo ran\n[[ a == b ]] && echo $((1 + 2))\n")), "")

    @unittest.skipUnless(HAS_BASH, "bwrap is not installed")
    def test_a_script_is_known_by_its_name_and_by_the_line_that_it_begins_with(self):
        script = "if true; then x=1; fi\n"
        for name, text in (("a.sh", script), ("tool", "#!/bin/sh\n" + script), ("tool", "#!/usr/bin/env -S bash -eu\n" + script)):
            self.assertEqual(self.found(self.file(name, text)), "")
        self.assertEqual(self.found("-", stdin="#!/bin/bash\n" + script), "")
        self.assertEqual(self.found("--language", "bash", "-c", script), "")
        for name, text in (("tool", script), ("a.py", "#!/bin/sh\n" + script), ("tool", "#!/usr/bin/python3\n" + script)):
            self.assertIn(": syntax: ", self.found(self.file(name, text)))
        self.assertIn(": syntax: ", self.found("--language", "python", self.file("a.sh", script)))

    @unittest.skipUnless(HAS_BASH, "bwrap is not installed")
    def test_what_is_forbidden_is_found_in_bash_and_python_of_one_command(self):
        script = self.file("a.sh", "x=1\nsudo curl x\n")
        program = self.file("a.py", "import socket\n")
        self.assertEqual([line.split(" ")[:2] for line in self.found("--forbid", "curl", script, program).splitlines()
                          if line.startswith("/")], [[script + ":2:6:", "forbid:"], [program + ":1:8:", "import:"]])
        fault = self.file("b.sh", "curl x\nfi\n")
        report = json.loads(self.found("--json", "--forbid", "curl", fault))
        self.assertEqual((report["file"], report["ok"], [(f["rule"], f["line"]) for f in report["findings"]]),
                         (fault, False, [("syntax", 2), ("forbid", 1)]))

    def test_a_notebook_is_checked_cell_by_cell(self):
        path = self.file("a.ipynb", json.dumps({"nbformat": 4, "cells": [
            {"cell_type": "markdown", "source": "x ("}, {"cell_type": "code", "source": "1"},
            {"cell_type": "code", "source": ["x = 1\n", "import socket"]},
            {"cell_type": "code", "source": "2"}]}))
        done = snug("check", path)
        self.assertRegex(done.stdout, r"^%s:cell 2:2:\d+: import: " % path)
        self.assertEqual(done.returncode, 1)
        scans = [json.loads(line) for line in snug("check", "--json", path).stdout.splitlines()]
        self.assertEqual([(s["file"], s["cell"], s["ok"]) for s in scans],
                         [(path, 1, True), (path, 2, False), (path, 3, True)])

    def test_json_is_a_line_for_each_file(self):
        a, b = self.file("a.py", "1"), self.file('b".py', "import socket")
        done = snug("check", "--json", a, b)
        scans = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([(s["schema"], s["file"], s["ok"]) for s in scans],
                         [("snug.scan/1", a, True), ("snug.scan/1", b, False)])
        self.assertEqual(scans[1]["findings"][0]["rule"], "import")
        self.assertEqual(done.returncode, 1)

    def test_nothing_is_run(self):
        self.assertEqual(snug("check", "-c", "print('ran')\nwhile True: pass").stdout, "")

    def test_a_file_that_can_not_be_read_does_not_stop_the_others(self):
        bad = self.file("bad.py", "import socket")
        done = snug("check", self.folder + "/missing.py", bad)
        self.assertEqual(done.returncode, 2)
        self.assertIn("missing.py: No such file", done.stderr)
        self.assertIn("import", done.stdout)


if __name__ == "__main__":
    unittest.main()
