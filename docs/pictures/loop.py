"""The agent's loop, by the table of edges in loop.c."""
import re

from svg import Page

WIDE, HIGH = 114, 44
PLACES = {  # of the boxes' left upper corners
    "PLAN": (24, 66), "GENERATE": (24, 166), "EXTRACT": (172, 166), "SCAN": (320, 166),
    "EXECUTE": (468, 166), "EVALUATE": (616, 166), "REPLY": (764, 166), "END": (764, 66),
    "REPAIR": (320, 278), "IMPROVE": (616, 278),
}
ABOUT = {
    "PLAN": "steps first", "GENERATE": "ask the model", "EXTRACT": "find the code", "SCAN": "judge, not run",
    "EXECUTE": "run as a cell", "EVALUATE": "checks, a model", "REPLY": "word the answer", "END": "",
    "REPAIR": "error and hint", "IMPROVE": "measure versions",
}


def edges(root):
    """[(modes, from, outcome, to)]"""
    path, = [path for path in (root / "src").rglob("loop.c") if "} edges[]" in path.read_text(encoding="utf-8")]
    return [(modes, start, outcome, end) for modes, start, outcome, end in
            re.findall(r"\{\s*(\w+),\s+SNUG_AGENT_STEP_(\w+),\s+(\w+),\s+SNUG_AGENT_STEP_(\w+)\s*\}",
                       path.read_text(encoding="utf-8"))]


def middle(name):
    x, y = PLACES[name]
    return x + WIDE / 2, y + HIGH / 2


def ahead(page, start, end):
    """To the right, or straight up or down."""
    x, y = middle(start)
    x2, y2 = middle(end)
    if y == y2:
        page.line(x + WIDE / 2, y, x2 - WIDE / 2 - 2, y2, "snug", 2, arrow=True)
    else:
        sign = 1 if y2 > y else -1
        page.line(x, y + sign * HIGH / 2, x2, y2 - sign * (HIGH / 2 + 2), "snug", 2, arrow=True)


def draw(root):
    table = edges(root)
    pairs = {}
    for modes, start, outcome, end in table:
        pairs.setdefault((start, end), set()).add((modes, outcome))
    page = Page(902, 388, "The agent's loop",
                "; ".join(f"{start.lower()} to {end.lower()}: "
                          + ", ".join(f"{mode.lower()} {outcome.lower()}" for mode, outcome in sorted(ways))
                          for (start, end), ways in pairs.items()))
    page.text(24, 34, "The way of a question", 16, bold=True)
    for (start, end), ways in pairs.items():
        if any(outcome == "WENT" for _, outcome in ways) and (start, end) in {
                ("PLAN", "GENERATE"), ("GENERATE", "EXTRACT"), ("EXTRACT", "SCAN"), ("SCAN", "EXECUTE"),
                ("EXECUTE", "EVALUATE"), ("EVALUATE", "REPLY"), ("REPLY", "END")}:
            ahead(page, start, end)
    # What fails goes to repair, along a line below.
    y, (rx, ry) = 244, PLACES["REPAIR"]
    failing = [start for (start, end) in pairs if end == "REPAIR"]
    for start in failing:
        x = middle(start)[0]
        page.line(x, PLACES[start][1] + HIGH, x, y, "warn", 1.5)
    page.line(min(middle(s)[0] for s in failing), y, max(middle(s)[0] for s in failing), y, "warn", 1.5)
    page.line(rx + WIDE / 2, y, rx + WIDE / 2, ry - 2, "warn", 1.5, arrow=True)
    # Back to the program.
    ex, ey = PLACES["EXTRACT"]
    page.path(f"M{rx} {ry + HIGH / 2}H{ex + 24}V{ey + HIGH + 2}", "snug", 2, arrow=True)
    # Versions of a program that passes.
    ix, iy = PLACES["IMPROVE"]
    page.line(ix + WIDE / 2 + 22, PLACES["EVALUATE"][1] + HIGH, ix + WIDE / 2 + 22, iy - 2, "good", 1.5, arrow=True)
    page.path(f"M{ix + WIDE / 2 + 22} {iy + HIGH}V{iy + HIGH + 22}H{ex + 8}V{ey + HIGH + 2}", "good", 1.5, arrow=True)
    page.path(f"M{ix + WIDE} {iy + HIGH / 2}H{PLACES['REPLY'][0] + WIDE / 2}V{PLACES['REPLY'][1] + HIGH + 2}",
              "good", 1.5, arrow=True)
    # Cells of act mode, steps of a plan.
    gx, gy = PLACES["GENERATE"]
    for start, height in (("EXECUTE", 148), ("EVALUATE", 126)):
        x = middle(start)[0] - 14
        page.path(f"M{x} {gy}V{height}H{gx + WIDE / 2 + (34 if start == 'EXECUTE' else 18)}V{gy - 2}",
                  "soft", 1.5, "5 3", arrow=True)
    page.text(middle("EXECUTE")[0] - 20, 143, "act: the next cell", 11, "soft", "end")
    page.text(middle("EVALUATE")[0] - 20, 121, "plan: the next step", 11, "soft", "end")
    # An answer in words has no program.
    x, x2 = middle("EXTRACT")[0] + 14, middle("EVALUATE")[0] + 14
    page.path(f"M{x} {ey}V104H{x2}V{ey - 2}", "snug", 1.5, arrow=True)
    page.text(x + 8, 99, "an answer in words", 11, "soft")
    for name, (x, y0) in PLACES.items():
        lines = [name.lower()] + ([ABOUT[name]] if ABOUT[name] else [])
        page.box(x, y0, WIDE, HIGH, lines, "tint" if name in ("GENERATE", "REPAIR", "PLAN", "REPLY") else "tint2",
                 size=13)
    page.line(24, 368, 48, 368, "warn", 1.5, arrow=True)
    page.text(56, 372, "failed: repaired, up to --max-attempts", 11.5, "soft")
    page.line(330, 368, 354, 368, "good", 1.5, arrow=True)
    page.text(362, 372, "--focus optimize, robustness", 11.5, "soft")
    page.line(592, 368, 616, 368, "soft", 1.5, "5 3", arrow=True)
    page.text(624, 372, "modes act and plan", 11.5, "soft")
    return page
