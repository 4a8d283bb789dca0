"""What the tests that failed in the last run of a preset said at their end.

usage: failed.py PRESET JUNIT_FILE

The file is ctest's (--output-junit). In the middle of a long run's output a failure is hard to find.
"""
import sys
import xml.etree.ElementTree as ElementTree

LINES = 30


def main():
    preset, path = sys.argv[1:]
    try:
        tests = ElementTree.parse(path).iter("testcase")
    except (OSError, ElementTree.ParseError):  # ctest was ended, or ran nothing
        return
    for test in tests:
        if test.get("status") in ("run", "disabled", "notrun"):
            continue
        failure = test.find("failure")
        why = failure.get("message", "") if failure is not None else ""
        print(f"{preset}: {test.get('name')} failed after {float(test.get('time', 0)):.0f} s {why}".rstrip() + ":")
        for line in (test.findtext("system-out") or "").splitlines()[-LINES:]:
            print("   ", line)


main()
