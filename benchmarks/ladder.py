#!/usr/bin/env python3
"""What the stop ladder costs: snug beside the same program without it.

usage: benchmarks/ladder.py [--quick] [BUILD]      (build/release)

snug_bench_bare is snug_bench without the interposed functions, so that no signal is
handled and no thread guarded; limits are watched in both. Only in static builds. The
programs take turns; a ratio is the median of the rounds' ratios.
"""
import os
import subprocess
import sys

import run

ROWS = [
    ("turn, fresh source", "turn trivial fresh {ms}", "median"),
    ("  on the session's thread", "turn trivial fresh {ms}", "cpu"),
    ("turn, same source", "turn trivial same {ms}", "median"),
    ("error, two calls deep", "turn error fresh {ms}", "median"),
    ("10,000 prints", "turn prints fresh {ms}", "median"),
    ("json, re, statistics", "turn stdlib fresh {ms}", "median"),
    ("1e6 loop", "turn loop same {ms}", "cpu"),
]


def main(arguments):
    is_quick = "--quick" in arguments
    named = [argument for argument in arguments if not argument.startswith("--")]
    build = os.path.join(named[0] if named else os.path.join(run.HERE, "..", "build", "release"),
                         "benchmarks")
    workloads = os.path.join(build, "workloads.json")
    with open(workloads, "w") as out:
        subprocess.run([sys.executable, os.path.join(run.HERE, "workloads.py")], stdout=out, check=True)
    names = "snug_bench", "snug_bench_bare"
    for name in names:
        if not os.path.exists(os.path.join(build, name)):
            sys.exit(f"ladder.py: no {name} in {build}: a static release build makes it")
    rounds, ms = (5, 60) if is_quick else (15, 150)
    figures = {what: ([], []) for what, _, _ in ROWS}
    for number in range(rounds):
        programs = [run.Program([os.path.join(build, name), workloads]) for name in names]
        for what, template, figure in ROWS:
            # Whoever is first changes, for a machine that others use.
            for at in (0, 1) if number % 2 else (1, 0):
                answer = programs[at].ask(template.format(ms=ms))
                figures[what][at].append(answer.get(figure, answer["median"]))
        for program in programs:
            program.close()
    print(run.machine())
    print(f"{rounds} rounds, {ms} ms a row and program\n")
    print("| what | with the ladder | without | ratio |\n|---|---|---|---|")
    for what, _, _ in ROWS:
        with_ladder, without = (sorted(row) for row in figures[what])
        print(f"| {what.replace('  ', '&nbsp;&nbsp;')} | {run.duration(with_ladder[rounds // 2])} "
              f"| {run.duration(without[rounds // 2])} | {run.ratio(*figures[what])} |")


if __name__ == "__main__":
    main(sys.argv[1:])
