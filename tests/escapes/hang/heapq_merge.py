# Merges two endless sorted iterators: the work is in a Python generator.
# expect: rung 1
# state: kept
# when: run
import collections, heapq, itertools
collections.deque(heapq.merge(itertools.count(), itertools.count()), maxlen=0)
