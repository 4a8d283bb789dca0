# UnicodeError.__init__ keeps what is not its own while it asks for an index, whose method drops it.
# expect: ok
class Index:
    def __init__(self, error, name):
        self.error, self.name = error, name
    def __index__(self):
        for _ in range(20):
            setattr(self.error, self.name, "x")
        self.error.__init__(*made[type(self.error)])
        return 1
made = {UnicodeDecodeError: ("ascii", b"\xff", 0, 1, "no"), UnicodeEncodeError: ("ascii", "\xff", 0, 1, "no"),
        UnicodeTranslateError: ("\xff", 0, 1, "no")}
kept = []
for kind, parts in made.items():
    for name in ("object", "reason"):
        for _ in range(300):
            error = kind(*parts)
            text = "".join(["long text ", "of its own", str(len(kept))])
            data = text.encode() if kind is UnicodeDecodeError else text
            index = [part if type(part) is int else data if part == parts[-4] else text for part in parts]
            index[-3] = Index(error, name)
            error.__init__(*index)
            assert error.object == data and error.start == 1 and error.reason == text, error
            kept.append((error, data, text))
            del error, index, data, text
for error, data, text in kept:
    assert error.object == data and error.reason == text
    str(error)
# %%
class Own(UnicodeDecodeError):
    def __init__(self, text):
        super().__init__("ascii", text, 0, 1, "own")
assert str(Own(b"\xff")) == "'ascii' codec can't decode byte 0xff in position 0: own"
for kind, parts in made.items():
    kind.__init__(kind(*parts), *parts)
    for wrong in ((), parts[:-1], parts[:-2] + ("1", "no"), (1,) + parts[1:]):
        try:
            kind(*wrong)
        except TypeError:
            continue
        raise AssertionError(wrong)
try:
    UnicodeDecodeError("ascii", b"", 1 << 100, 0, "no")
except (OverflowError, IndexError):
    pass
