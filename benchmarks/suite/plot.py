"""A group of a report as a drawing. dots: a panel for each row, with a dot and its spread for each
program on one scale. lines: what grows with the number of sessions, a line a program."""
import math

from suite import figures
from suite.canvas import Canvas
from suite.report import programs_in, title_of

OWN, OTHER, GRID, FAINT = "#0b6e4f", "#44546a", "#e3e6ea", "#6b7480"
LINE_COLORS = ("#0b6e4f", "#1f77b4", "#d1495b", "#edae49", "#6a4c93", "#00798c", "#8d6a4f",
               "#e36588", "#3d405b", "#7a9e3a", "#b5651d", "#5b5b5b", "#c200fb")
SNUG = ("snug", "caller", "cells", "worker", "own", "agent")
AXES = {"ns": "time", "KiB": "memory of all processes (PSS)", "/s": "turns a second"}


class Scale:
    """Values onto a stretch of pixels: by decades where they span more than one, else from 0."""

    def __init__(self, values, start, end, is_log=None):
        low, high = min(values), max(values)
        self.is_log = (low > 0 and high / low > 10) if is_log is None else is_log
        self.start, self.end = start, end
        if self.is_log:
            self.low = math.floor(math.log10(low) + 1e-9)
            self.high = max(self.low + 1, math.ceil(math.log10(high) - 1e-9))
        else:
            self.low, self.high = 0, high * 1.05 or 1

    def __call__(self, value):
        if self.is_log:
            value = math.log10(max(value, 10 ** self.low))
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self):
        if self.is_log:
            return [10 ** power for power in range(self.low, self.high + 1)]
        step = 10 ** math.floor(math.log10(self.high))
        while self.high / step < 4:
            step /= 2
        return [step * n for n in range(int(self.high / step) + 1)]


def tick_text(value, unit):
    return figures.quantity(value, unit) if value else "0"


# ---- dots ----------------------------------------------------------------------

ROW, HEAD, FOOT, PLOT, VALUES, COLUMNS = 17, 30, 26, 250, 66, 2
TOP, MARGIN, TICK = 64, 16, 42


def width_of(texts, size):
    """As much as any of them may take: bold letters are three quarters of their height wide."""
    return math.ceil(max(map(len, texts)) * size * 0.72)


def panel_rows(group):
    """Rows with the programs that have a figure, the least first."""
    for row in group["rows"]:
        middles = {name: figures.middle(row["figures"].get(name)) for name in programs_in(group)}
        known = [name for name in middles if middles[name]]
        if known:
            yield row, sorted(known, key=middles.get)


def draw_panel(canvas, report, row, names, scale, left, y):
    bottom = y + HEAD + ROW * len(names)
    canvas.text(left, y + 16, row["name"], size=12, is_bold=True)
    ticks = scale.ticks()
    every = math.ceil(len(ticks) * TICK / PLOT)
    for number, tick in enumerate(ticks):
        at = left + scale(tick)
        canvas.line([(at, y + HEAD - 6), (at, bottom)], GRID)
        if number % every == 0:
            canvas.text(at, bottom + 13, tick_text(tick, row["unit"]), size=9, anchor="middle",
                        color=FAINT)
    for number, name in enumerate(names):
        samples, middle = row["figures"][name], figures.middle(row["figures"][name])
        color = OWN if name in SNUG else OTHER
        at = y + HEAD + ROW * number + ROW / 2
        low, high = figures.spread(samples)
        canvas.text(left - 8, at + 4, title_of(report, name), anchor="end", color=color,
                    is_bold=name in SNUG)
        canvas.line([(left + scale(low), at), (left + scale(high), at)], color, 2)
        canvas.dot(left + scale(middle), at, color)
        canvas.text(left + scale(max(middle, high)) + 8, at + 4,
                    figures.quantity(middle, row["unit"]), size=10, color=color)


def dots(report, group):
    panels = list(panel_rows(group))
    if not panels:
        return None
    values = [end for row, names in panels for name in names
              for end in figures.spread(row["figures"][name])]
    is_log = min(values) > 0 and max(values) / min(values) > 10
    scale = Scale(values, 0, PLOT, is_log)
    titles = width_of([title_of(report, name) for _, names in panels for name in names], 11) + 8
    width = titles + PLOT + VALUES
    heights = [HEAD + ROW * len(names) + FOOT for _, names in panels]
    # Panels go into the column that is shorter so far.
    ends, places = [TOP] * min(COLUMNS, len(panels)), []
    for height in heights:
        column = ends.index(min(ends))
        places.append((MARGIN + column * (width + MARGIN) + titles, ends[column]))
        ends[column] += height
    canvas = Canvas(2 * MARGIN + len(ends) * width + (len(ends) - 1) * MARGIN, max(ends) + 24)
    draw_title(canvas, report, group)
    for (row, names), place in zip(panels, places):
        draw_panel(canvas, report, row, names, scale, *place)
    unit = AXES[panels[0][0]["unit"]]
    canvas.text(canvas.width / 2, canvas.height - 10, f"{unit}{', by decades' if is_log else ''}; "
                "dot: median of the rounds, line: their spread", anchor="middle", size=10,
                color=FAINT)
    return canvas


