# collections.Counter over an endless iterator: counted in C.
# expect: rung 2
import collections, itertools
collections.Counter(itertools.repeat("x"))
