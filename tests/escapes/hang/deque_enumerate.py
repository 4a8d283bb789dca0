# A deque of length 0 takes all of enumerate over an endless iterator.
# expect: rung 2
import collections, itertools
collections.deque(enumerate(itertools.repeat(1)), maxlen=0)
