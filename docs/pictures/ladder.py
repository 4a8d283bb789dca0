"""The stop ladder on a time axis, by the table of src/session/core/stop.c."""
import re

from svg import Page

LEFT, RIGHT = 136, 700
MOST = 260


def steps(root):
    """{"shared_gil": [30, 70, ...], ...}: starve, jump, jump out of libc, over."""
    path, = [path for path in (root / "src").rglob("stop.c") if "stop_stage" in path.read_text(encoding="utf-8")]
    text = path.read_text(encoding="utf-8")
    found = {name: [int(word) for word in words.split(",")] for name, words in
             re.findall(r"(shared_gil|own_gil) = \{ ([\d, ]+) \}", text)}
    held = re.search(r"HELD_MS = (\d+), ALL_MS = (\d+)", text)
    return found, int(held[1]), int(held[2])


def across(ms):
    return LEFT + (RIGHT - LEFT) * ms / MOST


def lane(page, y, name, about, times, held):
    starve, jump, libc, over = times[:4]
    page.text(20, y + 20, name, 14, bold=True)
    page.text(20, y + 36, about, 10.5, "soft")
    bars = [(0, starve, "good", "1"), (starve, jump, "warn", "2"), (jump, libc, "bad", "3"),
            (libc, over, "bad", "3"), (over, MOST, "peer", "4")]
    for first, last, colour, rung in bars:
        page.rect(across(first), y, across(last) - across(first) - 2, 34, colour, round=3)
        page.text((across(first) + across(last)) / 2 - 1, y + 22, rung, 14, "card", "middle", bold=True)
    marks = [0, starve, jump, libc] + ([held] if held else []) + [over]
    for ms in marks:
        page.line(across(ms), y + 34, across(ms), y + 42, "soft", 1)
        page.text(across(ms), y + 55, str(ms), 11.5, "soft", "middle")
    if held:
        page.line(across(held), y - 3, across(held), y + 37, "card", 2)


def draw(root):
    times, held, last = steps(root)
    page = Page(740, 372, "The stop ladder",
                f"Milliseconds after the limit: allocations fail at {times['own_gil'][0]}, jumps at "
                f"{times['own_gil'][1]} and {times['own_gil'][2]}, the caller is answered at "
                f"{times['own_gil'][3]}; with a shared GIL at "
                + ", ".join(str(ms) for ms in times["shared_gil"][:4]) + ".")
    page.text(20, 32, "What happens to a cell that does not end, in ms after its limit", 15, bold=True)
    lane(page, 56, "Python 3.13", "a GIL each", times["own_gil"], 0)
    lane(page, 136, "Python 3.11", "one GIL for all", times["shared_gil"], held)
    rows = [
        ("1", "good", "An exception is raised again after each handler that catches it.", "session kept"),
        ("2", "warn", "Allocations fail, and the recursion limit is zero.", "session kept"),
        ("3", "bad", "A jump out of the code; from the second box on, out of the C library too.", "session lost"),
        ("4", "peer", "The caller is answered. The thread is left where it is.", "session lost"),
    ]
    for i, (rung, colour, words, end) in enumerate(rows):
        y = 222 + 27 * i
        page.rect(20, y, 22, 20, colour, round=3)
        page.text(31, y + 15, rung, 13, "card", "middle", bold=True)
        page.text(54, y + 15, words, 12.5)
        page.text(720, y + 15, end, 12.5, "soft", "end")
    page.text(20, 346, f"From {held} ms on, a thread that keeps 3.11's GIL is torn out though it holds a mutex; "
              f"from {last / 1000:g} s on, whatever it does.", 11, "soft")
    page.text(20, 361, "Rung 3 belongs to the full ladder: the program snug, and programs that link as it does.",
              11, "soft")
    return page
