"""Copies the public headers without their comments, as callers of a version have compiled them.

freeze.py INCLUDE_DIR OUT_DIR            as they are
freeze.py INCLUDE_DIR OUT_DIR --older    each struct with a size is without its last member
freeze.py INCLUDE_DIR OUT_DIR --newer    each has two members more, later_number and later_text
"""
import pathlib
import re
import sys

from interface import LIBRARIES, stripped


def sized(text):
    """(whole, name, members) of each struct that begins with its size."""
    for found in re.finditer(r"^typedef struct \w+ \{\n\s*size_t size;\n(.*?)\} (\w+);", text,
                             re.MULTILINE | re.DOTALL):
        yield found[0], found[2], found[1]


def without_last(members):
    *before, last = [part for part in members.split(";") if part.strip()]
    if "," in last and "(" not in last:  # of several in one declaration
        before.append(last.rpartition(",")[0])
    return ";".join(before) + ";\n"


def older(text):
    for whole, name, members in list(sized(text)):
        text = text.replace(whole, whole.replace(members, without_last(members)))
        text = change_macro(text, name, lambda values: values.rpartition(",")[0])
    return text


def newer(text):
    for whole, name, members in list(sized(text)):
        more = members.rstrip() + "\n    uint64_t later_number;\n    const char *later_text;\n"
        text = text.replace(whole, whole.replace(members, more))
        text = change_macro(text, name, lambda values: values + ", 0, NULL")
    return text


def change_macro(text, name, change):
    """Of the values between its braces."""
    pattern = rf"(#define {name.upper()}_INIT\s*\{{\s*)(.*?)(\s*\}}\n)"
    text, count = re.subn(pattern, lambda m: m[1] + change(m[2]) + m[3], text, flags=re.DOTALL)
    if count != 1:
        sys.exit(f"{name}: {count} macros")
    return text


def main():
    include, out, *how = sys.argv[1:]
    change = {"--older": older, "--newer": newer}[how[0]] if how else str
    folder = pathlib.Path(out) / "snug"
    folder.mkdir(parents=True, exist_ok=True)
    for name in LIBRARIES:
        text = change(stripped((pathlib.Path(include) / "snug" / name).read_text(encoding="utf-8")))
        text = re.sub(r"[ \t]+\n", "\n", re.sub(r"[ \t]{5,}", "    ", text))
        (folder / name).write_text(re.sub(r"\n{2,}", "\n\n", text).lstrip(), encoding="utf-8")


main()
