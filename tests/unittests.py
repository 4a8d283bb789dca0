"""unittest.main for the drivers here. What was skipped has a line `skipped: WHAT: WHY`, and where nothing
else was run, the status is 77, which ctest takes for a test that was skipped."""
import sys
import unittest

import share


class Result(unittest.TextTestResult):
    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.stream.writeln(f"\nskipped: {test.id().split('.', 2)[-1]}: {reason}")


def main(argv=None, *, in_parts=False):
    """in_parts: of each class the part that share.py says."""
    loader = share.Loader() if in_parts else unittest.defaultTestLoader
    runner = unittest.TextTestRunner(resultclass=Result)
    result = unittest.main("__main__", argv=argv, exit=False, testRunner=runner, testLoader=loader).result
    if result.wasSuccessful() and result.skipped and not result.passed:
        sys.exit(77)
    sys.exit(not result.wasSuccessful())
