# All permutations of twenty things, thrown away: one tuple is used again and again.
# expect: rung 1
import collections, itertools
collections.deque(itertools.permutations(range(20)), maxlen=0)
