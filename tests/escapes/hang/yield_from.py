# A generator that delegates to an endless iterator is driven from C.
# expect: rung 3 deque.extend of a delegating generator: consume_iterator, SEND does not poll
# state: any
# when: run
import collections, itertools
def delegate():
    yield from itertools.repeat(1)
collections.deque(delegate(), maxlen=0)
