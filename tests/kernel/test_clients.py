"""Jupyter's own clients with kernels of snug: nbclient and nbconvert. Each is skipped where it is not installed."""
import os
import subprocess
import sys
import unittest

from kernels import SECONDS, SNUG, KernelCase, main

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
        for kernel in ("snug", "snug-local", "snug-full"):
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

    @unittest.skipUnless(is_there("nbconvert"), "nbconvert is not installed (Debian's python3-nbconvert)")
    @unittest.skipUnless(is_there("matplotlib"), "matplotlib is not installed (Debian's python3-matplotlib)")
    def test_nbconvert_makes_html_of_figures(self):
        cell = "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2]);"
        ran, exported = (os.path.join(self.folder, name) for name in ("ran.ipynb", "exported.ipynb"))
        nbformat.write(self.notebook([cell], "snug-full"), ran)
        subprocess.run([SNUG, "run", "--full", "--allow", "matplotlib", "--timeout", "10m", "--export", exported,
                        "-c", cell], check=True, capture_output=True)
        for path, words in ((ran, ["--execute"]), (exported, [])):
            done = subprocess.run([sys.executable, "-m", "nbconvert", "--to", "html", *words, path],
                                  capture_output=True, text=True, timeout=SECONDS)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path.replace(".ipynb", ".html"), encoding="utf-8") as file:
                self.assertRegex(file.read(), '<img[^>]* src="data:image/png;base64')


if __name__ == "__main__":
    main()
