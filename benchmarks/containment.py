#!/usr/bin/env python3
"""What containment costs: snug beside the same program without the stop ladder, and beside
itself where the kernel refuses its part.

usage: benchmarks/containment.py [--quick] [BUILD]      (build/release)

snug_bench_bare is snug_bench without the interposed functions, so that no signal is
handled and no thread guarded; limits are watched in both. Only in static builds. The third
column is snug_bench behind tests/refuse, whose own filters are shorter: no private descriptors
and folder, no Landlock, no seccomp. The programs take turns; a ratio is the median of the
rounds' ratios of everything to the other.
"""
import os
import subprocess
import sys

from suite import figures, machine
from suite.programs import BENCHMARKS, Running

ROWS = [
    ("open, first answer, close", "open {ms}", "median"),
    ("turn, fresh source", "turn trivial fresh {ms}", "median"),
    ("  on the session's thread", "turn trivial fresh {ms}", "cpu"),
    ("turn, same source", "turn trivial same {ms}", "median"),
    ("error, two calls deep", "turn error fresh {ms}", "median"),
    ("10,000 prints", "turn prints fresh {ms}", "median"),
    ("json, re, statistics", "turn stdlib fresh {ms}", "median"),
    ("1e6 loop", "turn loop same {ms}", "cpu"),
]


def programs_of(build):
    """Commands: with everything, without the ladder, without the kernel's part."""
    bench, bare = (os.path.join(build, "benchmarks", name) for name in ("snug_bench", "snug_bench_bare"))
    refuse = os.path.join(build, "tests", "refuse")
    for path in (bench, bare, refuse):
        if not os.path.exists(path):
            sys.exit(f"containment.py: no {path}: a static release build with tests makes it")
    return [bench], [bare], [refuse, "everything", bench]


def measure(commands, rounds, ms):
    samples = {what: [[] for _ in commands] for what, _, _ in ROWS}
    for number in range(rounds):
        programs = [Running(command) for command in commands]
        for what, template, figure in ROWS:
            # Whoever is first changes, for a machine that others use.
            for step in range(len(programs)):
                at = (number + step) % len(programs)
                answer = programs[at].ask(template.format(ms=ms))
                samples[what][at].append(answer.get(figure, answer["median"]))
        for program in programs:
            program.close()
    return samples


def main(arguments):
    is_quick = "--quick" in arguments
    named = [argument for argument in arguments if not argument.startswith("--")]
    build = named[0] if named else os.path.join(BENCHMARKS, "..", "build", "release")
    workloads = os.path.join(build, "benchmarks", "workloads.json")
    commands = [[*command, os.path.abspath(workloads)] for command in programs_of(os.path.abspath(build))]
    with open(workloads, "w") as out:
        subprocess.run([sys.executable, os.path.join(BENCHMARKS, "workloads.py")], stdout=out, check=True)
    rounds, ms = (5, 60) if is_quick else (15, 150)
    measured = measure(commands, rounds, ms)
    print(", ".join(f"{name} {fact}" for name, fact in machine.facts().items()))
    print(f"{rounds} rounds, {ms} ms a row and program\n")
    print("| what | everything | no ladder | kernel refuses | to no ladder | to kernel refuses |")
    print("|---|---|---|---|---|---|")
    for what, _, _ in ROWS:
        middle = [figures.quantity(figures.middle(row), "ns") for row in measured[what]]
        ratios = [f"{figures.ratio(measured[what][0], other):.2f}" for other in measured[what][1:]]
        print(f"| {what.replace('  ', '&nbsp;&nbsp;')} | {' | '.join([*middle, *ratios])} |")


if __name__ == "__main__":
    main(sys.argv[1:])
