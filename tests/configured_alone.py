"""The library alone can be configured from nothing: by its options, and within another project.

usage: configured_alone.py CMAKE SOURCES [--build]
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import unittests

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(another LANGUAGES C)
add_subdirectory({} snug)
add_executable(another main.c)
target_link_libraries(another PRIVATE snug::snug)
"""


class ConfiguredAlone(unittest.TestCase):
    def configure(self, sources, *options):
        with tempfile.TemporaryDirectory() as folder:
            steps = [[CMAKE, "-S", sources, "-B", folder, "-G", "Ninja", f"-DPython3_EXECUTABLE={sys.executable}",
                      "-DSNUG_TRY_PYTHON=ON", *options]]
            if IS_BUILT:
                steps.append([CMAKE, "--build", folder])
            for step in steps:
                done = subprocess.run(step, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                self.assertEqual(done.returncode, 0, done.stdout)

    def test_by_its_options(self):
        self.configure(SOURCES, "-DSNUG_PROGRAM=OFF", "-DSNUG_AGENT=OFF")

    def test_within_another_project(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "CMakeLists.txt").write_text(PROJECT.format(SOURCES))
            pathlib.Path(folder, "main.c").write_text(
                "#include <snug/snug.h>\nint main(void) { return !snug_version(); }\n")
            self.configure(folder)


if __name__ == "__main__":
    CMAKE, SOURCES = sys.argv[1:3]
    IS_BUILT = "--build" in sys.argv
    unittests.main(sys.argv[:1])
