# A BufferedReader, and a TextIOWrapper, are made again by what they read from: they went on in what was freed.
# expect: ok
import io
class Raw(io.RawIOBase):
    def readable(self):
        return True
    def readinto(self, buffer):
        global refused
        try:
            attack()
        except RuntimeError:
            refused += 1
        buffer[:3] = b"abc"
        return 3
for attack in (lambda: reader.__init__(io.BytesIO(b"x" * 10), 16), lambda: text.detach(),
               lambda: text.__init__(io.BytesIO()), lambda: reader.detach()):
    refused = 0
    reader = io.BufferedReader(Raw(), 100_000)
    text = io.TextIOWrapper(reader, encoding="utf-8")
    got = text.read(3)
    assert refused and got == "abc", (refused, got)
