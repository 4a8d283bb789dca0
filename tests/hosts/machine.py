"""What a host's machine may preload, and what it may be without.

machine.py OPEN: the program of tests/engine, which has libsnug; SNUG is the one with Python within it.
"""
import ctypes.util
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import unittests

ALLOCATORS = "jemalloc", "tcmalloc_minimal", "mimalloc"
CELL = "texts = [str(i) * i for i in range(3000)]; len(''.join(texts).encode())"


class Machine(unittest.TestCase):
    def run_cell(self, *before, form="local", **variables):
        done = subprocess.run([*before, SNUG, "run", "--isolation", form, "-c", CELL], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env={**os.environ, **variables})
        self.assertEqual((done.returncode, done.stdout.splitlines()[-2:]), (0, ["Out[1]: 17489505", ""]), done.stdout)

    def open_host(self, *before, form="local", **variables):
        done = subprocess.run([*before, OPEN, form], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={**os.environ, **variables})
        self.assertIn("answer: 42\n", done.stdout, done.returncode)

    def test_an_allocator_is_preloaded(self):
        libraries = list(filter(None, map(ctypes.util.find_library, ALLOCATORS)))
        for name in libraries:
            with self.subTest(name):
                self.run_cell(LD_PRELOAD=name)
                self.open_host(LD_PRELOAD=name)
        if not libraries:
            self.skipTest("none is here (Debian: libjemalloc2)")

    def test_there_is_no_dev_null(self):
        words = ["unshare", "-m" if os.geteuid() == 0 else "-rm", "sh", "-c", 'mount -t tmpfs none /dev && exec "$@"', "sh"]
        if subprocess.run([*words, "true"], capture_output=True).returncode:
            self.skipTest("nothing can be mounted here")
        for form in "local", "worker", "full":
            with self.subTest(form):
                self.run_cell(*words, form=form)
        for form in "local", "worker":
            with self.subTest(form, program="libsnug"):
                self.open_host(*words, form=form)


if __name__ == "__main__":
    OPEN, SNUG = sys.argv[1], os.environ["SNUG"]
    unittests.main(sys.argv[:1])
