"""Finds the phrases of phrases.txt.

phrases.py [FILE...]        without files: the whole project
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "scripts/phrases.txt"
TEXT = re.compile(r"(\.(c|h|py|md|txt|sh|cmake|cells|html|ya?ml|json)|CMakeLists\.txt|/[^./]+)$")
# What stands between two words of a sentence that goes on in the next line: the marks of comments, and
# the quotes of a string that is written in two pieces.
BREAK = re.compile(r'"?[ \t]*\n[ \t]*(?:\*(?!/)|#|//|>|")?[ \t]*')


def rules():
    phrases, exceptions = [], []
    for line in LIST.read_text(encoding="utf-8").splitlines():
        word, _, rest = line.partition(" ")
        if word == "phrase":
            pattern, instead = rest.split(" => ")
            phrases.append((re.compile(pattern.replace(" ", r"[ \0]"), re.IGNORECASE), instead))
        elif word == "except":
            exceptions.append(rest.split(" ")[0])
    return phrases, exceptions


def is_excepted(name, exceptions):
    return any(name == path or name.startswith(path.rstrip("/") + "/") for path in exceptions)


def joined(text):
    """The text with \\0 for each break, and the offsets at which its lines begin."""
    pieces, starts, at, length = [], [0], 0, 0
    for match in BREAK.finditer(text):
        pieces += [text[at:match.start()], "\0"]
        length += match.start() - at + 1
        starts += [length] * match[0].count("\n")
        at = match.end()
    return "".join(pieces) + text[at:], starts


def found(path, phrases):
    text, starts = joined(path.read_text(encoding="utf-8", errors="replace"))
    for pattern, instead in phrases:
        for match in pattern.finditer(text):
            line = sum(start <= match.start() for start in starts)
            yield line, " ".join(match[0].split("\0")), instead


def all_files():
    """Those of git; of a copy without it, all but what builds and npm make."""
    try:
        return subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"],
                              capture_output=True, text=True, check=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        made = {"build", "node_modules", ".git", "__pycache__"}
        return [str(name) for name in (path.relative_to(ROOT) for path in sorted(ROOT.rglob("*")))
                if not made & set(name.parts)]


def main(names):
    phrases, exceptions = rules()
    names = names or all_files()
    count = 0
    for name in names:
        path = ROOT / name
        if not TEXT.search("/" + name) or is_excepted(name, exceptions) or not path.is_file():
            continue
        for line, words, instead in sorted(found(path, phrases)):
            print(f'{name}:{line}: "{words}": write: {instead}')
            count += 1
    return count > 0


sys.exit(main(sys.argv[1:]))
