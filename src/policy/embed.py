"""Compile the files of stdlib_allowlist/ into one C file (policy/files.h).

usage: embed.py OUTPUT FILE...

calls.txt and alternatives.txt become tables; every other file is a profile and
goes in as it is.
"""
import pathlib
import re
import sys

CALL = re.compile(r"([\w.]+\*?|[\w.]+\.\*)\s+([\w-]+)\s+(\S.*)", re.ASCII)
ALTERNATIVE = re.compile(r"([\w.]+)(?:\s+\(([\w-]+)\))?:\s+(\S.*)", re.ASCII)


def rows(path, pattern, form):
    """The groups of each line of a table, in the file's order."""
    seen = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        match = pattern.fullmatch(line)
        if not match:
            sys.exit(f"{path}, line {number}: not of the form {form}")
        before = seen.setdefault(match.groups()[:2], number)
        if before != number:
            sys.exit(f"{path}, line {number}: stands on line {before} already")
        yield match.groups()


def literal(text):
    if text is None:
        return "NULL"
    escapes = {'"': '\\"', "\\": "\\\\", "?": "\\?"}
    # Octal escapes end after three digits, unlike hexadecimal ones.
    return '"' + "".join(escapes.get(chr(b), chr(b)) if 32 <= b < 127 else f"\\{b:03o}"
                         for b in text.encode()) + '"'


def profile(index, data):
    # An array of numbers: the longest literal that C11 promises has 4095 bytes.
    yield f"static const char text{index}[] = {{"
    numbers = [b - 256 if b > 127 else b for b in data] + [0]
    for i in range(0, len(numbers), 20):
        yield "    " + " ".join(f"{n}," for n in numbers[i:i + 20])
    yield "};"


def generate(paths):
    profiles = [p for p in paths if p.name not in ("calls.txt", "alternatives.txt")]
    tables = {p.name: p for p in paths if p not in profiles}
    yield "/* Made by embed.py. */"
    yield '#include "policy/files.h"'
    for i, path in enumerate(profiles):
        yield from profile(i, path.read_bytes())
    yield "const policy_file policy_files[] = {"
    for i, path in enumerate(profiles):
        yield f"    {{ {literal(path.name)}, text{i}, sizeof text{i} - 1 }},"
    yield "    { NULL, NULL, 0 },"
    yield "};"
    yield "const policy_call policy_calls[] = {"
    for pattern, name, reason in rows(tables["calls.txt"], CALL, "pattern profile reason"):
        name = None if name == "all" else name
        yield f"    {{ {literal(name)}, {{ {literal(pattern)}, {literal(reason)} }} }},"
    yield "    { NULL, { NULL, NULL } },"
    yield "};"
    yield "const policy_alternative policy_alternatives[] = {"
    form = "module: text or module (profile): text"
    for module, name, text in rows(tables["alternatives.txt"], ALTERNATIVE, form):
        yield f"    {{ {literal(module)}, {literal(name)}, {literal(text)} }},"
    yield "    { NULL, NULL, NULL },"
    yield "};"


def main():
    output, *files = map(pathlib.Path, sys.argv[1:])
    output.write_text("\n".join(generate(files)) + "\n")


main()
