"""A worker that lies: it opens sessions as a good one does, and answers a cell by what its argument
names. It speaks the protocol of src/worker/protocol/frame.h on its standard input and output.

usage: liar.py LIE [SEED]
"""
import os
import pathlib
import random
import re
import struct
import sys
import time

FRAME_H = pathlib.Path(__file__).parents[2] / "src/worker/protocol/frame.h"
ENUM = FRAME_H.read_text().split("typedef enum frame_kind {")[1].split("}")[0]
KINDS = re.findall(r"^    FRAME_(?!REQUESTS|KINDS)(\w+)", ENUM, re.M)
HELLO, OPEN, CLOSE, RUN, IS_COMPLETE, BIND, COMPUTE, PING, REPLY, OUTPUT, DISPLAY, CALL, PONG = map(KINDS.index, (
    "HELLO OPEN CLOSE RUN IS_COMPLETE BIND COMPUTE PING REPLY OUTPUT DISPLAY CALL PONG".split()))


def number(n):
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def data(b):
    return number(len(b)) + b + b"\0"


def text(s):
    return number(0) if s is None else number(len(s) + 1) + s + b"\0"


def result(value=b"", json=b"", frames=number(0), artifacts=number(0), stdout=b"", changes=number(0),
           rich=number(0), displays=number(0)):
    out = number(0) + number(1) + data(value) + data(b"int") + data(json)
    out += text(None) * 2 + data(b"") * 4 + frames + number(0) + changes + number(0) + rich
    out += number(0) + number(1)
    for stream in (stdout, b""):
        out += data(stream) + number(0) * 3 + text(b"")
    return out + displays + number(0) + artifacts + number(0) * 2 + number(0) * 4


def display(*parts):
    out = number(len(parts))
    for part in parts:
        out += text(b"text/html") + number(0) + data(part)
    return out + data(b"{}") + text(b"") + number(0) * 3


# As in snug_type.
ANY, INT, DOUBLE, BOOL, TEXT, INTS = 0, 2, 3, 4, 5, 8


def value(kind, integer=0, bytes_=None):
    """Of a program."""
    return number(kind) + number(integer) + data(bytes(8)) + (b"" if bytes_ is None else data(bytes_))


def column(kind, rows, bytes_, ends=None):
    out = number(kind) + number(rows) + data(bytes_)
    return out + (b"" if ends is None else data(struct.pack(f"<{len(ends)}Q", *ends))) + number(0)


def read(count):
    got = b""
    while len(got) < count:
        more = os.read(0, count - len(got))
        if not more:
            sys.exit(0)
        got += more
    return got


def write(b):
    view = memoryview(b)
    while view:
        view = view[os.write(1, view):]


def frame(kind, channel, n, body=b"", length=None):
    return struct.pack("<IIII", len(body) if length is None else length, kind, channel, n) + body


def reply(channel, n, answer=b"", error=0, message=b""):
    return frame(REPLY, channel, n, number(error) + text(message) + answer)


def for_ever(make):
    def lie(c, n):
        piece = make(c, n) * 50
        while True:
            write(piece)
    return lie


def drip(c, n):
    for byte in reply(c, n, result(b"42")):
        write(bytes([byte]))
        time.sleep(1)


def sleep(c, n):
    time.sleep(1000)


def twice(c, n):
    write(reply(c, n, result(b"42")) * 2)


def mess(c, n):
    random.seed(sys.argv[2])
    write(random.randbytes(100000))


def call(name, arguments, times=1):
    return lambda c, n: b"".join(frame(CALL, c, n, number(i) + text(name) + data(arguments))
                                 for i in range(times))


def cut(c, n):
    write(reply(c, n, result(b"42"))[:-5])
    sys.exit(0)


def said(make):
    def lie(c, n):
        write(make(c, n))
        sleep(c, n)
    return lie


EMPTY_PART = text(b"a/b") + number(0) + data(b"")
FRAME = data(b"") * 3 + number(1)
OUT = number(0) + data(b"x" * 1000)

