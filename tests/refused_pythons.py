"""Each Python that snug is not made for is refused in one sentence, which says what to do.

usage: refused_pythons.py CMAKE cmake/known_pythons.cmake
"""
import subprocess
import sys
import unittest

import unittests


def refusal(version, free_threaded="", tried="OFF"):
    """What configuring says of it; empty where it is taken."""
    done = subprocess.run([CMAKE, f"-DVERSION={version}", f"-DFREE_THREADED={free_threaded}",
                           f"-DTRY={tried}", "-P", KNOWN_PYTHONS],
                          check=True, stderr=subprocess.PIPE, text=True)
    return done.stderr.strip()


class RefusedPythons(unittest.TestCase):
    def expect(self, text, *parts):
        self.assertEqual(len(text.splitlines()), 1, text)
        for part in parts:
            self.assertIn(part, text)

    def test_what_all_tests_are_passed_with_is_taken(self):
        for version in "3.11.2", "3.13.5", "3.14.8", "3.15.0":
            self.assertEqual(refusal(version), "")

    def test_an_old_one_is_refused_even_when_tried(self):
        self.expect(refusal("3.9.2"), "Python 3.9.2, older", "-DPython3_EXECUTABLE")
        self.expect(refusal("3.10.4", tried="ON"), "older")

    def test_3_12_is_refused_for_a_reason_of_its_own(self):
        self.expect(refusal("3.12.3"), "reliable GIL", "-DSNUG_TRY_PYTHON=ON")
        self.assertEqual(refusal("3.12.3", tried="ON"), "")

    def test_a_free_threaded_one_is_refused_even_when_tried(self):
        for tried in "OFF", "ON":
            self.expect(refusal("3.13.5", "1", tried), "without a GIL")

    def test_one_that_nobody_knows_can_be_tried(self):
        self.expect(refusal("3.99.0"), "does not know", "-DSNUG_TRY_PYTHON=ON")
        self.assertEqual(refusal("3.99.0", tried="ON"), "")


if __name__ == "__main__":
    CMAKE, KNOWN_PYTHONS = sys.argv[1:]
    unittests.main(sys.argv[:1])
