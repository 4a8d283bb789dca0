"""snug on machines that refuse what it asks of the kernel (see refuse.c): it says so, and works.

usage: SNUG=PROGRAM SNUG_PYTHON=PYTHON run.py REFUSE SOURCE_DIR API_TEST KERNEL_TEST [--all] [NAME...]

The API's tests, what modules need, the suite of cells, and what programs do with files: the last two
where all but seccomp is refused only, unless --all is said. With names, as
Refused.test_without_seccomp, only these tests. In a share of two (see share.py) the API's tests run
without seccomp on the one Python and with an older Landlock on the other.
"""
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import unittests  # noqa: E402
from share import in_share  # noqa: E402

REFUSE, SOURCE, API_TEST, KERNEL_TEST, *OPTIONS = sys.argv[1:]
MORE = "--all" in OPTIONS
SNUG = os.environ["SNUG"]
# SQLite is refused where the kernel judges no paths.
CELLS = [sys.executable, str(pathlib.Path(SOURCE, "tests/cells/run.py")), "--without", "sqlite"]
MODULES = [sys.executable, str(pathlib.Path(SOURCE, "tests/modules/run.py")), SOURCE]
FILES = [sys.executable, str(pathlib.Path(SOURCE, "tests/modules/files.py"))]


def run(*words):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=600)


def kernel_line(*words):
    return next(line for line in run(*words, SNUG, "doctor").stdout.splitlines() if line.startswith("kernel:"))


# Where this machine itself lacks something, there is less to take away.
HERE = kernel_line()
ABI = int((HERE.partition("landlock ABI ")[2] or "0").partition(",")[0].partition(";")[0])


class Refused(unittest.TestCase):
    maxDiff = None

    def works(self, mode, *more, api=True):
        for words in (*([[API_TEST]] if api else []), [KERNEL_TEST], MODULES, *more):
            with self.subTest(mode=mode, words=words):
                done = run(REFUSE, mode, *words)
                self.assertEqual(done.returncode, 0, done.stdout[-3000:])

    def test_without_namespaces_and_landlock(self):
        line = kernel_line(REFUSE, "all")
        if not "missing" in HERE:
            self.assertEqual(line, "kernel: seccomp; missing: private descriptors (Operation not permitted), "
                                   "private cwd (Operation not permitted), landlock (Operation not permitted)")
        self.works("all", CELLS)

    def test_without_seccomp(self):
        self.assertIn("missing: seccomp (Operation not permitted)", kernel_line(REFUSE, "seccomp"))
        self.works("seccomp", *([CELLS] if MORE else []), api=in_share(0))

    def test_with_an_older_landlock(self):
        older = [abi for abi in ((1, 2, 4) if MORE else (1,)) if abi < ABI]
        if not older:
            self.skipTest("this kernel has no newer Landlock than the oldest")
        for abi in older:
            self.assertEqual(kernel_line(REFUSE, str(abi)), HERE.replace(f"ABI {ABI}", f"ABI {abi}"))
            self.works(str(abi), *([CELLS, FILES] if MORE else []), api=in_share(1))


unittests.main(argv=sys.argv[:1] + [name for name in OPTIONS if name != "--all"])
