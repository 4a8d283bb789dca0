# itertools.compress whose selectors are never true.
# expect: rung 1
import itertools
next(itertools.compress(itertools.repeat(1), itertools.repeat(0)))
