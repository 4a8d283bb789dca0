# A list that only a method being called has is dropped by what the method calls.
# expect: ok
import collections, functools
def drops(how):
    class Value:
        def __lt__(self, other):
            try:
                how()
            except RuntimeError:
                refused.append(how)
            if not kept:
                kept.extend([1, 2, 3] for _ in range(200))
            return False
        def __eq__(self, other):
            asked.append(other)
            return self < other
    kept.clear()
    return [Value() for _ in range(200)]
kept, refused, asked = [], [], []
def is_whole():
    return all(len(one) == 3 for one in kept)

def drop():
    table.default_factory = None
table = collections.defaultdict(drops(drop).sort)
table[1]
assert is_whole() and table.default_factory is None

partial = functools.partial(drops(lambda: partial.__setstate__((len, (), {}, None))).sort)
partial()
assert is_whole() and refused

method = staticmethod(drops(lambda: method.__init__(len)).remove)
try:
    method(5)
except ValueError:
    assert asked == [5] * 200
asked.clear()

class Type:
    one = property(drops(lambda: Type.__dict__["one"].__init__(None)).remove)
try:
    Type().one
except ValueError:
    assert len(asked) == 200 and is_whole()
