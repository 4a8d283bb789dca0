# tuple of an endless iterator: grows in C.
# expect: memory
import itertools
tuple(itertools.repeat(1))
