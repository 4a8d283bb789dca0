# The caller's interrupt meets a loop in C.
# expect: rung 3 deque.extend of itertools.repeat: consume_iterator
# state: lost
# when: interrupt
import collections, itertools
collections.deque(itertools.repeat(1), maxlen=0)
