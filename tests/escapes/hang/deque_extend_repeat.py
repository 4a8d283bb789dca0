# collections.deque(itertools.repeat(1), maxlen=0).
# expect: rung 1
# state: kept
# when: run
import collections, itertools
collections.deque(itertools.repeat(1), maxlen=0)
