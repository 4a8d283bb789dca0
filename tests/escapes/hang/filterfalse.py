# itertools.filterfalse over endless ones.
# expect: rung 1
import itertools
next(itertools.filterfalse(None, itertools.repeat(1)))
