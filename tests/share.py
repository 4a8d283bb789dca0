"""A part of a long list of tests is run by scripts/test, all of them by scripts/test --long.

SNUG_SHARE=3 is one in three, another one on each Python; without it, and with SNUG_WHOLE, it is all. SNUG_SHARE=2+1
is the part after that of SNUG_SHARE=2. The drivers of escapes do the same with their files.
"""
import os
import sys
import unittest

OF, _, AFTER = (os.environ.get("SNUG_SHARE", "1") if not os.environ.get("SNUG_WHOLE") else "1").partition("+")
OF, AFTER = int(OF), int(AFTER or 0)


def in_share(number):
    return number % OF == (sys.version_info.minor // 2 + AFTER) % OF


class Loader(unittest.TestLoader):
    """Of each class of tests the part."""

    def getTestCaseNames(self, case):
        return [name for number, name in enumerate(super().getTestCaseNames(case)) if in_share(number)]
