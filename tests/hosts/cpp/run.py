"""A C++20 program: objects that close themselves, exceptions in callbacks that are kept until C has returned."""
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from outside import CXX, HERE, built, command, main, needed  # noqa: E402

WANTED = ["output: hello", "value: 42", "interrupted: interrupted", "limited: timeout", "kept: 43",
          'json: {"schema":"snug.result/1",', "thrown: the callback threw", "after it: 5",
          "error: SNUG_ENOTFOUND",
          "later: 'a result outlives its host'"]


class Cpp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        compiler = needed(CXX, "g++")
        cls.program = built("cpp-host", HERE / "cpp/main.cpp", "-std=c++20", "-Wold-style-cast", "-Wno-error=old-style-cast",
                            compiler=compiler)

    def test_objects_close_themselves_and_exceptions_are_kept(self):
        self.assertEqual(command(self.program).splitlines(), WANTED)

    def test_the_same_in_a_worker(self):
        self.assertEqual(command(self.program, "worker").splitlines(), WANTED)


if __name__ == "__main__":
    main()
