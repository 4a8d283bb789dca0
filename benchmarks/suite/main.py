"""benchmarks/run: measures, prints the tables, writes figures and plots."""
import argparse
import json
import os
import shutil
import subprocess
import sys

from suite import canvas, machine, plot, programs, report, rounds, rows, table

# What differs with --quick: rounds, those of memory, ms a row and program (ten times that where
# sessions hang or are many), questions to the agent, sessions at most, and whether all programs are
# in all rounds and groups.
FULL = {"rounds": 7, "memory_rounds": 2, "ms": 150, "questions": 300, "most": 10000,
        "is_whole": True}
QUICK = {"rounds": 2, "memory_rounds": 1, "ms": 20, "questions": 50, "most": 100,
         "is_whole": False}

EPILOG = """groups: """ + ", ".join(group.key for group in rows.GROUPS) + """
programs: """ + ", ".join(program.key for program in programs.PROGRAMS)


def parse(arguments):
    root = os.path.dirname(programs.BENCHMARKS)
    parser = argparse.ArgumentParser(
        prog="benchmarks/run", epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Measures snug and what people use in its place, in rounds in which the "
        "programs take turns, and prints tables in markdown. What is missing here is left out, "
        "with a line that says how to install it.")
    add = parser.add_argument
    add("--quick", action="store_true",
        help="few short rounds: one or two minutes; the slowest programs are in the first one, for "
        "turns and opens")
    add("--only", metavar="NAME,...", help="these groups")
    add("--programs", metavar="NAME,...", help="these programs")
    add("--json", metavar="FILE", help="write every figure of every round there")
    add("--plots", metavar="FOLDER", help="draw the groups there, as SVG and where possible as PNG")
    add("--from", metavar="FILE", dest="source",
        help="measure nothing: show what --json wrote, or its --only and --programs")
    add("--tables", action="store_true", help="print the tables alone")
    add("--rounds", type=int, metavar="N", help="instead of 7, and 2 with --quick")
    add("--ms", type=int, metavar="MS", help="a row and program, instead of 150, and 20")
    add("--sessions", type=int, metavar="N", help="held at most, instead of 10,000, and 100")
    add("--build", metavar="FOLDER", default=os.path.join(root, "build", "release"),
        help="what was built there (build/release)")
    add("--shared", action="store_true", help="the programs with the shared libpython")
    add("--python", metavar="FILE", default="/usr/bin/python3",
        help="runs the peers in Python (/usr/bin/python3)")
    add("--modules", metavar="FOLDER",
        default=os.path.join(programs.BENCHMARKS, "npm", "node_modules"),
        help="has the peers of npm (benchmarks/npm/node_modules)")
    options = parser.parse_args(arguments)
    options.only = names(parser, options.only, [group.key for group in rows.GROUPS])
    options.programs = names(parser, options.programs, list(programs.TITLES))
    return options


def names(parser, text, known):
    """All of them, where none is named."""
    wanted = text.split(",") if text else known
    for name in wanted:
        if name not in known:
            parser.error(f'no "{name}" among {", ".join(known)}')
    return [name for name in known if name in wanted]


def settings(options):
    chosen = dict(QUICK if options.quick else FULL)
    if options.rounds:
        chosen["rounds"] = options.rounds
        chosen["memory_rounds"] = min(options.rounds, chosen["memory_rounds"])
    chosen["ms"] = options.ms or chosen["ms"]
    chosen["most"] = options.sessions or chosen["most"]
    return chosen


def commit():
    """Where this is a work tree of git, and git is there."""
    if not shutil.which("git"):
        return None
    shown = subprocess.run(["git", "-C", programs.BENCHMARKS, "describe", "--always", "--dirty"],
                           capture_output=True, text=True)
    return shown.stdout.strip() if shown.returncode == 0 else None


def measure(options):
    place = programs.Place(options.build, options.python, options.modules, options.shared)
    groups = [group for group in rows.GROUPS if group.key in options.only]
    wanted = {name for group in groups for name in group.programs} & set(options.programs)
    commands, missing = programs.find(place, wanted)
    own = {"snug", "caller", "worker", "own", "cells", "agent"}
    if wanted & own and not own & set(commands):
        sys.exit("benchmarks/run: " + "\nbenchmarks/run: ".join(missing))
    prepare(place)
    chosen, facts, built_of = settings(options), machine.facts(), commit()
    times = {"ms": chosen["ms"], "long": 10 * chosen["ms"], "questions": chosen["questions"],
             "sessions": chosen["most"], "awake": max(1, chosen["most"] // 10)}
    groups = [group._replace(note=group.note.format(**times)) for group in groups]
    tell = rounds.teller(sys.stderr.isatty())
    results = rounds.Results(commands)
    has_pandas = programs.has_modules(place.python, "pandas")
    planned = rows.rows_of(groups, facts["processors"], has_pandas)
    if planned:
        few = {group.key: chosen["memory_rounds"] for group in groups if group.key in rows.LONG}
        rounds.run(results, planned, groups, chosen["rounds"], few, times, chosen["is_whole"], tell)
    holding = [group for group in groups if group.key in rows.HOLD]
    rounds.hold(results, holding, chosen["memory_rounds"], chosen["most"], chosen["is_whole"],
                tell)
    tell("")
    return report.make(groups, planned, results, missing, machine=facts, commit=built_of,
                       rounds=chosen["rounds"], ms=chosen["ms"],
                       load_after=machine.facts()["load"])


def prepare(place):
    """What the programs find: the workloads, and the program of workers."""
    folder = os.path.dirname(place.workloads)
    if os.path.isdir(folder):
        text = subprocess.run([sys.executable, os.path.join(programs.BENCHMARKS, "workloads.py")],
                              stdout=subprocess.PIPE, text=True, check=True).stdout
        with open(place.workloads + ".new", "w") as out:
            out.write(text)
        os.replace(place.workloads + ".new", place.workloads)
    os.environ.setdefault("SNUG_WORKER", os.path.join(place.build, "src", "snug-worker"))
    os.environ.setdefault("SNUG_KERNEL_TURNS", os.path.join(place.build, "benchmarks", "snug_kernel_turns"))
    os.environ.pop("PYTHONUNBUFFERED", None)  # with it python3 -c writes each print by itself


def draw(found, folder, python):
    os.makedirs(folder, exist_ok=True)
    convert, why_not = canvas.converter(python)
    if why_not:
        print(why_not, file=sys.stderr)
    for group in found["groups"]:
        drawing = plot.draw(found, group)
        if drawing:
            print(canvas.write(drawing, folder, group["key"], convert), file=sys.stderr)


def read(options):
    """What --json wrote, with the groups and programs that are wanted."""
    try:
        with open(options.source) as source:
            found = json.load(source)
    except (OSError, ValueError) as why:
        sys.exit(f"benchmarks/run: {options.source}: {why}")
    if not isinstance(found, dict) or found.get("schema") != report.SCHEMA:
        sys.exit(f"benchmarks/run: {options.source} is not what --json writes")
    return report.part(found, options.only, options.programs)


def main(arguments):
    options = parse(arguments)
    found = read(options) if options.source else measure(options)
    print(table.tables(found) if options.tables else table.markdown(found), end="")
    if options.json:
        with open(options.json, "w") as out:
            json.dump(found, out, indent=1)
            out.write("\n")
    if options.plots:
        draw(found, options.plots, options.python)
