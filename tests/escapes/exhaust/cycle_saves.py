# itertools.cycle keeps all that it has seen of an endless input.
# expect: memory
import collections, itertools
collections.deque(itertools.cycle(itertools.count()), maxlen=0)
