"""1,000 files that are not saved session any more, or never were: each is refused with one sentence,
nothing of it runs, and the session has what it had. Files whose pickles are hostile are restored as far as the
session lets them, and reach nothing outside of it.

usage: SNUG=PROGRAM damaged.py [COUNT]
"""
import os
import pathlib
import pickle
import random
import struct
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parent.parent / "cells")]
import client
import saved

CELLS = ["import math\nx = {'a': [1, 2.5, 'text'], 'b': (None, True)}\nbig = list(range(500))",
         "class C:\n    def __init__(self, v):\n        self.v = v\ndef f(n=[1]):\n    return n\nc = C(x)",
         "open('kept.txt', 'w').write('kept' * 50)\nf()"]
# Would be there if a file reached what is not its session's.
MARKER = os.path.join(tempfile.gettempdir(), f"marker-of-saves-{os.getpid()}")
RUN = f"open('{MARKER}', 'w').write('ran')"


class Call:
    """Pickles as a call."""

    def __init__(self, function, *arguments):
        self.parts = function, arguments

    def __reduce__(self):
        return self.parts


def name(module, attribute):
    """STACK_GLOBAL, which takes any text."""
    def text(word):
        return b"\x8c" + bytes([len(word)]) + word.encode()
    return text(module) + text(attribute) + b"\x93"


def program(*operations):
    return b"\x80\x05" + b"".join(operations) + b"."


TEXT = b"\x8c" + bytes([len(RUN)]) + RUN.encode()
ONE = b"K\x01"
TUPLE = TEXT + b"\x85"


def hostile_pickles():
    """Each runs RUN, changes what it did not make, or confuses the one who reads it."""
    yield "exec", pickle.dumps(Call(exec, RUN), 5)
    yield "eval", pickle.dumps(Call(eval, RUN), 5)
    yield "exec in a list", pickle.dumps([1, {"k": (Call(exec, RUN),)}], 5)
    for protocol in range(5):
        yield f"exec, protocol {protocol}", pickle.dumps(Call(exec, RUN), protocol)
    for module, function in (("os", "system"), ("posix", "system"), ("subprocess", "Popen"),
                             ("builtins", "getattr"), ("builtins", "map"), ("builtins", "filter"),
                             ("builtins", "iter"), ("builtins", "__import__"), ("builtins", "type"),
                             ("builtins", "open"), ("builtins", "compile"), ("operator", "getitem"),
                             ("operator", "attrgetter.__call__"), ("functools", "reduce"),
                             ("copyreg", "_reconstructor"), ("copyreg", "add_extension"), ("runpy", "run_path"),
                             ("importlib", "import_module"), ("types", "FunctionType"), ("types", "CodeType"),
                             ("pickle", "loads"), ("_pickle", "loads"), ("marshal", "loads"), ("__main__", "f"),
                             ("__main__", "C"), ("_snug", "evaluate"), ("_snug_savemakers", "make_class"),
                             ("builtins", "object.__subclasses__"), ("sys", "modules.clear"), ("io", "open"),
                             ("builtins", "exec\u0000"), ("", ""), ("os.", "system"), ("codecs", "open")):
        yield f"{module}.{function}", program(name(module, function), TUPLE, b"R")
        yield f"{module}.{function} as a class", program(name(module, function), TUPLE, b"\x81")
        yield f"{module}.{function} with keywords", program(name(module, function), TUPLE, b"}", b"\x92")
    yield "the result of a call is called", program(name("builtins", "complex"), b")R", TUPLE, b"R")
    yield "a text is called", program(TEXT, TUPLE, b"R")
    yield "a name from the memo is called", program(name("os", "system"), b"\x94h\x00", TUPLE, b"R")
    yield "a name under a mark is called", program(name("os", "system"), b"(", TEXT, b"t", b"R")
    yield "a module is changed", program(name("math", "sqrt"), b"}", TEXT, ONE, b"s", b"b")
    yield "a class is changed", program(name("collections", "OrderedDict"), b"}", TEXT, ONE, b"s", b"b")
    yield "a function is filled", program(name("builtins", "print"), TEXT, ONE, b"s")
    yield "a text protocol", b"cos\nsystem\n(V" + RUN.encode() + b"\ntR."
    yield "GLOBAL", program(b"cos\nsystem\n", TUPLE, b"R")
    yield "INST", program(b"(", TEXT, b"ios\nsystem\n")
    yield "OBJ", program(b"(", name("os", "system"), TEXT, b"o")
    yield "EXT1", program(b"\x82\x01", TUPLE, b"R")
    yield "EXT4", program(b"\x84\x01\x00\x00\x00", TUPLE, b"R")
    yield "PERSID", program(b"Pexec\n")
    yield "an id of nobody's", program(b"\x8c\x04exec", b"Q", TUPLE, b"R")
    yield "an id that is not text", program(ONE, b"Q")
    yield "an id that is a helper and is filled", program(b"\x8c\x08function", b"Q", b"}b")
    yield "a helper as a class", program(b"\x8c\x05class", b"Q", b")\x81")
    yield "NEXT_BUFFER", program(b"\x97")
    yield "PUT far away", program(ONE, b"r\xff\xff\xff\x7f")
    yield "BINPUT", program(ONE, b"q\x00")
    yield "GET of nothing", program(b"h\x00")
    yield "LONG_BINGET of nothing", program(b"j\xff\xff\xff\xff")
    yield "the memo of an empty stack", program(b"\x94")
    yield "the memo of a mark", program(b"(\x94")
    yield "more is taken than there is", program(b"\x86")
    yield "more is taken than there is above a mark", program(ONE, b"(", ONE, b"\x86")
    yield "no mark", program(b"t")
    yield "values are left behind", program(ONE, ONE)
    yield "a mark is left behind", program(b"(", ONE)
    yield "nothing is left", program()
    yield "a mark alone is left", program(b"(")
    yield "no STOP", b"\x80\x05K\x01"
    yield "something behind STOP", program(ONE) + b"K"
    yield "a second pickle", program(ONE) + program(ONE)
    yield "protocol 6", b"\x80\x06K\x01."
    yield "no PROTO", b"K\x01."
    yield "nothing", b""
    yield "a text that is cut", program(b"\x8c\xffabc")
    yield "a long text that is cut", program(b"\x8d" + b"\xff" * 8)
    yield "bytes that are cut", program(b"\x8e" + b"\xff" * 7 + b"\x7f")
    yield "a byte array that is cut", program(b"\x96" + struct.pack("<Q", 2 ** 40))
    yield "a number that is cut", program(b"J\x01")
    yield "a negative length", program(b"\x8b\xff\xff\xff\xff")
    yield "a frame that is cut", program(b"\x95" + struct.pack("<Q", 2 ** 50), ONE)
    yield "an operation of nobody's", program(b"\xff")
    yield "a name made of numbers", program(ONE, ONE, b"\x93")
    yield "a name of an empty stack", program(b"\x93")
    yield "many marks", program(b"(" * 10000)


