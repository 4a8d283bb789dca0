"""libsnug has no Python; an engine of it is loaded where sessions are to be in the process.

run.py LIBRARY ENGINE OPEN LOAD PLUGIN
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

LIBRARY, ENGINE, OPEN, LOAD, PLUGIN = map(pathlib.Path, sys.argv[1:6])
PYTHON = ENGINE.name.removeprefix("libsnug-python").removesuffix(".so")


def output(*words):
    return subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True).stdout


def needed(file):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-dW", file))


class Engines(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.copy = pathlib.Path(folder.name, "another.so")
        shutil.copy(ENGINE, self.copy)

    def test_libsnug_links_no_python_and_the_engine_does(self):
        self.assertFalse([name for name in needed(LIBRARY) if "python" in name])
        self.assertTrue([name for name in needed(ENGINE) if "libpython" in name])

    def test_libsnug_needs_no_function_of_python(self):
        names = re.findall(r"\bU (_?Py\w+)", output("nm", "-D", LIBRARY))
        self.assertEqual(names, [])

    def test_a_host_of_workers_maps_no_python(self):
        self.assertEqual(output(OPEN, "worker"), "answer: 42\nmapped: 0\n")

    def test_an_engine_is_loaded_for_a_local_host(self):
        answer, mapped = output(OPEN, "local").splitlines()
        self.assertEqual(answer, "answer: 42")
        self.assertNotEqual(mapped, "mapped: 0")

    def test_an_engine_is_chosen_by_its_version(self):
        self.assertIn("answer: 42", output(OPEN, PYTHON))

    def test_an_engine_is_chosen_by_its_path(self):
        self.assertIn("answer: 42", output(OPEN, self.copy))

    def test_a_process_has_one_engine(self):
        first, again, other, _ = output(OPEN, self.copy, PYTHON, ENGINE).splitlines()
        self.assertEqual([first, again], ["answer: 42"] * 2)
        self.assertIn(f"Python {PYTHON} was loaded into this process from {self.copy.resolve()}", other)

    def test_a_missing_engine_is_told_with_those_that_are_there(self):
        answer = output(OPEN, "3.99")
        self.assertIn("SNUG_EPYTHON: sessions in this process need an engine, libsnug-python3.99.so", answer)
        self.assertIn(f"there: {ENGINE.resolve()}", answer)
        self.assertIn("mapped: 0", answer)

    def test_what_is_neither_a_version_nor_a_path_is_refused(self):
        self.assertIn("SNUG_EINVAL: python is \"new\"", output(OPEN, "new"))

    def test_an_engine_of_another_build_is_refused_and_another_loaded(self):
        whole = self.copy.read_bytes()
        build, = set(re.findall(rb"\d+\.\d+\.\d+-[0-9a-f]{16}(?=\0)", whole))
        self.copy.write_bytes(whole.replace(build, build[:-4] + b"none"))
        refused, answer, _ = output(OPEN, self.copy, PYTHON).splitlines()
        self.assertIn("is of another build of snug", refused)
        self.assertEqual(answer, "answer: 42")

    def test_what_is_no_engine_is_refused(self):
        self.assertIn("is not an engine of snug", output(OPEN, LIBRARY))

    def test_a_plugin_imports_every_module(self):
        self.assertEqual(output(LOAD, PLUGIN), "True\n")


unittest.main(argv=sys.argv[:1])
