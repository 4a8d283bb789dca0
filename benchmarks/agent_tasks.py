#!/usr/bin/python3
"""The same tasks, with the same double of a weak model, through `snug ask` and through a plain loop.

usage: benchmarks/agent_tasks.py [--only NAME,...] [--json FILE] [--from FILE] [--snug PROGRAM]
           [--rounds N] [--ask-options WORDS] [--loop-options WORDS]

The loop is peers/graph_loop.py, the tasks are agent/tasks.py, and the double is agent/double.py. It
needs the built program (--snug, SNUG, or build/release/src/snug) and Python's standard library.
"""
import argparse
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "tests/agent")]

from agent import answers, double, tasks  # noqa: E402
from endpoint import Endpoint  # noqa: E402
from suite import machine  # noqa: E402

SECONDS = 300
SCHEMA = "snug.agent_tasks/1"
COUNTED = ["requests", "prompt_tokens", "completion_tokens"]
# The last one is asked only what has a check.
LOOPS = {"snug": "snug ask", "graph": "plain loop", "checked": "snug ask --check"}


def command_of(loop, model, task, options):
    asked = [question["ask"] for question in task["questions"]]
    if loop == "graph":
        return [sys.executable, str(ROOT / "benchmarks/peers/graph_loop.py"), "--model", model,
                *shlex.split(options.loop_options), "--", *asked]
    checks = [f"--check={question['check']}" for question in task["questions"] if loop == "checked"]
    return [options.snug, "ask", "--model", "openai:" + model, "--json", *checks,
            *shlex.split(options.ask_options), "--", *asked]


def environment(url, folder):
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "LD_LIBRARY_PATH", "SNUG_WORKER")
            if name in os.environ}
    return {**kept, "OPENAI_BASE_URL": url + "/v1", "OPENAI_API_KEY": "sk-the-key-of-no-one-0123456789",
            "XDG_STATE_HOME": folder, "XDG_CONFIG_HOME": folder, "PYTHONDONTWRITEBYTECODE": "1"}


def read_answers(loop, lines):
    """An answer, or None, for each question that came to an end."""
    found = [json.loads(line) for line in lines.splitlines() if line.startswith('{"')]
    if loop == "graph":
        return [one["answer"] for one in found], [one["error"] for one in found]
    found = [one for one in found if one.get("schema") == "snug.reply/1"]
    return ([one["answer"] if one["status"] == "answered" else None for one in found],
            [one["error"] for one in found])


def run(loop, task, options, endpoint, model_double):
    model = f"{task['name'].replace(' ', '-')}.{loop}"
    talk = model_double.begin(model, task)
    with tempfile.TemporaryDirectory(prefix="agent-tasks-") as folder:
        work = pathlib.Path(folder, "work")
        work.mkdir()
        for name, text in task["files"].items():
            (work / name).write_text(text)
        begun = time.monotonic()
        ended = subprocess.run(command_of(loop, model, task, options), cwd=work, capture_output=True, text=True,
                               env=environment(endpoint.url, folder), stdin=subprocess.DEVNULL, timeout=SECONDS)
        seconds = time.monotonic() - begun
    given, errors = read_answers(loop, ended.stdout)
    if len(given) != len(task["questions"]):
        sys.exit(f"agent_tasks.py: {task['name']}, {LOOPS[loop]}: {len(given)} replies\n{ended.stderr}")
    right = [answer is not None and answers.is_right(task, at, answer) for at, answer in enumerate(given)]
    wrong = sum(answer is not None and not fine for answer, fine in zip(given, right))
    used = {kind: dict(zip(COUNTED, (requests, prompt / 4, completion / 4)))
            for kind, (requests, prompt, completion) in talk.used.items()}
    sums = {name: round(sum(one[name] for one in used.values())) for name in COUNTED}
    return {"solved": all(right), "wrong": bool(wrong), **sums, "seconds": round(seconds, 4), "used": used,
            "answers": given, "errors": [error and error.strip().splitlines()[-1] for error in errors]}


def run_rounds(task, options, endpoint, model_double):
    """What came of the first round, with the median of the times of all."""
    loops = ["snug", "graph", *(["checked"] if all("check" in one for one in task["questions"]) else [])]
    found = {}
    for number in range(options.rounds):
        for loop in loops if number % 2 == 0 else loops[::-1]:  # whoever is first changes
            found.setdefault(loop, []).append(run(loop, task, options, endpoint, model_double))
    for loop, rounds in found.items():
        if any(one["used"] != rounds[0]["used"] for one in rounds):
            sys.exit(f"agent_tasks.py: {task['name']}, {LOOPS[loop]}: rounds differ in their requests")
        rounds[0]["seconds"] = round(statistics.median(one["seconds"] for one in rounds), 4)
    return {loop: rounds[0] for loop, rounds in found.items()}


def measure(chosen, options, tell):
    model_double = double.Double()
    endpoint = Endpoint(model_double.answer)
    found = []
    try:
        for number, task in enumerate(chosen):
            tell(f"{number + 1} of {len(chosen)}: {task['name']}")
            found.append({"name": task["name"], "class": task["class"],
                          **run_rounds(task, options, endpoint, model_double)})
    finally:
        endpoint.close()
    return found


# ---- tables ------------------------------------------------------------------------------

def total(rows, loop):
    of = [row[loop] for row in rows]
    return [sum(one["solved"] for one in of), sum(one["wrong"] for one in of),
            *(sum(one[name] for one in of) for name in COUNTED)]


