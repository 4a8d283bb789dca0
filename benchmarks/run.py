#!/usr/bin/python3
"""Runs the benchmarks and prints a markdown table: snug beside raw exec(compile()) and beside
the same promises written in Python, each on the very same libpython.

    benchmarks/run.py [--quick] [--json FILE] [--build DIR] [--rounds N] [--only REGEX]

A round starts each program anew and lets them take turns at every row, so that what else the
machine does meets all of them. A figure is the median of the rounds' medians, a ratio the
median of the rounds' ratios; spread is the least and the greatest of the rounds' medians."""
import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PLAIN_PYTHON = "/usr/bin/python3"
FLOOR = [os.path.join(HERE, "floor.py")]

# What, the command, its figure, and whose figures beside snug's mean something.
BOTH = ("raw", "floor")
ROWS = [
    ("turn, fresh source", "turn trivial fresh {ms}", "median", BOTH),
    ("  on the session's thread", "turn trivial fresh {ms}", "cpu", BOTH),
    ("turn, same source", "turn trivial same {ms}", "median", BOTH),
    ("  on the session's thread", "turn trivial same {ms}", "cpu", BOTH),
    ("small sum", "turn sum fresh {ms}", "median", BOTH),
    ("error, two calls deep", "turn error fresh {ms}", "median", BOTH),
    ("10,000 prints", "turn prints fresh {ms}", "median", BOTH),
    ("1e6 loop", "turn loop same {ms}", "median", ("raw", "floor", "python3")),
    ("json, re, statistics", "turn stdlib fresh {ms}", "median", BOTH),
    ("100-turn conversation with open", "conversation conversation {ms}", "median", BOTH),
    ("open, first answer, close", "open {ms}", "median", BOTH),
    ("  the close of it", "open {ms}", "cpu", ()),
]
MEMORY = [
    ("memory a session, bare", "memory - {count}"),
    ("memory a session, used", "memory stdlib {count}"),
]


