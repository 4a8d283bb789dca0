# A deque without a bound takes an endless count.
# expect: memory or error
import collections, itertools
collections.deque(itertools.count())
