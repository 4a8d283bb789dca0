# struct.Struct is made again by an __index__ while it packs: it went on by the format that was freed.
# expect: ok
import struct
class Value:
    def __index__(self):
        global refused
        try:
            record.__init__("100s")
        except RuntimeError:
            refused += 1
        return 1
refused = 0
record = struct.Struct("20Q")
assert record.pack(*[Value()] * 20) == b"\1\0\0\0\0\0\0\0" * 20 and refused == 20
record.__init__("<h")
assert record.pack(1) == b"\1\0"
