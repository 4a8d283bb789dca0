"""What snug does where a disk is full: a small one, in a mount namespace of the test's own."""
import os
import subprocess
import sys
import unittest

from driver import PromptCase

IS_INSIDE = "--inside" in sys.argv
LONG = "x = '" + "a" * 6000 + "'"


class FullDisk(PromptCase):
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

    def test_a_file_that_cells_would_replace_stays(self):
        old = self.on_disk("old.py", "old = 1\n")
        self.fill()
        terminal = self.prompt()
        self.ask(terminal, LONG, r"In \[2\]: ")
        self.ask(terminal, f"%save -f {old}", r"old.py cannot be written: No space left on device")
        self.assertEqual(self.read(old), "old = 1\n")
        self.assertEqual(sorted(os.listdir(self.disk)), ["filler", "old.py"])

    def test_a_file_that_is_replaced_stays_a_link_with_its_mode(self):
        old = self.on_disk("old.py", "old = 1\n")
        os.chmod(old, 0o640)
        link = os.path.join(self.disk, "link.py")
        os.symlink("old.py", link)
        terminal = self.prompt()
        self.ask(terminal, "new = 1", r"In \[2\]: ")
        self.ask(terminal, f"%save -f {link}", r"1 cell saved to ")
        self.assertEqual(self.read(old), "# %% cell 1\nnew = 1\n")
        self.assertEqual((os.readlink(link), os.stat(old).st_mode & 0o7777), ("old.py", 0o640))

    def test_one_that_cannot_be_is_written_where_it_is(self):
        other = self.on_disk("other.py", "old = 1\n")
        os.link(other, os.path.join(self.disk, "second.py"))
        mounted = self.on_disk("mounted.py", "old = 1\n")
        subprocess.run(["mount", "--bind", mounted, mounted], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", mounted], check=True)
        terminal = self.prompt()
        self.ask(terminal, "new = 1", r"In \[2\]: ")
        for path in (other, mounted):
            self.ask(terminal, f"%save -f {path}", r"1 cell saved to ")
            self.assertEqual(self.read(path), "# %% cell 1\nnew = 1\n")
        self.assertEqual(self.read(os.path.join(self.disk, "second.py")), "# %% cell 1\nnew = 1\n")

    def test_cells_that_find_no_room_leave_no_file(self):
        self.fill()
        terminal = self.prompt()
        self.ask(terminal, LONG, r"In \[2\]: ")
        self.ask(terminal, f"%save {self.disk}/new.py", r"new.py cannot be written: No space left on device")
        self.assertEqual(os.listdir(self.disk), ["filler"])

    def test_a_history_that_cannot_be_added_to_is_told_once_and_kept(self):
        history = self.on_disk("history")
        os.chmod(history, 0o600)
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
