"""The bounds, and the table of what was reached."""
import fnmatch
import os

MIB = 1 << 20
SLACK = 1.25

# Threads and processes that a form allows besides those of the program. The C libraries of a full
# session start some.
TASKS = {"local": 0, "worker": 0, "full": 16, "bash": 64}

# Seconds that an answer may be later than its limit, by the stop ladder, by worker_grace_ms, and by
# the steps from SIGINT to the end of a shell; and a second for a busy machine.
GRACE_S = {"local": 1.3, "worker": 6.5, "full": 6.5, "bash": 4.5}


def bounds(run):
    """limit: (what was given, the most that may be reached)."""
    form, limits, sessions = run["form"], run["limits"], run["sessions"]
    answer = 2 * limits["output"] + limits["value"] + limits["displays"] + limits["lists"]
    tasks = TASKS[form] * sessions + limits["threads"]
    if form == "full" and limits["threads"]:
        tasks = limits["threads"]
    wall, cpu = limits["wall"], limits["cpu"]

    # The work directory of a full session is in memory, and both have one bound of the kernel's.
    memory = limits["memory"] + (limits["disk_bytes"] if form == "full" else 0)

    def bytes_of(limit):
        return limit, limit * SLACK + 32 * MIB

    def seconds_of(limit):
        work = min(4e-9 * limits["memory"], 10)  # the ladder's time to free what a session has
        return limit, limit * SLACK + GRACE_S[form] + work

    def text_of(limit):
        return limit, limit * SLACK + 4096

    # A session brings threads and processes of the program's own.
    own = 4 + 8 * (sessions - 1)
    found = {
        "memory": bytes_of(memory),
        "disk_bytes": bytes_of(limits["disk_bytes"]),
        "disk_files": (limits["disk_files"], limits["disk_files"] * SLACK + 8),
        "tasks": (tasks, tasks * SLACK + own),
        "wall": seconds_of(wall),
        "cpu": seconds_of(min(cpu, wall * os.cpu_count())),
        "cpu_after": (0, 0.3),
        "answer": bytes_of(answer),
        "output": text_of(limits["output"]),
        "value": text_of(limits["value"]),
        "displays": text_of(limits["displays"]),
        "lists": text_of(limits["lists"]),
        "source": text_of(limits["source"]),
        "tool_calls": (limits["tool_calls"], limits["tool_calls"]),
    }
    if sessions > 1:  # which share the processors
        for name in ("wall", "cpu"):
            del found[name]
    return found


def excess(result):
    """Names of the limits that this run went beyond."""
    return [name for name, (_, bound) in bounds(result).items() if result["reached"][name] > bound]


def lower(first, second):
    for name, value in second["reached"].items():
        first["reached"][name] = min(first["reached"][name], value)
    return first


BYTES = {"memory", "memory_after", "disk_bytes", "answer", "output", "value", "displays", "lists", "source"}
SECONDS = {"wall", "cpu", "cpu_after"}


def figure(name, value):
    if name in BYTES:
        return f"{value / MIB:.1f} MiB" if abs(value) >= MIB / 8 else f"{value / 1024:.1f} KiB"
    return f"{value:.2f} s" if name in SECONDS else f"{value:g}"


def line(result):
    beyond = excess(result)
    reached = result["reached"]
    parts = [f"{name} {figure(name, reached[name])}" for name in
             (beyond or ["memory", "disk_bytes", "disk_files", "tasks", "wall", "cpu", "answer"])]
    statuses = result["statuses"]
    short = ", ".join(statuses[:3] + (["..."] if len(statuses) > 4 else []) + statuses[3:][-1:])
    return (f"{'OVER' if beyond else 'ok  '} {result['form']:6} {result['way']:28} {'  '.join(parts)}"
            f"  [{short}]{'' if result['ended'] else ' HANGS'}")


def read_known(path, has_looks_only):
    """(limit, form, way) patterns with their sentence; those of ?FORM where looks are all there is."""
    known = []
    with open(path, encoding="utf-8") as file:
        for text in file:
            if text.strip() and not text.startswith("#"):
                names, _, why = text.strip().partition(": ")
                limit, form, way = names.split()
                if not why:
                    raise ValueError(f"{path}: no reason: {text}")
                if has_looks_only or not form.startswith("?"):
                    known.append((limit, form.lstrip("?"), way, why))
    return known


def why_known(known, limit, form, way):
    for known_limit, forms, pattern, why in known:
        if known_limit == limit and form in forms.split(",") and fnmatch.fnmatch(way, pattern):
            return why
    return None


def unknown(run, known):
    return [name for name in excess(run) if not why_known(known, name, run["form"], run["way"])]


def show(runs, known):
    """Prints the table; answers how many were beyond without being known."""
    bad, notes = 0, []
    names = list(bounds({**runs[0], "sessions": 1}))
    forms = [form for form in TASKS if any(run["form"] == form for run in runs)]
    print(f"\n{'limit':11} {'form':7} {'runs':>4} {'aimed':>5} {'limit':>10} {'bound':>10} {'reached':>10}  by")
    for name in names:
        for form in forms:
            of_form = [run for run in runs if run["form"] == form and name in bounds(run)]
            beyond = [run for run in of_form if name in excess(run)]
            new = [run for run in beyond if name in unknown(run, known)]
            old = [run for run in beyond if run not in new]
            held = sorted((run for run in of_form if run not in beyond), key=lambda run: -part(name, run))
            bad += len(new)
            for run, word in [*((run, "OVER") for run in new), *((run, "known") for run in old),
                              *((run, "ok") for run in held[:1])]:
                row(name, form, of_form, run, word)
            notes += [why_known(known, name, form, run["way"]) for run in old]
    for note in dict.fromkeys(notes):
        print("known:", note)
    for limit, forms, pattern, _ in known:
        if not any(limit in excess(run) and why_known([(limit, forms, pattern, "x")], limit, run["form"], run["way"])
                   for run in runs) and any(fnmatch.fnmatch(run["way"], pattern) for run in runs):
            print(f"known, and not beyond this time: {limit} {forms} {pattern}")
    hangs = [f"{run['way']} in {run['form']}" for run in runs if not run["ended"]]
    if hangs:
        print("did not end with its input:", ", ".join(hangs))
    print(f"{len(runs)} runs, {bad} beyond a bound")
    return bad


def part(name, run):
    return run["reached"][name] / (bounds(run)[name][1] or 1)


def row(name, form, runs, run, word):
    limit, bound = bounds(run)[name]
    aimed = sum(name in run["aims"] for run in runs)
    print(f"{name:11} {form:7} {len(runs):4} {aimed:5} {figure(name, limit):>10} {figure(name, bound):>10} "
          f"{figure(name, run['reached'][name]):>10}  {run['way']} {word}")
