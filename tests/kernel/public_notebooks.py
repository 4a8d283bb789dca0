"""Public notebooks in a kernel of snug's: what their cells show, beside what they recorded and what ipykernel shows.

usage: SNUG=PROGRAM public_notebooks.py [--only WORD] [--variant OPTION...] CLONES

CLONES is a folder with clones of the repositories of NOTEBOOKS. By hand: it takes minutes, and the notebooks are
others'. A cell agrees if its text, errors and kinds of displays do, but for addresses, times and the order of sets.
Where ipykernel differs from what was recorded, too, the packages are of another version, or numbers are random.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError

# Repository, commit, folder, notebooks.
NOTEBOOKS = [
    ("jakevdp/WhirlwindTourOfPython", "6f1daf714fe52a8dde6a288674ba46a7feed8816", ".", [
        "01-How-to-Run-Python-Code", "02-Basic-Python-Syntax", "03-Semantics-Variables", "04-Semantics-Operators",
        "05-Built-in-Scalar-Types", "06-Built-in-Data-Structures", "07-Control-Flow-Statements",
        "08-Defining-Functions", "09-Errors-and-Exceptions", "10-Iterators", "11-List-Comprehensions",
        "12-Generators", "13-Modules-and-Packages", "14-Strings-and-Regular-Expressions",
        "15-Preview-of-Data-Science-Tools"]),
    ("jakevdp/PythonDataScienceHandbook", "d66231454ef753818dc9213c9b5942e067266966", "notebooks", [
        "02.01-Understanding-Data-Types", "02.02-The-Basics-Of-NumPy-Arrays", "02.03-Computation-on-arrays-ufuncs",
        "02.05-Computation-on-arrays-broadcasting", "02.07-Fancy-Indexing", "02.08-Sorting",
        "02.09-Structured-Data-NumPy", "03.01-Introducing-Pandas-Objects", "03.02-Data-Indexing-and-Selection",
        "03.03-Operations-in-Pandas", "03.04-Missing-Values", "03.05-Hierarchical-Indexing",
        "03.06-Concat-And-Append", "03.10-Working-With-Strings", "04.01-Simple-Line-Plots", "04.03-Errorbars",
        "04.04-Density-and-Contour-Plots", "04.05-Histograms-and-Binnings", "04.08-Multiple-Subplots",
        "04.12-Three-Dimensional-Plotting"]),
    ("norvig/pytudes", "414fe258a4181c2a819959d9a29bfcbe4c4b19c7", "ipynb", [
        "Babylonian digits", "Cheryl", "Convex Hull", "Cryptarithmetic", "Differentiation", "Euler's Conjecture",
        "Golomb-Puzzle", "Life", "NumberBracelets", "Probability", "PropositionalLogic", "RationalPi",
        "Series7", "Snobol", "StableMatching", "Stubborn", "Socks", "Triplets", "lispy", "equilength-numbers"]),
]
SECONDS = 600


class NotRun(Exception):
    """A notebook that a kernel did not come to the end of."""


def plain(text):
    """Text without what differs from run to run, or between ways to write the same."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    text = re.sub(r"0x[0-9a-f]{6,}", "0x", text)
    text = re.sub(r"(/tmp/ipykernel_\d+/\d+\.py|<ipython-input-[^>]*>|<cell \d+>)", "<cell>", text)
    text = re.sub(r"[\d,]+ loops? each", "LOOPS", text)
    text = re.sub(r"\d+(\.\d+)? ?(ns|µs|us|ms|s|min)\b", "TIME", text)
    return re.sub(r"\s+", " ", text).strip()


def shown(cell):
    """What a cell shows: its texts together, its errors, and the kinds of its displays."""
    texts, displays = [], []
    for output in cell.get("outputs", []):
        if output["output_type"] == "stream":
            texts.append(output["text"])
        elif output["output_type"] == "error":
            said = re.sub(r" \([^)]*, line \d+\)$", "", plain(output["evalue"]))  # where the source was
            displays.append(("error", output["ename"], said))
        else:
            data = output["data"]
            is_picture = any(kind.startswith("image/") for kind in data)
            kind = "picture" if is_picture else "html" if "text/html" in data else "text"
            displays.append((kind, "" if is_picture else plain(data.get("text/plain", ""))))
    return plain("".join(texts)), displays


