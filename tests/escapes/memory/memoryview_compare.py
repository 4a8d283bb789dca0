# A memoryview is released while struct.Struct, which it asks for its items, is one of the guest's.
# expect: ok
# when: compare
import array, struct
memory = array.array("u", "abcdefgh" * 10000)
view, other = memoryview(memory), memoryview(array.array("u", memory))
class Struct:
    size = 4
    def __init__(self, format):
        pass
    def unpack_from(self, item):
        global refused
        try:
            view.release()
            del memory[:]
        except BufferError:
            refused += 1
        return (1,)
refused = 0
original, struct.Struct = struct.Struct, Struct
try:
    assert view == other
finally:
    struct.Struct = original
assert refused > 0
view.release()
assert view != other
