# all over map of a C function.
# expect: rung 3 the loop of all over map: builtin_all
# state: lost
# when: run
import itertools
all(map(bool, itertools.repeat(1)))
