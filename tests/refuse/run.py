"""snug on machines that refuse what it asks of the kernel (see refuse.c): it says so, and works.

usage: SNUG=PROGRAM SNUG_PYTHON=PYTHON run.py REFUSE SOURCE_DIR API_TEST KERNEL_TEST

Without a private current folder only absolute paths open: the cells are those that open no files,
and the API's test, which does, is left out there.
"""
import os
import pathlib
import subprocess
import sys
import unittest

REFUSE, SOURCE, API_TEST, KERNEL_TEST = sys.argv[1:]
SNUG = os.environ["SNUG"]
CELLS = [str(pathlib.Path(SOURCE, "tests/cells", name)) for name in
         ("run.py", "streams.cells", "classes.cells", "history.cells", "await.cells")]


def run(*words):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=200)


def kernel_line(*words):
    return next(line for line in run(*words, SNUG, "doctor").stdout.splitlines() if line.startswith("kernel:"))


# Where this machine itself lacks something, there is less to take away.
HERE = kernel_line()
ABI = int((HERE.partition("landlock ABI ")[2] or "0").partition(",")[0].partition(";")[0])


class Refused(unittest.TestCase):
    maxDiff = None

    def works(self, mode, *more):
        for words in (*more, [KERNEL_TEST], [sys.executable, *CELLS],
                      [sys.executable, str(pathlib.Path(SOURCE, "tests/modules/run.py")), SOURCE]):
            with self.subTest(mode=mode, words=words):
                done = run(REFUSE, mode, *words)
                self.assertEqual(done.returncode, 0, done.stdout[-3000:])

    def test_without_namespaces_and_landlock(self):
        line = kernel_line(REFUSE, "all")
        if not "missing" in HERE:
            self.assertEqual(line, "kernel: seccomp; missing: private descriptors (Operation not permitted), "
                                   "private cwd (Operation not permitted), landlock (Operation not permitted)")
        self.works("all")

    def test_without_seccomp(self):
        self.assertIn("missing: seccomp (Operation not permitted)", kernel_line(REFUSE, "seccomp"))
        self.works("seccomp", [API_TEST])

    def test_with_an_older_landlock(self):
        for abi in (1, 2, 4):
            if abi < ABI:
                self.assertEqual(kernel_line(REFUSE, str(abi)), HERE.replace(f"ABI {ABI}", f"ABI {abi}"))
                self.works(str(abi), [API_TEST])


unittest.main(argv=sys.argv[:1])
