# bytes of an endless iterator of numbers.
# expect: memory
import itertools
bytes(itertools.repeat(7))
