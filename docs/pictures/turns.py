"""A turn beside what people use: bars of the medians, both Debians, by benchmarks/results."""
import json
import math
import statistics

from svg import Page

ROW = "trivial, fresh source"
RUNS = [("debian12-turns.json", "Debian 12, Python 3.11"), ("debian13-memory.json", "Debian 13, Python 3.13")]
# key in the results, what it is called here, what it is
BARS = [
    ("snug", "snug", "local session"),
    ("worker", "snug, worker", "session in another process"),
    ("monty", "Monty", "a Python of its own, in Rust"),
    ("ipython", "IPython", "in one process"),
    ("pyodide", "Pyodide", "CPython in WebAssembly"),
    ("ipykernel", "ipykernel", "Jupyter's kernel"),
    ("subprocess", "python3 -c", "a process for each turn"),
]
LEFT, RIGHT, TOP, STEP = 196, 628, 92, 46
LOW, HIGH = 1e-6, 1e-1


def medians(root, name):
    results = json.loads((root / "benchmarks/results" / name).read_text(encoding="utf-8"))
    rows = next(group for group in results["groups"] if group["key"] == "turns")["rows"]
    figures = next(row for row in rows if row["name"] == ROW)["figures"]
    return {key: statistics.median(values) / 1e9 for key, values in figures.items()}


def shown(seconds):
    """As the tables of benchmarks/run: three figures."""
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            value = seconds / size
            return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def across(seconds):
    return LEFT + (RIGHT - LEFT) * math.log10(seconds / LOW) / math.log10(HIGH / LOW)


def draw(root):
    runs = [medians(root, name) for name, _ in RUNS]
    bottom = TOP + STEP * len(BARS)
    page = Page(720, bottom + 46, "A turn beside what people use",
                "; ".join(f"{label}: " + " and ".join(shown(run[key]) for run in runs)
                          for key, label, _ in BARS))
    page.text(20, 32, "One turn: x = x + 1, and x is read back", 17, bold=True)
    page.text(20, 52, "Median, in a session that is open. Each line to the right is ten times as long.",
              12, "soft")
    for i, (_, label) in enumerate(RUNS):
        page.rect(20 + 190 * i, 64, 11, 11, "snug" if i == 0 else "snug2", round=2)
        page.rect(34 + 190 * i, 64, 11, 11, "peer" if i == 0 else "peer2", round=2)
        page.text(50 + 190 * i, 74, label, 12, "soft")
    for power in range(-6, 0):
        x = across(10.0 ** power)
        page.line(x, TOP - 4, x, bottom)
        page.text(x, bottom + 18, {-6: "1 µs", -5: "10 µs", -4: "100 µs", -3: "1 ms", -2: "10 ms",
                                   -1: "100 ms"}[power], 11.5, "soft", "middle")
    for at, (key, label, about) in enumerate(BARS):
        y = TOP + STEP * at
        page.text(LEFT - 12, y + 15, label, 13.5, anchor="end", bold=key in ("snug", "worker"))
        page.text(LEFT - 12, y + 30, about, 10.5, "soft", "end")
        for i, run in enumerate(runs):
            x = across(run[key])
            kind = "snug" if key in ("snug", "worker") else "peer"
            page.rect(LEFT, y + 3 + 17 * i, x - LEFT, 14, kind + ("" if i == 0 else "2"), round=2)
            page.text(x + 6, y + 14 + 17 * i, shown(run[key]), 11.5)
    page.text(20, bottom + 36, "Pyodide and Monty bring Pythons of their own. Whole runs: benchmarks/results", 10.5, "soft")
    return page
