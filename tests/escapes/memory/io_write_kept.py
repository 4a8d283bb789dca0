# The memoryview that a BufferedWriter gives to write() is kept: what is written later, and freed memory, was read in it.
# expect: ok
import io
kept = []
class Raw(io.RawIOBase):
    def writable(self):
        return True
    def write(self, buffer):
        kept.append(buffer)
        return len(buffer)
writer = io.BufferedWriter(Raw())
writer.write(b"first")
writer.flush()
writer.write(b"again")
assert bytes(kept[0]) == b"first", bytes(kept[0])
writer.flush()
del writer
assert [bytes(view) for view in kept] == [b"first", b"again"]
