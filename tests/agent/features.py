"""The table of features: each row of features/*.txt has its tests, and each test its row.

usage: features.py [--only A,B] [--table]

A line of features/*.txt is a row; one that begins with # is a remark:

    ID | state | the feature in the words of its document | a sentence

The state is `works`, `partly` or `out` (out of scope); the sentence says how the feature is used, what
of it is missing, or why it is out of scope. The tests of a row are the scenarios of
scenarios/*.ask whose titles begin with `ID: `, and the methods `test_ID_...` of features_*.py.

--only looks at the rows and tests of these letters alone; --table prints the rows with their tests
in Markdown.
"""
import argparse
import ast
import collections
import pathlib
import re
import sys

import scenariofile

HERE = pathlib.Path(__file__).resolve().parent
COUNTS = {"A": 41, "B": 15, "C": 41, "D": 20, "E": 74}
STATES = ("works", "partly", "out")

Row = collections.namedtuple("Row", "state words sentence")


def number_of(name):
    """For sorting: A2 before A10."""
    return name[0], int(name[1:])


def read_rows(paths, wrong):
    rows = {}
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            if not line.strip() or line.startswith("#"):
                continue
            where = f"{path.name}:{number}"
            name, *rest = (part.strip() for part in line.split(" | ", 3))
            if len(rest) != 3 or not all(rest):
                wrong.append(f"{where}: expected ID | state | words | sentence: {line}")
            elif not re.fullmatch(r"[A-Z][1-9]\d*", name):
                wrong.append(f"{where}: {name} is not an id")
            elif name in rows:
                wrong.append(f"{where}: {name} is there twice")
            else:
                rows[name] = Row(*rest)
                if rows[name].state not in STATES:
                    wrong.append(f"{where}: {name} has the state {rows[name].state}")
    return rows


def scenarios_of(path):
    """(id, title) of each scenario for a row."""
    for scenario in scenariofile.read(path):
        if found := re.match(r"([A-Z]\d+): ", scenario.title):
            yield found[1], f"{path.name}: {scenario.title}"


def methods_of(path):
    for thing in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(thing, ast.FunctionDef) and (found := re.match(r"test_([A-Z]\d+)_", thing.name)):
            yield found[1], f"{path.name}: {thing.name}"


def read_tests():
    tests = {}
    for paths, tests_of in ((HERE.glob("scenarios/*.ask"), scenarios_of), (HERE.glob("features_*.py"), methods_of)):
        for path in sorted(paths):
            for name, title in tests_of(path):
                tests.setdefault(name, []).append(title)
    return tests


def compare(rows, tests, letters, wrong):
    wanted = [f"{letter}{number}" for letter in letters for number in range(1, COUNTS[letter] + 1)]
    wrong += [f"{name}: the row is missing" for name in wanted if name not in rows]
    wrong += [f"{name}: there is no such feature" for name in rows if name not in wanted]
    wrong += [f"{name}: no test" for name in rows if name in wanted and name not in tests]
    wrong += [f"{name}: a test without a row: {title}" for name in tests if name not in rows
              for title in tests[name]]


def cell(text):
    return text.replace("|", "\\|")


def print_table(rows, tests):
    print("| id | feature | state | tests | |\n|-|-|-|-|-|")
    for name in sorted(rows, key=number_of):
        row = rows[name]
        listed = "<br>".join(map(cell, tests.get(name, [])))
        print(f"| {name} | {cell(row.words)} | {row.state} | {listed} | {cell(row.sentence)} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default=",".join(COUNTS))
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    letters = given.only.split(",")
    if unknown := [letter for letter in letters if letter not in COUNTS]:
        parser.error(f"--only {given.only}: {unknown[0]} is none of {', '.join(COUNTS)}")
    is_all = set(letters) == set(COUNTS)
    wrong = []
    rows = read_rows(sorted(HERE.glob("features/*.txt")), wrong)
    tests = read_tests()
    if not is_all:
        rows = {name: row for name, row in rows.items() if name[0] in letters}
        tests = {name: titles for name, titles in tests.items() if name[0] in letters}
    compare(rows, tests, letters, wrong)
    if given.table:
        print_table(rows, tests)
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
        sys.exit(1)
    if not given.table:
        states = collections.Counter(row.state for row in rows.values())
        print(f"{len(rows)} features: " + ", ".join(f"{states[state]} {state}" for state in STATES) +
              f"; {sum(map(len, tests.values()))} tests")


if __name__ == "__main__":
    main()