def hostile_files():
    """Fine but for one thing."""
    one = pickle.dumps(1, 5)
    for path in ("../out.txt", "/etc/out.txt", "a/../../out.txt", "", ".", "..", "a/", "/", "a//b", "a/./b", "a/..",
                 "x\0y", "a/" * 200 + "b", "n" * 300, "p/" * 4000 + "q"):
        yield f"a file {path[:20]!r}", saved.of_values(["x"], [one], files=saved.entry(path, b"out"))
        yield f"a folder {path[:20]!r}", saved.of_values(["x"], [one], files=saved.entry(path))
    yield "a file of a kind of nobody's", saved.of_values(["x"], [one], files=b"\x02\x01\x00\x00\x00a")
    yield "a file that is cut", saved.of_values(["x"], [one], files=saved.entry("a", b"abc")[:-1])
    plain = saved.plan([("x", "value")])
    source = saved.sources("pass")
    for label, changes in (
            ("a later format", {"format": 2}), ("format 0", {"format": 0}),
            ("more cells than sources", {"cells": 2}), ("fewer cells", {"cells": 0}),
            ("far more cells", {"cells": 2 ** 63}), ("more forgotten than cells", {"forgotten": 2}),
            ("a source that is not UTF-8", {"sources": struct.pack("<Q", 1) + b"\xff"}),
            ("a source with a NUL", {"sources": saved.sources("a\0b")}),
            ("a source that is cut", {"sources": struct.pack("<Q", 9) + b"a"}),
            ("a plan without its end", {"plan": saved.row(saved.NAME, 0, "x", "value")}),
            ("a plan that is cut", {"plan": plain[:-1]}), ("an empty plan", {"plan": b""}),
            ("a row of a kind of nobody's", {"plan": saved.row(9) + plain}),
            ("a row of kind 0", {"plan": saved.row(0) + plain}),
            ("a way of nobody's", {"plan": saved.plan([("x", "tool")])}),
            ("a name with a NUL", {"plan": saved.plan([("x\0y", "value")])}),
            ("a name without letters", {"plan": saved.plan([("", "value")])}),
            ("an out of no cell", {"plan": saved.plan([("x", "value")], saved.row(saved.OUT, 7))}),
            ("a last of no cell", {"plan": saved.plan([("x", "value")], last=(9, 0, 0))}),
            ("rows in disorder", {"plan": saved.row(saved.SKIPPED, 0, "a", "b") + plain}),
            ("five last", {"plan": plain + saved.row(saved.LAST) * 2})):
        fine = {"plan": plain, "values": one, "sources": source, "files": b"", "cells": 1}
        yield label, saved.frame(**(fine | changes))


