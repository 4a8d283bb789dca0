"""SECURITY.md names what exists, and every escape that takes the process down under the shorter ladder.

security.py SOURCE_DIR
"""
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(sys.argv[1])
ESCAPES = SOURCE / "tests/escapes"
TEXT = (SOURCE / "SECURITY.md").read_text(encoding="utf-8")
# The folders of tests/escapes, whose files SECURITY.md names without the rest of the path.
KINDS = {path.parent.name for path in ESCAPES.glob("*/*.py")}


def ends(path):
    """{"3.11": {"hang"}, "3.13": set()}: how a file may end the process beside libsnug."""
    header = dict(re.findall(r"^# (expect(?: [\w. ]+)?): (.*)$",
                             path.read_text(encoding="utf-8").partition("\n# %%")[0], re.MULTILINE))
    lines = {version: header.get(f"expect short {version}", header.get("expect short", ""))
             for version in ("3.11", "3.13")}
    return {version: {word for word in ("hang", "died") if re.search(rf"\b{word}\b", line)}
            for version, line in lines.items()}


def section(title):
    return TEXT.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def rows():
    """The table of the shorter ladder: file, on 3.11, on 3.13."""
    table = section("What the shorter ladder does not end")
    return {name: {"3.11": first, "3.13": second} for names, first, second in
            re.findall(r"^\|(.*`\w+/\w+\.py`.*)\| *([^|]*?) *\| *([^|]*?) *\|$", table, re.MULTILINE)
            for name in re.findall(r"`(\w+/\w+\.py)`", names)}


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

    def test_the_table_is_that_of_the_escapes(self):
        fatal = {f"{path.parent.name}/{path.name}": words for path in ESCAPES.glob("*/*.py")
                 if any((words := ends(path)).values())}
        self.assertTrue(fatal)
        self.assertEqual(sorted(rows()), sorted(fatal))
        for name, row in rows().items():
            for version, words in fatal[name].items():
                with self.subTest(name, version=version):
                    said = {word for word, text in (("hang", "hangs"), ("died", "dies"))
                            if text in row[version]}
                    self.assertEqual(said, words)


unittest.main(argv=sys.argv[:1])
