# The caller's interrupt meets a loop in C.
# expect: rung 1
# when: interrupt
import collections, itertools
collections.deque(itertools.repeat(1), maxlen=0)
