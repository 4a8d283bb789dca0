# An iterator whose length is said to be 0 extends a bytearray: its byte was written where all empty ones lie.
# expect: ok
class Items:
    def __init__(self):
        self.left = [0x41]
    def __iter__(self):
        return self
    def __length_hint__(self):
        return 0
    def __next__(self):
        if not self.left:
            raise StopIteration
        return self.left.pop()
text = bytearray()
text.extend(Items())
assert text == b"A", text
text.extend([66]); text.extend((67,)); text.extend(b"D"); text.extend(memoryview(b"E")); text.extend(range(70, 72))
assert text == b"ABCDEFG"
for wrong in 5, "a", [256], [None]:
    try:
        text.extend(wrong)
    except (TypeError, ValueError):
        continue
    assert False, wrong
