# extendleft of a bounded deque by an endless iterator.
# expect: rung 1
import collections, itertools
collections.deque([], 10).extendleft(itertools.repeat(1))
