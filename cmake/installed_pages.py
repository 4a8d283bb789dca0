"""Copy the pages and examples as they are installed: each link leads to what is installed too.

usage: installed_pages.py SOURCE OUTPUT PLACES INCLUDES PROFILES

PLACES, INCLUDES and PROFILES are the folders in which OUTPUT, include and stdlib_allowlist will be. Links to
headers and profiles lead there; one to what only the sources have becomes its words, with the path.
"""
import os
import pathlib
import re
import shutil
import sys

PAGES = ["README.md", "SECURITY.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"]
FOLDERS = ["docs", "examples"]
# What draws the pictures, and what Python leaves.
LEFT_OUT = re.compile(r"^docs/pictures/.*\.(py|json)$|__pycache__")
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[([^]\[]+)\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]*)?\)")


def main(source, output, places, includes, profiles):
    source, output = pathlib.Path(source).resolve(), pathlib.Path(output)
    elsewhere = {"include": includes, "stdlib_allowlist": f"{profiles}/stdlib_allowlist"}
    files = [source / name for name in PAGES]
    files += [path for folder in FOLDERS for path in (source / folder).rglob("*") if path.is_file()]
    files = [path for path in files if not LEFT_OUT.search(str(path.relative_to(source)))]
    installed = {parent for path in files for parent in (path, *path.parents) if source in parent.parents}

    def mended(page, text):
        def link(match):
            words, path, anchor = match[1], match[2], match[3] or ""
            target = pathlib.Path(os.path.normpath(page.parent / path))
            name = target.relative_to(source)
            if target in installed:
                return match[0]
            if name.parts[0] in elsewhere:
                place = pathlib.Path(elsewhere[name.parts[0]], *name.parts[1:])
                folder = pathlib.Path(places, page.parent.relative_to(source))
                return f"[{words}]({os.path.relpath(place, folder)}{anchor})"
            return words if str(name) in words else f"{words} (`{name}` of the sources)"

        # Code between fences stays as it is.
        parts = FENCED.split(text)
        parts[::2] = [LINK.sub(link, part) for part in parts[::2]]
        return "".join(parts)

    shutil.rmtree(output, ignore_errors=True)
    for path in files:
        copy = output / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            copy.write_text(mended(path, path.read_text(encoding="utf-8")), encoding="utf-8")
        else:
            shutil.copy2(path, copy)


main(*sys.argv[1:])
