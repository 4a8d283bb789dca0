# Formats numbers for ever, without a line of Python.
# expect: rung 2
import collections, itertools
collections.deque(map(str, itertools.count(10**6)), maxlen=0)
