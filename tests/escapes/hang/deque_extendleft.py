# extendleft of a bounded deque by an endless iterator.
# expect: rung 3 the loop of deque.extendleft: deque_extendleft
# state: lost
# when: run
import collections, itertools
collections.deque([], 10).extendleft(itertools.repeat(1))
