"""The pictures of docs/pictures are those that their scripts draw, and their words stand apart.

pictures.py SOURCE_DIR            the pictures
pictures.py SOURCE_DIR SNUG       the recordings: the runs are repeated
"""
import pathlib
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree

sys.dont_write_bytecode = True
SOURCE = pathlib.Path(sys.argv[1]).resolve()
FOLDER = SOURCE / "docs/pictures"
SNUG = sys.argv[2] if len(sys.argv) > 2 else None
sys.path.insert(0, str(FOLDER))
import draw
import prompt
import terminal
from svg import Page

ADVICE = "draw it again: python3 docs/pictures/draw.py"


class Pictures(unittest.TestCase):
    maxDiff = None

    def test_every_picture_is_current(self):
        for name in draw.PICTURES:
            with self.subTest(name):
                file = FOLDER / f"{name}.svg"
                self.assertTrue(file.exists(), ADVICE)
                self.assertEqual(file.read_text(encoding="utf-8"), draw.page(name).svg(), ADVICE)

    def test_no_words_stand_on_others(self):
        for name in draw.PICTURES:
            with self.subTest(name):
                self.assertEqual(draw.page(name).overlaps(), [])

    def test_words_that_stand_on_others_are_found(self):
        page = Page(200, 100, "two", "")
        page.text(10, 20, "one label")
        page.text(40, 24, "another")
        page.text(190, 60, "beyond the edge")
        self.assertEqual(len(page.overlaps()), 2)

    def test_every_picture_says_in_words_what_it_shows(self):
        for name in draw.PICTURES:
            with self.subTest(name):
                root = ElementTree.fromstring((FOLDER / f"{name}.svg").read_text(encoding="utf-8"))
                for tag in ("title", "desc"):
                    self.assertGreater(len(root.find(f"{{http://www.w3.org/2000/svg}}{tag}").text), 5)

    def test_every_picture_is_on_a_page(self):
        text = "".join(page.read_text(encoding="utf-8")
                       for page in [SOURCE / "README.md", *SOURCE.glob("docs/*.md")])
        for file in FOLDER.glob("*.svg"):
            self.assertTrue(f"pictures/{file.name})" in text, f"no page shows {file.name}")
            self.assertIn(file.stem, draw.PICTURES)


class Recording(unittest.TestCase):
    maxDiff = None

    def test_the_run_in_the_terminal_is_as_recorded(self):
        status, written = terminal.run(SOURCE, pathlib.Path(SNUG).resolve())
        self.assertEqual(status, 0, written)
        self.assertEqual(terminal.comparable(written.split("\r\n")),
                         terminal.comparable(terminal.recorded(SOURCE)["written"]))

    @unittest.skipUnless(shutil.which("tmux"), "there is no tmux")
    def test_the_screens_of_the_prompt_are_as_recorded(self):
        if subprocess.run([SNUG, "run", "--full", "--allow", "pandas", "-c", "import pandas"],
                          capture_output=True).returncode:
            self.skipTest("there is no pandas")
        self.assertEqual(prompt.comparable(prompt.run(SOURCE, SNUG)), prompt.comparable(prompt.recorded(SOURCE)))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + (["Recording"] if SNUG else ["Pictures"]))
