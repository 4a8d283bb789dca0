# The key of cmp_to_key drops its object while a function in C computes with it: the other operand was called with what is freed.
# expect: ok
import functools, operator
class Left:
    is_dead = False
    def __sub__(self, other):
        try:
            key.obj = None
        except AttributeError:
            pass
        return NotImplemented
    def __del__(self):
        Left.is_dead = True
class Right:
    def __rsub__(self, other):
        assert not Left.is_dead, "computed with what is freed"
        return 0
make = functools.cmp_to_key(operator.sub)
key, other = make(Left()), make(Right())
assert not key < other
assert sorted([3, 1, 2], key=make) == [1, 2, 3]
