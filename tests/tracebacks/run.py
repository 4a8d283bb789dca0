"""Compares the tracebacks of the program with those of plain Python, text by text.

usage: SNUG=PROGRAM [SNUG_PYTHON=PYTHON] run.py [-k WORDS] [FILE.cells]

SNUG_PYTHON is a Python of the version inside the program, by default /usr/bin/python3; it may be a
command, as `chroot ROOT /usr/bin/python3`. The cases are in cases.cells: cells without
expectations, of which at least one must fail in plain Python.

Not compared: addresses, and how often a line of a recursion was repeated (plain Python has other
frames below). On 3.11 the interpreter itself says "Did you mean", its traceback module does not:
there the words are taken off the program's text.
"""
import argparse
import difflib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "cells"))
import cellfile  # noqa: E402
import client  # noqa: E402


def expected_of(cases):
    command = shlex.split(os.environ.get("SNUG_PYTHON", "/usr/bin/python3"))
    source = (HERE / "plain.py").read_text(encoding="utf-8")
    try:
        done = subprocess.run([*command, "-I", "-S", "-X", "utf8", "-c", source], input=json.dumps(cases),
                              capture_output=True, encoding="utf-8", timeout=client.BOUND_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        sys.exit(f"SNUG_PYTHON ({' '.join(command)}): {error}")
    if done.returncode:
        sys.exit(f"SNUG_PYTHON ({' '.join(command)}) failed:\n{done.stderr}")
    answer = json.loads(done.stdout)
    return tuple(answer["version"]), answer["results"]


def plain(text, version, ours):
    if text is None:
        return None
    text = re.sub(r"\b0x[0-9a-f]+\b", "0x...", text)
    text = re.sub(r"\[Previous line repeated \d+ more times?\]", "[Previous line repeated ... more times]", text)
    if ours and version < (3, 12):
        text = re.sub(r"\. Did you mean: '[^'\n]*'\?$", "", text, flags=re.M)
    if not ours:  # plain Python has no site here, and since 3.15 it says so
        text = re.sub(r"\. Site initialization is disabled, did you forget to [^\n]*\?$", "", text, flags=re.M)
    return text.removesuffix("\n")


def actual_of(snug, session, cells):
    texts = []
    for source in cells:
        answer = snug.ask({"session": session, "code": source})
        if answer.get("schema") != "snug.result/1":
            raise client.Lost(f"the answer is not a result: {answer}")
        error = answer.get("error")
        texts.append(error.get("traceback", "") if error else None)
    snug.ask({"session": session, "close": True})
    return texts


def difference(number, expected, actual):
    if expected == actual:
        return []
    if expected is None or actual is None:
        return [f"cell {number}: expected {'no error' if expected is None else 'an error'}, but got",
                *(f"    | {line}" for line in (actual or "no error").split("\n"))]
    lines = difflib.unified_diff(expected.split("\n"), actual.split("\n"), "plain Python", "snug", lineterm="", n=2)
    return [f"cell {number}:", *(f"    {line}" for line in lines)]


def main():
    parser = argparse.ArgumentParser(description="Compares tracebacks; SNUG is the program.")
    parser.add_argument("-k", dest="words", default="", help="only cases whose sentence contains WORDS")
    parser.add_argument("file", nargs="?", default=str(HERE / "cases.cells"))
    arguments = parser.parse_args()
    try:
        blocks = cellfile.read(arguments.file, set())
        snug = client.Snug()
        version = client.python_version(snug)
        blocks = [block for block in blocks if arguments.words in block.title and
                  all(cellfile.version_matches(part.text, version) for part in block.settings)]
        cases = [[cellfile.source(parts[0]) for parts in block.cells] for block in blocks]
    except (cellfile.Malformed, client.Lost, OSError) as error:
        sys.exit(f"run.py: {error}")
    plain_version, results = expected_of(cases)
    if plain_version != version:
        sys.exit(f"the program has Python {version}, but SNUG_PYTHON is {plain_version}")
    passed = failed = 0
    for number, (block, cells, expected) in enumerate(zip(blocks, cases, results)):
        if expected is None or not any(expected):
            problems = ["plain Python raises nothing here" if expected else "plain Python ended"]
        else:
            try:
                actual = actual_of(snug, f"t{number}", cells)
                problems = [line for i, (a, b) in enumerate(zip(expected, actual), 1)
                            for line in difference(i, plain(a, version, False), plain(b, version, True))]
            except client.Lost as lost:
                problems = [str(lost)]
                snug.kill()
                snug = client.Snug()
        if problems:
            failed += 1
            print(f"FAILED {block.title} ({block.where})")
            for line in problems:
                print("  " + line)
        else:
            passed += 1
    snug.finish()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
