# collections.deque(itertools.repeat(1), maxlen=0).
# expect: rung 3 deque.extend of an iterator that makes nothing: consume_iterator
# state: lost
# when: run
import collections, itertools
collections.deque(itertools.repeat(1), maxlen=0)
