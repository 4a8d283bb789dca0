"""200 namespaces of namespaces.py, saved in one process and restored in another: what is restored
and what is left out, with the reason, must be exactly what the generator says, and the values the
same.

usage: SNUG=PROGRAM run_namespaces.py [COUNT]
"""
import os
import pathlib
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).parent.parent / "cells"), str(pathlib.Path(__file__).parent.parent)]
import client
import namespaces
from share import in_share

OPTIONS = ("--profile", "data")


def texts(snug, session, checks):
    for check in checks:
        answer = snug.ask({"session": session, "code": f"repr({check})"})
        yield answer["value"]["text"] if answer["status"] == "ok" else answer["error"]["traceback"]


def lists(answer, word):
    return ({row["name"]: row["how"] for row in answer[word]},
            {row["name"]: row["reason"] for row in answer["skipped"]})


def differs(seed, what, wanted, got):
    if wanted == got:
        return 0
    print(f"FAILED namespace {seed}: {what}")
    if isinstance(wanted, dict):
        for name in sorted({*wanted, *got}):
            if wanted.get(name) != got.get(name):
                print(f"  {name}: {got.get(name)!r}, but should be {wanted.get(name)!r}")
    else:
        print(f"  {got!r}, but should be {wanted!r}")
    return 1


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seeds = [int(sys.argv[2])] if len(sys.argv) > 2 else list(filter(in_share, range(count)))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        first, before = client.Snug(OPTIONS), {}
        for seed in seeds:
            session, path = f"s{seed}", os.path.join(folder, f"{seed}.snug")
            cells, kept, skipped, checks = namespaces.make(seed)
            for cell in cells:
                answer = first.ask({"session": session, "code": cell})
                failed += differs(seed, "a cell", (None, "ok"), (answer["error"], answer["status"]))
            saved = first.ask({"session": session, "op": "save", "path": path})
            if saved["schema"] != "snug.saved/1":
                failed += differs(seed, "the save", "snug.saved/1", saved)
                continue
            got = lists(saved, "saved")
            failed += differs(seed, "what is saved", kept, got[0])
            failed += differs(seed, "what is left out", skipped, got[1])
            before[seed] = list(texts(first, session, checks))
            first.ask({"session": session, "close": True})
        first.finish()
        second = client.Snug(OPTIONS)
        for seed, wanted in before.items():
            session, path = f"r{seed}", os.path.join(folder, f"{seed}.snug")
            cells, kept, skipped, checks = namespaces.make(seed)
            restored = second.ask({"session": session, "op": "restore", "path": path})
            if restored["schema"] != "snug.saved/1":
                failed += differs(seed, "the restore", "snug.saved/1", restored)
                continue
            got = lists(restored, "restored")
            failed += differs(seed, "what is restored", kept, got[0])
            failed += differs(seed, "what is not restored", skipped, got[1])
            now = list(texts(second, session, checks))
            for check, old, new in zip(checks, wanted, now):
                failed += differs(seed, f"the value of {check}", old, new)
            second.ask({"session": session, "close": True})
        second.finish()
    print(f"{len(before)} namespaces, {failed} failed")
    sys.exit(1 if failed or not before else 0)


main()
