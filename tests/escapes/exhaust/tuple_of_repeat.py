# tuple of an endless iterator: grows in C.
# expect: memory
# state: kept
# when: run
import itertools
tuple(itertools.repeat(1))