def draw_title(canvas, report, group):
    machine = report["machine"]
    canvas.text(MARGIN, 26, group["title"], size=16, is_bold=True)
    canvas.text(MARGIN, 44, f"{machine['processor']}, {machine['processors']} processors, Linux "
                f"{machine['kernel']}; {report['rounds']} rounds", size=10, color=FAINT)


# ---- lines ---------------------------------------------------------------------

RIGHT, HEIGHT, LEFT, BOTTOM, LABEL = 670, 520, 84, 56, 15


def spread_out(places, low, high):
    """Heights for labels, each near its own place and none over another."""
    found = []
    for place in sorted(places):
        found.append(max(place, found[-1] + LABEL) if found else max(place, low))
    over = found[-1] - high if found else 0
    if over > 0:
        found = [place - over for place in found]
    order = sorted(range(len(places)), key=places.__getitem__)
    return [found[order.index(number)] for number in range(len(places))]


# The unit of an axis, and how many of the row's unit it has: decades of KiB are not of MiB.
AXIS_UNITS = {"KiB": ("MiB", 1024), "/s": ("/s", 1), "ns": ("ns", 1)}


def points_of(group, name, size):
    return [(row["x"], figures.middle(row["figures"][name]) / size) for row in group["rows"]
            if row["x"] and figures.middle(row["figures"].get(name)) is not None]


def draw_axes(canvas, x, y, counts, unit, name):
    for tick in x.ticks() if x.is_log else counts:
        canvas.line([(x(tick), TOP), (x(tick), HEIGHT - BOTTOM)], GRID)
        canvas.text(x(tick), HEIGHT - BOTTOM + 16, figures.digits(tick), size=10, anchor="middle",
                    color=FAINT)
    for tick in y.ticks():
        canvas.line([(LEFT, y(tick)), (RIGHT, y(tick))], GRID)
        canvas.text(LEFT - 6, y(tick) + 4, tick_text(tick, unit), size=10, anchor="end",
                    color=FAINT)
    canvas.text(20, (TOP + HEIGHT - BOTTOM) / 2, f"{name}{', by decades' if y.is_log else ''}",
                anchor="middle", is_upright=True)
    canvas.text((LEFT + RIGHT) / 2, HEIGHT - 14,
                f"sessions{', by decades' if x.is_log else ''}", anchor="middle")


def lines(report, group):
    unit, size = AXIS_UNITS[group["rows"][0]["unit"]]
    series = [(name, points_of(group, name, size)) for name in programs_in(group)]
    series = [(name, points) for name, points in series if points]
    if not series:
        return None
    counts = sorted({at for _, points in series for at, _ in points})
    labels = {name: f"{title_of(report, name)} "
              + figures.quantity(points[-1][1] * size, group["rows"][0]["unit"])
              for name, points in series}
    canvas = Canvas(RIGHT + 9 + width_of(labels.values(), 10), HEIGHT)
    x = Scale(counts, LEFT, RIGHT)
    y = Scale([value for _, points in series for _, value in points], HEIGHT - BOTTOM, TOP)
    draw_title(canvas, report, group)
    draw_axes(canvas, x, y, counts, unit, AXES[group["rows"][0]["unit"]])
    # Labels stand to the right of the drawing, none on another; a thin line leads to each.
    heights = spread_out([y(points[-1][1]) for _, points in series], TOP, HEIGHT - BOTTOM)
    for number, (name, points) in enumerate(series):
        color = LINE_COLORS[number % len(LINE_COLORS)]
        places = [(x(at), y(value)) for at, value in points]
        canvas.line(places, color, 3 if name in SNUG else 1.5)
        for place in places:
            canvas.dot(*place, color)
        canvas.line([places[-1], (RIGHT, heights[number]), (RIGHT + 6, heights[number])], color, 0.5)
        canvas.text(RIGHT + 9, heights[number] + 4, labels[name], size=10, color=color,
                    is_bold=name in SNUG)
    return canvas


DRAW = {"dots": dots, "lines": lines}


def draw(report, group):
    """A canvas; None where there is nothing to be seen."""
    return DRAW[group["plot"]](report, group) if group["plot"] in DRAW else None
