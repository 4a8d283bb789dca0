# A deque of length 0 takes all of itertools.count().
# expect: rung 2
import collections, itertools
collections.deque(itertools.count(1000), maxlen=0)
