# A generator that delegates to an endless iterator is driven from C.
# expect: rung 1
import collections, itertools
def delegate():
    yield from itertools.repeat(1)
collections.deque(delegate(), maxlen=0)
