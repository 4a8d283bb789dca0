# collections.Counter over endlessly many different things.
# expect: memory
# state: kept
# when: run
import collections, itertools
collections.Counter(map(str, itertools.count()))
