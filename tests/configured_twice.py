"""A folder that is configured a second time compiles what it has compiled already no other way.

usage: configured_twice.py CMAKE SOURCES
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import unittests


class ConfiguredTwice(unittest.TestCase):
    def commands(self, folder):
        subprocess.run([CMAKE, "-S", SOURCES, "-B", folder, "-G", "Ninja", "-DBUILD_TESTING=OFF",
                        f"-DPython3_EXECUTABLE={sys.executable}", "-DSNUG_TRY_PYTHON=ON"],
                       check=True, stdout=subprocess.DEVNULL)
        entries = json.loads(pathlib.Path(folder, "compile_commands.json").read_text())
        return [entry["command"] for entry in entries]

    def test_each_command_is_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            first, again = self.commands(folder), self.commands(folder)
        self.assertGreater(len(first), 400)
        self.assertEqual(sorted(set(again) - set(first)), [])


if __name__ == "__main__":
    CMAKE, SOURCES = sys.argv[1:3]
    unittests.main(sys.argv[:1])
