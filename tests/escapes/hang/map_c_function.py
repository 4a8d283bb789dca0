# all over map of a C function.
# expect: rung 1
import itertools
all(map(bool, itertools.repeat(1)))
