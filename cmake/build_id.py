"""Write the C file that names these sources: their version, and a sum of what libsnug and its engines are made of.

build_id.py SOURCE_DIR VERSION OUT DEPFILE

Not the layer py, of which an engine for another Python is compiled otherwise, nor how it is compiled.
"""
import hashlib
import pathlib
import sys

FOLDERS = ("include/snug", "src/base", "src/wire", "src/policy", "src/limits", "src/capture", "src/calls",
           "src/session", "src/worker/protocol", "src/worker/client")
HEADERS = ("src/py",)


def sources(root):
    """The files, in an order that is the same everywhere."""
    found = [path for folder in FOLDERS for path in (root / folder).rglob("*.[ch]")]
    return sorted(found + [path for folder in HEADERS for path in (root / folder).rglob("*.h")])


def main():
    root, version, out, depfile = sys.argv[1:]
    total = hashlib.sha256()
    files = sources(pathlib.Path(root))
    for path in files:
        total.update(f"{path.relative_to(root)}\n".encode() + path.read_bytes())
    pathlib.Path(out).write_text(f'#define ENGINE_BUILD "{version}-{total.hexdigest()[:16]}"\n', encoding="utf-8")
    pathlib.Path(depfile).write_text(f"{out}: " + " \\\n ".join(map(str, files)) + "\n", encoding="utf-8")


main()
