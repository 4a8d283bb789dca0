# Ten to the thirtieth combinations, thrown away: one tuple is used again and again.
# expect: rung 1
import collections, itertools
collections.deque(itertools.product(range(10), repeat=30), maxlen=0)
