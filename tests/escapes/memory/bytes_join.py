# bytes.join of a list that a __buffer__ empties: joined freed objects.
# expect: ok
# only: 3.13+
class Part:
    is_dead = False
    def __buffer__(self, flags):
        parts.clear()
        return memoryview(b"abc")
    def __del__(self):
        Part.is_dead = True
for separator in (b",", bytearray(b",")):
    parts = [Part(), Part(), Part()]
    assert separator.join(parts) == b"abc,abc,abc"
