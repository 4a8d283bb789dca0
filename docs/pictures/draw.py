"""Draws the pictures of the docs from what they show: results, tables in the code, a real run.

draw.py [--check] [--png FOLDER] [--record SNUG] [NAME...]

--check     compares with what is in this folder, and says which pictures are not current
--png       renders each, light and dark, by rsvg-convert, to look at
--record    repeats the runs that terminal.json and prompt.json have, or those of the pictures named
"""
import argparse
import importlib
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE)]
# file: (module, function)
PICTURES = {
    "turns": ("turns", "draw"),
    "how-it-works": ("processes", "draw"),
    "stop-ladder": ("ladder", "draw"),
    "agent-loop": ("loop", "draw"),
    "layers": ("layers", "draw"),
    "terminal": ("terminal", "draw"),
    "prompt-dark": ("prompt", "draw_dark"),
    "prompt-light": ("prompt", "draw_light"),
}
RECORDINGS = ("terminal", "prompt")


def page(name):
    module, function = PICTURES[name]
    return getattr(importlib.import_module(module), function)(ROOT)


def render(name, folder):
    for dark, scheme in ((0, "light"), (1, "dark")):
        subprocess.run(["rsvg-convert", "--zoom", "1.5", "-o", f"{folder}/{name}-{scheme}.png"],
                       input=page(name).svg(dark).encode(), check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--png")
    parser.add_argument("--record", metavar="SNUG")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    if options.record:
        for module in RECORDINGS:
            if not options.names or any(PICTURES[name][0] == module for name in options.names):
                importlib.import_module(module).record(ROOT, options.record)
    stale = 0
    for name in options.names or PICTURES:
        drawn, file = page(name), HERE / f"{name}.svg"
        for words, other in drawn.overlaps():
            print(f'{name}: "{words}" stands on "{other}"', file=sys.stderr)
            stale = 1
        if options.png:
            render(name, options.png)
        elif not options.check:
            file.write_text(drawn.svg(), encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != drawn.svg():
            print(f"{file.relative_to(ROOT)} is not current: run docs/pictures/draw.py {name}",
                  file=sys.stderr)
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