LIES = {
    "nothing": sleep,
    "mess": mess,
    "end": lambda c, n: sys.exit(0),
    "cut": cut,
    "drip": drip,
    "twice": twice,
    "kind": said(lambda c, n: frame(200, c, n)),
    "request": said(lambda c, n: frame(RUN, c, n)),
    "channel": said(lambda c, n: reply(c + 7, n, result(b"42"))),
    "other": said(lambda c, n: frame(OUTPUT, 1, 1, OUT) * 1000),
    "number": said(lambda c, n: reply(c, n - 1, result(b"42"))),
    "length": said(lambda c, n: frame(REPLY, c, n, b"", 0xFFFFFFFF)),
    "large": said(lambda c, n: frame(REPLY, c, n, b"x" * 1000000, 1 << 30)),
    "pong": said(lambda c, n: frame(PONG, 0, 0, b"x" * 1000)),
    "pongs": for_ever(lambda c, n: frame(PONG, 0, 0)),
    "output": for_ever(lambda c, n: frame(OUTPUT, c, n, OUT)),
    "which": said(lambda c, n: frame(OUTPUT, c, n, number(2) + data(b"x"))),
    "bytes": said(lambda c, n: frame(OUTPUT, c, n, number(0) + data(b"\xff"))),
    "display": said(lambda c, n: frame(DISPLAY, c, n, number(0) + number(1 << 60))),
    "error": said(lambda c, n: reply(c, n, b"", 77, b"no such error")),
    "message": said(lambda c, n: reply(c, n, b"", 2, b"\xff")),
    "empty": said(lambda c, n: frame(REPLY, c, n)),
    "more": said(lambda c, n: reply(c, n, result(b"42") + b"x")),
    "value": said(lambda c, n: reply(c, n, result(b"\xff"))),
    "json": said(lambda c, n: reply(c, n, result(b"42", b"{"))),
    "nested": said(lambda c, n: reply(c, n, result(b"42", b"[" * 1000000 + b"]" * 1000000))),
    # What the host's limits allow is 8 MiB of displays, 64 KiB of a stream, 16 KiB of a value and
    # 256 KiB of a list.
    "rich": said(lambda c, n: reply(c, n, result(b"42", rich=number(1) + display(b"x" * 9000000)))),
    "parts": said(lambda c, n: reply(c, n, result(
        b"42", rich=number(1) + display(*[b"x" * 300000] * 31)))),
    "controls": said(lambda c, n: reply(c, n, result(
        b"42", rich=number(1) + display(b"\1" * 2000000)))),
    "crumbs": said(lambda c, n: reply(c, n, result(
        b"42", rich=number(1) + number(500000) + EMPTY_PART * 500000))),
    "shown": said(lambda c, n: reply(c, n, result(
        b"42", displays=number(9) + display(b"x" * 1000000) * 9))),
    "empties": said(lambda c, n: reply(c, n, result(
        b"42", displays=number(300000) + display() * 300000))),
    "stream": said(lambda c, n: reply(c, n, result(b"42", stdout=b"x" * 100000))),
    "long": said(lambda c, n: reply(c, n, result(b"4" * 20000))),
    "names": said(lambda c, n: reply(c, n, result(b"42", changes=number(1000) + (
        data(b"x" * 1000) + text(b"int") + number(0)) * 1000))),
    "heavy": for_ever(lambda c, n: frame(REPLY, c, n, b"x" * 1000000, 100 << 20)),
    "event": said(lambda c, n: frame(DISPLAY, c, n, number(0) + display(b"x" * 9000000))),
    "told": said(lambda c, n: frame(OUTPUT, c, n, b"", 200 << 20)),
    "asked": said(lambda c, n: frame(CALL, c, n, b"", 40 << 20)),
    "count": said(lambda c, n: reply(c, n, result(b"42", frames=number(1 << 60)))),
    "frames": said(lambda c, n: reply(c, n, result(b"42", frames=number(100000) + FRAME * 100000))),
    "changes": said(lambda c, n: reply(c, n, result(b"42", changes=number(1 << 62)))),
    "path": said(lambda c, n: reply(c, n, result(b"42", artifacts=number(1) + text(b"../up") +
                                                 text(b"text/plain") + number(1)))),
    "root": said(lambda c, n: reply(c, n, result(b"42", artifacts=number(1) + text(b"/etc/passwd") +
                                                 text(b"text/plain") + number(1)))),
    "tool": said(call(b"none", b"{}")),
    "input": said(call(None, b"name? ")),
    "arguments": said(call(b"tool", b"{")),
    "list": said(call(b"tool", b"[]")),
    "calls": said(call(b"tool", b"{}", 10000)),
    "honest": lambda c, n: write(reply(c, n, result(b"42"))),
}


# What a program answers, each with status and without a result; the last is none of these lies.
FINE, FAILED, NO_RESULT = number(0), number(1), number(0)
PROGRAM_LIES = {
    "type": FINE + value(DOUBLE) + NO_RESULT,
    "any": FINE + value(ANY) + NO_RESULT,
    "bool": FINE + value(BOOL, 2) + NO_RESULT,
    "utf8": FINE + value(TEXT, 0, b"\xff") + NO_RESULT,
    "part": FINE + value(INTS, 0, b"1234567") + NO_RESULT,
    "failed": FAILED + value(INT, 42) + NO_RESULT,
    "status": FINE + value(INT, 42) + number(1) + number(1) + result(b"")[1:],
    "behind": FINE + value(INT, 42) + NO_RESULT + b"x",
    "rows": FINE + column(INT, 3, bytes(24)) + NO_RESULT,
    "few": FINE + column(INT, 1, bytes(8)) + NO_RESULT,
    "short": FINE + column(INT, 2, bytes(15)) + NO_RESULT,
    "many": FINE + number(INT) + number(1 << 60) + data(b"") + number(0) + NO_RESULT,
    "ends": FINE + column(TEXT, 2, b"abc", (3, 2)) + NO_RESULT,
    "beyond": FINE + column(TEXT, 2, b"abc", (1, 1 << 40)) + NO_RESULT,
    "true": FINE + value(INT, 42) + NO_RESULT,
}


def slow(lie):
    """Of a large cell it reads a byte now and then."""
    def read_slowly(length):
        while True:
            read(1)
            time.sleep(0.05)
    return read_slowly if lie == "reader" else read


def main():
    lie = sys.argv[1]
    while True:
        length, kind, channel, n = struct.unpack("<IIII", read(16))
        body = slow(lie if length > 100000 else "")(length)
        if kind == HELLO:
            write(reply(channel, n, text(b"form: a lie\n")))
        elif kind == OPEN:
            write(reply(channel, n, text(b"/nonexistent")))
        elif kind == CLOSE:
            write(reply(channel, n, number(0)))
        elif kind == BIND:
            write(reply(channel, n))
        elif kind == IS_COMPLETE:
            write(call(b"tool", b"{}")(channel, n))
        elif kind == RUN:
            LIES.get(lie, sleep)(channel, n)
        elif kind == COMPUTE:
            write(reply(channel, n, PROGRAM_LIES[lie]))
        elif kind == PING and lie != "nothing":
            write(frame(PONG, 0, 0))


main()
