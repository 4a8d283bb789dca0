import ast
import json
import os
import stat
import sys

from driver import Case, Cells, snug
import unittests

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "save"))
import saved

HANGS = "class C:\n    def __getstate__(self):\n        while True: pass\nc = C()\nx = 5"


class Save(Case):
    def cells(self, *args, **changes):
        cells = Cells(*args, **changes)
        self.addCleanup(cells.close)
        return cells

    def path(self, name="a.snug"):
        return os.path.join(self.folder, name)

    def error(self, answer, says, name="SNUG_EINVAL"):
        self.assertEqual((answer["schema"], answer.get("error", {}).get("name")), ("snug.error/1", name), answer)
        self.assertIn(says, answer["error"]["value"])
        self.assertNotIn("\n", answer["error"]["value"])

    def value(self, cells, code, session="a"):
        answer = cells.ask(session=session, code=code)
        self.assertEqual(answer["status"], "ok", answer["error"])
        return answer["value"] and ast.literal_eval(answer["value"]["text"])

    def save(self, cells, session="a", path=None, **wanted):
        answer = cells.ask(session=session, op="save", path=path or self.path())
        self.assertEqual(answer["schema"], "snug.saved/1", answer)
        return answer

    def restore(self, cells, session="a", path=None):
        answer = cells.ask(session=session, op="restore", path=path or self.path())
        self.assertEqual(answer["schema"], "snug.saved/1", answer)
        return answer

    # ---- what is told ----

    def test_the_report_names_what_is_kept_and_what_is_not(self):
        cells = self.cells()
        cells.ask(session="a", code="x = [1]\nimport math\ndef f(): return 1\ng = (i for i in x)")
        answer = cells.ask(session="a", id=7, op="save", path=self.path())
        reason = {"name": "g", "reason": "a generator cannot be saved"}
        self.assertEqual(answer, {
            "id": 7, "schema": "snug.saved/1", "session": "a", "path": self.path(),
            "saved": [{"name": "x", "how": "value"}, {"name": "math", "how": "import"},
                      {"name": "f", "how": "source"}],
            "skipped": [reason], "files": 0, "skipped_files": []})
        answer = cells.ask(session="b", op="restore", path=self.path())
        self.assertEqual(answer["session"], "b")
        self.assertEqual([row["name"] for row in answer["restored"]], ["x", "math", "f"])
        self.assertEqual(answer["skipped"], [reason])

    def test_the_file_is_the_users_alone_and_nothing_is_left_beside_it(self):
        cells = self.cells()
        cells.ask(session="a", code="x = 1")
        for _ in range(2):
            self.save(cells)
        self.assertEqual(stat.S_IMODE(os.stat(self.path()).st_mode), 0o600)
        self.assertEqual(os.listdir(self.folder), ["a.snug"])

    def test_what_can_not_be_written_is_one_sentence_and_the_session_goes_on(self):
        cells = self.cells()
        cells.ask(session="a", code="x = 1")
        self.error(cells.ask(session="a", op="save", path=self.path("no/where")), "no/where", "SNUG_ESYSTEM")
        self.error(cells.ask(session="a", op="restore", path=self.path("missing")), "missing", "SNUG_ESYSTEM")
        self.error(cells.ask(session="a", op="restore", path=self.folder), "is not a file")
        self.assertEqual(self.value(cells, "x"), 1)

    def test_what_a_cell_imports_is_imported_again(self):
        cells = self.cells("--profile", "data")
        lines = ("from os import path, listdir, environ", "from os.path import join, exists", "import os.path as osp",
                 "from random import randint, choice, random as uniform, Random", "from hashlib import sha256, md5",
                 "from sys import stdout", "from IPython.display import HTML, display", "from math import sqrt",
                 "from operator import add", "from collections.abc import Iterable", "mine = Random(1).random")
        self.value(cells, "\n".join(lines))
        answer = self.save(cells)
        self.assertEqual(answer["skipped"], [{"name": "mine", "reason": "a method of a library object cannot be saved"}])
        self.assertEqual({row["how"] for row in answer["saved"]}, {"import"})
        self.restore(cells, "b")
        self.assertEqual(self.value(cells, """import os, random, hashlib, IPython.display as shown
[osp is path is os.path, listdir is os.listdir, environ is os.environ, join is os.path.join,
 sha256 is hashlib.sha256, HTML is shown.HTML, display is shown.display]""", "b"), [True] * 7)
        self.assertEqual(*self.value(cells, """random.seed(1); a = randint(1, 9 ** 9), uniform()
random.seed(1); b = random.randint(1, 9 ** 9), random.random()
a, b""", "b"))

    def test_modules_of_the_work_directory_are_imported_again(self):
        cells = self.cells()
        self.value(cells, "open('own.py', 'w').write('def f(): return 6')\nimport own\nfrom own import f")
        self.assertEqual({row["name"]: row["how"] for row in self.save(cells)["saved"]}, {"own": "import", "f": "import"})
        self.restore(cells, "b")
        self.assertEqual(self.value(cells, "f(), own.f is f", "b"), (6, True))

    def test_what_exits_while_it_is_pickled_is_left_out(self):
        cells = self.cells()
        self.value(cells, """
class Exits:
    def __getstate__(self): raise SystemExit(3)
class Interrupts:
    def __init__(self): self.n = 1
    def __setstate__(self, state): raise KeyboardInterrupt
class Type(type):
    @property
    def __module__(cls): raise GeneratorExit
class Lies(metaclass=Type): pass
exits, interrupts, lies, x = Exits(), Interrupts(), Lies(), 1""")
        skipped = {row["name"]: row["reason"] for row in self.save(cells)["skipped"]}
        self.assertEqual((skipped["exits"], "x" in skipped), ("SystemExit: 3", False))
        answer = self.restore(cells)
        self.assertIn({"name": "interrupts", "reason": "KeyboardInterrupt"}, answer["skipped"])
        self.assertEqual(self.value(cells, "x"), 1)

    def test_only_a_file_is_replaced(self):
        cells = self.cells()
        os.mkfifo(self.path("pipe"))
        os.symlink("pipe", self.path("link.ipynb"))
        os.mkdir(self.path("folder"))
        cells.ask(session="a", record=True, code="x = 1")
        for name in ("pipe", "link.ipynb", "folder"):
            self.error(cells.ask(session="a", op="save", path=self.path(name)), "is not a file")
        self.error(cells.ask(session="a", op="export", path=self.path("link.ipynb")), "is not a file")
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("link.ipynb")).st_mode))
        self.assertEqual(sorted(os.listdir(self.folder)), ["folder", "link.ipynb", "pipe"])

    def test_lines_with_wrong_fields_are_refused(self):
        cells = self.cells()
        self.error(cells.ask(session="a", op="save"), '"path" is missing')
        self.error(cells.ask(session="a", op="save", path=""), "must not be empty")
        self.error(cells.ask(session="a", op="restore", path=3), '"path" must be a text')
        self.error(cells.ask(session="a", code="1", path="x"), "does not go with")

    # ---- what is restored ----

    def test_what_the_session_had_before_is_gone(self):
        cells = self.cells()
        cells.ask(session="a", code="x = 1")
        self.save(cells)
        cells.ask(session="a", code="y = 2; open('later.txt', 'w').close()")
        self.restore(cells)
        self.assertEqual(cells.ask(session="a", code="y")["error"]["name"], "NameError")

    def test_counting_goes_on(self):
        cells = self.cells()
        for code in ("x = 1", "x + 1", "1/0"):
            cells.ask(session="a", code=code)
        self.save(cells)
        self.restore(cells, "b")
        answer = cells.ask(session="b", code="In[2], Out, _, _2, len(In)")
        self.assertEqual((answer["execution_count"], answer["value"]["text"]), (4, "('x + 1', {2: 2}, 2, 2, 5)"))

    def test_tracebacks_and_source_of_restored_functions_show_their_lines(self):
        cells = self.cells()
        cells.ask(session="a", code="def f():\n    return 1 / 0")
        self.save(cells)
        self.restore(cells, "b")
        self.assertIn('File "<cell 1>", line 2, in f\n    return 1 / 0',
                      cells.ask(session="b", code="f()")["error"]["traceback"])
        self.assertEqual(self.value(cells, "import inspect; inspect.getsource(f)", "b"), "def f():\n    return 1 / 0")

    def test_a_module_that_the_profile_does_not_have_is_left_out_with_what_needs_it(self):
        cells, other = self.cells("--profile", "data"), self.cells("--profile", "strict")
        cells.ask(session="a", code="import os, math\nx = [math.pi]\np = {'f': os.getcwd}\nclass C:\n    pass\nc = C()")
        self.save(cells)
        answer = self.restore(other)
        self.assertEqual([row["name"] for row in answer["restored"]], ["math", "x", "C", "c"])
        self.assertEqual([row["name"] for row in answer["skipped"]], ["os", "p"])
        for row in answer["skipped"]:
            self.assertIn("os", row["reason"])
        self.assertEqual(self.value(other, "x[0] > 3 and type(c) is C"), True)

    def test_a_class_whose_state_can_not_be_set_costs_its_values_only(self):
        cells = self.cells()
        cells.ask(session="a", code="class C:\n    def __getstate__(self): return 1\n"
                                    "    def __setstate__(self, state): raise ValueError('no')\n"
                                    "c = [C()]\nx = [1]\ny = (x, 2)")
        self.save(cells)
        answer = self.restore(cells)
        self.assertEqual(answer["skipped"], [{"name": "c", "reason": "ValueError: no"}])
        self.assertEqual(self.value(cells, "(y, y[0] is x, C.__name__)"), (([1], 2), True, "C"))

    def test_functions_of_cells_with_magics_are_found(self):
        cells = self.cells()
        cells.ask(session="a", code="%%time\ndef f():\n    return 1\nclass C:\n    v = 2")
        cells.ask(session="a", code="def g():\n    return 3\n%time x = f()\nh = lambda: 4 % 3")
        self.assertEqual(self.save(cells)["skipped"], [])
        self.restore(cells)
        self.assertEqual(self.value(cells, "f(), C.v, g(), h()"), (1, 2, 3, 1))

    def test_what_was_restored_is_no_change_of_the_next_cell(self):
        cells = self.cells()
        cells.ask(session="a", code="x, y = [1], 2")
        self.save(cells)
        self.restore(cells)
        self.assertEqual(cells.ask(session="a", code="z = 3")["vars_changed"], [{"name": "z", "type": "int", "op": "set"}])

    def test_cells_do_not_run_again(self):
        cells = self.cells()
        cells.ask(session="a", code="n = [0]\nn[0] += 1\nclass C:\n    n[0] += 0\nprint('printed')\ndef f(a=n.append(1)): pass")
        self.save(cells)
        self.restore(cells)
        self.assertEqual(self.value(cells, "n"), [1, 1])

    # ---- files ----

    def test_files_come_along_and_links_do_not(self):
        secret = self.file("secret.txt", "secret of the host")
        os.mkdir(self.folder + "/work")
        cells = self.cells("--profile", "data", "--workdir", self.folder + "/work")
        cells.ask(session="a", code="import os\nos.makedirs('d/e')\nopen('d/e/f.bin', 'wb').write(bytes(range(256)))")
        os.symlink(secret, self.folder + "/work/link")
        os.symlink(self.folder, self.folder + "/work/d/up")
        os.mkfifo(self.folder + "/work/pipe")
        answer = self.save(cells)
        self.assertEqual(answer["files"], 3)
        self.assertEqual(answer["skipped_files"], [
            {"path": "d/up", "reason": "it is a link"}, {"path": "link", "reason": "it is a link"},
            {"path": "pipe", "reason": "it is not a file of the work directory"}])
        with open(self.path(), "rb") as file:
            self.assertNotIn(b"secret of the host", file.read())
        other = self.cells("--profile", "data")
        self.assertEqual(self.restore(other)["files"], 3)
        self.assertEqual(self.value(other, "open('d/e/f.bin', 'rb').read() == bytes(range(256)), sorted(os.listdir('.'))"),
                         (True, ["d"]))

    def test_names_of_files_may_be_no_text(self):
        os.mkdir(self.folder + "/work")
        cells = self.cells("--workdir", self.folder + "/work")
        cells.ask(session="a", code="x = 1")
        with open((self.folder + "/work/").encode() + b"\xff", "w") as file:
            file.write("kept")
        os.symlink("nowhere", (self.folder + "/work/").encode() + b"\xfe")
        answer = self.save(cells)
        self.assertEqual((answer["files"], answer["skipped_files"]), (1, [{"path": "?", "reason": "it is a link"}]))
        os.mkdir(self.folder + "/other")
        self.assertEqual(self.restore(self.cells("--workdir", self.folder + "/other"))["files"], 1)
        self.assertEqual(os.listdir((self.folder + "/other").encode()), [b"\xff"])

    def test_a_directory_that_was_named_keeps_its_files(self):
        os.mkdir(self.folder + "/work")
        cells = self.cells()
        cells.ask(session="a", code="open('a.txt', 'w').write('saved'); open('b.txt', 'w').write('saved')")
        self.save(cells)
        self.file("work/a.txt", "of the user")
        other = self.cells("--workdir", self.folder + "/work")
        answer = self.restore(other)
        self.assertEqual((answer["files"], answer["skipped_files"]),
                         (1, [{"path": "a.txt", "reason": "a file of its name is there"}]))
        self.assertEqual(self.value(other, "open('a.txt').read(), open('b.txt').read()"), ("of the user", "saved"))

    def test_no_link_in_the_work_directory_is_written_through(self):
        os.mkdir(self.folder + "/work")
        os.mkdir(self.folder + "/outside")
        for private in (True, False):
            os.symlink(self.folder + "/outside", self.folder + "/work/d")
            os.symlink(self.folder + "/outside/made", self.folder + "/work/f")
            path = self.file("b.snug", saved.of_values([], [], files=saved.entry("d") + saved.entry("d/x", b"1") +
                                                       saved.entry("f", b"2")))
            answer = self.restore(self.cells("--workdir", self.folder + "/work"), path=path)
            self.assertEqual([row["path"] for row in answer["skipped_files"]], ["d", "d/x", "f"])
            self.assertEqual(os.listdir(self.folder + "/outside"), [])
            os.unlink(self.folder + "/work/d")
            os.unlink(self.folder + "/work/f")

    def test_files_over_the_limits_of_disk_are_left_out(self):
        cells = self.cells()
        cells.ask(session="a", code="for i in range(6): open(f'{i}.txt', 'w').write('x' * 1000)")
        self.save(cells)
        other = self.cells("--disk", "3500")
        answer = self.restore(other)
        self.assertEqual((answer["files"], len(answer["skipped_files"])), (3, 3))
        self.assertIn("limit", answer["skipped_files"][0]["reason"])
        self.assertEqual(other.ask(session="a", code="for n in 'ab':\n    with open(n, 'w') as f: f.write('x' * 1000)")["error"]["name"], "OSError")
        other = self.cells("--disk-files", "2")
        self.assertEqual(self.restore(other)["files"], 2)

    # ---- limits ----

    def test_a_value_that_never_ends_is_a_clean_error_and_the_session_lives_on(self):
        cells = self.cells("--timeout", "2")
        cells.ask(session="a", code=HANGS)
        self.error(cells.ask(session="a", op="save", path=self.path()), "took longer than", "SNUG_ESTOPPED")
        self.assertEqual(os.listdir(self.folder), [])
        self.assertEqual(self.value(cells, "x"), 5)
        cells.ask(session="a", code="del c")
        self.assertEqual(self.save(cells)["skipped"], [])

    def test_a_value_that_takes_all_memory_costs_itself(self):
        cells = self.cells("--memory", "64M")
        cells.ask(session="a", code="class C:\n    def __getstate__(self):\n        return [0] * (1 << 40)\nc = C()\nx = 5")
        self.assertEqual(self.save(cells)["skipped"], [{"name": "c", "reason": "the session has not enough memory for it"}])
        cells.ask(session="a", code="def fill(self):\n    a = []\n    while True: a.append(bytearray(1 << 20))\n"
                                    "C.__getstate__ = fill")
        answer = self.save(cells)
        self.assertEqual([row["name"] for row in answer["skipped"]], ["c"])
        self.assertEqual(self.value(cells, "x"), 5)

    def test_a_restore_that_never_ends_leaves_an_empty_session(self):
        cells, other = self.cells(), self.cells("--timeout", "2")
        cells.ask(session="a", code="class C:\n    def __setstate__(self, state):\n        while True: pass\n"
                                    "    def __getstate__(self): return 1\nc = C()\nx = 5")
        self.save(cells)
        other.ask(session="a", code="before = 1")
        self.error(other.ask(session="a", op="restore", path=self.path()), "took longer than", "SNUG_ESTOPPED")
        answer = other.ask(session="a", code="sorted(n for n in globals() if n in ('x', 'c', 'C', 'before')), len(In)")
        self.assertEqual((answer["execution_count"], answer["value"]["text"]), (1, "([], 2)"))

    def test_a_save_can_be_interrupted(self):
        cells = self.cells()
        cells.ask(session="a", code=HANGS)
        cells.send(session="a", id="save", op="save", path=self.path())
        cells.send(session="a", id="stop", op="interrupt")
        answers = {answer["id"]: answer for answer in (cells.answer(), cells.answer())}
        self.assertEqual(answers["stop"]["running"], True)
        self.error(answers["save"], "was interrupted", "SNUG_ESTOPPED")
        self.assertEqual(self.value(cells, "x"), 5)

    def test_a_lost_session_can_be_restored_and_not_saved(self):
        cells = self.cells()
        cells.ask(session="a", code="x = 1")
        self.save(cells)
        lost = cells.ask(session="a", code="all(__import__('itertools').cycle([1]))", timeout=0.3)
        if lost["state"] == "lost":
            self.error(cells.ask(session="a", op="save", path=self.path("b")), "lost", "SNUG_EDEAD")
        self.restore(cells)
        self.assertEqual(self.value(cells, "x"), 1)

    def test_deep_and_long_structures_are_saved(self):
        cells = self.cells()
        cells.ask(session="a", code="n = None\nfor i in range(2000): n = [n]\n"
                                    "class L:\n    pass\nfirst = last = L()\n"
                                    "for i in range(400):\n    last.next = L(); last = last.next\nlast.next = None\nx = 1")
        self.assertEqual(self.save(cells)["skipped"], [])
        self.restore(cells)
        self.assertEqual(self.value(cells, "d = 0\nwhile n: n, d = n[0], d + 1\nk = 0\nwhile first: first, k = first.next, k + 1\n(d, k)"),
                         (2000, 401))

    # ---- files from elsewhere ----

    def test_a_file_of_another_python_is_restored(self):
        path = self.file("b.snug", saved.frame(saved.plan([("x", "value"), ("f", "source")]),
                                               b"\x80\x05K\x07." + b"\x80\x05\x8c\x08functionQK\x01K\x00\x8c\x01fK\x01K\x00"
                                               b"\x87\x85\x87)\x86R.", saved.sources("def f():\n    return 3"), b"", 1,
                                               python=(3, 12)))
        cells = self.cells()
        self.assertEqual(self.restore(cells, path=path)["skipped"], [])
        self.assertEqual(self.value(cells, "x, f()"), (7, 3))

    def test_a_function_whose_code_is_not_found_is_left_out(self):
        path = self.file("b.snug", saved.frame(saved.plan([("x", "value"), ("f", "source")]),
                                               b"\x80\x05K\x07." + b"\x80\x05\x8c\x08functionQK\x01K\x00\x8c\x01gK\x01K\x00"
                                               b"\x87\x85\x87)\x86R.", saved.sources("def f():\n    return 3"), b"", 1))
        answer = self.restore(self.cells(), path=path)
        self.assertEqual(([row["name"] for row in answer["restored"]], [row["name"] for row in answer["skipped"]]),
                         (["x"], ["f"]))

    # ---- snug run and export ----

    def test_run_takes_up_what_another_run_left(self):
        done = snug("run", "--save", self.path(), "-c", "x = [1]\ng = (i for i in x)")
        self.assertEqual((done.returncode, done.stderr), (0, "snug: g is not saved: a generator cannot be saved\n"))
        done = snug("run", "--restore", self.path(), "-c", "x + [2]")
        self.assertIn("Out[2]: [1, 2]\n", done.stdout)
        self.refused("run", "--restore", self.path("missing"), "-c", "1", says="missing")

    def test_a_run_that_failed_is_saved_too(self):
        done = snug("run", "--save", self.path(), "-c", "x = 3", "-c", "1/0")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Out[3]: 3\n", snug("run", "--restore", self.path(), "-c", "x").stdout)

    def test_an_export_is_a_notebook_with_outputs(self):
        path = self.path("a.ipynb")
        done = snug("run", "--keep-going", "--export", path, "-c", "import sys\nprint('out')\nprint('err', file=sys.stderr)\n6 * 7",
                    "-c", "x = 1\n", "-c", "1/0")
        self.assertEqual(done.returncode, 1)
        with open(path) as file:
            book = json.load(file)
        self.assertEqual((book["nbformat"], book["nbformat_minor"], book["metadata"]["language_info"]["name"]), (4, 5, "python"))
        first, second, third = book["cells"]
        self.assertEqual("".join(first["source"]), "import sys\nprint('out')\nprint('err', file=sys.stderr)\n6 * 7")
        self.assertEqual(first["outputs"], [
            {"output_type": "stream", "name": "stdout", "text": ["out\n"]},
            {"output_type": "stream", "name": "stderr", "text": ["err\n"]},
            {"output_type": "execute_result", "data": {"text/plain": "42"}, "metadata": {}, "execution_count": 1}])
        self.assertEqual((second["outputs"], second["execution_count"], second["source"]), ([], 2, ["x = 1"]))
        self.assertEqual((third["outputs"][0]["ename"], third["outputs"][0]["evalue"]), ("ZeroDivisionError", "division by zero"))
        self.assertEqual(third["outputs"][0]["traceback"][0], "Traceback (most recent call last):")
        self.assertEqual(len({cell["id"] for cell in book["cells"]}), 3)

    def test_a_notebook_that_was_run_is_exported_with_all_that_it_has(self):
        code = {"cell_type": "code", "execution_count": 9, "metadata": {"tags": ["a"]}, "outputs": [
            {"output_type": "stream", "name": "stdout", "text": "old"}]}
        book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"mine": [1]}, "cells": [
            {"cell_type": "markdown", "id": "m", "metadata": {}, "source": "# title"},
            {**code, "id": "e", "source": ""}, {**code, "id": "f", "source": "print('new')\n"},
            {**code, "id": "g", "source": "1/0"}, {**code, "id": "h", "source": "2"}]}
        path = self.path("a.ipynb")
        for name in ("b.ipynb", "a.ipynb"):
            with open(path, "w") as file:
                json.dump(book, file)
            self.assertEqual(snug("run", "--export", self.path(name), path).returncode, 1)
            with open(self.path(name)) as file:
                found = json.load(file)
            ran = [(cell.pop("outputs"), cell.pop("execution_count")) for cell in found["cells"][1:]]
            self.assertEqual(ran[0:2] + ran[3:], [([], None), ([{"output_type": "stream", "name": "stdout",
                                                                 "text": ["new\n"]}], 1), ([], None)])
            self.assertEqual((ran[2][0][0]["ename"], ran[2][1]), ("ZeroDivisionError", 2))
            for cell in book["cells"][1:]:
                cell.pop("outputs", None), cell.pop("execution_count", None)
            self.assertEqual(found, book)
            for cell in book["cells"][1:]:
                cell.update(outputs=[], execution_count=None)

    def test_an_exported_notebook_is_valid(self):
        try:
            import nbformat
        except ImportError:
            self.skipTest("python3-nbformat is not installed")
        path = self.path("a.ipynb")
        snug("run", "--keep-going", "--export", path, "-c", "print('é')\n'v'", "-c", "1/0", "-c", "# nothing")
        nbformat.validate(nbformat.read(path, as_version=nbformat.NO_CONVERT))

    def test_displays_are_where_they_were_shown_and_updates_take_their_place(self):
        path = self.path("a.ipynb")
        snug("run", "--export", path, "-c", "from IPython.display import display, HTML\nprint('one')\n"
             "h = display(HTML('<b>x</b>'), display_id='bar')\nprint('two')\n3", "-c", "h.update(HTML('<i>y</i>'))")
        with open(path) as file:
            first, second = json.load(file)["cells"]
        self.assertEqual([(o["output_type"], o.get("text") or o["data"].get("text/html")) for o in first["outputs"]],
                         [("stream", ["one\n"]), ("display_data", "<i>y</i>"), ("stream", ["two\n"]),
                          ("execute_result", None)])
        self.assertEqual(second["outputs"], [])

    def test_exports_can_be_run_again(self):
        for name in ("a.ipynb", "a.py"):
            path = self.path(name)
            snug("run", "--export", path, "-c", "x = 1\n\ndef f():\n    return '''a\n\nb'''", "-c", "print(x)\nx + 1", "-c", "f()")
            results = [json.loads(line) for line in snug("run", "--json", path).stdout.splitlines()]
            self.assertEqual([r["value"] and r["value"]["text"] for r in results], [None, "2", "'a\\n\\nb'"])
        with open(self.path("a.py")) as file:
            self.assertTrue(file.read().startswith("# %%\nx = 1\n\ndef f()"))
        self.refused("run", "--export", self.path("a.txt"), "-c", "1", says=".ipynb or .py")

    def test_a_recorded_session_is_exported(self):
        cells = self.cells()
        self.error(cells.ask(session="a", op="export", path=self.path("a.ipynb")), "is not recorded")
        cells.ask(session="a", code="not_recorded = 1")
        cells.ask(session="a", code="x = 1\nx", record=True)
        cells.ask(session="a", code="x + 1")
        self.assertEqual(cells.ask(session="a", id=1, op="export", path=self.path("a.ipynb")),
                         {"schema": "snug.exported/1", "session": "a", "id": 1, "path": self.path("a.ipynb")})
        with open(self.path("a.ipynb")) as file:
            self.assertEqual([cell["source"] for cell in json.load(file)["cells"]], [["x = 1\n", "x"], ["x + 1"]])
        self.error(cells.ask(session="a", op="export", path=self.path("a.txt")), ".ipynb or .py")
        cells.ask(session="a", op="reset")
        cells.ask(session="a", code="y = 1")
        cells.ask(session="a", op="export", path=self.path("a.py"))
        with open(self.path("a.py")) as file:
            self.assertEqual(file.read(), "# %%\ny = 1\n")


if __name__ == "__main__":
    import unittest
    unittests.main()
