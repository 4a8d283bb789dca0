"""The examples of docs/examples, run against the test endpoint.

run.py SOURCE_DIR [NAME...]

Each has run.sh; rules.json, which is what the endpoint answers; and expected.txt, whose lines stdout must have in
that order.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1])
sys.path[:0] = [str(SOURCE / "tests/endpoint"), str(SOURCE / "tests")]
from endpoint import Endpoint
import unittests

EXAMPLES = ["basic", "batch", "cached", "conversational", "csv-analysis", "equations", "json-to-csv", "margin", "multi-step", "multilingual",
            "pandas-plot", "repair", "retrieval", "sandboxed", "sequential", "tools", "tutor", "validated"]
FOLDER = SOURCE / "docs/examples"
# What Debian's Python must have for it.
NEEDS = {"pandas-plot": ["pandas", "matplotlib"]}


def run(folder, environment):
    """In a copy, so that nothing is left beside the example. A busy machine imports pandas for minutes."""
    with tempfile.TemporaryDirectory(prefix="snug-test-") as place:
        config = pathlib.Path(place, "snug/config.yaml")
        config.parent.mkdir()
        config.write_text("execution: {timeout: 600}\n", encoding="utf-8")
        copy = shutil.copytree(folder, pathlib.Path(place) / folder.name)
        return subprocess.run(["sh", "-e", copy / "run.sh"], capture_output=True, text=True, encoding="utf-8",
                              timeout=600, stdin=subprocess.DEVNULL,
                              env={**os.environ, "SNUG": os.path.abspath(os.environ["SNUG"]),
                                   "XDG_STATE_HOME": place, "XDG_CONFIG_HOME": place, **environment})


class Examples(unittest.TestCase):
    def one(self, name):
        for package in NEEDS.get(name, ()):
            if subprocess.run([os.environ["SNUG_PYTHON"], "-c", f"import {package}"], capture_output=True).returncode:
                self.skipTest(f"{package} is not installed")
        rules = [tuple(rule) for rule in json.loads((FOLDER / name / "rules.json").read_text(encoding="utf-8"))]
        with Endpoint(rules) as endpoint:
            done = run(FOLDER / name, endpoint.environment)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            self.assertEqual([word for word, reply in endpoint.server.rules.rules], [])
        lines = iter(done.stdout.splitlines())
        for expected in (FOLDER / name / "expected.txt").read_text(encoding="utf-8").splitlines():
            self.assertTrue(any(expected in line for line in lines), f"no line has {expected!r}:\n{done.stdout}")

    def test_the_commands_of_each_readme_are_those_that_run(self):
        for name in EXAMPLES:
            text = (FOLDER / name / "README.md").read_text(encoding="utf-8")
            script = (FOLDER / name / "run.sh").read_text(encoding="utf-8").replace('"$SNUG"', "snug")
            commands = re.findall(r"^    (?!export )(.*)$", text, re.MULTILINE)
            self.assertTrue(commands, name)
            self.assertEqual(script.splitlines()[-len(commands):], commands)


def add(name):
    setattr(Examples, "test_" + name.replace("-", "_"), lambda self: self.one(name))


for name in sys.argv[2:] or EXAMPLES:
    add(name)
unittests.main(argv=sys.argv[:1])
