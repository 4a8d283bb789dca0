# bytes of an endless iterator of numbers.
# expect: memory
# state: kept
# when: run
import itertools
bytes(itertools.repeat(7))
