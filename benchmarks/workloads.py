#!/usr/bin/env python3
"""What is measured, as data. `workloads.py` prints it as JSON for snug_bench and the peers in
JavaScript; those in Python import it, so that all programs run the same bytes.

A workload has a cell that is run again and again in one session, after the cells in
`setup`. `value` is the repr of its last expression, where that stays the same; `error`
the exception that it ends with; `printed` how many bytes it prints. A conversation has
`cells` instead, each run once; `errors` of them fail. `plain` is a workload for a Python whose
standard library has less. A cell that does not end by itself has no answer; where nothing but a
jump out of C code ends it, it `needs_jump`."""
import json

TRIVIAL = "x = x + 1\nx"

SUM = "sum(n * n for n in range(1000))"

LOOP = """\
total = 0
for n in range(1_000_000):
    total += n
total"""

STDLIB = """\
import json, re, statistics
rows = [{"id": n, "name": f"user{n}", "score": n * 37 % 101, "tags": ["a", "b", str(n)]}
        for n in range(1000)]
text = json.dumps(rows)
names = re.findall(r'"name": "user(\\d+5)"', text)
scores = [row["score"] for row in json.loads(text)]
[len(text), len(names), statistics.mean(scores), statistics.median(scores),
 round(statistics.pstdev(scores), 3)]"""

# The same for a Python without the module statistics.
STDLIB_PLAIN = """\
import json, re
rows = [{"id": n, "name": "user" + str(n), "score": n * 37 % 101, "tags": ["a", "b", str(n)]}
        for n in range(1000)]
text = json.dumps(rows)
names = re.findall(r'"name": "user(\\d+5)"', text)
scores = [row["score"] for row in json.loads(text)]
[len(text), len(names), sum(scores) / len(scores)]"""

PRINTS = """\
for n in range(10_000):
    print("line", n)"""

ERROR = """\
def inner(n):
    return 1 / n

def outer(n):
    return inner(n) + 1

outer(0)"""


# One call of a function in C that neither allocates nor looks up.
HANG_C = """\
pair = ()
for _ in range(60):
    pair = (pair, pair)
hash(pair)"""


def conversation():
    """A hundred cells as an agent sends them: data, a helper, its use on earlier state, a
    little output, and now and then a mistake."""
    cells = []
    for turn in range(20):
        data = f"data{turn}"
        cells.append(f"{data} = [({turn} + 3) * k % 97 for k in range(50)]\nlen({data})")
        cells.append(f"def squares{turn}(values):\n"
                     "    total = 0\n"
                     "    for value in values:\n"
                     "        total += value * value\n"
                     "    return total\n"
                     f"squares{turn}({data})")
        cells.append(f"total = sum({data}) + len(data{max(0, turn - 1)})\ntotal")
        cells.append(f"for k in range(20):\n    print('row', k, {data}[k])")
        cells.append(f"missing{turn} + 1" if turn % 5 == 4 else
                     f"best = sorted({data})[-3:]\n'best of {turn}: ' + str(best)")
    return cells


WORKLOADS = {
    "trivial": {"setup": ["x = 0"], "cell": TRIVIAL},
    "sum": {"cell": SUM, "value": "332833500"},
    "error": {"cell": ERROR, "error": "ZeroDivisionError"},
    "prints": {"cell": PRINTS, "printed": 98890},
    "loop": {"cell": LOOP, "value": "499999500000"},
    "stdlib": {"cell": STDLIB, "value": "[71581, 99, 50.01, 50.0, 29.18]",
               "plain": {"cell": STDLIB_PLAIN, "value": "[71581, 99, 50.01]"}},
    "conversation": {"cells": conversation(), "errors": 4},
    "hang_python": {"cell": "while True:\n    pass"},
    "hang_c": {"cell": HANG_C, "needs_jump": 1},
}

if __name__ == "__main__":
    print(json.dumps(WORKLOADS))
