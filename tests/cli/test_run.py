import json
import os
import signal
import subprocess
import unittest

from driver import Case, Reader, SECONDS, SNUG, environment, snug


def notebook(*cells, **changes):
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {},
            "cells": [{"cell_type": kind, "source": source, "metadata": {}} for kind, source in cells]}
    book.update(changes)
    return json.dumps(book)


class Run(Case):
    def results(self, *args, **kw):
        done = snug("run", "--json", *args, **kw)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    def values(self, *args, **kw):
        return [r["value"] and r["value"]["text"] for r in self.results(*args, **kw)[1]]

    def test_without_a_worker_cells_run_here_only_where_that_is_asked_for(self):
        no_worker = ("run", "--worker-command", "exit 3", "-c", "print(6 * 7)")
        done = snug(*no_worker)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        done = snug(*no_worker, "--local-fallback")
        self.assertEqual(done.returncode, 0)
        self.assertIn("42", done.stdout)
        self.assertIn("there is no worker, and cells run in this process: exit 3 did not start", done.stderr)
        done = snug(*no_worker, "--local-fallback", "--full")
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_what_stands_on_the_path_says_nothing_of_the_library(self):
        code = "import io, sys; (sys.prefix, sys._stdlib_dir, sys.executable, io.__file__)"
        told = self.values("-c", code)
        self.assertIn("/io.py", told[0])
        os.makedirs(self.folder + "/bin")
        os.symlink("/usr/bin/python3", self.folder + "/bin/python3")
        for path in ("/nonexistent", self.folder + "/bin"):
            self.assertEqual(self.values("-c", code, env=environment(PATH=path)), told)

    def test_an_allowlist_from_a_file_is_found_from_where_the_caller_stands(self):
        self.file("mine.txt", "math  for numbers\n_math_integer (internal)  math (3.15)\n")
        done = snug("run", "--keep-going", "--allowlist", "./mine.txt", "-c", "import math; print(math.tau)",
                    "-c", "import json", cwd=self.folder)
        self.assertIn("6.28", done.stdout)
        self.assertIn("ImportDenied", done.stdout + done.stderr)

    def test_mounts_are_read_only_unless_asked(self):
        os.mkdir(self.folder + "/a:b")
        self.file("a:b/x.csv", "1,2\n")
        os.mkdir(self.folder + "/out")
        done = snug("run", "--profile", "data", "--keep-going", "--mount", "a:b:data", "--mount", "out:out:rw",
                    "-c", "import os; print(open('data/x.csv').read(), os.listdir('.'))",
                    "-c", "open('out/y', 'w').write('3')", "-c", "open('data/y', 'w')", cwd=self.folder)
        self.assertIn("1,2", done.stdout)
        self.assertIn("['data', 'out']", done.stdout.replace("['out', 'data']", "['data', 'out']"))
        with open(self.folder + "/out/y") as file:
            self.assertEqual(file.read(), "3")
        self.assertEqual(os.listdir(self.folder + "/a:b"), ["x.csv"])
        self.assertEqual(done.returncode, 1)

    def test_a_mount_that_can_not_be_is_refused(self):
        for text in ("data", ":data", "data:", "data:ro", ""):
            self.refused("run", "--mount", text, "-c", "1", says="--mount")
        self.refused("run", "--mount", "/nowhere:data", "-c", "1", says="/nowhere")

    # ---- what is shown ----

    def test_a_cell_is_shown_as_in_a_notebook(self):
        done = snug("run", "-c", "x = 20\nprint('seen')\nx + 1")
        self.assertEqual(done.stdout, "In [1]: x = 20\n   ...: print('seen')\n   ...: x + 1\n"
                                      "seen\nOut[1]: 21\n\n")
        self.assertEqual((done.stderr, done.returncode), ("", 0))

    def test_displays_over_the_limit_are_counted(self):
        done = snug("run", "--displays", "16KiB", "-c", "for i in range(5000): display(i)")
        self.assertRegex(done.stderr, r"^snug: \d+ more displays are not shown: --displays SIZE allows more\n$")
        self.assertEqual(done.returncode, 0)

    def test_stderr_goes_to_stderr(self):
        done = snug("run", "-c", "import sys\nprint('warning', file=sys.stderr)")
        self.assertEqual(done.stderr, "warning\n")
        self.assertNotIn("\nwarning\n", done.stdout)

    def test_an_error_is_a_traceback_on_stderr(self):
        done = snug("run", "-c", "def f():\n    return 1 / 0\nf()")
        self.assertIn("Traceback (most recent call last):\n", done.stderr)
        self.assertIn("ZeroDivisionError: division by zero\n", done.stderr)
        self.assertNotIn("Traceback", done.stdout)
        self.assertEqual(done.returncode, 1)

    def test_colours_only_when_wanted(self):
        args = ["run", "-c", "1", "-c", "1/0"]
        always = snug(*args[:1], "--color", "always", *args[1:])
        self.assertIn("\x1b[", always.stdout)
        self.assertIn("\x1b[", always.stderr)
        for color in ("auto", "never"):
            done = snug(*args[:1], "--color", color, *args[1:], env=environment(TERM="xterm"))
            self.assertNotIn("\x1b", done.stdout + done.stderr)

    def test_output_is_shown_while_the_cell_runs(self):
        process = self.start("print('begun')\nwhile True: pass")
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        process.wait(SECONDS)

    def test_verbose_tells_how_long_a_cell_took(self):
        self.assertRegex(snug("run", "-v", "-c", "1").stderr, r"cell 1: ok, [\d.]+ ms, cpu [\d.]+ ms")

    def test_json_is_a_line_of_result_for_each_cell(self):
        status, results = self.results("-c", "print('hi')\n42", "-c", "'x'")
        self.assertEqual(status, 0)
        self.assertEqual([r["schema"] for r in results], ["snug.result/1"] * 2)
        self.assertEqual([r["execution_count"] for r in results], [1, 2])
        self.assertEqual(results[0]["stdout"], "hi\n")
        self.assertEqual(results[0]["value"]["text"], "42")

    # ---- inputs ----

    def test_stdin_is_a_dash_or_nothing(self):
        self.assertEqual(self.values("-", stdin="6 * 7"), ["42"])
        self.assertEqual(self.values(stdin="6 * 7"), ["42"])

    def test_snug_without_a_command_runs_stdin(self):
        done = snug(stdin="6 * 7\n")
        self.assertEqual(done.stdout, "In [1]: 6 * 7\nOut[1]: 42\n\n")
        self.assertEqual(snug("--timeout", "0.3", stdin="while True: pass").returncode, 124)

    def test_markers_divide_a_file_into_cells(self):
        path = self.file("a.py", "a = 1\n# %%\na + 1\n\n#%% a title\na + 2\n"
                                 "# %% [markdown]\n# text, no 'code\n# %% [raw]\n'\n#%%\n\n   \n# %%\na + 3")
        self.assertEqual(self.values(path), [None, "2", "3", "4"])

    def test_a_file_without_markers_is_one_cell(self):
        self.assertEqual(self.values(self.file("a.py", "x = 1\n\n\nx\n# %%time\n#%%time\n")), ["1"])

    def test_a_notebook_runs_its_code_cells(self):
        path = self.file("a.ipynb", notebook(("markdown", "# title"), ("code", "x = 1\nx"),
                                             ("code", ["y = 2\n", "x + y"]), ("code", []), ("raw", "?")))
        self.assertEqual(self.values(path), ["1", "3"])

    def test_an_expected_error_of_a_notebook_is_none(self):
        path = self.file("a.ipynb", notebook(("code", "1/0"), ("code", "2"), ("code", "1/0"), ("code", "3")))
        with open(path, encoding="utf-8") as file:
            book = json.load(file)
        book["cells"][0]["metadata"]["tags"] = ["raises-exception"]
        for cell in book["cells"]:
            cell.update(outputs=[], execution_count=None)
        status, results = self.results(self.file("a.ipynb", json.dumps(book)))
        self.assertEqual((status, [r["status"] for r in results]), (1, ["error", "ok", "error"]))
        self.assertEqual(self.results(self.file("b.ipynb", json.dumps({**book, "cells": book["cells"][:2]})))[0], 0)

    def test_a_file_that_can_not_be_read_is_refused_before_anything_runs(self):
        self.refused("run", "-c", "print(1)", self.folder + "/missing.py", says="missing.py: No such file")
        self.refused("run", self.folder, says="Is a directory")
        locked = self.file("locked.py", "1")
        os.chmod(locked, 0)
        if not os.access(locked, os.R_OK):
            self.refused("run", locked, says="Permission denied")

    def test_bytes_that_are_no_text_are_a_syntax_error_of_the_cell(self):
        for text in (b"x = '\xff'", b"x = 1\0"):
            with self.subTest(text):
                path = self.file("a.py", text)
                status, results = self.results(path, "-c", "2")
                self.assertEqual(status, 1)
                self.assertEqual(results[0]["status"], "error")

    # ---- scripts ----

    def test_a_script_runs_as_python_runs_it(self):
        path = self.file("a.py", "import sys\nprint(sys.argv, __name__, __file__)\nprint('no end', end='')\n"
                                 "print('warning', file=sys.stderr)\n6 * 7\n"
                                 "name = input('? ')\nprint(name, sys.stdin.readline(), sys.stdin.read())\n"
                                 "if sys.argv[1:]: sys.exit(int(sys.argv[1]))\n")
        for form in ("local", "worker"):
            for args, status in (((), 0), (("3", "--timeout", "é"), 3)):
                done = snug("run", "--isolation", form, path, *args, stdin="Bob\nx\ny\nz\n")
                self.assertEqual(done.stdout, f"{[path, *args]} __main__ {path}\nno end? Bob x\n y\nz\n\n")
                self.assertEqual((done.stderr, done.returncode), ("warning\n", status))

    def test_a_script_that_fails_has_its_traceback_on_stderr(self):
        for code, status, says in (("1/0", 1, "ZeroDivisionError: division by zero\n"), ("1 1", 1, "SyntaxError"),
                                   ("import sys; sys.exit('no')", 1, "no\n"), ("exit(-1)", 255, ""),
                                   ("input()", 1, "EOFError: EOF when reading a line\n")):
            done = snug("run", self.file("a.py", "print('begun')\n" * (code != "1 1") + code), stdin="")
            self.assertEqual((done.returncode, done.stdout), (status, "begun\n" * (code != "1 1")), code)
            self.assertIn(says, done.stderr)
            self.assertTrue(says or not done.stderr, done.stderr)

    def test_cells_are_shown_where_a_file_or_an_option_says_so(self):
        for options, text in (((), "# %%\n1"), (("--cells",), "1"), (("--keep-going",), "1")):
            self.assertEqual(snug("run", *options, self.file("a.py", text)).stdout, "In [1]: 1\nOut[1]: 1\n\n")
        done = snug("run", self.file("a.py", "# %%\nimport sys; sys.argv[1:]"), "x")
        self.assertIn("Out[1]: ['x']", done.stdout)
        done = snug("run", "--cells", self.file("a.py", "x = 6"), self.file("b.py", "x * 7"))
        self.assertIn("Out[2]: 42", done.stdout)

    # ---- ends ----

    def test_the_first_cell_that_fails_ends_the_run(self):
        status, results = self.results("-c", "1", "-c", "1/0", "-c", "3")
        self.assertEqual(status, 1)
        self.assertEqual([r["status"] for r in results], ["ok", "error"])

    def test_keep_going_runs_the_rest_and_keeps_the_first_failure(self):
        status, results = self.results("--keep-going", "--timeout", "0.3", "-c", "1/0", "-c",
                                       "while True: pass", "-c", "3")
        self.assertEqual(status, 1)
        self.assertEqual([r["status"] for r in results], ["error", "timeout", "ok"])

    def test_exit_statuses(self):
        for code, status in (("pass", 0), ("quit()", 0), ("1 +", 1), ("raise SystemExit(3)", 1)):
            with self.subTest(code):
                self.assertEqual(snug("run", "-c", code).returncode, status)
        self.assertEqual(snug("run", "--timeout", "0.3", "-c", "while True: pass").returncode, 124)

    def start(self, code, *args):
        """A run that has printed "begun"."""
        process = subprocess.Popen([SNUG, "run", *args, "-c", code, "-c", "print('next')"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.out = Reader(process.stdout.fileno())
        self.out.wait(rb"\nbegun\n")
        return process

    def test_an_interrupt_ends_the_cell_and_the_run(self):
        for args in ([], ["--keep-going"]):
            process = self.start("print('begun')\nwhile True: pass", *args)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(SECONDS), 130)
            self.assertNotIn(b"next", self.out.rest())

    def test_a_termination_ends_the_cell_and_the_run(self):
        process = self.start("print('begun')\nwhile True: pass")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(SECONDS), 128 + signal.SIGTERM)

    def test_a_reader_that_goes_away_ends_the_run(self):
        process = self.start("print('begun')\nwhile True: print('more')")
        process.stdout.close()
        self.assertEqual(process.wait(SECONDS), 1)
        self.assertEqual(process.stderr.read(), b"")

    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([SNUG, "--help"], stdout=full, stderr=subprocess.PIPE, timeout=SECONDS)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"No space left", done.stderr)
        with open("/dev/full", "w") as full:
            done = subprocess.run([SNUG, "run", "-c", "while True: print('x')"], stdout=full,
                                  stderr=subprocess.PIPE, timeout=SECONDS)
        self.assertEqual((done.returncode, done.stderr), (1, b"snug: stdout: No space left on device\n"))


if __name__ == "__main__":
    unittest.main()
