# The clusters of a text, again and again, counted in C.
# expect: rung 1
# only: 3.15+
import collections, itertools, unicodedata
texts = itertools.repeat("a\u0301" * 100_000)
collections.deque(itertools.chain.from_iterable(map(unicodedata.iter_graphemes, texts)), 0)
