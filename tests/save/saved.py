"""The file of a saved session, read and written as src/wire/savefile.h describes it."""
import struct

MAGIC = bytes.fromhex("89534e55470d0a1a")
NAME, OUT, SETTING, SKIPPED, LAST = range(1, 6)
NO_SOURCE = 2 ** 64 - 1
HEADER = 112


def _table():
    for number in range(256):
        for _ in range(8):
            number = number >> 1 ^ (0xC96C5795D7870F42 if number & 1 else 0)
        yield number


TABLE = list(_table())


def crc(data):
    """CRC-64/XZ."""
    total = 2 ** 64 - 1
    for byte in data:
        total = TABLE[(total ^ byte) & 255] ^ total >> 8
    return total ^ 2 ** 64 - 1


def frame(plan, values, sources, files, cells, python=(3, 11), format=1, forgotten=0, flags=0):
    parts = (plan, values, sources, files)
    head = MAGIC + struct.pack("<IIHHIQQ", format, len(parts), *python, flags, cells, forgotten)
    for part in parts:
        head += struct.pack("<QQ", len(part), crc(part))
    return head + struct.pack("<Q", crc(head)) + b"".join(parts)


def row(kind, number=0, first="", second=""):
    first, second = first.encode(), second.encode()
    return (struct.pack("<BQI", kind, number, len(first)) + first + struct.pack("<I", len(second)) + second)


def plan(names, more=b"", last=(0, 0, 0)):
    return b"".join(row(NAME, 0, name, how) for name, how in names) + more + \
        b"".join(row(LAST, number) for number in last)


def sources(*texts):
    return b"".join(struct.pack("<Q", NO_SOURCE) if text is None else
                    struct.pack("<Q", len(text.encode())) + text.encode() for text in texts)


def entry(path, content=None):
    path = path if isinstance(path, bytes) else path.encode()
    head = struct.pack("<BI", content is not None, len(path)) + path
    return head + (struct.pack("<Q", len(content)) + content if content is not None else b"")


def of_values(names, pickles, texts=("pass",), files=b""):
    """A file that is fine around the pickles."""
    return frame(plan([(name, "value") for name in names]), b"".join(pickles), sources(*texts), files, len(texts))


def parts_of(data):
    """[(begin, end)] of the parts."""
    at, found = HEADER, []
    for i in range(4):
        length, = struct.unpack_from("<Q", data, 40 + 16 * i)
        found.append((at, at + length))
        at += length
    return found


def mended(data):
    """With the checksums that it should have, as far as it is whole."""
    head = bytearray(data[:HEADER - 8])
    for i, (begin, end) in enumerate(parts_of(data)):
        struct.pack_into("<Q", head, 40 + 16 * i + 8, crc(data[begin:end]))
    return bytes(head) + struct.pack("<Q", crc(head)) + data[HEADER:]
