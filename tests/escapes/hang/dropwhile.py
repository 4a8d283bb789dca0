# itertools.dropwhile whose condition, a C function, always holds.
# expect: rung 1
import itertools
next(itertools.dropwhile(bool, itertools.repeat(1)))