def damaged(data, count, chance):
    """Of a good file: bits, cuts, bytes, lengths, parts in other places."""
    for number in range(count):
        kind, changed = number % 7, bytearray(data)
        at = chance.randrange(len(data))
        if kind == 0:
            changed[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            del changed[at:]
        elif kind == 2:
            begin = chance.randrange(len(data))
            changed[begin:begin + chance.randint(1, 40)] = chance.randbytes(chance.randint(1, 40))
        elif kind == 3:
            a, b = chance.sample(range(40, saved.HEADER, 8), 2)
            changed[a:a + 8], changed[b:b + 8] = changed[b:b + 8], changed[a:a + 8]
        elif kind == 4:
            changed = bytearray(chance.randbytes(chance.randrange(600)))
        elif kind == 5:
            struct.pack_into("<Q", changed, 40 + 16 * chance.randrange(4),
                             chance.choice([0, 1, 2 ** 31, 2 ** 32, 2 ** 63, 2 ** 64 - 1, len(data)]))
            head = bytes(changed[:saved.HEADER - 8])
            struct.pack_into("<Q", changed, saved.HEADER - 8, saved.crc(head))
        else:
            changed += chance.randbytes(chance.randint(1, 20))
        if bytes(changed) != data:
            yield f"damage {number}", bytes(changed)


def restore_hostile(snug, path, data):
    """What is wrong with the outcome; None: nothing."""
    pathlib.Path(path).write_bytes(data)
    answer = snug.ask({"session": "b", "op": "restore", "path": path})
    if answer["schema"] != "snug.saved/1" and answer["error"]["name"] != "SNUG_ESTOPPED":
        return f"answers {str(answer)[:300]}"
    if answer["schema"] == "snug.saved/1" and len(answer["restored"]) + len(answer["skipped"]) < 1:
        return f"loses a name: {answer}"
    if os.path.exists(MARKER):
        return "has made a file"
    snug.ask({"session": "b", "op": "reset"})
    answer = snug.ask({"session": "b", "code": "1 + 1"})
    return None if answer.get("value", {}).get("text") == "2" else f"leaves {str(answer)[:300]}"


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    failed = tried = 0
    with tempfile.TemporaryDirectory() as folder:
        snug = client.Snug(("--profile", "data"))
        good, path = os.path.join(folder, "good.snug"), os.path.join(folder, "bad.snug")
        for cell in CELLS:
            snug.ask({"session": "a", "code": cell})
        answer = snug.ask({"session": "a", "op": "save", "path": good})
        data = pathlib.Path(good).read_bytes()
        look = {"session": "a", "code": "import os; (x, c.v is x, f(), sorted(os.listdir('.')))"}
        before = snug.ask(look)["value"]["text"]
        files = list(hostile_files())
        files += list(damaged(data, max(count - len(files), 10), random.Random(1)))
        for label, text in files:
            tried += 1
            pathlib.Path(path).write_bytes(text)
            answer = snug.ask({"session": "a", "op": "restore", "path": path})
            error = answer.get("error", {})
            if answer["schema"] != "snug.error/1" or error["name"] != "SNUG_EINVAL" or "\n" in error["value"] \
                    or not error["value"].startswith(path):
                failed += 1
                print(f"FAILED {label} is not refused: {str(answer)[:300]}")
                for cell in CELLS:
                    snug.ask({"session": "a", "code": cell})
            elif tried % 50 == 0 and snug.ask(look)["value"]["text"] != before:
                failed += 1
                print(f"FAILED {label} has changed the session")
        one = pickle.dumps(1, 5)
        for label, pickles in (*((label, [data]) for label, data in hostile_pickles()), ("no pickle", []), ("two", [one, one])):
            if problem := restore_hostile(snug, path, saved.of_values(["x"], pickles)):
                failed += 1
                print(f"FAILED {label} {problem}")
        if snug.ask(look)["value"]["text"] != before or os.path.exists(os.path.join(folder, "out.txt")):
            failed += 1
            print("FAILED something has changed at the end")
        answer = snug.ask({"session": "a", "op": "restore", "path": good})
        if answer["schema"] != "snug.saved/1" or snug.ask(look)["value"]["text"] != before:
            failed += 1
            print(f"FAILED the good file: {answer}")
        snug.finish()
    print(f"{tried} files, {failed} failed")
    sys.exit(1 if failed or tried < min(count, 1000) else 0)


main()
