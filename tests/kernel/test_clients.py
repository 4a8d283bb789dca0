"""Jupyter's own clients with kernels of snug: nbclient, nbconvert, the console. Each is skipped where it is
not installed."""
import os
import pty
import select
import subprocess
import sys
import time
import unittest

from kernels import SECONDS, SNUG, KernelCase, environment, main

try:
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError
except ImportError as error:
    print(f"skipped: clients: {error} (Debian's packages python3-nbclient, python3-nbformat)")
    sys.exit(77)

CELLS = ["import statistics\nrows = [3, 1, 2]\nprint(sorted(rows))",
         "statistics.mean(rows)",
         "from IPython.display import HTML, display\ndisplay(HTML('<b>b</b>'))\nprint('end')",
         "%time sum(rows)",
         "1 / 0"]


def is_there(module):
    return subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode == 0


class Clients(KernelCase):
    def setUp(self):
        super().setUp()
        os.environ["JUPYTER_DATA_DIR"] = self.folder
        self.addCleanup(os.environ.pop, "JUPYTER_DATA_DIR")
        done = subprocess.run([SNUG, "kernel", "install", "--user", "--all"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def notebook(self, cells, kernel):
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        book.metadata.kernelspec = {"name": kernel, "display_name": kernel, "language": "python"}
        return book

    def check(self, book):
        outputs = [[dict(output) for output in cell.outputs] for cell in book.cells]
        self.assertEqual(outputs[0], [{"output_type": "stream", "name": "stdout", "text": "[1, 2, 3]\n"}])
        self.assertEqual((outputs[1][0]["output_type"], outputs[1][0]["data"]["text/plain"]),
                         ("execute_result", "2"))
        self.assertEqual([output["output_type"] for output in outputs[2]], ["display_data", "stream"])
        self.assertEqual(outputs[2][0]["data"]["text/html"], "<b>b</b>")
        self.assertEqual(outputs[3][-1]["data"]["text/plain"], "6")
        self.assertEqual((outputs[4][0]["output_type"], outputs[4][0]["ename"]), ("error", "ZeroDivisionError"))
        self.assertEqual([cell.execution_count for cell in book.cells], [1, 2, 3, 4, 5])
        nbformat.validate(book)

    def test_nbclient_runs_a_notebook_with_each_kind_of_session(self):
        for kernel in ("snug", "snug-worker", "snug-full"):
            with self.subTest(kernel=kernel):
                book = self.notebook(CELLS, kernel)
                NotebookClient(book, timeout=SECONDS, allow_errors=True).execute()
                self.check(book)

    def test_nbclient_stops_at_an_error(self):
        book = self.notebook(["x = 1", "1 / 0", "x = 2"], "snug")
        with self.assertRaises(CellExecutionError):
            NotebookClient(book, timeout=SECONDS).execute()
        self.assertEqual(book.cells[2].outputs, [])

    def test_what_snug_exports_runs_as_it_was(self):
        exported = os.path.join(self.folder, "exported.ipynb")
        done = subprocess.run([SNUG, "run", "--keep-going", "--export", exported,
                               *(word for cell in CELLS for word in ("-c", cell))],
                              capture_output=True, text=True)
        book = nbformat.read(exported, 4)
        self.assertEqual(done.returncode, 1)
        before = [[output.output_type for output in cell.outputs] for cell in book.cells]
        book.metadata.kernelspec.name = "snug"
        NotebookClient(book, timeout=SECONDS, allow_errors=True).execute()
        self.check(book)
        self.assertEqual([[output.output_type for output in cell.outputs] for cell in book.cells], before)

    @unittest.skipUnless(is_there("nbconvert"), "nbconvert is not installed (Debian's python3-nbconvert)")
    def test_nbconvert_executes_a_notebook(self):
        path = os.path.join(self.folder, "in.ipynb")
        nbformat.write(self.notebook(CELLS, "snug"), path)
        done = subprocess.run([sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute",
                               "--allow-errors", "--output", "out.ipynb", path], capture_output=True, text=True,
                              timeout=SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check(nbformat.read(os.path.join(self.folder, "out.ipynb"), 4))

    @unittest.skipUnless(is_there("jupyter_console"), "the console is not installed (Debian's jupyter-console)")
    def test_the_console_runs_cells_and_interrupts_them(self):
        with Console(self.folder) as console:
            console.expect("In [1]:")
            console.type("6 * 7\r")
            console.expect("Out[1]:")
            console.expect("In [2]:")
            console.type("print('go' 'ing') or [0 for _ in iter(int, 1)]\r")
            console.expect("going")
            console.type("\x03")
            console.expect("KeyboardInterrupt")
            console.expect("In [3]:")
            console.type("1 / 0\r")
            console.expect("ZeroDivisionError")


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
    import re
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text)


if __name__ == "__main__":
    main()
