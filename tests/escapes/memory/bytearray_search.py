# bytearray's searches with an __index__ that empties it: read freed memory, and tell where in it a byte is.
# expect: ok
class Value:
    def __init__(self, number):
        self.number, self.refused = number, False
    def __index__(self):
        try:
            found.clear()
        except BufferError:
            self.refused = True
        return self.number
for name in ("count", "find", "index", "rfind", "rindex", "startswith", "endswith"):
    for arguments in (b"A", Value(0)), (Value(65),):
        found = bytearray(b"A" * 64)
        if name.endswith("with") and len(arguments) == 1:
            continue
        getattr(found, name)(*arguments)
        assert arguments[-1].refused, name
