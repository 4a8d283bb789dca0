"""The hint of one wrong cell each, as hints.jsonl has it, in a session of its own.

usage: SNUG=PROGRAM hints.py [FILE.jsonl]

A line has `code`, and `hint`: a text that must be in the hint, or null: no hint may be there, as what is
not sure is not said. `options` are those of `snug cells`; `before` is the first Python whose own message
says it instead. Rows with pandas are left out where it is not installed.
"""
import json
import pathlib
import sys

import client


def problem(row, answer, version):
    error = answer["error"]
    if not error:
        return "no error"
    wanted, hint = row["hint"], error["hint"]
    if "before" in row and version >= tuple(row["before"]):
        wanted = None
    if wanted is None:
        return f"hint {hint!r}" if hint else None
    return None if wanted in (hint or "") else f"hint {hint!r}, without {wanted!r}"


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).with_name("hints.jsonl")
    rows = [json.loads(line) for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines()]
    passed = failed = skipped = 0
    for options in sorted({row.get("options", "") for row in rows}):
        snug = client.Snug(options.split())
        version = client.python_version(snug)
        for row in rows:
            if row.get("options", "") != options:
                continue
            answer = snug.ask({"session": "row", "code": row["code"], "reset": True})
            if "No module named 'pandas'" in (answer["error"] or {"value": ""})["value"]:
                skipped += 1
                continue
            why = problem(row, answer, version)
            passed += not why
            failed += bool(why)
            if why:
                print(f"{row['code']!r}: {why}")
        snug.finish()
    print(f"{passed} passed, {failed} failed, {skipped} left out without pandas")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
