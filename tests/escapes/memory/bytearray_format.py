# bytearray % values with a __repr__ that empties it: the rest of the format was read from freed memory.
# expect: ok
data = bytearray(b"%a %a" + b"A" * 64)
refused = 0
class Value:
    def __repr__(self):
        global refused
        try:
            data.clear()
        except BufferError:
            refused += 1
        return "x"
text = data % (Value(), Value())
assert refused == 2 and text == b"x x" + b"A" * 64
