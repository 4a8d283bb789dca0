"""What the last run of a preset's tests skipped, a line each with the reason.

usage: skipped.py PRESET JUNIT_FILE

The file is ctest's (--output-junit). A test that was skipped whole has said why in its last line. One that
ran may have skipped some of its cases: cmocka's say why in the line before they skip, and all else in a line
`skipped: WHAT: WHY`.
"""
import re
import sys
import xml.etree.ElementTree as ElementTree

CMOCKA = re.compile(r"\[ RUN      \] (\w+)\n((?:(?!\[ ).*\n)*)\[  SKIPPED \] \1\n")
PREFIX = "skipped: "


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix(PREFIX) if lines else "it does not say why"


def cases_of(output):
    for name, said in CMOCKA.findall(output):
        yield f"{name}: {last_line(said)}"
    for line in output.splitlines():
        if line.startswith(PREFIX):
            yield line.removeprefix(PREFIX)


def main():
    preset, path = sys.argv[1:]
    whole, cases = [], []
    try:
        tests = ElementTree.parse(path).iter("testcase")
    except (OSError, ElementTree.ParseError) as error:  # ctest was ended, or ran nothing
        print(f"{preset}: what was skipped is not known: {error}")
        return
    for test in tests:
        name, output = test.get("name"), test.findtext("system-out") or ""
        found = list(cases_of(output))
        if test.find("skipped") is not None:
            whole.append(f"  {name}: {found[0] if found else last_line(output)}")
        else:
            cases += [f"  {name}: {case}" for case in found]
    for rows, what in (whole, "tests"), (cases, "cases of other tests"):
        if rows:
            print(f"{preset}: {len(rows)} {what} skipped", *rows, sep="\n")


main()
