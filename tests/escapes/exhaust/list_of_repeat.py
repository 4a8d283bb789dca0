# list of an endless iterator: grows in C.
# expect: memory
import itertools
list(itertools.repeat(1))
