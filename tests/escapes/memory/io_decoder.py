# A TextIOWrapper whose stream makes it again in the midst of readline: the decoder was freed and then used.
# expect: ok
import io
class Stream(io.BytesIO):
    def read1(self, size=-1):
        global refused
        try:
            text.__init__(io.BytesIO(b"y" * 100))
        except RuntimeError:
            refused += 1
        return b"abc\n"
refused = 0
text = io.TextIOWrapper(Stream(), encoding="utf-8")
assert text.readline() == next(text) == "abc\n" and refused == 2, refused
