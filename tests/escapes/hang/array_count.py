# array.count from C for ever.
# expect: rung 2
import array, collections, itertools
numbers = array.array("q", range(10**6))
collections.deque(map(numbers.count, itertools.repeat(-1)), maxlen=0)
