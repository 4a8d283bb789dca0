# A bytearray is emptied by what it is split at, or extended with: the buffer that had been freed was split and shown.
# expect: ok
# only: 3.13+
class Separator:
    def __buffer__(self, flags):
        global refused
        try:
            text.clear()
        except BufferError:
            refused += 1
        return memoryview(b" ")
refused = 0
text = bytearray(b"A " * 2000)
assert text.split(Separator()) == text.rsplit(sep=Separator()) and refused == 2
assert text.split(b" ", 1)[0] == b"A" and text.split() == [b"A"] * 2000
class Emptier:
    def __buffer__(self, flags):
        text.clear()
        return memoryview(b"new")
text = bytearray(b"A " * 2000)
text.extend(Emptier())
assert text == b"new"
