"""Lazy imports (3.15) in saved sessions: neither a save nor a restore makes them, and what is restored
makes its own when it is used. An older Python imports at once what a file of 3.15 has.

usage: SNUG=PROGRAM lazy.py
"""
import os
import pathlib
import pickle
import sys
import tempfile
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parent.parent / "cells")]
import client
import saved

HAS_LAZY = sys.version_info >= (3, 15)


class Maker:
    """In a pickle: a function of src/py/life/frozen/savemakers.py."""


class Call:
    def __init__(self, *arguments):
        self.arguments = arguments


class Pickler(pickle._Pickler):
    """Of Call(...): the call of make_lazy."""

    dispatch = dict(pickle._Pickler.dispatch)

    def persistent_id(self, thing):
        return "lazy" if thing is Maker else None

    def save_call(self, call):
        self.save_reduce(Maker, call.arguments)

    dispatch[Call] = save_call


def pickled(value, folder):
    path = os.path.join(folder, "value")
    with open(path, "wb") as file:
        Pickler(file, 5).dump(value)
    return pathlib.Path(path).read_bytes()


class Lazy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(folder.name, "file.snug")
        self.snug = client.Snug(("--profile", "data"))
        self.addCleanup(self.snug.finish)

    def run_cell(self, session, code):
        answer = self.snug.ask({"session": session, "code": code})
        self.assertEqual(answer["status"], "ok", answer["error"])
        return answer["value"] and answer["value"]["text"]

    def save(self):
        answer = self.snug.ask({"session": "before", "op": "save", "path": self.path})
        return ({row["name"]: row["how"] for row in answer["saved"]},
                {row["name"]: row["reason"] for row in answer["skipped"]})

    def restore(self):
        answer = self.snug.ask({"session": "after", "op": "restore", "path": self.path})
        self.assertEqual(answer["schema"], "snug.saved/1", answer)
        return ({row["name"]: row["how"] for row in answer["restored"]},
                {row["name"]: row["reason"] for row in answer["skipped"]})

    def restore_calls(self, **calls):
        data = [pickled(Call(*call), self.folder) for call in calls.values()]
        pathlib.Path(self.path).write_bytes(saved.of_values(list(calls), data))
        return self.restore()

    @unittest.skipUnless(HAS_LAZY, "there are no lazy imports before 3.15")
    def test_a_save_and_a_restore_leave_them_lazy(self):
        self.run_cell("before", "lazy import colorsys\nlazy from fractions import Fraction as F, gcd_is_none\n"
                                "lazy import xml.dom.minidom as dom\nlazy import xml.etree.ElementTree")
        names = ["F", "colorsys", "dom", "gcd_is_none", "xml"]
        look = f"import sys\n{{type(globals()[n]).__name__ for n in {names}}}, " \
            "[m for m in ('colorsys', 'fractions', 'xml.dom', 'xml.etree') if m in sys.modules]"
        unused = str(({"lazy_import"}, []))
        self.assertEqual(self.run_cell("before", look), unused)
        how = dict.fromkeys(names, "import")
        self.assertEqual(self.save(), ({**how, "sys": "import"}, {}))
        self.assertEqual(self.run_cell("before", look), unused)
        self.assertEqual(self.restore(), ({**how, "sys": "import"}, {}))
        self.assertEqual(self.run_cell("after", look), unused)
        self.assertEqual(
            self.run_cell("after", "colorsys.__name__, F(1, 2), dom.__name__, xml.etree.ElementTree.__name__"),
            "('colorsys', Fraction(1, 2), 'xml.dom.minidom', 'xml.etree.ElementTree')")
        answer = self.snug.ask({"session": "after", "code": "gcd_is_none"})
        self.assertEqual(answer["error"]["name"], "ImportError")

    def test_what_a_file_has_is_imported_as_its_statement_would(self):
        restored, skipped = self.restore_calls(
            a=("colorsys", False, ()), b=("fractions", True, ("Fraction",)), c=("xml.dom.minidom", False, ("dom", "minidom")),
            d=("xml.etree.ElementTree", False, ()), e=("xml.etree.ElementTree", True, ()))
        self.assertEqual((restored, skipped), (dict.fromkeys("abcde", "value"), {}))
        self.assertEqual(self.run_cell("after", "str(type(globals()['a'])) == \"<class 'lazy_import'>\""), str(HAS_LAZY))
        self.assertEqual(self.run_cell("after", "a.__name__, b(1, 2), c.__name__, d.__name__, e.__name__"),
                         "('colorsys', Fraction(1, 2), 'xml.dom.minidom', 'xml', 'xml.etree.ElementTree')")

    def test_a_module_that_the_profile_has_not_is_left_out_alone(self):
        restored, skipped = self.restore_calls(a=("ctypes", False, ()), b=("colorsys", False, ()))
        self.assertEqual(restored, {"b": "value"})
        self.assertIn("module 'ctypes' is not allowed", skipped["a"])

    def test_a_name_is_a_name_and_no_program(self):
        words = "colorsys\nopen('made.txt', 'w').close()\nimport colorsys"
        restored, skipped = self.restore_calls(
            a=(words, False, ()), b=("colorsys", True, (words,)), c=("", False, ()), d=("colorsys", False, ()))
        self.assertEqual(restored, {"d": "value"})
        self.assertEqual(skipped, dict.fromkeys("abc", "TypeError: no lazy import of a saved session"))
        self.assertEqual(self.run_cell("after", "import os; os.listdir('.')"), "[]")


unittest.main(warnings="ignore")
