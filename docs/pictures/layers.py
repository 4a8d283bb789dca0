"""The layers of src/: each stands on those that it includes, by the list of tests/layers.py."""
import ast

from svg import Page

# What no include says: which are programs, and what they are for.
ABOUT = {
    "base": "strings, threads", "wire": "JSON, frames, files", "policy": "allow or deny",
    "limits": "accounts, the guard", "capture": "bounded output", "calls": "tools, input()",
    "py": "all of Python.h", "session": "host, session, result",
    "worker": "both of its ends", "bash": "a shell's worker", "agent": "questions to a model",
    "supervise": "tenants", "cli": "the program snug",
}
ABOVE = {"agent", "supervise", "cli"}
WIDE, HIGH, GAP, RISE = 138, 50, 14, 96


def allowed(root):
    tree = ast.parse((root / "tests/layers.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "ALLOWED":
            return {key.value: set() if isinstance(value, ast.Call) else ast.literal_eval(value)
                    for key, value in zip(node.value.keys, node.value.values)}
    raise LookupError("tests/layers.py has no ALLOWED")


def floors(layers):
    """Each layer as low as it can stand; what uses the public headers stands above them."""
    floor = {}

    def of(name):
        if name not in floor:
            floor[name] = max((of(other) + 1 for other in layers[name]), default=0)
        return floor[name]

    for name in layers:
        of(name)
    top = max(floor.values()) + 1
    return {name: top if name in ABOVE else at for name, at in floor.items()}


def direct(layers, name):
    """Without those that another one of its own includes anyway."""
    return {one for one in layers[name]
            if not any(one in layers[other] for other in layers[name] if other != one)}


def draw(root):
    layers = allowed(root)
    floor = floors(layers)
    rows = [sorted(name for name in layers if floor[name] == at) for at in range(max(floor.values()) + 1)]
    across = 60 + max(len(row) for row in rows) * (WIDE + GAP)
    down = 42 + RISE * len(rows)
    page = Page(across, down, "The layers of src/",
                "; ".join(f"{name} includes {', '.join(sorted(layers[name])) or 'nothing'}"
                          for name in sorted(layers)))
    page.text(20, 32, "An arrow goes from a layer to one that it includes", 15, bold=True)
    place = {}
    for at, row in enumerate(rows):
        left = (across - len(row) * (WIDE + GAP) + GAP) / 2
        for i, name in enumerate(row):
            place[name] = (left + i * (WIDE + GAP), down - 24 - HIGH - RISE * at)
    for name in layers:
        x, y = place[name]
        for other in sorted(direct(layers, name)):
            x2, y2 = place[other]
            if name in ABOVE:
                continue
            page.path(f"M{x + WIDE / 2:.0f} {y + HIGH}C{x + WIDE / 2:.0f} {y + HIGH + 24} "
                      f"{x2 + WIDE / 2:.0f} {y2 - 26} {x2 + WIDE / 2:.0f} {y2 - 2}", "soft", 1.2, arrow=True)
    line = place[sorted(ABOVE)[0]][1] + HIGH + 16
    page.line(20, line, across - 20, line, "snug", 1.5, "5 4")
    page.text(20, line - 22, "above the line: users of", 11, "snug")
    page.text(20, line - 7, "include/snug, base and wire", 11, "snug")
    for name, (x, y) in place.items():
        page.box(x, y, WIDE, HIGH, [name, ABOUT.get(name, "")], "tint" if name in ABOVE else "tint2", size=13)
    return page
