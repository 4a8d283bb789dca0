# A type's own dict is handed to the other operand of == and |: what it loses stays in the cache of attributes.
# expect: ok
# when: compare
class Value:
    def __repr__(self):
        return "value"
class Type:
    compared, joined = Value(), Value()
class Other:
    def __eq__(self, names):
        names.pop("compared")
        return True
    def __ror__(self, names):
        names.pop("joined")
        return True
for _ in range(50):
    assert str((Type.compared, Type.joined)) == "(value, value)"
assert Type.__dict__ == Other()
assert Type.__dict__ | Other()
kept = [bytes([66]) * 24 for _ in range(10000)]
assert str((Type.compared, Type.joined)) == "(value, value)"
assert Type.__dict__ == dict(Type.__dict__) and Type.__dict__ != {}
assert (Type.__dict__ | {"more": 1})["more"] == 1
