# A slice that is shown is dropped by the __repr__ of its first part.
# expect: ok
# when: repr
# expect short: ok or error or crash or died
class Part:
    def __str__(self):
        drop()
        kept.extend([bytes(56) for _ in range(1000)])
        return "part"
    __repr__ = __str__
kept = []
def drop():
    error.args = ()
error = Exception(slice(Part(), ["one"] * 3, ["two"] * 3))
assert repr(error) == "Exception(slice(part, ['one', 'one', 'one'], ['two', 'two', 'two']))"
def drop():
    shown.clear()
shown = [slice(Part(), ["one"] * 3, ["two"] * 3)]
assert repr(shown) == "[slice(part, ['one', 'one', 'one'], ['two', 'two', 'two'])]"
