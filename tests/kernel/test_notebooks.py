"""The notebooks of examples/notebooks run by nbclient, and give what is recorded in them.

    test_notebooks.py --record [NAME...]    records it
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

from kernels import SECONDS, SNUG, KernelCase, main

try:
    import nbformat
    from nbclient import NotebookClient
except ImportError as error:
    print(f"skipped: notebooks: {error} (Debian's packages python3-nbclient, python3-nbformat)")
    sys.exit(77)

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples/notebooks"
NEEDS = {"figures": ("numpy", "pandas", "matplotlib")}
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
MOST_BYTES = 40_000


def read(path):
    return nbformat.read(path, 4)


def execute(book):
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    NotebookClient(book, timeout=SECONDS, record_timing=False).execute()
    return book


def plain(text):
    """Without what another run, or another Python, has otherwise."""
    text = COLOURS.sub("", "".join(text))
    text = re.sub(r"0x[0-9a-f]{6,}", "0x...", text)
    return re.sub(r"\d+(\.\d+)? (ns|µs|ms)\b", "... s", text)


def seen(output):
    """Of an output, what must be the same: of pictures and HTML that they are there, of tracebacks the end."""
    if output.output_type == "stream":
        return output.name, plain(output.text)
    if output.output_type == "error":
        return "error", output.ename, plain(output.evalue), plain(output.traceback[-1]).splitlines()[-1:]
    return output.output_type, plain(output.data.get("text/plain", "")), "image/png" in output.data, \
        "text/html" in output.data


def record(path):
    """Pictures in one form, so that a notebook stays small."""
    book = execute(read(path))
    for cell in book.cells:
        for output in cell.get("outputs", ()):
            if "image/png" in output.get("data", {}):
                output.data.pop("image/svg+xml", None)
    book.metadata.pop("language_info", None)
    path.write_text(json.dumps(book, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


def install(folder):
    os.environ["JUPYTER_DATA_DIR"] = folder
    for words in (["--all"], ["--name", "snug-data", "--display-name", "Python 3 (snug, data)", "--profile", "data"]):
        subprocess.run([SNUG, "kernel", "install", "--user", *words], check=True, capture_output=True)


class Notebooks(KernelCase):
    maxDiff = None

    def setUp(self):
        super().setUp()
        install(self.folder)
        self.addCleanup(os.environ.pop, "JUPYTER_DATA_DIR")

    def need(self, name, book):
        for module in NEEDS.get(name, ()):
            if subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode:
                self.skipTest(f"{module} is not installed")
        if book.metadata.kernelspec.name == "snug-bash":
            doctor = subprocess.run([SNUG, "doctor", "--json"], capture_output=True, text=True)
            bash = json.loads(doctor.stdout)["bash"]
            if not bash.startswith("works"):
                self.skipTest(bash)

    def check(self, name):
        book = read(FOLDER / f"{name}.ipynb")
        self.need(name, book)
        recorded = [[seen(output) for output in cell.get("outputs", ())] for cell in book.cells]
        execute(book)
        for cell, before in zip(book.cells, recorded):
            self.assertEqual([seen(output) for output in cell.get("outputs", ())], before, cell.source)

    def test_nbconvert_executes_one(self):
        if subprocess.run([sys.executable, "-c", "import nbconvert"], capture_output=True).returncode:
            self.skipTest("nbconvert is not installed (Debian's python3-nbconvert)")
        done = subprocess.run([sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir",
                               self.folder, FOLDER / "tour.ipynb"], capture_output=True, text=True, timeout=SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        for cell, before in zip(read(os.path.join(self.folder, "tour.ipynb")).cells,
                                read(FOLDER / "tour.ipynb").cells):
            self.assertEqual([seen(output) for output in cell.get("outputs", ())],
                             [seen(output) for output in before.get("outputs", ())])

    def test_they_are_recorded_and_small(self):
        for path in NOTEBOOKS:
            self.assertLess(path.stat().st_size, MOST_BYTES, path.name)
            counts = [cell.execution_count for cell in read(path).cells if cell.cell_type == "code"]
            self.assertEqual(counts, list(range(1, len(counts) + 1)), path.name)


NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
for found in NOTEBOOKS:
    setattr(Notebooks, f"test_{found.stem}", lambda self, name=found.stem: self.check(name))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--record"]:
        import tempfile
        with tempfile.TemporaryDirectory() as place:
            install(place)
            for found in NOTEBOOKS:
                if not sys.argv[2:] or found.stem in sys.argv[2:]:
                    record(found)
    else:
        main()
