"""Screens of the prompt, from a real session in tmux: on a dark background with the menu open, on a light one
while a cell runs.

prompt.json has what tmux shows, with its colours; tests/docs/pictures.py repeats the session.
"""
import json
import os
import re
import sys

from svg import COLOURS, Page, width

SIZE, STEP, LEFT, TOP = 13, 18, 16, 30
COLUMNS, ROWS = 80, 32
COLOURS.update({
    "w_dark": ("#161b22", "#161b22"), "w_light": ("#ffffff", "#ffffff"),
    "p_dark": ("#e6edf3", "#e6edf3"), "p_light": ("#1f2328", "#1f2328"),
    "s_dark": ("#3b4754", "#3b4754"), "s_light": ("#cfd8e3", "#cfd8e3"),
})
NAMES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
INK = {
    "dark": dict(zip(NAMES, ("#6e7681", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4"))),
    "light": dict(zip(NAMES, ("#57606a", "#cf222e", "#116329", "#9a6700", "#0969da", "#8250df", "#1b7c83", "#6e7781"))),
}
for scheme, inks in INK.items():
    COLOURS.update({f"{name}_{scheme}": (ink, ink) for name, ink in inks.items()})

SESSION = """
type import pandas as pd<Enter>
see In [2]:
type sales = pd.DataFrame({"region": ["North", "South"], "units": [120, 80]})<Enter>
see In [3]:
type sales<Enter>
see In [4]:
type def share(region):<Enter>
see    ...:
type rows = sales[sales.region == region]<Enter>
type return round(100 * rows.units.sum() / sales.units.sum(), 1)  # %<Enter><Enter>
see In [5]:
type share("North")<Enter>
see In [6]:
type share["South"]<Enter>
see In [7]:
"""
ENDS = {
    "dark": "type sales.me<Tab>\nsee memory_usage\ntype <Tab>\nsee sales.mean(\n",
    "light": "type while share(\"South\") < 50: pass<Enter>\nsee s; Ctrl-C stops it\n",
}


def screen_of(root, snug, scheme):
    """The rows of the screen, as tmux writes them with their colours."""
    os.environ["SNUG"] = os.path.abspath(snug)
    sys.path.insert(0, str(root / "tests/prompt"))
    import tempfile

    from run import Screen
    with tempfile.TemporaryDirectory(prefix="snug-prompt-") as folder:
        screen = Screen(folder)
        screen.size = f"{COLUMNS}x{ROWS}"
        screen.options = "--full --allow pandas"
        try:
            for line in (SESSION + ENDS[scheme]).strip().splitlines():
                screen.step(line)
            shown = screen.tmux("capture-pane", "-e", "-p").stdout
        finally:
            screen.close()
    return shown.rstrip("\n").split("\n")


def run(root, snug):
    return {scheme: screen_of(root, snug, scheme) for scheme in ENDS}


def record(root, snug):
    (root / "docs/pictures/prompt.json").write_text(json.dumps(run(root, snug), indent=1) + "\n", encoding="utf-8")


def comparable(screens):
    """What is seen in each row: each tmux writes it otherwise. The seconds of the cell differ, and what versions of
    Python, pandas and numpy write."""
    seen = {}
    for scheme, rows in screens.items():
        rows = [re.sub(r"np\.float64\((.*?)\)", r"\1", row) for row in rows]
        rows = [re.sub(r"\d+ s;|3\.\d+\.\d+|sales\.mean\(.*", "N", row) for row in rows]
        seen[scheme] = []
        for row in pieces(rows, scheme):
            merged = []
            for *style, text in row:
                if merged and merged[-1][0] == style:
                    merged[-1][1] += text
                else:
                    merged.append([style, text])
            if merged:
                merged[-1][1] = merged[-1][1].rstrip()
            seen[scheme].append(merged)
    return seen


def recorded(root):
    return json.loads((root / "docs/pictures/prompt.json").read_text(encoding="utf-8"))


def pieces(rows, scheme):
    """[(class of the ink, bold, reversed, text)] of each row; what is set in one row holds in the next."""
    ink, bold, turned = f"p_{scheme}", False, False
    for row in rows:
        found = []
        for codes, text in re.findall(r"(?:\x1b\[([\d;]*)m)?([^\x1b]*)", row.replace("\x0f", "")):
            for value in map(int, re.findall(r"\d+", codes or "")):
                if value in (0, 39):
                    ink = f"p_{scheme}"
                bold = value == 1 or (bold and value != 0)
                turned = value == 7 or (turned and value not in (0, 27))
                for base in (30, 90):
                    if base <= value < base + 8:
                        ink = f"{NAMES[value - base]}_{scheme}"
            if text:
                found.append((ink, bold, turned, text))
        yield found


def draw_scheme(root, scheme):
    rows = list(pieces(recorded(root)[scheme], scheme))
    words = "\n".join("".join(text for *_, text in row).rstrip() for row in rows)
    page = Page(660, TOP + STEP * len(rows) + 2, f"The prompt on a {scheme} background", words)
    page.rect(0.5, 0.5, page.across - 1, page.down - 1, f"w_{scheme}", "edge", 8)
    for i, row in enumerate(rows):
        x = LEFT
        for ink, bold, turned, text in row:
            wide = width(text, SIZE, mono=True)
            if turned:
                page.rect(x, TOP + STEP * i - 13, wide, STEP, f"s_{scheme}")
            if text.strip():
                page.text(x, TOP + STEP * i, text, SIZE, ink, mono=True,
                          extra=' style="font-weight:600"' if bold else "")
            x += wide
    return page


def draw_dark(root):
    return draw_scheme(root, "dark")


def draw_light(root):
    return draw_scheme(root, "light")
