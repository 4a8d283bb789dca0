# All permutations of twenty things, thrown away: one tuple is used again and again.
# expect: rung 3 deque.extend of permutations: consume_iterator
# state: lost
# when: run
import collections, itertools
collections.deque(itertools.permutations(range(20)), maxlen=0)
