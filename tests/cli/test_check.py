import json
import unittest

from driver import Case, snug


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

    def test_every_finding_is_told(self):
        done = snug("check", "-c", "import socket\nimport os\nos.system('')")
        self.assertRegex(done.stdout, r"(?m)^-c:1:\d+: import: .*socket")
        self.assertRegex(done.stdout, r"(?m)^-c:3:1: call: .*os\.system")

    def test_a_syntax_error_is_a_finding(self):
        done = snug("check", "-", stdin="x = 1\ny = (\n")
        self.assertRegex(done.stdout, r"^<stdin>:2:\d+: syntax: ")
        self.assertEqual(done.returncode, 1)

    def test_a_divided_file_is_checked_cell_by_cell_with_the_lines_of_the_file(self):
        path = self.file("a.py", "# %%\nx = 1\n# %%\n\nimport socket\n# %%\nif 1:\nx\n# %%\nimport ssl\n")
        done = snug("check", path)
        places = [line.removeprefix(path).split(" ")[:2] for line in done.stdout.splitlines()]
        self.assertEqual(places, [[":5:8:", "import:"], [":8:1:", "syntax:"], [":10:8:", "import:"]])
        self.assertIn("on line 7", done.stdout)
        scans = [json.loads(line) for line in snug("check", "--json", path).stdout.splitlines()]
        self.assertEqual([(s["cell"], [f["line"] for f in s["findings"]]) for s in scans],
                         [(1, []), (2, [5]), (3, [8]), (4, [10])])

    def test_what_runs_is_checked_as_it_runs(self):
        for text, status in (("# %%\nx = '''\n# %%\n'''\nx\n", 0), ("x = (\n# %%\n1)\n", 1),
                             ("from __future__ import annotations\n# %%\nfrom __future__ import annotations\n", 0),
                             ("x\n# %%\nfrom __future__ import annotations\n", 0), ("", 0)):
            with self.subTest(text):
                path = self.file("a.py", text.replace("x\n#", "1\n#"))
                self.assertEqual(snug("check", path).returncode, status)
                self.assertEqual(snug("run", path).returncode, status)

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

    def test_bytes_that_are_no_text_are_a_finding(self):
        done = snug("check", self.file("a.py", b"x = '\xff'"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("syntax", done.stdout)

    def test_an_allowed_module_is_no_finding(self):
        self.assertEqual(snug("check", "--allow", "socket", "-c", "import socket").returncode, 0)


if __name__ == "__main__":
    unittest.main()
