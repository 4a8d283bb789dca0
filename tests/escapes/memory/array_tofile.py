# array.tofile to an object whose write empties the array: read 64 KiB of what is not the array's, a block at a time.
# expect: ok
import array
items = array.array("B", b"\x01" * 300_000)
refused = 0
got = []
class File:
    def write(self, data):
        global refused
        got.append(data)
        try:
            del items[:]
        except BufferError:
            refused += 1
items.tofile(File())
assert refused == len(got) == 5 and b"".join(got) == b"\x01" * 300_000
