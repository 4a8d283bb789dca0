"""Reads .cells files: tests as data.

    # a comment, outside of blocks
    == a sentence that says what is tested
    x = [1, 2]
    x + [3]
    -- value
    [1, 2, 3]
    -- cell
    len(x)
    -- value 2

A block from `==` to the next is one test in a session of its own. A line `-- word` begins a
part. Its text stands behind the word, or on the lines below it; blank lines at its end do not
count. `-- word @3.11` and `-- word @3.12+` make a part hold for these versions of Python only.
A line of text that begins with `-- ` or `== ` is written with a backslash before it.
"""
import re

# Parts that stand before the first cell of a block; source text may follow them.
BLOCK_WORDS = {"only", "options", "run"}
# Parts that begin a cell.
CELL_WORDS = {"cell", "source-expr", "raw"}
VERSION = re.compile(r"@(\d+)\.(\d+)([+-]?)$")


class Malformed(Exception):
    pass


class Part:
    def __init__(self, word, inline, version, where):
        self.word, self.inline, self.version, self.where = word, inline, version, where
        self.lines = []

    @property
    def text(self):
        if self.inline:
            return self.inline
        lines = list(self.lines)
        while lines and not lines[-1].strip(" "):
            lines.pop()
        return "\n".join(lines)

    def holds_for(self, version):
        return self.version is None or version_matches(self.version, version)


class Block:
    def __init__(self, title, where):
        self.title, self.where = title, where
        self.settings = []  # parts of BLOCK_WORDS
        self.cells = []     # lists of parts; the first has one of CELL_WORDS


def version_matches(wanted, version):
    match = VERSION.match(wanted if wanted.startswith("@") else "@" + wanted)
    if not match:
        raise Malformed(f"no version: {wanted}")
    named = (int(match[1]), int(match[2]))
    if match[3] == "-":
        return version <= named
    return version >= named if match[3] else version == named


def read(path, words):
    """The blocks of a file. words: the parts that may follow in a cell."""
    blocks, titles, part = [], set(), None
    with open(path, encoding="utf-8", newline="\n") as file:
        lines = file.read().split("\n")
    for number, line in enumerate(lines, 1):
        where = f"{path}:{number}"
        if line.startswith("== "):
            title = line[3:].strip()
            if title in titles:
                raise Malformed(f"{where}: a second test of this name: {title}")
            titles.add(title)
            blocks.append(Block(title, where))
            part = None
        elif not blocks:
            if line and not line.startswith("#"):
                raise Malformed(f"{where}: text before the first test")
        elif line.startswith("-- "):
            part = begin_part(blocks[-1], line[3:], words, where)
        else:
            if line.startswith(("\\-- ", "\\== ")):
                line = line[1:]
            if part is None or part.word in BLOCK_WORDS:
                if not line.strip():
                    continue
                part = begin_part(blocks[-1], "cell", words, where)
            if part.inline and line.strip():
                raise Malformed(f"{where}: text below a part that has its text in its line")
            part.lines.append(line)
    for block in blocks:
        if not block.cells:
            raise Malformed(f"{block.where}: a test without a cell")
    return blocks


def begin_part(block, text, words, where):
    word, _, rest = text.strip().partition(" ")
    rest = rest.strip()
    version = None
    if rest.startswith("@"):
        version, _, rest = rest.partition(" ")
        rest = rest.strip()
        if not VERSION.match(version):
            raise Malformed(f"{where}: no version: {version}")
    part = Part(word, rest, version, where)
    if word in BLOCK_WORDS:
        if block.cells:
            raise Malformed(f"{where}: {word} belongs before the first cell")
        block.settings.append(part)
    elif word in CELL_WORDS:
        if word != "cell" and block.cells and is_bare(block.cells[-1]):
            block.cells.pop()
        block.cells.append([part])
    elif word not in words:
        raise Malformed(f"{where}: unknown word: {word}")
    elif not block.cells:
        raise Malformed(f"{where}: {word} before the first cell")
    else:
        block.cells[-1].append(part)
    return part


def is_bare(parts):
    """A line `-- cell` alone: `-- source-expr` or `-- raw` below it says what the cell is."""
    return len(parts) == 1 and parts[0].word == "cell" and not parts[0].text


def source(part):
    """What a cell's first part sends: str, or bytes for a file."""
    if part.word == "source-expr":
        return eval(part.text, {})
    return part.text
