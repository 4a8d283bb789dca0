"""Make C strings of texts.

usage: embed.py OUT FILE...
"""
import pathlib
import sys

out, *files = map(pathlib.Path, sys.argv[1:])
lines = ['#include "bash/prelude.h"\n']
for file in files:
    escaped = file.read_text().replace("\\", "\\\\").replace('"', '\\"')
    rows = "\n".join(f'    "{line}\\n"' for line in escaped.splitlines())
    lines.append(f"const char bash_{file.stem}[] =\n{rows};\n")
out.write_text("\n".join(lines))
