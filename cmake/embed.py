"""Compile texts into one C file.

usage: embed.py FORM OUTPUT FILE...

FORM is a name in FORMS: what the files are, and which header declares them. freeze.py uses the functions
at the top for code.
"""
import pathlib
import re
import sys


def array(declaration, numbers, columns):
    """The longest literal that C11 promises has 4095 bytes; an array of numbers may be longer."""
    yield f"{declaration}[] = {{"
    for i in range(0, len(numbers), columns):
        yield "    " + " ".join(f"{n}," for n in numbers[i:i + columns])
    yield "};"


def text(declaration, data):
    return array(declaration, [b - 256 if b > 127 else b for b in data] + [0], 20)


def literal(data):
    if data is None:
        return "NULL"
    escapes = {'"': '\\"', "\\": "\\\\", "?": "\\?"}
    # Octal escapes end after three digits, unlike hexadecimal ones.
    return '"' + "".join(escapes.get(chr(b), chr(b)) if 32 <= b < 127 else f"\\{b:03o}"
                         for b in data.encode()) + '"'


def write(output, maker, header, lines):
    head = [f"/* Made by {maker}. */", f'#include "{header}"']
    pathlib.Path(output).write_text("\n".join([*head, *lines]) + "\n")


# ---- the templates of prompts ----

ABOUT = re.compile(r'\{\{! ([^"\\?]+) \}\}', re.ASCII)


def prompts(paths):
    """The first line of a file is a remark, {{! ... }}, that says what the template is for; it is not
    part of the text."""
    rows = []
    for i, path in enumerate(paths):
        head, data = path.read_bytes().split(b"\n", 1)
        about = ABOUT.fullmatch(head.decode())
        if not about:
            sys.exit(f"{path}, line 1: no remark that says what the template is for")
        yield from text(f"static const char text{i}", data)
        rows.append(f'    {{ {{ "{path.stem}", "{about[1]}" }}, text{i} }},')
    yield "const prompt prompts_built_in[] = {"
    yield from rows
    yield "    { { NULL, NULL }, NULL },"
    yield "};"


# ---- stdlib_allowlist: calls.txt and alternatives.txt become tables, every other file is a profile ----

CALL = re.compile(r"([\w.]+\*?|[\w.]+\.\*)\s+([\w-]+)\s+(\S.*)", re.ASCII)
ALTERNATIVE = re.compile(r"([\w.]+)(?:\s+\(([\w-]+)\))?:\s+(\S.*)", re.ASCII)


def table(path, pattern, form):
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


def allowlist(paths):
    profiles = [p for p in paths if p.name not in ("calls.txt", "alternatives.txt")]
    tables = {p.name: p for p in paths if p not in profiles}
    for i, path in enumerate(profiles):
        yield from text(f"static const char text{i}", path.read_bytes())
    yield "const policy_file policy_files[] = {"
    for i, path in enumerate(profiles):
        yield f"    {{ {literal(path.name)}, text{i}, sizeof text{i} - 1 }},"
    yield "    { NULL, NULL, 0 },"
    yield "};"
    yield "const policy_call policy_calls[] = {"
    for pattern, name, reason in table(tables["calls.txt"], CALL, "pattern profile reason"):
        name = None if name == "all" else name
        yield f"    {{ {literal(name)}, {{ {literal(pattern)}, {literal(reason)} }} }},"
    yield "    { NULL, { NULL, NULL } },"
    yield "};"
    yield "const policy_alternative policy_alternatives[] = {"
    form = "module: text or module (profile): text"
    for module, name, instead in table(tables["alternatives.txt"], ALTERNATIVE, form):
        yield f"    {{ {literal(module)}, {literal(name)}, {literal(instead)} }},"
    yield "    { NULL, NULL, NULL },"
    yield "};"


# ---- what a shell reads first ----

def shell(paths):
    for path in paths:
        yield from text(f"const char bash_{path.stem}", path.read_bytes())


# ---- the presets of the configuration ----

def presets(paths):
    """The first line of a file is a comment that says what the preset is for."""
    rows = []
    for i, path in enumerate(paths):
        data = path.read_bytes()
        head = data.split(b"\n", 1)[0].decode()
        if not head.startswith("# "):
            sys.exit(f"{path}, line 1: no comment that says what the preset is for")
        yield from text(f"static const char text{i}", data)
        rows.append(f"    {{ {literal(path.stem)}, {literal(head[2:])}, text{i} }},")
    yield "const preset presets_built_in[] = {"
    yield from rows
    yield "    { NULL, NULL, NULL },"
    yield "};"


FORMS = {
    "allowlist": ("policy/files.h", allowlist),
    "presets": ("cli/program/presets.h", presets),
    "prompts": ("agent/template/prompts.h", prompts),
    "shell": ("bash/prelude.h", shell),
}


def main():
    form, output, *paths = sys.argv[1:]
    header, generate = FORMS[form]
    write(output, "embed.py", header, generate([pathlib.Path(p) for p in paths]))


if __name__ == "__main__":
    main()