def git(source, *words, text=None):
    return subprocess.run(["git", "-C", source, *words], input=text, capture_output=True, check=True).stdout


def lacking(source, commit):
    """The paths of files that the commit has and the clone lacks, as one without its largest files does."""
    rows = [row.partition(b"\t") for row in git(source, "ls-tree", "-r", "-z", commit).split(b"\0") if row]
    objects = b"".join(row[0].split()[2] + b"\n" for row in rows)
    found = git(source, "cat-file", "--batch-check", text=objects).splitlines()
    return [row[2].decode() for row, said in zip(rows, found) if said.endswith(b" missing")]


def clone_of(repository, commit, clones, scratch):
    """The folder of the repository's files at that commit, to run in, without those that the clone lacks."""
    folder = pathlib.Path(scratch, repository.replace("/", "+"))
    source = pathlib.Path(clones, repository.replace("/", "+"))
    folder.mkdir()
    without = [f":(exclude,literal){path}" for path in lacking(source, commit)]
    subprocess.run(["tar", "-x", "-C", folder], input=git(source, "archive", commit, ".", *without), check=True)
    return folder


def run(path, kernel, folder):
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, kernel_name=kernel, allow_errors=True, timeout=SECONDS,
                            resources={"metadata": {"path": str(folder)}})
    try:
        client.execute()
    except (CellTimeoutError, DeadKernelError) as error:
        who = "snug" if kernel == "snug-public" else "ipykernel"
        raise NotRun(f"{who}: {str(error).splitlines()[0]}") from error
    return notebook


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]


def compare(path, folder, report):
    """The number of cells, of those that show what was recorded, here and in ipykernel, and of those of which only
    snug differs: from what was recorded, while ipykernel does not."""
    recorded = code_cells(nbformat.read(path, as_version=4))
    ours, theirs = (code_cells(run(path, kernel, folder)) for kernel in ("snug-public", "python3"))
    rows = [(shown(was), shown(ran), shown(beside), ran.source) for was, ran, beside in zip(recorded, ours, theirs)]
    for was, here, there, source in rows:
        if here not in (was, there):
            only = "only snug differs" if was == there else "all differ"
            report.append(f"--- {path.name}: {only}\n{source}\nsnug:      {here}\nipykernel: {there}\n"
                          f"recorded:  {was}\n")
    return (len(rows), sum(here == was for was, here, _, _ in rows), sum(there == was for was, _, there, _ in rows),
            sum(here != was == there for was, here, there, _ in rows))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="", help="notebooks with that in their name")
    parser.add_argument("--skip", nargs="*", default=[])
    parser.add_argument("--variant", nargs="*", default=["--full"])
    parser.add_argument("--report", default="build/public_notebooks.txt")
    parser.add_argument("clones")
    options = parser.parse_args()
    report, sums = [], [0] * 4
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # a warning of ipykernel's debugger
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["JUPYTER_DATA_DIR"] = scratch + "/jupyter"
        subprocess.run([os.environ["SNUG"], "kernel", "install", "--user", "--name", "snug-public", "--timeout", "60s",
                        "--workdir", ".", *options.variant], check=True, stdout=subprocess.DEVNULL)
        assert "snug-public" in KernelSpecManager().find_kernel_specs()
        print(f"{'notebook':44} cells  as recorded  ipykernel as recorded  only snug differs", flush=True)
        for repository, commit, place, names in NOTEBOOKS:
            folder = clone_of(repository, commit, options.clones, scratch) / place
            for name in names:
                if options.only not in name or name in options.skip:
                    continue
                try:
                    row = compare(folder / (name + ".ipynb"), folder, report)
                except NotRun as error:
                    print(f"{name:44} {error}", flush=True)
                    continue
                pathlib.Path(options.report).write_text("\n".join(report))
                sums = [a + b for a, b in zip(sums, row)]
                print(f"{name:44} {row[0]:5}  {row[1]:11}  {row[2]:21}  {row[3]:17}", flush=True)
        print(f"{'together':44} {sums[0]:5}  {sums[1]:11}  {sums[2]:21}  {sums[3]:17}")
    print(f"{len(report)} cells that agree with neither are in {options.report}")


if __name__ == "__main__":
    sys.exit(main())