def line(cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def numbers_of(rows, loop):
    return [f"{number:,}" for number in total(rows, loop)]


def class_lines(found):
    heads = ["solved", "wrong", "requests", "prompt", "completion"]
    yield line(["", "tasks", *(f"{name}: {heads[0]}" if head == heads[0] else head
                               for name in ("snug ask", "plain loop") for head in heads), "time"])
    yield line(["---"] + ["---:"] * (2 * len(heads) + 2))
    for kind, rows in [*((kind, [row for row in found if row["class"] == kind]) for kind in tasks.CLASSES),
                       ("all", found)]:
        if rows:
            seconds = [sum(row[loop]["seconds"] for row in rows) for loop in ("snug", "graph")]
            yield line([kind, len(rows), *numbers_of(rows, "snug"), *numbers_of(rows, "graph"),
                        f"{seconds[0] / seconds[1]:.2f}"])


def kind_lines(found):
    yield line(["", *(f"{name}: {head}" if head == "requests" else head for name in ("snug ask", "plain loop")
                      for head in ("requests", "prompt", "completion"))])
    yield line(["---"] + ["---:"] * 6)
    for kind in double.KINDS:
        yield line([kind, *(f"{sum(row[loop]['used'][kind][name] for row in found):,.0f}"
                            for loop in ("snug", "graph") for name in COUNTED)])


def outcome(one):
    return "solved" if one["solved"] else "wrong answer" if one["wrong"] else "no answer"


def behind(row):
    """What snug has more of than the loop: names of figures, or that it does not solve the task."""
    snug, graph = row["snug"], row["graph"]
    more = [name.replace("_tokens", "") for name in COUNTED if snug[name] > graph[name]]
    return ([] if snug["solved"] else ["not solved"]) + more


def task_lines(found):
    yield line(["task", "class", "snug ask", "requests", "prompt", "completion", "plain loop", "requests", "prompt",
                "completion", "snug has more"])
    yield line(["---", "---"] + ["---", "---:", "---:", "---:"] * 2 + ["---"])
    for row in found:
        yield line([row["name"], row["class"], *(cell for loop in ("snug", "graph") for cell in
                                                 (outcome(row[loop]), *(row[loop][name] for name in COUNTED))),
                    ", ".join(behind(row)) or "-"])


def check_lines(found):
    for row in found:
        if "checked" in row:
            yield (f"- {row['name']}, with `--check`: {outcome(row['checked'])}, "
                   + ", ".join(f"{row['checked'][name]} {name.replace('_', ' ')}" for name in COUNTED))


def markdown(report):
    facts, found = report["machine"], report["tasks"]
    lines = ["# The same tasks through snug ask and a plain loop", "",
             f"{facts['processor']}, {facts['processors']} processors, {facts['memory_gib']} GiB; {facts['system']}, "
             f"Linux {facts['kernel']}; load {facts['load']}. The plain loop runs in Python {report['python']}; "
             f"{report['snug']}.", "",
             *class_lines(found), "",
             "wrong: answers that went out and are not right. prompt, completion: tokens, of four characters each, of "
             "all messages of all requests. time: that of snug ask, as a multiple of that of the plain loop, by the "
             f"median of {report['rounds']} rounds.", "",
             *kind_lines(found), "", *task_lines(found), "", *check_lines(found)]
    return "\n".join(lines).rstrip() + "\n"


# ---- command ---------------------------------------------------------------------------------


def choose(parser, text):
    names = text.split(",") if text else list(tasks.CLASSES)
    known = {task["name"] for task in tasks.TASKS} | set(tasks.CLASSES)
    for name in names:
        if name not in known:
            parser.error(f'no task or class "{name}"')
    return [task for task in tasks.TASKS if task["name"] in names or task["class"] in names]


def find_program(parser, named):
    program = named or os.environ.get("SNUG") or ROOT / "build/release/src/snug"
    if not os.access(program, os.X_OK):
        parser.error(f"no {program}: build it, or name one by --snug")
    return os.path.abspath(program)


def main(arguments):
    parser = argparse.ArgumentParser(description="The same tasks through snug ask and through a plain loop.",
                                     epilog="classes: " + ", ".join(tasks.CLASSES))
    parser.add_argument("--only", metavar="NAME,...", help="these tasks or classes")
    parser.add_argument("--json", metavar="FILE", help="write what came of each task there")
    parser.add_argument("--from", metavar="FILE", dest="source", help="measure nothing: show what --json wrote")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="of which the median time counts (5)")
    parser.add_argument("--snug", metavar="PROGRAM", help="instead of $SNUG or build/release/src/snug")
    parser.add_argument("--ask-options", metavar="WORDS", default="", help="of snug ask")
    parser.add_argument("--loop-options", metavar="WORDS", default="", help="of peers/graph_loop.py")
    options = parser.parse_args(arguments)
    if options.source:
        with open(options.source) as file:
            print(markdown(json.load(file)), end="")
        return
    chosen, options.snug = choose(parser, options.only), find_program(parser, options.snug)

    def tell(text):
        print(text.ljust(40), end="\r" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)

    version = subprocess.run([options.snug, "--version"], capture_output=True, text=True).stdout.strip().split("\n")[0]
    report = {"schema": SCHEMA, "machine": machine.facts(), "python": sys.version.split()[0], "snug": version,
              "rounds": options.rounds,
              "options": [options.ask_options, options.loop_options], "tasks": measure(chosen, options, tell)}
    print(markdown(report), end="")
    if options.json:
        with open(options.json, "w") as out:
            json.dump(report, out, indent=1)
            out.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:])
