# collections.deque(itertools.repeat(1), maxlen=0).
# expect: rung 1
import collections, itertools
collections.deque(itertools.repeat(1), maxlen=0)
