"""Pictures of a cell, on terminals that say of themselves what they can show."""
import base64
import os
import re
import struct
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from driver import Case, Terminal, environment  # noqa: E402

import unittests  # noqa: E402


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


PNG = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)) + \
    chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"tEXt", b"Comment\0" + b"x" * 5000) + chunk(b"IEND", b"")


class Pictures(Case):
    def prompt(self, *args, **changes):
        env = {"TERM": "xterm", "LANG": "C.UTF-8", "NO_COLOR": "1", "HOME": self.folder, "TMPDIR": self.folder,
               "XDG_STATE_HOME": self.folder + "/state", "TERM_PROGRAM": "", "LC_TERMINAL": "", **changes}
        env = environment(**env)
        env.pop("TMUX", None)
        terminal = Terminal(*args, env=env)
        self.addCleanup(terminal.close)
        terminal.wait(r"In \[1\]: ")
        return terminal

    def show(self, shown, *args, **changes):
        """The match of what is shown of a picture."""
        terminal = self.prompt(*args, **changes)
        terminal.type("p = '" + base64.b64encode(PNG).decode() + "'\r")
        terminal.wait(r"In \[2\]: ")
        terminal.type("display({'image/png': p}, raw=True)\r")
        return terminal.wait(r"raw=True\)\r\n.*?" + shown)[1]

    def test_a_terminal_that_cannot_has_the_picture_saved(self):
        with open(self.show(r"<picture: ([^,]*/1\.png), "), "rb") as saved:
            self.assertEqual(saved.read(), PNG)

    def test_kitty_and_iterm_have_their_own_protocols(self):
        kitty = r"(\x1b_Ga=T,f=100,q=2,m=1;[^\x1b]*\x1b\\\x1b_Gm=0;[^\x1b]*\x1b\\)"
        for args, changes in (((), {"TERM": "xterm-kitty"}), (("--pictures", "kitty"), {})):
            pieces = re.findall(rb";([^\x1b;]*)\x1b\\", self.show(kitty, *args, **changes))
            self.assertEqual(len(pieces[0]), 4096)
            self.assertEqual(base64.b64decode(b"".join(pieces)), PNG)
        found = self.show(r"\x1b\]1337;File=inline=1;preserveAspectRatio=1:([^\x07]*)\x07", TERM_PROGRAM="iTerm.app")
        self.assertEqual(base64.b64decode(found), PNG)


if __name__ == "__main__":
    unittests.main()
