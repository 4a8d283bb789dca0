# A deque without a bound takes an endless count.
# expect: memory or error
# state: kept
# when: run
import collections, itertools
collections.deque(itertools.count())
