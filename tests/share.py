"""A part of a long list of tests is run by scripts/test, all of them by scripts/test --long.

SNUG_SHARE=3 is one in three, another one on each Python; without it, and with SNUG_WHOLE, it is all. The drivers of
escapes do the same with their files.
"""
import os
import sys

OF = 1 if os.environ.get("SNUG_WHOLE") else int(os.environ.get("SNUG_SHARE", "1"))


def in_share(number):
    return number % OF == sys.version_info.minor // 2 % OF
