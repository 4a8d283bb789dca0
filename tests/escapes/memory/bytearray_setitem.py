# bytearray.__setitem__ with an __index__ that moves the bytes: wrote a byte into freed memory, where the new bytes are not.
# expect: ok
bytes_of = bytearray(64)
class Value:
    def __init__(self, number):
        self.number = number
    def __index__(self):
        bytes_of.clear()
        bytes_of.extend(bytes(5000))
        return self.number
bytes_of[60] = Value(7)
assert bytes_of[60] == 7
bytes_of = bytearray(64)
bytes_of[Value(60)] = 7
assert bytes_of[60] == 7
# %%
bytes_of = bytearray(64)
bytes_of[Value(0):Value(4):Value(2)] = b"ab"
assert bytes_of[:4] == b"a\0b\0" and len(bytes_of) == 5000
bytes_of = bytearray(64)
del bytes_of[::Value(2)]
assert len(bytes_of) == 2500
