"""Sessions whose threads are stopped at every moment, crash or hang in C, beside a neighbour that
must not notice. SNUG is the program.
"""
import json
import os
import subprocess
import sys
import threading

STOPPED = (
    "import threading\nwhile True:\n    t = threading.Thread(target=int); t.start(); t.join()",
    "from concurrent.futures import ThreadPoolExecutor\nwhile True:\n"
    "    with ThreadPoolExecutor(4) as pool: list(pool.map(abs, range(20)))",
    "import asyncio\nwhile True:\n    await asyncio.gather(*[asyncio.to_thread(int) for _ in range(9)])",
    "import threading\ndef start():\n    while True:\n        t = threading.Thread(target=int)\n"
    "        t.start(); t.join()\nfor _ in range(2): threading.Thread(target=start).start()",
)
AFTER = ("import asyncio, threading\nfrom concurrent.futures import ThreadPoolExecutor\n"
         "t = threading.Thread(target=int); t.start(); t.join()\n"
         "with ThreadPoolExecutor(4) as pool: found = list(pool.map(abs, range(20)))\n"
         "count = threading.active_count()\nlen(found), await asyncio.to_thread(abs, -7), count")
LOST = (
    (60, "import threading\ndef recurse():\n    it = iter([1])\n"
    "    for _ in range(1_000_000): it = map(int, it)\n    next(it)\n"
    "threading.Thread(target=recurse).start()\n"
    "def loop():\n    while True: [].append(1)\nthreading.Thread(target=loop).start()"),
    (0.5, "import threading\nx = ()\n"
    "for _ in range(60): x = slice(x, x) if slice.__hash__ else (x, x)\n"  # 3.14 remembers the hash of a tuple
    "for _ in range(2): threading.Thread(target=hash, args=(x,)).start()\nhash(x)"),
)
NEIGHBOUR = ("import json, threading\nn = json.loads(json.dumps(list(range(500))))\n"
             "t = threading.Thread(target=n.append, args=(1,)); t.start(); t.join()\nsum(n)")


def lines():
    number = 0
    for milliseconds in range(2, 100, 4):
        for code in STOPPED:
            number += 1
            yield {"session": f"s{number}", "code": code, "timeout": milliseconds / 1000}
            yield {"session": f"s{number}", "code": AFTER, "timeout": 60}
            yield {"session": f"s{number}", "close": True}
        yield {"session": "neighbour", "code": NEIGHBOUR, "timeout": 60}


def lines_of_losses():
    """Apart, for on 3.11 a hang in C holds the GIL of all until its limit."""
    for number in range(5):
        for timeout, code in LOST:
            yield {"session": f"lost{number} {timeout}", "code": code, "timeout": timeout}
            yield {"session": f"lost{number} {timeout}", "close": True}
            yield {"session": "neighbour", "code": NEIGHBOUR, "timeout": 60}


def converse(wanted, at_a_time):
    """The answers, and whether the program ended well. at_a_time lines run side by side."""
    answers = []
    with subprocess.Popen([os.environ["SNUG"], "cells", "--threads", "4"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as snug:
        watch = threading.Timer(120, snug.kill)
        watch.start()
        for first in range(0, len(wanted), at_a_time):
            batch = wanted[first:first + at_a_time]
            snug.stdin.write("".join(json.dumps(line) + "\n" for line in batch))
            snug.stdin.flush()
            answers += [json.loads(snug.stdout.readline() or "{}") for _ in batch]
        snug.stdin.close()
        code = snug.wait()
        watch.cancel()
    return answers, code


def is_right(answer):
    session, value = answer["session"], (answer["value"] or {}).get("text")
    if session == "neighbour":
        return answer["status"] == "ok" and value == "124751" and answer["usage"]["wall_ms"] < 5000
    if session.startswith("lost"):
        return answer["state"] == "lost"
    if answer["execution_count"] == 1:
        return answer["status"] == "timeout" and answer["state"] == "kept"
    return value == "(20, 7, 1)"


def main():
    failed = [talk(list(lines()), 4 * 3 + 1), talk(list(lines_of_losses()), 3)]
    return any(failed)


def talk(wanted, at_a_time):
    answers, code = converse(wanted, at_a_time)
    results = [answer for answer in answers if "status" in answer]
    wrong = [answer for answer in results if not is_right(answer)]
    missing = sum("code" in line for line in wanted) - len(results)
    for answer in wrong[:20]:
        print(json.dumps(answer))
    if code or missing:
        print(f"exit status {code}, {missing} cells without an answer")
        print([answer for answer in answers if "status" not in answer and "error" in answer][:5])
    print(f"{len(results) - len(wrong)} passed, {len(wrong) + missing + (code != 0)} failed")
    return bool(wrong or code or missing)


sys.exit(main())
