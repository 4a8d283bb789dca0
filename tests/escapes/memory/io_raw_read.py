# RawIOBase.read with a readinto() that says it has read more than there was room for: told what lies behind.
# expect: ok
import io
class Raw(io.RawIOBase):
    def __init__(self, says, makes_shorter=False):
        self.says, self.makes_shorter = says, makes_shorter
    def readable(self):
        return True
    def readinto(self, buffer):
        if self.makes_shorter:
            del buffer[:]
        return self.says
for raw, wanted in (Raw(100_000), 10), (Raw(1000, True), 1000), (Raw(11), 10):
    try:
        data = raw.read(wanted)
    except ValueError:
        continue
    raise AssertionError(f"{len(data)} bytes of {wanted}")
assert Raw(4).read(10) == b"\0" * 4
