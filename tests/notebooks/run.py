"""Runs notebooks that others wrote and compares what each cell shows with what they recorded.

usage: SNUG=PROGRAM [SNUG_NOTEBOOKS=FOLDER] run.py [--verbose] [--least N] [NAME...]

SNUG_NOTEBOOKS holds .ipynb files of the standard library only; without it nothing is run. A
cell counts as the same when text, value and error are as recorded, but for times and addresses.
Cells may differ for reasons of their own (random numbers, files that are not there, another
Python); the table says where. At least N notebooks (10) have to be the same from first to last.
"""
import argparse
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys

VARIES = [
    (re.compile(r"0x[0-9a-f]+"), "0x0"),
    (re.compile(r"CPU times:.*"), "CPU times"),
    (re.compile(r"Wall time:.*"), "Wall time"),
    (re.compile(r".*per loop.*"), "per loop"),
    (re.compile(r"\x1b\[[0-9;]*m"), ""),
]


def plain(text):
    for pattern, instead in VARIES:
        text = pattern.sub(instead, text)
    return text.strip()


def joined(text):
    return "".join(text) if isinstance(text, list) else text


def recorded(cell):
    """Text, value and error that the notebook has for a cell."""
    shown = {"text": "", "value": "", "error": ""}
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            shown["text"] += joined(output["text"])
        elif output["output_type"] == "error":
            shown["error"] = output["ename"]
        elif "text/plain" in output["data"]:
            which = "value" if output["output_type"] == "execute_result" else "text"
            shown[which] += joined(output["data"]["text/plain"]) + "\n" * (which == "text")
    return {name: plain(text) for name, text in shown.items()}


def answered(result):
    displays = "".join(d["data"].get("text/plain", "") + "\n"
                       for d in result["results"] if not d["is_main_result"])
    shown = {"text": result["stdout"] + result["stderr"] + displays,
             "value": (result["value"] or {}).get("text", ""),
             "error": (result["error"] or {}).get("name", "")}
    return {name: plain(text) for name, text in shown.items()}


def run(snug, path):
    """Pairs of what was recorded and what came, for each cell with code."""
    cells = [cell for cell in json.loads(path.read_text())["cells"]
             if cell["cell_type"] == "code" and joined(cell["source"]).strip()]
    ended = subprocess.run([snug, "run", "--json", "--keep-going", "--timeout", "30", "--cpu", "30",
                            "--memory", "2G", "--value", "1M", "--profile", "data", str(path)],
                           capture_output=True, text=True, timeout=1200)
    results = [json.loads(line) for line in ended.stdout.splitlines()]
    answers = [answered(result) for result in results]
    # Behind a cell that cost the session there are no more.
    answers += [{"text": "", "value": "", "error": "not run"}] * (len(cells) - len(answers))
    return [(recorded(cell), answer) for cell, answer in zip(cells, answers)]


def differences(pairs):
    for number, (was, now) in enumerate(pairs, 1):
        wrong = [name for name in was if was[name] != now[name]]
        if wrong:
            yield number, wrong, was, now


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--verbose", action="store_true", help="show the differences")
    parser.add_argument("--least", type=int, default=10)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    folder = os.environ.get("SNUG_NOTEBOOKS")
    if not folder:
        print("skipped: SNUG_NOTEBOOKS names no folder of notebooks")
        return 77
    same = 0
    print("| notebook | cells | as recorded | cells that differ |\n|---|---|---|---|")
    paths = [path for path in sorted(pathlib.Path(folder).glob("*.ipynb"))
             if not options.names or path.name in options.names]
    for path in paths:
        pairs = run(os.environ["SNUG"], path)
        found = list(differences(pairs))
        where = "; ".join(f"{number}: {', '.join(wrong)}"
                          + (f" {now['error']}" if now["error"] else "")
                          for number, wrong, _, now in found[:6]) + " ..." * (len(found) > 6)
        print(f"| {path.name} | {len(pairs)} | {len(pairs) - len(found)} | {where} |", flush=True)
        same += not found
        for number, wrong, was, now in found if options.verbose else ():
            for name in wrong:
                print(f"  cell {number}, {name}:")
                print("\n".join("    " + line for line in list(difflib.unified_diff(
                    was[name].splitlines(), now[name].splitlines(), "recorded", "now",
                    lineterm="", n=1))[:14]))
    print(f"{same} of {len(paths)} notebooks are as recorded from first to last")
    return 0 if same >= min(options.least, len(paths)) else 1


sys.exit(main())
