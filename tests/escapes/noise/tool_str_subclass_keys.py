# Keys of str that change their hash, compare equal to all and raise.
# expect: ok
# tools: yes
class Key(str):
    n = 0
    def __hash__(self):
        Key.n += 1
        return Key.n
    def __eq__(self, other):
        raise ValueError("not now")
    def encode(self, *args):
        return b"lie"
    __str__ = __repr__ = encode
values = {}
for name in "abc":
    dict.__setitem__(values, Key(name), Key("v" + name))
assert echo(x=values) == {"x": {"a": "va", "b": "vb", "c": "vc"}}
call = echo.__globals__["__snug_call__"]
assert call(values) == {"a": "va", "b": "vb", "c": "vc"}
