# bytearray.hex and memoryview.hex with a separator whose length empties the bytes: the text was of freed memory.
# expect: ok
class Separator(bytes):
    def __len__(self):
        global refused
        try:
            if view:
                view.release()
            data.clear()
        except BufferError:
            refused += 1
        return 1
refused = 0
view = None
data = bytearray(b"A" * 64)
text = data.hex(Separator(b":"))
view = memoryview(data)
text_of_view = view.hex(Separator(b":"))
assert refused == 2, refused
assert text == text_of_view == ":".join(["41"] * 64)
