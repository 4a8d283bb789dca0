"""Make the man pages of the public headers: the comments are the manual already.

usage: manpages.py VERSION FOLDER HEADER...

snug(3) has the first comment of snug.h, what belongs to no function, and the list of pages. Each part of
a header ("---- session ----") that has functions is a page, named after the first of them; the
others lead there. FOLDER/man3 is emptied first.
"""
import pathlib
import re
import shutil
import sys

PART = re.compile(r"/\* ---- (.+) ---- \*/")
# What only the compiler reads.
SKIPPED = re.compile(r"#\s*(ifndef|ifdef|if|else|endif|include)\b|extern \"C\"|\}$|#define (SNUG_\w+_H|SNUG_EXTERN)\b")
FUNCTION = re.compile(r"SNUG_EXTERN\b[^;(]*?(\w+)\s*\(")


class Item:
    """Declarations that stand together under one comment."""

    def __init__(self, comment):
        self.comment, self.code, self.names = comment, [], []


class Part:
    def __init__(self, header, title):
        self.header, self.title, self.items = header, title, []

    def names(self):
        return [name for item in self.items for name in item.names]


def bare(comment):
    """The text of a comment, paragraph by paragraph; indented lines stay as they are."""
    lines = re.sub(r"^/\*|\*/$", "", comment.strip()).split("\n")
    lines = [re.sub(r"^ \*( |$)", "", line).rstrip() for line in lines]
    return "\n".join([lines[0].strip(), *lines[1:]]).strip("\n")


def pieces(text):
    """Comments, declarations and directives of a header, in order, each with its text."""
    at = 0
    while match := re.compile(r"\s*(/\*.*?\*/|#(?:[^\n]*\\\n)*[^\n]*|.+?(?:;|\{\n|\}\n)|.)", re.DOTALL).match(text, at):
        piece, at = match[1], match.end()
        if not piece.startswith(("/*", "#")):
            # A struct has comments and semicolons of its own: up to its closing brace.
            end = at
            while piece.count("{") > piece.count("}") and not piece.startswith('extern "C"'):
                end = text.index(";", end) + 1
                piece = text[match.start(1):end]
            at = end
            # What stands behind it on the same line.
            rest = re.compile(r" */\*.*?\*/", re.DOTALL).match(text, at)
            if rest:
                piece, at = piece + rest[0], rest.end()
        yield piece.strip()


def parts_of(path):
    """The first comment of a header, and its parts."""
    text = path.read_text(encoding="utf-8")
    first, parts, item = None, [Part(path.name, "")], None
    for piece in pieces(text):
        if part := PART.fullmatch(piece):
            parts.append(Part(path.name, part[1]))
            item = None
        elif piece.startswith("/*"):
            if first is None:
                first = bare(piece)
                continue
            item = Item(bare(piece))
            parts[-1].items.append(item)
        elif not SKIPPED.match(piece):
            if item is None:
                item = Item("")
                parts[-1].items.append(item)
            item.code.append(piece)
            if function := FUNCTION.match(piece):
                item.names.append(function[1])
    for part in parts:
        part.items = [i for i in part.items if i.code or i.comment]
    return first, [part for part in parts if part.items]


# ---- roff ----

def escape(line):
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + line if line.startswith((".", "'")) else line


def code(text):
    text = re.sub(r"\bSNUG_EXTERN ", "", text)
    return [".PP", ".nf", *map(escape, text.split("\n")), ".fi"]


def prose(text, macro=".PP"):
    """Paragraphs; lines that are indented by four are shown as they are."""
    lines = []
    for paragraph in re.split(r"\n\s*\n", text):
        rows = paragraph.split("\n")
        if all(row.startswith("    ") for row in rows):
            lines += code(paragraph)
        else:
            lines += [macro, *(escape(row.strip()) for row in rows)]
    return lines


def page(name, version, about, body):
    return "\n".join([f'.TH {escape(name)} 3 "" "snug {version}" "snug"', ".SH NAME", about, *body]) + "\n"


def describe(items):
    lines = []
    for item in items:
        for text in item.code:
            lines += code(text)
        if item.comment:
            lines += [".RS", *prose(item.comment, macro=".PP"), ".RE"] if item.code else prose(item.comment)
    return lines


def synopsis(part):
    lines = [".SH SYNOPSIS", ".nf", f"\\fB#include <snug/{part.header}>\\fP"]
    for item in part.items:
        for text in item.code:
            if FUNCTION.match(text):
                lines += ["", *map(escape, re.sub(r"\bSNUG_EXTERN ", "", text).split("\n"))]
    return [*lines, ".fi"]


SEE_ALSO = [".SH SEE ALSO", ".BR snug (3)"]
ERRORS = [".SH RETURN VALUE", "Functions that can fail return SNUG_OK or a negative snug_error; \\fBsnug_error_message\\fP(3) has",
          "one sentence on it. The conventions of all functions are in \\fBsnug\\fP(3)."]


def main(version, folder, *headers):
    place = pathlib.Path(folder, "man3")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    listed, general, first = [], [], None

    for header in sorted(map(pathlib.Path, headers), key=lambda path: path.name != "snug.h"):
        words, parts = parts_of(header)
        about, _, rest = words.partition("\n")
        about = about.partition(" - ")[2].rstrip(".")
        if header.name == "snug.h":
            first = prose(rest.strip("\n"))
        for i, part in enumerate(parts):
            names = part.names()
            if not names:
                general.append(part)
                continue
            title = part.title or about
            head = ", ".join(map(escape, names)) + " \\- " + escape(f"snug: {title}")
            above = prose(rest.strip("\n")) if header.name != "snug.h" and part.names() and rest.strip() and \
                part is next(p for p in parts if p.names()) else []
            body = [*synopsis(part), ".SH DESCRIPTION", *above, *describe(part.items), *ERRORS, *SEE_ALSO]
            (place / f"{names[0]}.3").write_text(page(names[0], version, head, body), encoding="utf-8")
            for name in names[1:]:
                (place / f"{name}.3").write_text(f".so man3/{names[0]}.3\n", encoding="utf-8")
            listed.append((names[0], header.name, title))

    body = [".SH SYNOPSIS", "\\fB#include <snug/snug.h>\\fP", ".SH DESCRIPTION", *first]
    for part in general:
        body += [f".SH {escape((part.title or part.header).upper())}", *describe(part.items)]
    body.append(".SH PAGES")
    for name, header, title in listed:
        body += [".TP", f"\\fB{escape(name)}\\fP(3)", escape(f"{title} ({header})")]
    body += [".SH SEE ALSO", ".BR snug (1),", ".BR snug\\-worker (1)"]
    (place / "snug.3").write_text(page("snug", version, "snug \\- run Python in restricted, persistent sessions", body),
                                  encoding="utf-8")


main(*sys.argv[1:])
