"""Programs in Python, of the version of the sessions and of others, with sessions in a worker, by ctypes.

run.py [--all]

Other versions are looked for on the PATH, in /usr/local and where pyenv puts them: the newest of them is tried,
with --all each.
"""
import glob
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from outside import HERE, command, libdir  # noqa: E402

OWN = os.environ.get("SNUG_PYTHON", "/usr/bin/python3")
# Without pyenv's shims, which ask it about each version.
PLACES = [place for place in os.environ["PATH"].split(os.pathsep) if os.path.basename(place) != "shims"]
PLACES += ["/usr/local/bin", os.path.expanduser("~/.pyenv/versions/*/bin")]
ALL = "--all" in sys.argv
HAS_LIBRARY = "import ctypes, sys; print(*sys.version_info[:2])"


def version(python):
    """(3, 11); None for what is no Python 3.6 or later that has ctypes."""
    done = subprocess.run([python, "-c", HAS_LIBRARY], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    found = tuple(map(int, done.stdout.split())) if done.returncode == 0 and done.stdout else None
    return found if found and found >= (3, 6) else None


def others():
    """One interpreter of each other version, the newest first."""
    paths = {os.path.realpath(path) for place in PLACES for path in glob.glob(os.path.join(place, "python3*"))
             if re.fullmatch(r"python3(\.\d+)?", os.path.basename(path))}
    found = {version(path): path for path in sorted(paths)}
    found.pop(None, None)
    found.pop(version(OWN), None)
    return [found[key] for key in sorted(found, reverse=True)]


class Python(unittest.TestCase):
    def check_host(self, python):
        lines = command(python, HERE / "python/host.py", libdir() / "libsnug.so").splitlines()
        self.assertEqual(lines, ["local: SNUG_EPYTHON", "worker: ok 42", "error: error", f"version: ok {version(OWN)}",
                                 f"here: {version(python)}", "closed"])

    def test_a_program_of_the_same_version_has_workers(self):
        self.check_host(OWN)

    def test_a_program_of_another_version_has_workers(self):
        found = others()
        if not found:
            print("skipped: no Python of another version is here")
        for python in found if ALL else found[:1]:
            print(python, version(python))
            with self.subTest(python=python):
                self.check_host(python)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
