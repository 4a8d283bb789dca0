"""A recording of `snug ask` in a terminal, from a real run against the test endpoint.

terminal.json has what the program wrote, byte by byte; tests/docs/pictures.py repeats the run.
"""
import fcntl
import json
import os
import pty
import re
import shlex
import struct
import sys
import termios

from svg import COLOURS, Page, width

COMMAND = 'snug ask "Which region sold the most units in sales.csv?"'
PLACE = "examples/sales"
SIZE, STEP, LEFT, TOP = 13, 19, 18, 58
COLOURS.update({
    "window": ("#161b22", "#161b22"), "plain": ("#e6edf3", "#e6edf3"), "dim": ("#8b949e", "#8b949e"),
    "green": ("#3fb950", "#3fb950"), "cyan": ("#39c5cf", "#39c5cf"), "yellow": ("#d29922", "#d29922"),
    "red": ("#ff7b72", "#ff7b72"), "magenta": ("#bc8cff", "#bc8cff"), "blue": ("#58a6ff", "#58a6ff"), "bar": ("#21262d", "#21262d"),
})
CODES = {"0": "plain", "2": "dim", "31": "red", "32": "green", "33": "yellow", "34": "blue", "35": "magenta", "36": "cyan"}


def run(root, snug):
    """What the program writes to a terminal of 100 columns."""
    sys.path.insert(0, str(root / "tests/endpoint"))
    import transcript
    from endpoint import Endpoint
    with Endpoint(transcript.RULES) as endpoint:
        environment = {**os.environ, **endpoint.environment, "TERM": "xterm-256color"}
        environment.pop("NO_COLOR", None)
        argv = [str(snug), *shlex.split(COMMAND)[1:]]
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(root / PLACE)
            os.execve(argv[0], argv, environment)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        written = b""
        while True:
            try:
                piece = os.read(terminal, 65536)
            except OSError: # the other end is closed
                break
            if not piece:
                break
            written += piece
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.close(terminal)
    return status, written.decode()


def record(root, snug):
    status, written = run(root, os.path.abspath(snug))
    if status:
        raise SystemExit(f"{COMMAND}: exit status {status}\n{written}")
    (root / "docs/pictures/terminal.json").write_text(
        json.dumps({"command": COMMAND, "written": written.split("\r\n")}, indent=1) + "\n", encoding="utf-8")


def comparable(lines):
    """Times and counted tokens differ from run to run."""
    return [re.sub(r"\d+\.\d+ m?s|\d+ (?=tokens|out)", "N ", line) for line in lines]


def recorded(root):
    return json.loads((root / "docs/pictures/terminal.json").read_text(encoding="utf-8"))


def pieces(line, colour="plain"):
    """[(colour, is bold, text)] of a line with escape sequences, and the colour at its end."""
    found, bold = [], False
    for code, text in re.findall(r"(?:\x1b\[([\d;]*)m)?([^\x1b]*)", line):
        for word in code.split(";") if code else []:
            bold = word == "1" or (bold and word != "0")
            colour = CODES.get(word, colour)
        if text:
            found.append((colour, bold, text))
    return found, colour


def wait_after(text):
    return 0.9 if "generate" in text or "evaluate" in text else 0.5 if text.startswith("- ") else 0.06


def draw(root):
    recording = recorded(root)
    lines, colour = [[("green", False, "$ "), ("plain", True, recording["command"])]], "plain"
    for line in recording["written"]:
        shown, colour = pieces(line, colour)
        lines.append(shown)
    while lines and not lines[-1]:
        lines.pop()
    page = Page(760, TOP + STEP * len(lines) + 6, "A run of snug ask in a terminal",
                "\n".join("".join(text for *_, text in line) for line in lines))
    page.rect(0.5, 0.5, page.across - 1, page.down - 1, "window", "edge", 8)
    page.rect(1, 1, page.across - 2, 32, "bar", round=8)
    for i, name in enumerate(("red", "yellow", "green")):
        page.add(f'<circle cx="{20 + 20 * i}" cy="17" r="6" class="f-{name}"/>')
    page.text(page.across / 2, 21, PLACE, 12, "dim", "middle", mono=True)
    page.css.append("@keyframes come{from{opacity:0}}"
                    "@media(prefers-reduced-motion:no-preference){.line{animation:come 1ms backwards}}")
    wait = 0.8
    for i, line in enumerate(lines):
        page.add(f'<g class="line" style="animation-delay:{wait:.2f}s">')
        x = LEFT
        for colour, bold, text in line:
            page.text(x, TOP + STEP * i, text, SIZE, colour, bold=False, mono=True,
                      extra=' style="font-weight:600"' if bold else "")
            x += width(text, SIZE, mono=True)
        page.add("</g>")
        wait += wait_after("".join(text for *_, text in line))
    return page
