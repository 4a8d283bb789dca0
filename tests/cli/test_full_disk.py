"""What snug does where a disk is full: a small one, in a mount namespace of the test's own."""
import os
import subprocess
import sys
import unittest

from driver import Case, Terminal, environment

IS_INSIDE = "--inside" in sys.argv
LONG = "x = '" + "a" * 6000 + "'"


class FullDisk(Case):
    def setUp(self):
        super().setUp()
        self.disk = os.path.join(self.folder, "disk")
        os.mkdir(self.disk)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", self.disk], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", self.disk], check=True)

    def on_disk(self, name, text=""):
        path = os.path.join(self.disk, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def read(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def fill(self):
        with open(os.path.join(self.disk, "filler"), "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 512)
            except OSError:
                pass

    def prompt(self, **changes):
        terminal = Terminal(env=environment(**{"TERM": "xterm", "LANG": "C.UTF-8", "NO_COLOR": "1", "HOME": self.folder,
                                               "XDG_STATE_HOME": self.folder + "/state", **changes}))
        self.addCleanup(terminal.close)
        terminal.wait(r"In \[1\]: ")
        return terminal

    def ask(self, terminal, text, says):
        terminal.type(text + "\r")
        return terminal.wait(says)

    def test_a_file_that_cells_would_replace_stays(self):
        old = self.on_disk("old.py", "old = 1\n")
        self.fill()
        terminal = self.prompt()
        self.ask(terminal, LONG, r"In \[2\]: ")
        self.ask(terminal, f"%save -f {old}", r"old.py cannot be written: No space left on device")
        self.assertEqual(self.read(old), "old = 1\n")
        self.assertEqual(sorted(os.listdir(self.disk)), ["filler", "old.py"])

    def test_cells_that_find_no_room_leave_no_file(self):
        self.fill()
        terminal = self.prompt()
        self.ask(terminal, LONG, r"In \[2\]: ")
        self.ask(terminal, f"%save {self.disk}/new.py", r"new.py cannot be written: No space left on device")
        self.assertEqual(os.listdir(self.disk), ["filler"])

    def test_a_history_that_cannot_be_added_to_is_told_once_and_kept(self):
        history = self.on_disk("history")
        self.fill()
        terminal = self.prompt(SNUG_PROMPT_HISTORY=history)
        self.ask(terminal, "6 * 7", r"history.*No space left on device")
        self.ask(terminal, "6 * 8", r"Out\[2\]: 48")
        self.assertEqual(self.read(history), "")


def enter():
    """This test again, where it can mount; or the end."""
    kind = "-m" if os.geteuid() == 0 else "-Urm"
    if subprocess.run(["unshare", kind, "sh", "-c", "mount -t tmpfs tmpfs /mnt"], capture_output=True).returncode:
        print("no mount namespace can be had here")
        sys.exit(77)
    os.execvp("unshare", ["unshare", kind, sys.executable, *sys.argv, "--inside"])


if __name__ == "__main__":
    if not IS_INSIDE:
        enter()
    sys.argv.remove("--inside")
    unittest.main(verbosity=1)
