# all over map of a C function.
# expect: rung 1
# state: kept
# when: run
import itertools
all(map(bool, itertools.repeat(1)))
