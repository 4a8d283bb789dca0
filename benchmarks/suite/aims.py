"""What snug wants to reach, and what a report says of it: a table, and the rows in which a peer is
ahead. An aim is a figure, or how many times another figure of the same rounds it is."""
from collections import namedtuple

from suite import figures
from suite.report import programs_in, title_of
from suite.rows import KERNEL_MEMORY, KERNEL_START, KERNEL_TURN, SNUG

# A figure is found by group, row and program. `most` is by the version of Python where it differs;
# `least`: more is better.
Aim = namedtuple("Aim", "name mine base most least", defaults=(None, None, None))
PEERS = ("zygote", "monty", "pyodide", "ipython", "ipykernel")
# Where sessions of a peer share one interpreter, they cost nothing to open or hold.
SHARING = {"open": ("ipython", "monty"), "memory": ("ipython", "monty"),
           "used": ("ipython", "monty")}


def turn(row, program="snug"):
    return "turns", row, program


FRESH, SAME = "trivial, fresh source", "trivial, the same source again"
CALL = "a call; raw exec's is by Python's own C interface"
CACHED = "a cached turn of the same session"
MAP = "a map over a million rows; raw exec's is a loop in plain Python"
TALK = "100-turn conversation with open"
AIMS = [
    Aim("trivial turn, fresh source, beside raw exec", turn(FRESH), turn(FRESH, "raw"), 1.3),
    Aim("the same on the caller's thread", turn(FRESH, "caller"), turn(FRESH, "raw"), 1.3),
    Aim("the same source again, on the caller's thread", turn(SAME, "caller"), None, 1000),
    Aim("error turn, beside the Python floor", turn("error, two calls deep"),
        turn("error, two calls deep", "floor"), 0.3),
    Aim("10,000 prints, beside raw exec", turn("10,000 prints"), turn("10,000 prints", "raw"), 0.6),
    Aim("100-turn conversation with a cold open, beside the Python floor", turn(TALK),
        turn(TALK, "floor"), 0.5),
    Aim("the same, from the pool", turn("100-turn conversation, from the pool"),
        turn(TALK, "floor"), 0.5),
    Aim("CPU-bound cell, beside python3 of the same version", turn("loop of a million"),
        turn("loop of a million", "python3"), 1.02),
    Aim("a map over a million rows, beside a loop in plain Python", ("programs", MAP, "caller"),
        ("programs", MAP, "raw"), 1.2),
    Aim("the same on a session's thread", ("programs", MAP, "snug"), ("programs", MAP, "raw"), 1.2),
    Aim("a prepared call, beside the same session's cached turn", ("programs", CALL, "snug"),
        ("programs", CACHED, "snug"), 1.0),
    Aim("a prepared call on the caller's thread", ("programs", CALL, "caller"), None, 330),
    Aim("open from the pool", ("open", "from the pool", "snug"), None, 20e3),
    Aim("open half-warm", ("open", "half-warm", "snug"), None, 1e6),
    Aim("open cold", ("open", "cold", "snug"), None, {"3.11": 2e6, "*": 4e6}),
    Aim("a bare session", ("memory", "each further one", "snug"), None,
        {"3.11": 0.7 * 1024, "*": 1.1 * 1024}),
    Aim("10,000 open sessions, 1,000 with a thread", ("memory", "10,000 sessions", "snug"), None,
        {"3.11": 8 << 20, "*": 11 << 20}),
    Aim("p99 of ten awake among them, beside ten alone",
        ("parked", "a turn of 10 with a thread, among all, p99", "snug"),
        ("parked", "a turn of 10 sessions, p99", "snug"), 1.1),
    *(Aim(f"a kernel's {name}, beside ipykernel", ("kernels", row, "kernel"), ("kernels", row, "ipykernel"), most)
      for name, row, most in (("turn, by a client in C", KERNEL_TURN, 0.05), ("start", KERNEL_START, 0.2),
                              ("memory", KERNEL_MEMORY, 0.1))),
    Aim("the same of each further kernel", ("memory", "each further one", "kernel"),
        ("memory", "each further one", "ipykernel"), 0.1),
    Aim("two cores, a GIL each", ("cores", "2 sessions", "snug"), ("cores", "1 session", "snug"),
        None, 1.9),
]


def row_of(report, group, name):
    rows = (row for one in report["groups"] if one["key"] == group for row in one["rows"])
    return next((row for row in rows if row["name"] == name), None)


def samples_of(report, place):
    row = row_of(report, *place[:2])
    return row["figures"].get(place[2]) if row else None


def version_of(report):
    """3.11, say."""
    about = report["programs"].get("snug") or report["programs"].get("caller") or {}
    return ".".join(about.get("python", "").split(".")[:2])


def bound(aim, report):
    most = aim.most
    return most.get(version_of(report), most["*"]) if isinstance(most, dict) else most


def applies(aim, report):
    """Sessions that share one GIL are not faster on two cores."""
    about = report["programs"].get("snug", {})
    return aim.least is None or not about.get("gil", "").startswith("shared")


def shown(number, aim, unit):
    return f"x {figures.digits(number)}" if aim.base else figures.quantity(number, unit)


def aim_cells(aim, report):
    """None where the report has not the figures."""
    mine = samples_of(report, aim.mine)
    reached = (figures.ratio(mine, samples_of(report, aim.base)) if aim.base
               else figures.middle(mine))
    if reached is None or not applies(aim, report):
        return None
    unit = row_of(report, *aim.mine[:2])["unit"]
    most = bound(aim, report)
    wanted = (f"at least {shown(aim.least, aim, unit)}" if aim.least
              else f"at most {shown(most, aim, unit)}")
    is_met = reached >= aim.least if aim.least else reached <= most
    return aim.name, wanted, shown(reached, aim, unit), "yes" if is_met else "no"


def best_of(row):
    """The middle of that of snug's forms which is best at it."""
    middles = [figures.middle(row["figures"].get(name)) for name in SNUG]
    known = [middle for middle in middles if middle is not None]
    if not known:
        return None
    return max(known) if row["unit"] == "/s" else min(known)


def ahead(report):
    """A line for each row in which a peer is."""
    for group in report["groups"]:
        for row in group["rows"]:
            mine = best_of(row)
            for name in PEERS if mine is not None else ():
                theirs = figures.middle(row["figures"].get(name))
                is_ahead = theirs is not None and (
                    theirs > mine if row["unit"] == "/s" else theirs < mine)
                if is_ahead and name in programs_in(group):
                    shares = (", whose sessions share one interpreter"
                              if name in SHARING.get(group["key"], ()) else "")
                    yield (f"{title_of(report, name)}{shares}: {group['title']}, {row['name']}, "
                           f"{figures.quantity(theirs, row['unit'])} beside "
                           f"{figures.quantity(mine, row['unit'])}")


def lines(report):
    rows = [cells for cells in (aim_cells(aim, report) for aim in AIMS) if cells]
    if not rows:
        return []
    found = ["## Aims", "", "What is wanted of snug, and whether this run has reached it.", "",
             "| | aim | reached | |", "| --- | ---: | ---: | --- |"]
    found += ["| " + " | ".join(cells) + " |" for cells in rows]
    peers = list(ahead(report))
    return found + ["", *(f"- ahead of snug: {peer}" for peer in peers)] + [""] * bool(peers)
