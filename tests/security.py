"""SECURITY.md names what exists, and has the table of what the shorter ladder does not end.

security.py SOURCE_DIR
"""
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(sys.argv[1])
ESCAPES = SOURCE / "tests/escapes"
sys.dont_write_bytecode = True
sys.path.insert(0, str(ESCAPES))
import short_ladder

TEXT = (SOURCE / "SECURITY.md").read_text(encoding="utf-8")
# The folders of tests/escapes, whose files SECURITY.md names without the rest of the path.
KINDS = {path.parent.name for path in ESCAPES.glob("*/*.py")}


def section(title):
    return TEXT.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


class Security(unittest.TestCase):
    maxDiff = None

    def test_every_file_that_is_named_exists(self):
        names = [name for name in re.findall(r"`([\w./-]+)`", TEXT)
                 if "/" in name or re.search(r"\.(md|py|c|h)$", name)]
        links = re.findall(r"\]\((?!http|mailto)([^)#]+)\)", TEXT)
        self.assertGreater(len(names), 20)
        for name in names + links:
            base = ESCAPES if name.partition("/")[0] in KINDS else SOURCE
            self.assertTrue((base / name).exists(), name)

    def check_known(self, header, said):
        known = {f"{path.parent.name}/{path.name}" for path in ESCAPES.glob("*/*.py")
                 if re.search(header, path.read_text(encoding="utf-8"), re.MULTILINE)}
        self.assertTrue(known)
        self.assertEqual(set(re.findall(r"`(\w+/\w+\.py)`", said)), known)

    def test_every_way_to_a_neighbour_that_is_known_is_named(self):
        self.check_known(r"^# known [\d.]+: neighbour$",
                         section("Guards in force").partition("Known on 3.11")[2])

    def test_the_table_of_the_shorter_ladder_is_that_of_the_escapes(self):
        _, written, _ = short_ladder.in_page(TEXT)
        self.assertEqual(written, short_ladder.table(), "make it again: tests/escapes/short_ladder.py")
        self.assertGreater(written.count(".py`"), 40)


unittest.main(argv=sys.argv[:1])
