"""jupyter-console at a terminal, with a kernel of snug. Long, because the console loses what is typed when the
kernel's answers come late: it wants a machine that does not do much else."""
import os
import pty
import re
import select
import subprocess
import sys
import time

from kernels import SECONDS, SNUG, KernelCase, environment, main

if subprocess.run([sys.executable, "-c", "import jupyter_console"], capture_output=True).returncode:
    print("skipped: console: jupyter_console is not installed (Debian's package python3-jupyter-console)")
    sys.exit(77)


class InConsole(KernelCase):
    def setUp(self):
        super().setUp()
        done = subprocess.run([SNUG, "kernel", "install", "--user"], capture_output=True, text=True,
                              env=environment(JUPYTER_DATA_DIR=self.folder))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_console_runs_cells_and_shows_their_errors(self):
        with Console(self.folder) as console:
            console.expect("In [1]:")
            console.type("6 * 7\r")
            console.expect("Out[1]:")
            console.expect("In [2]:")
            console.type("1 / 0\r")
            console.expect("ZeroDivisionError")
            console.expect("In [3]:")


class Console:
    """jupyter-console at a terminal."""

    def __init__(self, folder):
        self.text = ""
        self.seen = 0
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.execve(sys.executable, [sys.executable, "-m", "jupyter_console", "--kernel", "snug",
                                        # On a busy machine a second is not enough, and what is typed is lost.
                                        f"--ZMQTerminalInteractiveShell.kernel_is_complete_timeout={SECONDS}"],
                      environment(TERM="xterm", JUPYTER_DATA_DIR=folder, IPYTHONDIR=folder,
                                  PROMPT_TOOLKIT_NO_CPR="1"))  # which are late on a busy machine

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.type("\x04")
        self.type("y\r")
        os.close(self.terminal)
        os.waitpid(self.process, 0)

    def type(self, text):
        os.write(self.terminal, text.encode())

    def expect(self, text):
        end = time.monotonic() + SECONDS
        while text not in plain(self.text)[self.seen:]:
            if not select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"{text!r} did not come; so far: {self.text[-800:]!r}")
            self.text += os.read(self.terminal, 65536).decode(errors="replace")
        # What came with it is for the next one.
        self.seen = plain(self.text).index(text, self.seen) + len(text)


def plain(text):
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text)


if __name__ == "__main__":
    main()
