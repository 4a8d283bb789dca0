# Attributes of a UnicodeDecodeError lead its text to memory of others.
# expect: ok
# when: str
error = UnicodeDecodeError("ascii", b"abc", 0, 1, "reason")
assert str(error) == "'ascii' codec can't decode byte 0x61 in position 0: reason"
error.start, error.end = -(1 << 46), 1 - (1 << 46)
assert "bytes in position -" in str(error)
class Reason:
    def __str__(self):
        error.object = len
        error.start, error.end = 1 << 46, (1 << 46) + 1
        return "a reason"
error.start, error.end, error.reason = 0, 1, Reason()
assert str(error).endswith("a reason")
error = UnicodeEncodeError("ascii", "abc", 0, 1, "reason")
assert str(error) == "'ascii' codec can't encode character '\\x61' in position 0: reason"
error.object = len
assert "characters in position 0-0" in str(error)
