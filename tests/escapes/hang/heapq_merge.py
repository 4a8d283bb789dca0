# Merges two endless sorted iterators: the work is in a Python generator.
# expect: rung 1
import collections, heapq, itertools
collections.deque(heapq.merge(itertools.count(), itertools.count()), maxlen=0)
