"""Make the man pages of the programs, of what they say when they are asked for help.

usage: program_manual.py VERSION FOLDER WORKER [SNUG]

FOLDER/man1 is emptied first.
"""
import pathlib
import re
import shutil
import subprocess
import sys


def said(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, encoding="utf-8").stdout.rstrip()


def shown(text):
    """As it stands."""
    lines = [line.replace("\\", "\\e").replace("-", "\\-") for line in text.split("\n")]
    return [".PP", ".nf", *("\\&" + line if line.startswith((".", "'")) else line for line in lines), ".fi"]


def page(name, version, about, sections, related):
    title = name.replace("-", "\\-")
    lines = [f'.TH {title} 1 "" "snug {version}" "snug"', ".SH NAME", f"{title} \\- {about}"]
    for head, text in sections:
        lines += [f".SH {head.upper()}", *shown(text)]
    return "\n".join([*lines, ".SH SEE ALSO", related]) + "\n"


def main(version, folder, worker, snug=None):
    place = pathlib.Path(folder, "man1")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    text = page("snug-worker", version, "serves sessions of snug to another process",
                [("synopsis and description", said(worker, "--help"))], ".BR snug (1),\n.BR snug (3)")
    (place / "snug-worker.1").write_text(text, encoding="utf-8")
    if not snug:
        return
    first, _, rest = said(snug, "--help").partition("\n")
    commands = re.findall(r"^  snug ([a-z]+) {3,}", rest, re.MULTILINE)
    sections = [("synopsis and options", rest.strip("\n"))]
    sections += [(f"snug {command}", said(snug, "help", command)) for command in commands]
    text = page("snug", version, "run Python in restricted, persistent sessions", sections,
                ".BR snug\\-worker (1),\n.BR snug (3)")
    (place / "snug.1").write_text(text, encoding="utf-8")


main(*sys.argv[1:])
