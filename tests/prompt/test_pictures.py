"""Pictures of a cell, on terminals that say of themselves what they can show."""
import base64
import ctypes
import os
import pathlib
import re
import struct
import subprocess
import sys
import time
import unittest
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from driver import SECONDS, SNUG, Case, Terminal, environment  # noqa: E402

import unittests  # noqa: E402

SIXEL, NONE = "\x1b[?62;4;22c", "\x1b[?62;22c"
RED, BLUE = (255, 0, 0), (0, 0, 255)


def has_library():
    try:
        return bool(ctypes.CDLL("libsixel.so.1"))
    except OSError:
        return False


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, rows=None):
    """Red on the left, blue on the right."""
    row = b"\0" + bytes(RED) * (width // 2) + bytes(BLUE) * (width - width // 2)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + \
        chunk(b"IDAT", zlib.compress(row * (height if rows is None else rows))) + chunk(b"IEND", b"")


def decode(sixels):
    """(width, height, {(x, y): colour}) of what stands behind the q."""
    raster = re.match(r'"\d+;\d+;(\d+);(\d+)', sixels)
    width, height = map(int, raster.groups())
    colours, pixels, colour, x, y = {}, {}, None, 0, 0
    for token in re.findall(r"#\d+(?:;\d+){0,4}|!\d+[?-~]|[?-~$-]", sixels[raster.end():]):
        if token[0] == "#":
            number, *rest = map(int, token[1:].split(";"))
            if rest:
                colours[number] = tuple(round(part * 255 / 100) for part in rest[1:])
            colour = number
        elif token == "$":
            x = 0
        elif token == "-":
            x, y = 0, y + 6
        else:
            times, bits = (int(token[1:-1]) if token[0] == "!" else 1), ord(token[-1]) - 63
            for x in range(x, x + times):
                for bit in range(6):
                    if bits >> bit & 1:
                        pixels[x, y + bit] = colours[colour]
            x += 1
    return width, height, pixels


class Pictures(Case):
    def prompt(self, *args, answer=None, **changes):
        env = {"TERM": "xterm", "LANG": "C.UTF-8", "NO_COLOR": "1", "HOME": self.folder, "TMPDIR": self.folder,
               "XDG_STATE_HOME": self.folder + "/state", "TERM_PROGRAM": "", "LC_TERMINAL": "", **changes}
        env = environment(**env)
        env.pop("TMUX", None)
        terminal = Terminal(*args, env=env)
        self.addCleanup(terminal.close)
        if answer:
            terminal.wait(r"\x1b\[c")
            terminal.type(answer)
        terminal.wait(r"In \[1\]: ")
        return terminal

    def show(self, terminal, picture):
        terminal.type("p = '" + base64.b64encode(picture).decode() + "'\r")
        terminal.wait(r"In \[2\]: ")
        terminal.type("display({'image/png': p}, raw=True)\r")
        return terminal.wait(r"raw=True\)\r\n.*?(\x1bPq.*?\x1b\\|<picture: [^>]*>)")[1].decode()

    @unittest.skipUnless(has_library(), "there is no libsixel")
    def test_sixels_are_the_picture(self):
        shown = self.show(self.prompt(answer=SIXEL), png(40, 21))
        width, height, pixels = decode(shown[3:-2])
        self.assertEqual((width, height), (40, 21))
        # The library rounds colours to some 3 %.
        self.assertEqual({place: tuple(part > 240 for part in colour) for place, colour in pixels.items()},
                         {(x, y): (x < 20, False, x >= 20) for x in range(40) for y in range(21)})

    @unittest.skipUnless(has_library(), "there is no libsixel")
    def test_a_wide_picture_is_made_as_wide_as_the_terminal(self):
        shown = self.show(self.prompt(answer=SIXEL), png(4000, 10))
        self.assertEqual(decode(shown[3:-2])[0], 80 * 8)

    @unittest.skipUnless(has_library(), "there is no libsixel")
    def test_an_option_says_what_the_terminal_does_not(self):
        self.assertTrue(self.show(self.prompt("--pictures", "sixel"), png(4, 4)).startswith("\x1bPq"))

    def test_what_is_no_picture_is_saved(self):
        shown = self.show(self.prompt(answer=SIXEL), b"\x89PNG\r\n\x1a\n" + bytes(99))
        self.assertRegex(shown, r"/1\.png, 107 bytes")

    def test_a_picture_larger_than_any_screen_is_saved(self):
        shown = self.show(self.prompt(answer=SIXEL), png(100_000, 100_000, rows=0))
        self.assertRegex(shown, r"/1\.png, ")

    def test_a_terminal_that_cannot_has_the_picture_saved(self):
        shown = self.show(self.prompt(answer=NONE), png(4, 4))
        with open(re.search(r"<picture: ([^,]*), ", shown)[1], "rb") as saved:
            self.assertEqual(saved.read(), png(4, 4))

    def test_a_terminal_that_does_not_answer_is_waited_for_a_moment(self):
        terminal = self.prompt()
        self.assertIn("<picture", self.show(terminal, png(4, 4)))

    @unittest.skipUnless(has_library(), "there is no libsixel")
    def test_a_late_answer_counts(self):
        terminal = self.prompt()
        terminal.type(SIXEL)
        self.assertTrue(self.show(terminal, png(4, 4)).startswith("\x1bPq"))

    def test_kitty_has_its_own_protocol(self):
        terminal = self.prompt(TERM="xterm-kitty")
        terminal.type("p = '" + base64.b64encode(png(4, 4)).decode() + "'\r")
        terminal.wait(r"In \[2\]: ")
        terminal.type("display({'image/png': p}, raw=True)\r")
        found = terminal.wait(r"\x1b_Ga=T,f=100,q=2,m=0;([^\x1b]*)\x1b\\")
        self.assertEqual(base64.b64decode(found[1]), png(4, 4))

    @unittest.skipUnless(has_library(), "there is no libsixel")
    def test_the_process_that_makes_them_has_a_filter_of_system_calls(self):
        with subprocess.Popen([SNUG, "sixels", "0"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            until = time.monotonic() + SECONDS
            while "Seccomp:\t2" not in pathlib.Path(f"/proc/{process.pid}/status").read_text():
                self.assertLess(time.monotonic(), until)
                self.assertIsNone(process.poll())
            out, _ = process.communicate(png(4, 4))
        self.assertTrue(out.startswith(b"\x1bPq"), out)


if __name__ == "__main__":
    unittests.main()
