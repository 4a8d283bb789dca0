"""Compile the prompt templates into one C file (agent/template/prompts.h).

usage: embed.py OUTPUT FILE...

The first line of a file is a remark, {{! ... }}, that says what the template is for; it is not part of
the text.
"""
import pathlib
import re
import sys

ABOUT = re.compile(r'\{\{! ([^"\\?]+) \}\}', re.ASCII)


def text(index, data):
    # An array of numbers: the longest literal that C11 promises has 4095 bytes.
    yield f"static const char text{index}[] = {{"
    numbers = [b - 256 if b > 127 else b for b in data] + [0]
    for i in range(0, len(numbers), 20):
        yield "    " + " ".join(f"{n}," for n in numbers[i:i + 20])
    yield "};"


def generate(paths):
    rows = []
    yield "/* Made by embed.py. */"
    yield '#include "agent/template/prompts.h"'
    for i, path in enumerate(paths):
        head, data = path.read_bytes().split(b"\n", 1)
        about = ABOUT.fullmatch(head.decode())
        if not about:
            sys.exit(f"{path}, line 1: no remark that says what the template is for")
        yield from text(i, data)
        rows.append(f'    {{ {{ "{path.stem}", "{about[1]}" }}, text{i} }},')
    yield "const prompt prompts_built_in[] = {"
    yield from rows
    yield "    { { NULL, NULL }, NULL },"
    yield "};"


def main():
    output, *files = map(pathlib.Path, sys.argv[1:])
    output.write_text("\n".join(generate(files)) + "\n")


main()
