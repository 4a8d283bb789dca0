"""A drawing: lines, dots and texts in a coordinate system with y downwards, as SVG, and as PNG
where something here makes one of it."""
import json
import os
import shutil
import subprocess
from xml.sax.saxutils import escape

from suite.programs import has_modules

FONT = "DejaVu Sans, Verdana, sans-serif"

# Draws the shapes again where only matplotlib is there: canvas.json, out.png.
MATPLOTLIB = """
import json, sys
import matplotlib
matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.lines import Line2D
drawing = json.load(open(sys.argv[1]))
figure = pyplot.figure(figsize=(drawing["width"] / 72, drawing["height"] / 72), dpi=144)
axes = figure.add_axes([0, 0, 1, 1])
axes.set_xlim(0, drawing["width"])
axes.set_ylim(drawing["height"], 0)
axes.axis("off")
for kind, fields in drawing["shapes"]:
    if kind == "line":
        axes.add_line(Line2D(*zip(*fields["points"]), color=fields["color"],
                             linewidth=fields["width"]))
    elif kind == "dot":
        axes.plot([fields["x"]], [fields["y"]], "o", color=fields["color"],
                  markersize=2 * fields["radius"])
    else:
        place = {"start": "left", "middle": "center", "end": "right"}[fields["anchor"]]
        axes.text(fields["x"], fields["y"], fields["text"].replace("$", r"\\$"),
                  fontsize=fields["size"], color=fields["color"], ha=place, va="baseline",
                  rotation=90 if fields["is_upright"] else 0, rotation_mode="anchor",
                  weight="bold" if fields["is_bold"] else "normal")
figure.savefig(sys.argv[2])
"""


class Canvas:
    def __init__(self, width, height):
        self.width, self.height = width, height
        self.shapes = []

    def line(self, points, color="#000000", width=1.0):
        points = [(round(x, 1), round(y, 1)) for x, y in points]
        self.shapes.append(("line", {"points": points, "color": color, "width": width}))

    def dot(self, x, y, color, radius=3.5):
        self.shapes.append(("dot", {"x": round(x, 1), "y": round(y, 1), "color": color,
                                    "radius": radius}))

    def text(self, x, y, text, size=11, anchor="start", color="#222222", is_bold=False,
             is_upright=False):
        self.shapes.append(("text", {"x": round(x, 1), "y": round(y, 1), "text": text, "size": size,
                                     "anchor": anchor, "color": color, "is_bold": is_bold,
                                     "is_upright": is_upright}))

    def svg(self):
        draw = {"line": svg_line, "dot": svg_dot, "text": svg_text}
        shapes = "\n".join(draw[kind](**fields) for kind, fields in self.shapes)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" '
                f'height="{self.height}" viewBox="0 0 {self.width} {self.height}" '
                f'font-family="{FONT}">\n<rect width="100%" height="100%" fill="#ffffff"/>\n'
                f"{shapes}\n</svg>\n")


def svg_line(points, color, width):
    path = " ".join(f"{x},{y}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{width}"/>'


def svg_dot(x, y, color, radius):
    return f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{color}"/>'


def svg_text(x, y, text, size, anchor, color, is_bold, is_upright):
    turned = f' transform="rotate(-90 {x} {y})"' if is_upright else ""
    weight = ' font-weight="bold"' if is_bold else ""
    return (f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" fill="{color}"'
            f"{weight}{turned}>{escape(text)}</text>")


# ---- files ---------------------------------------------------------------------


def converter(python):
    """A function that makes PNG of a canvas and its SVG, and None; or None, and why not."""
    if shutil.which("rsvg-convert"):
        return by_rsvg, None
    if has_modules(python, "matplotlib"):
        return lambda canvas, svg, png: by_matplotlib(python, canvas, png), None
    return None, ("no PNG: there is neither rsvg-convert (apt-get install librsvg2-bin) nor "
                  f"matplotlib for {python}")


def by_rsvg(canvas, svg, png):
    subprocess.run(["rsvg-convert", "--zoom", "2", "-o", png, svg], check=True)


def by_matplotlib(python, canvas, png):
    shapes = png + ".json"
    with open(shapes, "w") as out:
        json.dump({"width": canvas.width, "height": canvas.height, "shapes": canvas.shapes}, out)
    try:
        subprocess.run([python, "-c", MATPLOTLIB, shapes, png], check=True)
    finally:
        os.unlink(shapes)


def write(canvas, folder, name, convert):
    svg = os.path.join(folder, name + ".svg")
    with open(svg, "w") as out:
        out.write(canvas.svg())
    if convert:
        convert(canvas, svg, os.path.join(folder, name + ".png"))
    return svg
