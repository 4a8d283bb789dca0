# The memoryview that a BufferedReader gives to readinto() is kept: read and wrote its buffer after that was freed.
# expect: ok
import io
class Raw(io.RawIOBase):
    def readable(self):
        return True
    def readinto(self, buffer):
        global kept
        kept = buffer
        buffer[:5] = b"12345"
        return 5
reader = io.BufferedReader(Raw(), 500)
assert reader.read(5) == b"12345"
kept[0] = 65
assert reader.read(5) == b"12345"
# What is read is a copy: what was kept of it before is not the buffer.
before = kept
reader.peek()
before[:5] = b"AAAAA"
assert reader.read(5) == b"12345", "the view is of the buffer"
raw = reader.raw
assert isinstance(raw, Raw) and reader.detach() is raw
