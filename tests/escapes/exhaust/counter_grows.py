# collections.Counter over endlessly many different things.
# expect: memory
import collections, itertools
collections.Counter(map(str, itertools.count()))
