# Python and C by turns down to the end of the stack, then each kind of call there.
# expect: recursion
# only: 3.14+
import functools, sys
class Deep:
    def __repr__(self):
        try:
            return repr(self)
        finally:
            hash((1, (2, (3,))))
            sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: a - b))
            str([[[[]]]])
sys.setrecursionlimit(10_000_000)
repr(Deep())
