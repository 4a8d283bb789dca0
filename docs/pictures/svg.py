"""A page of SVG: boxes, lines, arrows and words, readable on light and on dark.

A page knows where its words are, so that a test can ask whether two of them stand on each other
(`overlaps`). Widths are estimated for DejaVu Sans, which is wider than most.
"""
import re
from xml.sax.saxutils import escape

# class: (light, dark)
COLOURS = {
    "card": ("#ffffff", "#0d1117"),
    "edge": ("#d0d7de", "#3d444d"),
    "ink": ("#1f2328", "#e6edf3"),
    "soft": ("#59636e", "#9198a1"),
    "grid": ("#e6eaef", "#21262d"),
    "snug": ("#0969da", "#4493f8"),
    "snug2": ("#80b8f5", "#1f5fae"),
    "peer": ("#8c959f", "#848d97"),
    "peer2": ("#c9d1d9", "#4b535d"),
    "good": ("#1a7f37", "#3fb950"),
    "warn": ("#bc4c00", "#db8a4a"),
    "bad": ("#cf222e", "#f85149"),
    "tint": ("#f0f6fe", "#122033"),
    "tint2": ("#f6f8fa", "#161b22"),
}
SANS = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"
MONO = "ui-monospace, SFMono-Regular, Menlo, 'DejaVu Sans Mono', monospace"
NARROW, WIDE = set("iljtfr.,:;|!'()[]I "), set("mwMWGOQ@%")


def width(text, size, mono=False):
    """What a line of text takes at most."""
    if mono:
        return 0.602 * size * len(text)
    return size * sum(0.36 if c in NARROW else 0.95 if c in WIDE else 0.69 if c.isupper() else 0.615
                      for c in text)


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


class Page:
    def __init__(self, across, down, title, about):
        self.across, self.down, self.title, self.about = across, down, title, about
        self.parts, self.words = [], []
        self.css = []
        self.rect(0.5, 0.5, across - 1, down - 1, "card", line="edge", round=8)

    def add(self, part):
        self.parts.append(part)

    def rect(self, x, y, w, h, fill, line=None, round=0, dash=None):
        classes = f"f-{fill}" + (f" l-{line}" if line else "")
        self.add(f'<rect x="{number(x)}" y="{number(y)}" width="{number(w)}" height="{number(h)}"'
                 + (f' rx="{round}"' if round else "")
                 + (f' stroke-dasharray="{dash}"' if dash else "") + f' class="{classes}"/>')

    def line(self, x1, y1, x2, y2, colour="grid", wide=1, dash=None, arrow=False):
        self.path(f"M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}", colour, wide, dash, arrow)

    def path(self, d, colour="soft", wide=1.5, dash=None, arrow=False):
        self.add(f'<path d="{d}" fill="none" stroke-width="{wide}" class="l-{colour}"'
                 + (f' stroke-dasharray="{dash}"' if dash else "")
                 + (f' marker-end="url(#to-{colour})"' if arrow else "") + "/>")

    def text(self, x, y, words, size=13, colour="ink", anchor="start", bold=False, mono=False,
             extra=""):
        w = width(words, size, mono) * (1.06 if bold else 1)
        left = x - {"start": 0, "middle": w / 2, "end": w}[anchor]
        self.words.append((left, y - 0.8 * size, left + w, y + 0.22 * size, words))
        self.add(f'<text x="{number(x)}" y="{number(y)}" font-size="{number(size)}"'
                 + (f' text-anchor="{anchor}"' if anchor != "start" else "")
                 + (' font-weight="600"' if bold else "") + (" xml:space=\"preserve\"" if mono else "")
                 + f' class="f-{colour}{" mono" if mono else ""}"{extra}>{escape(words)}</text>')

    def box(self, x, y, w, h, lines, fill="tint2", line="edge", size=13, round=6, dash=None):
        """A box with lines in its middle; the first is its name."""
        self.rect(x, y, w, h, fill, line, round, dash)
        step = size * 1.35
        top = y + h / 2 - step * (len(lines) - 1) / 2 + size * 0.35
        for i, words in enumerate(lines):
            self.text(x + w / 2, top + i * step, words, size if i == 0 else size - 1.5,
                      "ink" if i == 0 else "soft", "middle", bold=i == 0)

    def overlaps(self):
        """The pairs of words that touch, and those that leave the page."""
        found = []
        for i, (l, t, r, b, words) in enumerate(self.words):
            if l < 0 or t < 0 or r > self.across or b > self.down:
                found.append((words, "the edge of the page"))
            for l2, t2, r2, b2, other in self.words[:i]:
                if l < r2 and l2 < r and t < b2 and t2 < b:
                    found.append((words, other))
        return found

    def style(self, dark=None):
        """dark: of one scheme only; None: as the reader's."""
        used = set(re.findall(r"\b([fl])-(\w+)", "".join(self.parts)))
        used |= {("f", name) for kind, name in used if kind == "l"} # of arrows' heads

        def rules(which):
            return "".join(f".{kind}-{name}{{{'fill' if kind == 'f' else 'stroke'}:"
                           f"{COLOURS[name][which]}}}" for kind, name in sorted(used))
        text = f"text{{font-family:{SANS}}}.mono{{font-family:{MONO}}}" + "".join(self.css)
        if dark is not None:
            return text + rules(dark)
        return text + rules(0) + f"@media(prefers-color-scheme:dark){{{rules(1)}}}"

    def svg(self, dark=None):
        used = {name for name in COLOURS if any(f"url(#to-{name})" in part for part in self.parts)}
        heads = "".join(
            f'<marker id="to-{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7"'
            f' markerHeight="7" orient="auto"><path d="M0 0.5L8 4L0 7.5z" class="f-{name}"/></marker>'
            for name in sorted(used))
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.across}" height="{self.down}"'
                f' viewBox="0 0 {self.across} {self.down}" role="img">\n'
                f"<title>{escape(self.title)}</title>\n<desc>{escape(self.about)}</desc>\n"
                f"<style>{self.style(dark)}</style>\n"
                + (f"<defs>{heads}</defs>\n" if heads else "") + "\n".join(self.parts) + "\n</svg>\n")
