# hash(memoryview) of an object whose __hash__ releases the view: hashed freed memory.
# expect: ok
class Text(bytes):
    def __hash__(self):
        global refused
        try:
            view.release()
        except BufferError:
            refused += 1
        return 1
refused = 0
view = memoryview(Text(b"A" * 64))
assert hash(view) == hash(b"A" * 64) and refused == 1
