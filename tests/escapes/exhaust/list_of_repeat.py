# list of an endless iterator: grows in C.
# expect: memory
# state: kept
# when: run
import itertools
list(itertools.repeat(1))
