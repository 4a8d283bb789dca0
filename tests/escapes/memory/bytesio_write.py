# A BytesIO is written what takes a view of its memory while it is asked for its buffer: the view was of freed memory.
# expect: ok
# only: 3.13+
import io
class Taker:
    def __buffer__(self, flags):
        views.append((stream.getbuffer(), bytes(stream.getbuffer())))
        return memoryview(b"z" * 5000)
views, refused = [], 0
def write(how, *args):
    global stream, refused
    stream = io.BytesIO(b"A" * 100)
    try:
        how(stream, *args)
    except BufferError:
        refused += 1
write(io.BytesIO.write, Taker())
write(io.BytesIO.writelines, [Taker()])
write(io.BytesIO.__setstate__, (Taker(), 0, None))
write(io.BytesIO.__init__, Taker())
kept = [b"C" * 100 for _ in range(10000)]
assert all(bytes(view) == before for view, before in views) and len(views) == refused == 4
stream = io.BytesIO(bytearray(b"ab"))
stream.writelines([b"c", bytearray(b"d"), memoryview(b"e")])
assert stream.getvalue() == b"cde" and stream.write(b"f") == 1
assert io.BytesIO(initial_bytes=b"x").read() == b"x"
