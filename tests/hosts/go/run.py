"""A Go program with sessions on goroutines, in each form, with the options that a Go program would have."""
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from outside import HERE, PLACE, SECONDS, command, environment, libdir, main, needed  # noqa: E402

WANTED = ["loop: timeout TimeoutError", "module: ok Decimal('0.25')", "recursion: error RecursionError",
          "error: error ZeroDivisionError", "recovered: true", "closed"]
FAULT = HERE / "http/cells/19_half_made.py"


class Go(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        go = needed("go", "golang-go")
        cls.program = PLACE / "go-host"
        # A module's file is not needed for one package without imports of others.
        command(go, "build", "-o", cls.program, HERE / "go/main.go", cwd=HERE / "go", env=environment(
            GO111MODULE="off", GOFLAGS="", GOCACHE=str(PLACE / "go-cache"), CGO_LDFLAGS=f"-Wl,-rpath,{libdir()}",
            GOTOOLCHAIN="local"))

    def lines(self, *words):
        return command(self.program, *words).splitlines()

    def test_sessions_run_on_goroutines_in_this_process(self):
        self.assertEqual(self.lines("local"), WANTED)

    def test_sessions_run_on_goroutines_in_a_worker(self):
        self.assertEqual(self.lines("worker"), WANTED)

    def test_sessions_have_signals_that_go_leaves(self):
        self.assertEqual(self.lines("signals"), WANTED)

    def test_a_fault_costs_a_session_and_no_more(self):
        for form in ("signals", "worker"):
            with self.subTest(form=form):
                lines = self.lines(form, FAULT)
                self.assertEqual(lines[:5], WANTED[:5])
                self.assertEqual(lines[6:], ["after it: ok 2", "closed"])


if __name__ == "__main__":
    main()