class Program:
    """One of the programs, waiting for a command."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, cwd="/")
        self.command = command
        self.about = self.read()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"run.py: {' '.join(self.command)} ended with {self.process.wait()}")
        return json.loads(line)

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return self.read()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def programs(build, suffix, workloads):
    floor = [os.path.join(build, "python_floor" + suffix), "-I", "-S"] + FLOOR
    return {"snug": [os.path.join(build, "snug_bench" + suffix), workloads],
            "raw": floor + ["raw"], "floor": floor + ["floor"]}


def measure_round(linkages, rows, ms, results):
    """Adds a figure to results[linkage][row][program] for each of them."""
    running = {(linkage, name): Program(command) for linkage, commands in linkages.items()
               for name, command in commands.items()}
    answers = {}
    for row, (_, template, figure, wanted) in enumerate(rows):
        command = template.format(ms=ms)
        for (linkage, name), program in running.items():
            if name != "snug" and name not in wanted:
                continue
            key = linkage, name, command
            if key not in answers:
                answers[key] = program.ask(command)
            answer = answers[key]
            value = answer.get(figure, answer["median"]) if name == "snug" else answer["median"]
            results.setdefault(linkage, {}).setdefault(row, {}).setdefault(name, []).append(value)
    about = {linkage: running[linkage, "snug"].about for linkage in linkages}
    for program in running.values():
        program.close()
    return about


def measure_memory(commands, count):
    """KiB for each further session, in processes of their own."""
    results = []
    for _, template in MEMORY:
        row = {}
        for name in ("snug", "floor"):
            program = Program(commands[name])
            row[name] = program.ask(template.format(count=count))
            program.close()
        results.append(row)
    return results


def measure_cold(commands, rounds):
    """ms from starting a process to having its first answer."""
    samples = {"snug": [], "raw": []}
    for _ in range(rounds):
        for name in samples:
            start = time.perf_counter()
            program = Program(commands[name])
            program.ask("turn trivial same 0")
            samples[name].append((time.perf_counter() - start) * 1e9)
            program.close()
    return samples


def duration(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}" if ns / size < 1000 else f"{ns / size:.0f} {unit}"
    return f"{ns:.0f} ns"


def ratio(mine, others):
    if not others:
        return "-"
    times = statistics.median(a / b for a, b in zip(mine, others))
    return f"{times:.2f}" if times < 100 else "-"  # opening a dict is no opening


def table_row(what, figures):
    snug, raw, floor = (figures.get(name) for name in ("snug", "raw", "floor"))
    spread = f"{duration(min(snug))} to {duration(max(snug))}"
    cells = [what.replace("  ", "&nbsp;&nbsp;"), duration(statistics.median(snug))]
    cells += [duration(statistics.median(other)) if other else "-" for other in (raw, floor)]
    cells += [ratio(snug, raw), ratio(snug, floor), spread]
    return "| " + " | ".join(cells) + " |"


def print_table(title, rows, results, memory, cold):
    print(f"\n### {title}\n")
    print("| what | snug | raw exec | Python floor | snug / raw | snug / floor | spread |")
    print("|---|---|---|---|---|---|---|")
    for row, (what, *_) in enumerate(rows):
        print(table_row(what, results[row]))
        plain = results[row].get("python3")
        if plain:
            print(f"| &nbsp;&nbsp;beside {PLAIN_PYTHON} | | {duration(statistics.median(plain))} | "
                  f"| {ratio(results[row]['snug'], plain)} | | |")
    if cold:
        print(table_row("process start to first answer", cold))
    for (what, _), figures in zip(MEMORY, memory or ()):
        print(f"| {what} | {figures['snug']['each']:.0f} KiB | - | {figures['floor']['each']:.1f} KiB "
              "| - | - | |")


def drop_other_pythons(linkages):
    """Only a python3 of the version that snug is built for says anything."""
    for commands in linkages.values():
        versions = {}
        for name in ("raw", "python3"):
            if name in commands:
                program = Program(commands[name])
                versions[name] = program.about["python"]
                program.close()
        if versions.get("python3") not in (None, versions["raw"]):
            print(f"{PLAIN_PYTHON} is {versions['python3']}, not {versions['raw']}: left out",
                  file=sys.stderr)
            del commands["python3"]


def machine():
    with open("/proc/cpuinfo") as lines:
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    try:
        system = platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        system = "an unnamed system"
    return (f"{names[0] if names else platform.machine()}, {os.cpu_count()} processors; "
            f"{system}, Linux {platform.release()}; load {os.getloadavg()[0]:.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="in under a minute")
    parser.add_argument("--json", metavar="FILE", help="write every figure there too")
    parser.add_argument("--build", metavar="DIR",
                        default=os.path.join(HERE, "..", "build", "release", "benchmarks"),
                        help="where the programs are (build/release/benchmarks)")
    parser.add_argument("--rounds", type=int, help="how often (9; 3 with --quick)")
    parser.add_argument("--only", metavar="REGEX", help="rows whose name matches")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    rounds = options.rounds or (3 if options.quick else 9)
    ms = 60 if options.quick else 150
    rows = [row for row in ROWS if re.search(options.only or "", row[0])]

    workloads = os.path.join(build, "workloads.json")
    with open(workloads, "w") as out:
        subprocess.run([sys.executable, os.path.join(HERE, "workloads.py")], stdout=out, check=True)
    linkages = {suffix: programs(build, suffix, workloads) for suffix in ("", "_shared")
                if os.path.exists(os.path.join(build, "python_floor" + suffix))}
    if not linkages:
        sys.exit(f"run.py: no programs in {build}: build them first (benchmarks/README.md)")
    for commands in linkages.values():
        if os.path.exists(PLAIN_PYTHON):
            commands["python3"] = [PLAIN_PYTHON, "-I", "-S"] + FLOOR + ["raw"]
    drop_other_pythons(linkages)

    results, about = {}, {}
    for number in range(rounds):
        if sys.stderr.isatty():
            print(f"round {number + 1} of {rounds}", end="\r", file=sys.stderr)
        about = measure_round(linkages, rows, ms, results)
    memory, cold = {}, {}
    if not options.only:
        for linkage, commands in linkages.items():
            memory[linkage] = measure_memory(commands, 30 if options.quick else 100)
            cold[linkage] = measure_cold(commands, rounds)

    print(machine())
    print(f"{rounds} rounds, {ms} ms a row and program")
    for linkage in linkages:
        title = f"Python {about[linkage]['python']}, {about[linkage]['linked']}"
        print_table(title, rows, results[linkage], memory.get(linkage), cold.get(linkage))
    if options.json:
        with open(options.json, "w") as out:
            json.dump({"machine": machine(), "rounds": rounds, "about": about, "memory": memory,
                       "cold_ns": cold,
                       "results_ns": {linkage: {what: figures for (what, *_), figures
                                                in zip(rows, by_row.values())}
                                      for linkage, by_row in results.items()}}, out, indent=1)


if __name__ == "__main__":
    main()
