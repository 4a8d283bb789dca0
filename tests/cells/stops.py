"""Cells that are stopped at every moment of an import and of the event loop, in many sessions
of one process, leave sessions that go on. SNUG is the program.

On 3.11 all sessions share one import lock, and some extension modules keep one
interpreter's objects for all; a stop at the wrong moment once hung or crashed the process.
"""
import collections
import json
import os
import subprocess
import sys
import threading

STOPPED = (
    "import asyncio\nasync def main():\n    while True: await asyncio.sleep(0)\nasyncio.run(main())",
    "import asyncio\nawait asyncio.Event().wait()",
    "while True:\n    import decimal, sys\n    sys.modules.pop('decimal')",
)
AFTER = "import asyncio, decimal\nawait asyncio.sleep(0, 1)"


def lines():
    number = 0
    for milliseconds in range(2, 120, 4):
        for code in STOPPED:
            number += 1
            session = f"s{number}"
            yield {"session": session, "code": code, "timeout": milliseconds / 1000}
            yield {"session": session, "code": AFTER, "timeout": 60}
            yield {"session": session, "close": True}


MOST_LOST = 9   # of 90 sessions
AT_A_TIME = 12 * 3  # lines of as many sessions as run side by side


def converse(wanted):
    """The answers, and whether the program ended well."""
    answers = []
    with subprocess.Popen([os.environ["SNUG"], "cells"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as snug:
        watch = threading.Timer(240, snug.kill)
        watch.start()
        for first in range(0, len(wanted), AT_A_TIME):
            batch = wanted[first:first + AT_A_TIME]
            snug.stdin.write("".join(json.dumps(line) + "\n" for line in batch))
            snug.stdin.flush()
            answers += [json.loads(snug.stdout.readline() or "{}") for _ in batch]
        snug.stdin.close()
        code = snug.wait()
        watch.cancel()
    return answers, code


def main():
    wanted = list(lines())
    answers, code = converse(wanted)
    found = collections.Counter(
        (answer["execution_count"], answer["status"], answer["state"],
         (answer["value"] or {}).get("text"), (answer["error"] or {}).get("value"))
        for answer in answers if "status" in answer)
    passed = sum(count for (cell, status, state, value, _), count in found.items()
                 if state == "kept" and (status == "timeout" if cell == 1 else value == "1"))
    # Where others have the processors, the ladder may have to go to its end: then the next cell is refused.
    lost = sum(count for (cell, status, state, *_), count in found.items()
               if (cell, status, state) == (1, "timeout", "lost"))
    failed = len(wanted) * 2 // 3 - passed - 2 * lost + (code != 0) + (lost > MOST_LOST)
    if failed:
        print(f"exit status {code}", *found.items(), sep="\n")
    print(f"{passed} passed, {lost} sessions lost, {failed} failed")
    return failed != 0


sys.exit(main())
